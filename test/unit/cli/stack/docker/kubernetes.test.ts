// docker/kubernetes: what Helm renders from the chart, as recorded (UPDATE_GOLDEN=1 records) and valid by Kubernetes'
// schemas, and that everything it names exists in the program. The manifests for kustomize are the chart's, with its
// default values.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { loadConfig } from '../../../../../src/config.ts'
import { ROLES } from '../../../../../src/service/start-service.ts'
import { configVariables, secretVariables } from '../../../../support/config-variables.ts'
import { contract } from '../../../../support/http/contract-client.ts'
import { findHelm, type Helm } from '../../../../support/kubernetes/helm.ts'
import { validateObject } from '../../../../support/kubernetes/validate-object.ts'

type Json = Record<string, any>

const root = join(import.meta.dirname, '../../../../..')
const FOLDER = join(root, 'docker/kubernetes')
const CHART = join(FOLDER, 'chart')
const VALUES = join(root, 'test/fixtures/kubernetes/values.yaml')
const GOLDENS = join(root, 'test/fixtures/golden')
/** Of a process that stops, after DRAIN_SECONDS. */
const STOP_SECONDS = 25
const UPDATE = process.env.UPDATE_GOLDEN === '1'

const documents = (text: string): Json[] => parseAllDocuments(text).map((each) => each.toJS() as Json)
const podOf = ({ spec }: Json): Json => spec.template.spec
const only = (list: Json[]): Json => {
  assert.lengthOf(list, 1)
  return list[0]!
}
const ofKind = (objects: Json[], kind: string): Json[] => objects.filter((each) => each.kind === kind)

/** Reads a file that is recorded, and records it first if that is asked for. */
function recorded(path: string, text: string): Json[] {
  if (UPDATE) writeFileSync(path, text)
  return documents(readFileSync(path, 'utf8'))
}

/** Returns what kustomize makes of all of it; null where no program renders it. */
function kustomized(): Json[] | null {
  for (const [program, ...words] of [
    ['kubectl', 'kustomize'],
    ['kustomize', 'build'],
  ]) {
    const { status, stdout, error, stderr } = spawnSync(program!, [...words, 'test/fixtures/kubernetes'], {
      cwd: root,
      encoding: 'utf8',
    })
    if (error) continue
    assert.strictEqual(status, 0, stderr)
    const nameOf = ({ kind, metadata }: Json) => `${kind} ${metadata.name}`
    return documents(stdout).toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  }
  return null
}

/** Checks what every rendering holds to: the objects name each other and the program's settings, probes and roles. */
function checkObjects(objects: Json[]): void {
  for (const each of objects) validateObject(each as { kind: string })
  const known = [...configVariables(), ...secretVariables().map((name) => `${name}_FILE`)]
  const deployments = ofKind(objects, 'Deployment')
  assert.sameMembers(
    deployments.map(({ metadata }) => metadata.name),
    ROLES.map((role) => `insider-${role}`),
  )
  const config = only(ofKind(objects, 'ConfigMap'))
  assert.includeMembers(known, Object.keys(config.data as Json))
  for (const deployment of deployments) {
    const { metadata, spec } = deployment
    const role = metadata.labels['app.kubernetes.io/component']
    const pod = podOf(deployment)
    const { args, env, envFrom, ports, securityContext, volumeMounts, ...container } = only(pod.containers)
    assert.deepEqual(args, ['serve', '--roles', role])
    assert.deepEqual(metadata.labels, spec.selector.matchLabels)
    assert.deepEqual(spec.template.metadata.labels, spec.selector.matchLabels)
    assert.deepInclude(spec.strategy.rollingUpdate, { maxUnavailable: 0 })
    const budgets = ofKind(objects, 'PodDisruptionBudget').filter((each) => each.metadata.name === metadata.name)
    assert.deepEqual(
      budgets.map((each) => each.spec),
      spec.replicas > 1 ? [{ minAvailable: 1, selector: spec.selector }] : [],
    )

    assert.includeMembers(
      known,
      env.map(({ name }: Json) => name),
    )
    assert.deepEqual(envFrom, [{ configMapRef: { name: config.metadata.name } }])
    const { mountPath } = volumeMounts.find(({ name }: Json) => name === 'secrets')
    const plain = env.filter(({ name }: Json) => !name.endsWith('_FILE')).map(({ name, value }: Json) => [name, value])
    loadConfig({ ...config.data, ...Object.fromEntries(plain) }, { cwd: '/' })
    for (const { name, value } of env)
      if (name.endsWith('_FILE')) assert.match(value, new RegExp(`^${mountPath}/\\w+$`))
    const volumes = pod.volumes.map(({ name }: Json) => name)
    assert.sameMembers(
      volumes,
      volumeMounts.map(({ name }: Json) => name),
    )

    const { startupProbe, livenessProbe, readinessProbe } = container
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)
    assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz'])
    assert.containsAllKeys(contract.paths, paths)
    assert.deepEqual(ports, [{ name: 'http', containerPort: 8080 }])
    const drain = Number(env.find(({ name }: Json) => name === 'DRAIN_SECONDS')?.value ?? 0)
    assert.isAbove(pod.terminationGracePeriodSeconds, drain + STOP_SECONDS)
    if (role === 'api') assert.isAtLeast(drain, readinessProbe.periodSeconds * readinessProbe.failureThreshold)

    assert.isFalse(pod.automountServiceAccountToken)
    assert.deepInclude(pod.securityContext, { runAsNonRoot: true, runAsUser: 1000 })
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  }
  const services = ofKind(objects, 'Service')
  for (const { spec } of services)
    assert.isTrue(deployments.some((each) => includes(each.metadata.labels as Json, spec.selector as Json)))
  for (const { spec } of ofKind(objects, 'Ingress'))
    for (const { http } of spec.rules)
      for (const { backend } of http.paths)
        assert.include(
          services.map(({ metadata }) => metadata.name),
          backend.service.name,
        )
  for (const { spec } of ofKind(objects, 'ServiceMonitor')) {
    const matching = services.filter(({ metadata }) =>
      includes(metadata.labels as Json, spec.selector.matchLabels as Json),
    )
    assert.deepEqual(
      matching.map(({ metadata }) => metadata.name),
      ['insider-metrics'],
    )
  }
}

