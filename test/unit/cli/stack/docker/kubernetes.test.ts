// docker/kubernetes: what its manifests name exists in the program and in each other, and what comes out of them together,
// recorded (UPDATE_GOLDEN=1 records). Rendered by kubectl or kustomize where one of them is there.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { ROLES } from '../../../../../src/service/start-service.ts'
import { configVariables, secretVariables } from '../../../../support/config-variables.ts'
import { contract } from '../../../../support/http/contract-client.ts'

type Json = Record<string, any>

const root = join(import.meta.dirname, '../../../../..')
const FOLDER = join(root, 'docker/kubernetes')
const GOLDEN = join(root, 'test/fixtures/golden/kubernetes.yaml')
/** Of a process that stops, after DRAIN_SECONDS. */
const STOP_SECONDS = 25

const documents = (text: string): Json[] => parseAllDocuments(text).map((each) => each.toJS() as Json)
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')
const manifests = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  .toSorted()
const all = manifests.flatMap((name) => documents(read(name)))
const deployments = all.filter(({ kind }) => kind === 'Deployment')
const podOf = ({ spec }: Json): Json => spec.template.spec
const only = (list: Json[]): Json => {
  assert.lengthOf(list, 1)
  return list[0]!
}

/** Returns what the manifests make together; null where no program renders them. */
function rendered(): Json[] | null {
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

describe('docker/kubernetes', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const kustomization = parse(read('kustomization.yaml')) as Json
  const settings = read('settings.env').trim().split('\n')

  it('has a deployment for each role, that runs it and is kept available', () => {
    assert.sameMembers(
      deployments.map(({ metadata }) => metadata.name),
      ROLES.map((role) => `insider-${role}`),
    )
    for (const { metadata, spec } of deployments) {
      const role = metadata.name.replace('insider-', '')
      const labels = { 'app.kubernetes.io/component': role }
      const { args, image } = only(podOf({ spec }).containers)
      assert.deepEqual(args, ['serve', '--roles', role])
      assert.strictEqual(image, kustomization.images[0].name)
      assert.deepEqual([spec.selector.matchLabels, spec.template.metadata.labels], [labels, labels])
      assert.deepInclude(spec.strategy.rollingUpdate, { maxUnavailable: 0 })
      const budget = all.find(({ kind, metadata: of }) => kind === 'PodDisruptionBudget' && of.name === metadata.name)
      assert.deepEqual(budget?.spec, { minAvailable: 1, selector: { matchLabels: labels } })
      assert.isAbove(spec.replicas, budget!.spec.minAvailable)
    }
    assert.strictEqual(kustomization.images[0].newTag, version)
    assert.deepEqual(kustomization.resources.toSorted(), manifests)
  })

  it('gives the program settings that it has, and secrets as files', () => {
    const known = [...configVariables(), ...secretVariables().map((name) => `${name}_FILE`)]
    assert.includeMembers(
      known,
      settings.map((line) => line.split('=')[0]!),
    )
    for (const deployment of deployments) {
      const { env, envFrom, volumeMounts } = only(podOf(deployment).containers)
      assert.includeMembers(
        known,
        env.map(({ name }: Json) => name),
      )
      assert.deepEqual(envFrom, [{ configMapRef: { name: kustomization.configMapGenerator[0].name } }])
      const { mountPath } = volumeMounts.find(({ name }: Json) => name === 'secrets')
      for (const { name, value } of env)
        if (name.endsWith('_FILE')) assert.match(value, new RegExp(`^${mountPath}/\\w+$`))
      const volumes = podOf(deployment).volumes.map(({ name }: Json) => name)
      assert.sameMembers(
        volumes,
        volumeMounts.map(({ name }: Json) => name),
      )
    }
  })

  it('asks for health where the contract has it, and lets a stopping pod finish', () => {
    for (const deployment of deployments) {
      const { startupProbe, livenessProbe, readinessProbe, ports, env } = only(podOf(deployment).containers)
      const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)
      assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz'])
      assert.containsAllKeys(contract.paths, paths)
      assert.deepEqual(ports, [{ name: 'http', containerPort: 8080 }])
      const drain = Number(env.find(({ name }: Json) => name === 'DRAIN_SECONDS')?.value ?? 0)
      assert.isAbove(podOf(deployment).terminationGracePeriodSeconds, drain + STOP_SECONDS)
      if (deployment.metadata.name === 'insider-api')
        assert.isAtLeast(drain, readinessProbe.periodSeconds * readinessProbe.failureThreshold)
    }
  })

  it('gives its pods no rights', () => {
    for (const deployment of deployments) {
      const pod = podOf(deployment)
      assert.isFalse(pod.automountServiceAccountToken)
      assert.deepInclude(pod.securityContext, { runAsNonRoot: true, runAsUser: 1000 })
      assert.deepEqual(only(pod.containers).securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it('comes out as recorded, with ingress and monitoring', function () {
    const made = rendered()
    if (made === null) {
      process.stdout.write('    skipped: neither kubectl nor kustomize is there\n')
      return this.skip()
    }
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(GOLDEN, made.map((each) => stringify(each)).join('---\n'))
    assert.deepEqual(made, documents(readFileSync(GOLDEN, 'utf8')))
    const named = (kind: string) => made.filter((each) => each.kind === kind)
    const [config] = named('ConfigMap')
    for (const each of named('Deployment'))
      assert.strictEqual(only(podOf(each).containers).envFrom[0].configMapRef.name, config!.metadata.name)
    const services = new Map(named('Service').map((each) => [each.metadata.name, each]))
    for (const { http } of only(named('Ingress')).spec.rules)
      for (const { backend } of http.paths) assert.isTrue(services.has(backend.service.name))
    const monitored = only(named('ServiceMonitor')).spec.selector.matchLabels
    const matching = [...services.values()].filter(({ metadata }) =>
      Object.entries(monitored).every(([name, value]) => metadata.labels[name] === value),
    )
    assert.deepEqual(
      matching.map(({ metadata }) => metadata.name),
      ['insider-metrics'],
    )
  })
})
