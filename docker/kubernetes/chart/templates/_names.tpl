{{/* What several templates say: the labels of a part ("release" and "component"), the settings, and the secret's name. */}}
{{- define "insider.labels" -}}
app.kubernetes.io/name: {{ .release.Chart.Name }}
app.kubernetes.io/instance: {{ .release.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "insider.settings" -}}
{{- $settings := dict }}
{{- range $name, $value := .Values.settings }}
{{- if $value }}
{{- $_ := set $settings $name $value }}
{{- end }}
{{- end }}
{{- if and .Values.ingress.enabled (not (hasKey $settings "PUBLIC_URL")) }}
{{- $_ := set $settings "PUBLIC_URL" (printf "%s://%s" (ternary "https" "http" (ne .Values.ingress.tlsSecret "")) .Values.ingress.host) }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{- define "insider.secret" -}}
{{- if .Values.secrets.values }}{{ .Release.Name }}-secrets{{ else }}{{ .Values.secrets.existing }}{{ end }}
{{- end }}
