// Starts stores and service as containers, waits until each is ready and prints the address. May be repeated: what runs as it
// should is left as it is, what died is started again, and other settings or numbers of containers take effect.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dockerSettings, type Config, type DockerSettings } from '../config.ts'
import { prepareDataDir } from '../infrastructure/embedded/data-dir.ts'
import { withLock } from '../infrastructure/embedded/files.ts'
import { developmentKeyLines } from './development-key.ts'
import { checkoutRoot } from './checkout.ts'
import { keepStackRecord, type DockerRecord } from './docker-choice.ts'
import { run as execute, lastLine, type Container } from './docker-engine.ts'
import { keptCopy } from './docker-files.ts'
import { answerOf } from './docker-forward.ts'
import { dropImage, imageOf, pullMissing } from './docker-images.ts'
import { makeSecrets, openDockerStack, type DockerStack } from './docker-stack.ts'
import { signalRules } from './holding.ts'
import { lastFault } from './last-fault.ts'
import type { Output } from './output.ts'
import { addressOf } from './service-record.ts'
import { checkAddress } from './settings-checks.ts'
import { askReady, FILLING_LINE, type Readiness } from './wait-ready.ts'

export { help } from './up.ts'

/** Seven programs start at once, each with health checks between. */
const patienceMs = 300_000
// The stores are healthy by then, so one that ends thrice has a fault that waiting does not mend.
const MOST_RESTARTS = 3
const ROLES = ['api', 'ingest', 'deliver']

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const settings = dockerSettings(config)
  signalRules(config)
  const found = await openDockerStack(config)
  const paths = prepareDataDir(config.dataDir)
  const wait = { waitMs: 600_000, onWait: (pid: number) => out.note(`waiting for process ${pid}, which is at the same DATA_DIR`) }
  await withLock(join(paths.run, 'up.lock'), wait, async () => {
    if (found.record === null) makeSecrets(config)
    await up(config, settings, found, out)
  })
}

async function up(config: Config, settings: DockerSettings, stack: DockerStack, out: Output): Promise<void> {
  const before = await stack.containers()
  await checkPorts(config, settings, stack, before)
  const { record, variables } = await prepareImages(config, settings, stack, out)
  const { image } = record
  let isFilling: boolean
  try {
    const scale = Object.entries(settings.replicas).flatMap(([role, count]) => ['--scale', `${role}=${count}`])
    const started = await stack.compose(['up', '-d', '--no-build', '--remove-orphans', ...scale], variables)
    if (started.status !== 0) throw new Error(`the containers could not be started: ${await whyNot(stack, started.stderr)}`)
    isFilling = await awaitReady(stack)
  } catch (error) {
    // Containers that ran before this call keep running.
    if (!before.some(isRunning)) await stack.compose(['down'], variables)
    throw error
  }
  if (stack.record !== null && stack.record.image !== image) await dropImage(stack.record.image)
  if (stack.record !== null && stack.record.rules !== record.rules) rmSync(stack.record.rules, { force: true })
  await report(config, stack, record, { before, isFilling }, out)
}

interface Prepared {
  record: DockerRecord
  /** For Compose. */
  variables: Record<string, string>
}

/** All images are there when this resolves, and DATA_DIR is one of Docker from then on. */
export async function prepareImages(config: Config, settings: DockerSettings, stack: DockerStack, out: Output): Promise<Prepared> {
  const { host, port, dataDir } = config
  const { api } = settings.replicas
  const image = await imageOf(settings, config, out)
  const rules = keptCopy(config.signalRules ?? join(checkoutRoot(), 'docker', 'signal-rules.json'), dataDir)
  const record: DockerRecord = { stack: 'docker', host, port, image, rules, hasKey: stack.record?.hasKey ?? false }
  keepStackRecord(dataDir, record)
  const variables = { SERVICE_IMAGE: image, SIGNAL_RULES: rules, PORTS: api === 1 ? `${port}` : `${port}-${port + api - 1}` }
  await pullMissing(await stack.compose(['config'], variables), out)
  return { record, variables }
}

const isRunning = ({ state }: Container): boolean => state === 'running'

async function checkPorts(config: Config, { replicas }: DockerSettings, { record }: DockerStack, before: Container[]): Promise<void> {
  const { host, port } = config
  const apis = before.filter((container) => container.service === 'api' && isRunning(container))
  if (record !== null && apis.length > 0 && (record.host !== host || record.port !== port)) {
    throw new Error(
      `already running at ${addressOf(record.host, record.port)} (HOST=${record.host} PORT=${record.port}), ` +
        `not at HOST=${host} PORT=${port}: make down first, or name another DATA_DIR`,
    )
  }
  if (port + replicas.api > 65_536) {
    throw new Error(`PORT=${port} leaves no room for ${replicas.api} api containers, each with the next port`)
  }
  const ours = apis.flatMap(({ addresses }) => addresses)
  for (let each = port; each < port + replicas.api; each += 1) {
    if (!ours.includes(addressOf(host, each))) await checkAddress({ host, port: each })
  }
}

