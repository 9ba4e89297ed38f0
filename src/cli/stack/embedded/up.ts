// The command up for an embedded stack: starts the stores and the service, waits until it is ready and prints its
// address. It can be repeated: changed settings and a newer build take effect, stores that died are started again, and
// the rest is left running.
import { existsSync } from 'node:fs'
import { configFromEnvironment, environment, environmentOf, loadConfig, type Config } from '../../../config.ts'
import { prepareDataDir } from '../../../infrastructure/embedded/data-dir.ts'
import { withStackLock } from '../stack-lock.ts'
import { environmentOfProcess } from '../../../infrastructure/embedded/processes.ts'
import {
  readSettings,
  settingsPath,
  writeSettings,
  type StackSettings,
} from '../../../infrastructure/embedded/settings-file.ts'
import {
  ensureStores,
  probeServer,
  stopRedisOf,
  type Stores,
  stopStores,
} from '../../../infrastructure/embedded/stores.ts'
import { keepStackRecord, stackRecord } from '../stack-record.ts'
import { describeDevelopmentKey, issueDevelopmentKey } from '../development-key.ts'
import {
  changeLines,
  changesOf,
  settingFields,
  settingLines,
  settingsNow,
  type SettingChange,
} from '../kept-settings.ts'
import { onInterrupt } from '../../interrupt.ts'
import type { Output } from '../../output.ts'
import { runningService, type ServiceRecord } from '../../../service/service-record.ts'
import {
  awaitService,
  confirmReady,
  endLaunched,
  launch,
  stopService,
  type Launched,
  type Ready,
} from './service-process.ts'
import { checkSecretsKey, LOST_KEY_LINE } from '../../../service/secrets-key.ts'
import { checkAddress, checkSettings, portTaken } from '../settings-checks.ts'
import { settingsPrint } from '../../../service/settings.ts'
import { addressLine, POPULATING_LINE, rebuildLines } from '../wait-ready.ts'
import { ingestionState } from '../ingestion-status.ts'

export const help = `up: start the stores and the service in the background and wait until it is ready

  On a running stack, changed settings and newer code take effect by restarting the processes they concern. A stack
  starts with the settings of its last start: NAME= resets one to its default, DEFAULTS=1 resets all of them.
  The first start of an embedded stack issues an API key named development and prints it.

  PORT       port to listen on (8080)
  HOST       address to listen on (127.0.0.1)
  DATA_DIR   folder of data and logs (.data); each has a stack of its own
  DATABASE_URL, REDIS_URL, CLICKHOUSE_URL   servers to use instead of the embedded ones
  STACK      docker: stores and service as containers (embedded); kept for the DATA_DIR
  API, INGEST, DELIVER   with STACK=docker, how many containers of each role (1)
  PROMETHEUS_PORT        with STACK=docker, a Prometheus on this port scrapes all containers (none)
  DEFAULTS   1: forget the settings of the last start`

export async function run({ dataDir }: Config, _args: string[], out: Output): Promise<void> {
  prepareDataDir(dataDir)
  if (stackRecord(dataDir) === null) keepStackRecord(dataDir, { stack: 'embedded' })
  await withStackLock(dataDir, out, async () => {
    const running = runningService(dataDir)
    if (running !== null) recoverSettings(running, dataDir)
    // Another make up may have saved other settings while this one waited.
    const config = configFromEnvironment()
    const before = readSettings(dataDir)
    const after = settingsNow('embedded')
    const step: Step = { config, before, after, changes: changesOf(before, after), out }
    checkSettings(config, before)
    const reached = running === null ? await start(step) : await update(step, running)
    writeSettings(dataDir, after)
    await report(step, reached)
  })
}

/** Restores a lost settings file from the environment of the running service. */
function recoverSettings({ pid }: ServiceRecord, dataDir: string): void {
  const variables = existsSync(settingsPath(dataDir)) ? null : environmentOfProcess(pid)
  if (variables !== null) writeSettings(dataDir, settingsNow('embedded', variables))
}

interface Step {
  config: Config
  before: StackSettings
  after: StackSettings
  changes: SettingChange[]
  out: Output
}

interface Reached extends Ready {
  status: 'started' | 'restarted' | 'already running'
  stores: Stores
  /** Whether the key for secrets was lost, which disabled webhooks. */
  isKeyLost?: boolean
}