const includes = (labels: Json, wanted: Json): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value)

describe('docker/kubernetes', () => {
  let helm: Helm | null = null
  before(async () => {
    helm = await findHelm()
  })
  after(() => helm?.remove())

  /** Returns what Helm makes of the chart, or skips the test. */
  function rendered(test: Mocha.Context, ...words: string[]): string {
    if (helm === null) {
      process.stdout.write('    skipped: no Helm is there\n')
      return test.skip()
    }
    const { status, stdout, stderr } = helm.run(['template', 'insider', CHART, ...words])
    assert.strictEqual(status, 0, stderr)
    return stdout
  }

  it("has a chart with the program's version, which Helm accepts without warnings", function () {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Json
    assert.deepEqual([chart.version, chart.appVersion], [version, version])
    rendered(this)
    const { status, stdout } = helm!.run(['lint', '--strict', CHART, '--values', VALUES])
    assert.strictEqual(status, 0, stdout)
  })

  it('has the manifests that the chart renders without values', function () {
    const all = ['--set', 'ingress.enabled=true', '--set', 'serviceMonitor.enabled=true']
    for (const [path, words, templates] of [
      ['manifests.yaml', [], ['deployments', 'services', 'data']],
      ['ingress/ingress.yaml', all, ['ingress']],
      ['monitoring/service-monitor.yaml', all, ['service-monitor']],
    ] as const) {
      const made = rendered(this, ...words, ...templates.flatMap((name) => ['--show-only', `templates/${name}.yaml`]))
      assert.deepEqual(documents(made), recorded(join(FOLDER, path), made))
    }
    // Kustomize makes the settings itself, under a name that changes with them.
    const [settings] = documents(rendered(this, '--show-only', 'templates/settings.yaml'))
    const lines = readFileSync(join(FOLDER, 'settings.env'), 'utf8').split('\n')
    const given = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('='))
    assert.deepEqual(Object.fromEntries(given), settings!.data)
  })

  it('is rendered by Helm with values as recorded', function () {
    const made = rendered(this, '--namespace', 'insider', '--values', VALUES)
    const objects = documents(made)
    assert.deepEqual(objects, recorded(join(GOLDENS, 'kubernetes-chart.yaml'), made))
    checkObjects(objects)
    const { data } = only(ofKind(objects, 'ConfigMap'))
    assert.deepInclude(data, { PUBLIC_URL: 'https://trades.example.com', RATE_LIMIT: '600/min', LOG_LEVEL: 'info' })
    const secret = only(ofKind(objects, 'Secret'))
    for (const each of ofKind(objects, 'Deployment')) {
      const { secret: mounted } = podOf(each).volumes.find(({ name }: Json) => name === 'secrets')
      assert.strictEqual(mounted.secretName, secret.metadata.name)
    }
    assert.notInclude(JSON.stringify(objects.filter((each) => each !== secret)), 'password')
  })

  it('restarts pods when a setting or a secret changes, and only then', function () {
    const annotations = (...words: string[]) =>
      ofKind(documents(rendered(this, '--values', VALUES, ...words)), 'Deployment').map(
        ({ spec }) => spec.template.metadata.annotations,
      )
    const before = annotations()
    assert.deepEqual(annotations('--set', 'api.replicas=5'), before)
    assert.notDeepEqual(annotations('--set', 'settings.LOG_LEVEL=debug'), before)
    assert.notDeepEqual(annotations('--set', 'secrets.values.redis_url=redis://other:6379'), before)
  })

  for (const { word, named } of [
    { word: 'api.replica=3', named: 'replica' },
    { word: 'ingest.replicas=0', named: 'replicas' },
    { word: 'settings.DATABASE_URL=postgresql://elsewhere', named: 'DATABASE_URL' },
    { word: 'settings.TRUST_PROXY=1', named: 'TRUST_PROXY' },
    { word: 'secrets.values.redis_url=redis://redis:6379', named: 'secrets' },
    { word: 'drainSeconds=0', named: 'drainSeconds' },
    { word: 'drainSeconds=16', named: 'drainSeconds' },
    { word: 'data.size=twenty', named: 'size' },
  ])
    it(`refuses the value ${word}`, function () {
      rendered(this)
      const { status, stderr } = helm!.run(['template', 'insider', CHART, '--set', word])
      assert.notStrictEqual(status, 0)
      assert.include(stderr, named)
    })

  it('is rendered by kustomize as recorded, with ingress and monitoring', function () {
    const made = kustomized()
    if (made === null) {
      process.stdout.write('    skipped: neither kubectl nor kustomize is there\n')
      return this.skip()
    }
    const text = made.map((each) => stringify(each)).join('---\n')
    assert.deepEqual(made, recorded(join(GOLDENS, 'kubernetes.yaml'), text))
    checkObjects(made)
    assert.isNotEmpty([...ofKind(made, 'Ingress'), ...ofKind(made, 'ServiceMonitor')])
    assert.deepInclude(only(ofKind(made, 'ConfigMap')).data, { PUBLIC_URL: 'https://insider.example.com' })
  })
})
