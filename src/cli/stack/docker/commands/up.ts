// The command up for a Docker stack: starts stores and service as containers, waits until each is ready and prints the
// address. It can be repeated: changed settings take effect, what died is started again, and the rest is left running.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JobState } from '../../../../application/ports/jobs.ts'
import { configFromEnvironment, dockerSettings, type Config, type DockerSettings } from '../../../../config.ts'
import { prepareDataDir } from '../../../../infrastructure/embedded/data-dir.ts'
import { makeFolder } from '../../../../infrastructure/folders.ts'
import { withStackLock } from '../../stack-lock.ts'
import { readSettings, writeSettings, type StackSettings } from '../../../../infrastructure/embedded/settings-file.ts'
import { checkoutRoot } from '../../../../service/version.ts'
import { describeDevelopmentKey, DEVELOPMENT_KEY, type DevelopmentKey } from '../../development-key.ts'
import { adoptSettings } from '../adopt-settings.ts'
import { keepStackRecord, mountsOf, type DockerRecord } from '../../stack-record.ts'
import { run as execute, type Container } from '../engine.ts'
import { publicCopy } from '../host-files.ts'
import { answerOf } from '../run-in-container.ts'
import { dropImage, imageOf, pullMissing } from '../images.ts'
import { awaitReady, isRunning, whyNot } from '../await-containers.ts'
import { replaceApi } from '../roll-containers.ts'
import { makeSecrets } from '../secret-files.ts'
import { openDockerStack, type DockerStack } from '../compose.ts'
import { signalRules } from '../../../../service/analytics-access.ts'
import {
  changeLines,
  changesOf,
  settingFields,
  settingLines,
  settingsNow,
  type SettingChange,
} from '../../kept-settings.ts'
import type { Output } from '../../../output.ts'
import { addressOf } from '../../../../service/service-record.ts'
import { checkAddress } from '../../settings-checks.ts'
import { rateLimitOf } from '../../../../service/settings.ts'
import type { IngestionState } from '../../ingestion-status.ts'
import { addressLine, POPULATING_LINE, rebuildLines } from '../../wait-ready.ts'

export { help } from '../../embedded/up.ts'

// The key is one of the stack's secret files, which never change.
const NOT_KEPT = ['SECRETS_KEY', 'SECRETS_KEY_FILE']

export async function run(given: Config, _args: string[], out: Output): Promise<void> {
  await openDockerStack(given)
  prepareDataDir(given.dataDir)
  await withStackLock(given.dataDir, out, async () => {
    await adoptSettings(await openDockerStack(given), given.dataDir)
    // Another make up may have saved other settings while this one waited.
    const config = configFromEnvironment()
    const settings = dockerSettings(config)
    signalRules(config)
    rateLimitOf(config)
    const stack = await openDockerStack(config)
    if (stack.record === null) makeSecrets(config)
    await up(config, settings, stack, out)
  })
}

async function up(config: Config, settings: DockerSettings, stack: DockerStack, out: Output): Promise<void> {
  const { dataDir } = config
  const now = Object.fromEntries(Object.entries(settingsNow('docker')).filter(([name]) => !NOT_KEPT.includes(name)))
  const changes = changesOf(readSettings(dataDir), now)
  const before = await stack.containers()
  await checkPorts(config, settings, before)
  const { record, variables } = await prepareImages(config, settings, stack, out)
  let isFilling: boolean
  try {
    await replaceApi(stack, settings.replicas.api, variables)
    const scale = Object.entries(settings.replicas).flatMap(([role, count]) => ['--scale', `${role}=${count}`])
    const started = await stack.compose(['up', '-d', '--no-build', '--remove-orphans', ...scale], variables)
    if (started.status !== 0)
      throw new Error(`the containers could not be started: ${await whyNot(stack, started.stderr)}`)
    if (settings.prometheusPort === null) await dropService(stack, 'prometheus')
    isFilling = await awaitReady(stack, addressOf(record.host, record.port))
  } catch (error) {
    // Containers that were running before this call keep running.
    if (!before.some(isRunning)) await stack.compose(['down'], variables)
    throw error
  }
  writeSettings(dataDir, now)
  keepStackRecord(dataDir, record)
  if (stack.record !== null)
    await dropUnused(stack.record, [...Object.values(mountsOf(record)), now.SIGNAL_RULES ?? ''], record.image)
  await report({ config, stack, record, settings: now, changes, before, isFilling }, out)
}

interface Prepared {
  record: DockerRecord
  /** Environment for Compose. */
  variables: Record<string, string>
}

/** Builds or pulls all images, and records that DATA_DIR has a Docker stack. */
export async function prepareImages(
  config: Config,
  settings: DockerSettings,
  stack: DockerStack,
  out: Output,
): Promise<Prepared> {
  const { host, port, dataDir } = config
  const image = await imageOf(settings, config, out)
  const mounts = copyMounts(config)
  const record: DockerRecord = { stack: 'docker', host, port, image, mounts, hasKey: stack.record?.hasKey ?? false }
  if (stack.record === null) keepStackRecord(dataDir, record)
  const variables = { SERVICE_IMAGE: image, ...mounts }
  await pullMissing(await stack.compose(['config'], variables), settings, out)
  return { record, variables }
}