/** Every container of a role says so itself, and those of the api are reached from here. */
/** Whether ClickHouse is still being filled, which may take longer than we wait. */
async function awaitReady(stack: DockerStack): Promise<boolean> {
  const end = performance.now() + patienceMs
  for (;;) {
    const roles = (await stack.containers()).filter(({ service }) => ROLES.includes(service))
    const ready = await Promise.all(roles.map(readinessOf))
    if (ready.every((each) => each === 'ready')) return false
    const late = roles.filter((_, index) => ready[index] !== 'ready')
    const isFilling = ready.every((each) => each !== 'unready')
    if (isFilling && performance.now() > end) return true
    const isHopeless = late.some(({ restarts }) => restarts >= MOST_RESTARTS)
    if (isHopeless || performance.now() > end) {
      const said = await Promise.all(late.map(async ({ id, name }) => `${name} (${await lastWords(id)})`))
      throw new Error(`${isHopeless ? 'ends again and again' : 'not ready in time'}: ${said.join(', ')}`)
    }
    await sleep(500)
  }
}

async function readinessOf({ id, addresses, state }: Container): Promise<Readiness> {
  if (state !== 'running') return 'unready'
  // From outside first, which also tells of filling.
  const asked = await Promise.all(addresses.map(askReady))
  const worst = asked.find((each) => each !== 'ready')
  if (worst !== undefined) return worst ?? 'unready'
  const inside = `fetch('http://127.0.0.1:' + process.env.PORT + '/readyz')
    .then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`
  return (await execute(['docker', 'exec', id, 'node', '-e', inside])).status === 0 ? 'ready' : 'unready'
}

/** A container that failed says more than Compose does. */
export async function whyNot(stack: DockerStack, stderr: string): Promise<string> {
  const failed = (await stack.containers()).find(({ state, exitCode, health }) =>
    (state === 'exited' && exitCode !== 0) || health === 'unhealthy')
  if (/setting rlimit/.test(stderr)) return 'the engine may not have so many open files: lower CLICKHOUSE_NOFILE=262144'
  return failed === undefined ? lastLine(stderr) : `${failed.service}: ${await lastWords(failed.id)}`
}

async function lastWords(id: string): Promise<string> {
  const { stdout, stderr } = await execute(['docker', 'logs', '--tail', '50', id])
  return lastFault(`${stdout}\n${stderr}`) || 'it logged nothing'
}

interface Came { before: Container[]; isFilling: boolean }

async function report(config: Config, stack: DockerStack, record: DockerRecord, { before, isFilling }: Came, out: Output): Promise<void> {
  const after = await stack.containers()
  const ids = (containers: Container[]) => containers.filter(isRunning).map(({ id, startedAt }) => `${id} ${startedAt}`).toSorted().join()
  const status = isFilling ? 'filling' : ids(before) === ids(after) ? 'already running' : 'started'
  const made = record.hasKey ? null : await developmentKey(config, record)
  const address = addressOf(record.host, record.port)
  const addresses = after.flatMap((container) => container.addresses).toSorted()
  const containers = Object.fromEntries(after.filter(isRunning).map(({ service }) => service)
    .map((service, _, all) => [service, all.filter((each) => each === service).length]))
  const { host, port } = record
  out.result({
    status, stack: 'docker', address, addresses, host, port, dataDir: config.dataDir, project: stack.project, containers,
    ...(made && { developmentKey: { id: made.id, key: made.key, webhookSecret: made.webhookSecret } }),
  }, [
    `${status === 'started' ? 'ready' : status === 'filling' ? 'running' : status} at ${address}`,
    ...addresses.filter((each) => each !== address).map((each) => `     and ${each}`),
    ...(isFilling ? [FILLING_LINE] : []),
    ...(made ? developmentKeyLines(made) : []),
  ], made ? [made.key, made.webhookSecret] : [])
}

type Made = Parameters<typeof developmentKeyLines>[0]

/** Null where there is, or ever was, a key. */
async function developmentKey(config: Config, record: DockerRecord): Promise<Made | null> {
  const { keys } = await answerOf(config, ['keys', 'list']) as { keys: unknown[] }
  const made = keys.length > 0 ? null : await answerOf(config, ['keys', 'issue', '--name=development']) as unknown as Made
  keepStackRecord(config.dataDir, { ...record, hasKey: true })
  return made
}