async function start({ config, out }: Step): Promise<Reached> {
  const { dataDir } = config
  await checkAddress(config)
  const stores = await ensureStores(config, { keep: true, note: out.note })
  const undo = async (child: Launched | null) => {
    if (child !== null) await endLaunched(dataDir, child)
    // Stores that were running before this call keep running.
    if (stores.postgres === 'started' || stores.redis === 'started') await stopStores(dataDir)
  }
  const isKeyLost = await checkSecretsKey(config, stores.databaseUrl).catch(async (error: Error) => {
    await undo(null)
    throw error
  })
  return { status: 'started', stores, isKeyLost, ...(await launchOrUndo(config, undo)) }
}

/**
 * Starts the service and waits until it is ready. If that fails or is interrupted, runs `undo` first, with null if
 * nothing was started.
 */
async function launchOrUndo(config: Config, undo: (child: Launched | null) => Promise<void>): Promise<Ready> {
  let child: Launched | null = null
  // Before the service is started, because it would go on running if a signal ended this command.
  const settled = onInterrupt(() => void undo(child).finally(() => process.exit(130)))
  try {
    child = launch(config.dataDir, thisMain(), environment())
    return await awaitService(config, child)
  } catch (error) {
    const { message } = error as Error
    await undo(child)
    throw new Error(/EADDRINUSE/.test(message) ? portTaken(config) : message, { cause: error })
  } finally {
    settled()
  }
}

/** Restarts the running service if its build or settings are not the current ones; leaves it alone otherwise. */
async function update(step: Step, running: ServiceRecord): Promise<Reached> {
  const { config, out } = step
  const hasOtherBuild = running.main !== thisMain()
  const hasOtherSettings = running.settings !== settingsPrint(config)
  if ((hasOtherBuild || hasOtherSettings) && running.isByHand) {
    if (hasOtherSettings)
      throw new Error(
        `the service at ${running.address} (process ${running.pid}) was started by hand with other settings: ` +
          'stop it first',
      )
    out.note('the service was started by hand from another build than this one, and is left running')
  } else if (hasOtherBuild || hasOtherSettings) {
    return restart(step, running, hasOtherBuild)
  }
  const stores = await ensureStores(config, { keep: true, note: out.note })
  return { status: 'already running', stores, service: running, isFilling: await confirmReady(running, config.dataDir) }
}

async function restart(step: Step, running: ServiceRecord, hasOtherBuild: boolean): Promise<Reached> {
  const { config, before, out } = step
  const { dataDir } = config
  await checkAddress(config, running)
  if (config.clickhouseUrl !== null) await probeServer('CLICKHOUSE_URL', config.clickhouseUrl)
  const stores = await ensureStores(config, { keep: true, note: out.note })
  const isKeyLost = await checkSecretsKey(config, stores.databaseUrl)
  out.note(`restarting the service${hasOtherBuild ? ', since it runs another build' : ''}`)
  await stopService(dataDir, out)
  const rollBack = async (child: Launched | null) => {
    if (child !== null) await endLaunched(dataDir, child)
    const env = environmentOf(before)
    const previous = launch(dataDir, running.main, env)
    await awaitService(loadConfig(env, { cwd: process.cwd() }), previous).then(
      () => out.note('the service runs again with its previous settings'),
      (error: Error) => out.note(error.message),
    )
  }
  const ready = await launchOrUndo(config, rollBack)
  // The embedded Redis holds nothing that is not in PostgreSQL as well.
  if (config.redisUrl !== null) await stopRedisOf(dataDir)
  return { status: 'restarted', stores, isKeyLost, ...ready }
}

/** Returns the main file of the build that this command runs from. */
const thisMain = (): string => process.argv[1] ?? ''

async function report(
  { config, after, changes, out }: Step,
  { status, service, stores, isFilling, isKeyLost = false }: Reached,
): Promise<void> {
  const { address, pid, host, port } = service
  const jobs = isFilling ? [] : ((await ingestionState(stores.databaseUrl))?.jobs ?? [])
  const { fields, lines, secrets } = describeDevelopmentKey(await issueDevelopmentKey(config, stores.databaseUrl))
  out.result(
    {
      status: isFilling ? 'filling' : status,
      address,
      host,
      port,
      pid,
      dataDir: config.dataDir,
      stores: { postgres: stores.postgres, redis: stores.redis },
      ...settingFields(after, changes),
      ...fields,
    },
    [
      addressLine(isFilling ? 'running' : status === 'already running' ? status : 'ready', address, config),
      ...(isFilling ? [POPULATING_LINE] : []),
      ...rebuildLines(jobs),
      ...(isKeyLost ? [LOST_KEY_LINE] : []),
      ...(status === 'started' ? settingLines(after) : changeLines(changes)),
      ...lines,
    ],
    secrets,
  )
}