/**
 * Copies the files that containers read: those of a checkout may change at any time, and the operator's may be private.
 */
function copyMounts({ dataDir, signalRules }: Config): Record<string, string> {
  const folder = join(dataDir, 'mounted')
  makeFolder(folder)
  const ours = (name: string) => join(checkoutRoot(), 'docker', name)
  const files = {
    SIGNAL_RULES: signalRules ?? ours('signal-rules.json'),
    FRONT_CONFIG: ours('haproxy.cfg'),
    PROMETHEUS_CONFIG: ours('prometheus.yml'),
    ALERT_RULES: ours('alert-rules.yml'),
  }
  return Object.fromEntries(Object.entries(files).map(([variable, file]) => [variable, publicCopy(file, folder)]))
}

async function checkPorts(
  { host, port }: Config,
  { prometheusPort }: DockerSettings,
  before: Container[],
): Promise<void> {
  if (port === prometheusPort)
    throw new Error(`PORT and PROMETHEUS_PORT are both ${port}: choose another for one of them`)
  const ours = before.filter(isRunning).flatMap(({ addresses }) => addresses)
  for (const each of prometheusPort === null ? [port] : [port, prometheusPort]) {
    if (!ours.includes(addressOf(host, each))) await checkAddress({ host, port: each })
  }
}

/** Removes the containers of a service, which Compose leaves running when its profile is no longer enabled. */
async function dropService(stack: DockerStack, name: string): Promise<void> {
  const ids = (await stack.containers()).filter(({ service }) => service === name).map(({ id }) => id)
  if (ids.length === 0) return
  await execute(['docker', 'stop', ...ids])
  await execute(['docker', 'rm', ...ids])
}

async function dropUnused(old: DockerRecord, used: string[], image: string): Promise<void> {
  if (old.image !== image) await dropImage(old.image)
  for (const path of Object.values(mountsOf(old))) if (!used.includes(path)) rmSync(path, { force: true })
}

interface Came {
  config: Config
  stack: DockerStack
  record: DockerRecord
  settings: StackSettings
  changes: SettingChange[]
  before: Container[]
  isFilling: boolean
}

async function report(
  { config, stack, record, settings, changes, before, isFilling }: Came,
  out: Output,
): Promise<void> {
  const after = await stack.containers()
  const ids = (containers: Container[]) =>
    containers
      .filter(isRunning)
      .map(({ id, startedAt }) => `${id} ${startedAt}`)
      .toSorted()
      .join()
  const ran = before.some(isRunning)
  const status = isFilling ? 'filling' : ids(before) === ids(after) ? 'already running' : ran ? 'restarted' : 'started'
  // A stack that starts for the first time has nothing to write again.
  const jobs = isFilling || !record.hasKey ? [] : await jobsInContainer(config)
  const made = record.hasKey ? null : await issueInContainer(config, record)
  const { fields, lines, secrets } = describeDevelopmentKey(made)
  const address = addressOf(record.host, record.port)
  const prometheus = after.find(({ service }) => service === 'prometheus')?.addresses[0]
  const containers = Object.fromEntries(
    after
      .filter(isRunning)
      .map(({ service }) => service)
      .map((service, _, all) => [service, all.filter((each) => each === service).length]),
  )
  const { host, port } = record
  out.result(
    {
      status,
      stack: 'docker',
      address,
      host,
      port,
      dataDir: config.dataDir,
      project: stack.project,
      containers,
      ...(prometheus && { prometheus }),
      ...settingFields(settings, changes),
      ...fields,
    },
    [
      addressLine(status === 'filling' ? 'running' : status === 'already running' ? status : 'ready', address, config),
      ...(prometheus ? [`Prometheus at ${prometheus}`] : []),
      ...(ran ? changeLines(changes) : settingLines(settings)),
      ...(isFilling ? [POPULATING_LINE] : []),
      ...rebuildLines(jobs),
      ...lines,
    ],
    secrets,
  )
}

/** Returns the unfinished jobs; none where they can't be asked for. */
async function jobsInContainer(config: Config): Promise<JobState[]> {
  const state = await answerOf(config, ['ingestion']).catch(() => null)
  return (state as unknown as IngestionState | null)?.jobs ?? []
}

/** Issues the development key in a container. Returns null if there is, or ever was, a key. */
async function issueInContainer(config: Config, record: DockerRecord): Promise<DevelopmentKey | null> {
  const { keys } = (await answerOf(config, ['keys', 'list'])) as { keys: unknown[] }
  const issue = ['keys', 'issue', `--name=${DEVELOPMENT_KEY}`]
  const made = keys.length > 0 ? null : ((await answerOf(config, issue)) as unknown as DevelopmentKey)
  keepStackRecord(config.dataDir, { ...record, hasKey: true })
  return made
}
