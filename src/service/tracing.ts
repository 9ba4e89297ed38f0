// Traces requests with OpenTelemetry's SDK. It is loaded only if tracing is configured, and before the modules that it
// instruments. OpenTelemetry's own variables configure what it sends and where.
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { redactSecrets } from '../infrastructure/http/redact-secrets.ts'
import type { RequestContext } from '../infrastructure/http/request-context.ts'

const PROBES = new Set(['/healthz', '/readyz', '/metrics'])
const STOP_MS = 2_000

/** Begins to trace. The returned function sends what is left, unless that takes long. */
export function startTracing(): () => Promise<void> {
  const sdk = new NodeSDK({
    // Metrics are for Prometheus to fetch, and logs go to a file.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [
      new HttpInstrumentation({
        // The addresses of webhooks can be secret.
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: ({ url = '' }) => PROBES.has(pathOf(url)),
        startIncomingSpanHook: ({ url = '', headers }) => ({
          'url.path': redactSecrets(pathOf(url)),
          // A key may have been pasted there; the log has documented parameters.
          'url.query': undefined,
          'user_agent.original': redactSecrets(headers['user-agent'] ?? ''),
        }),
        applyCustomAttributesOnSpan: (span, request) => {
          const { context } = request as IncomingMessage & { context?: RequestContext }
          if (context === undefined) return
          span.setAttribute('request.id', context.id)
          if (context.operation === undefined) return
          span.setAttribute('operation.id', context.operation.id)
          span.updateName(context.operation.id)
        },
      }),
      // Only within requests and filings, since loops query all the time. Parameters are not traced.
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
    ],
  })
  sdk.start()
  return () => Promise.race([sdk.shutdown().catch(() => {}), sleep(STOP_MS, undefined, { ref: false })])
}

const pathOf = (url: string): string => url.split('?', 1)[0]!
