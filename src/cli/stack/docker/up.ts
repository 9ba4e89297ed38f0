// The command up for a Docker stack: docker compose up, with the settings and secrets of DATA_DIR. It can be repeated:
// changed settings and newer code take effect, what died is started again, and the rest is left running.
import type { JobState } from '../../../application/ports/jobs.ts'
import { configFromEnvironment, dockerSettings, type Config } from '../../../config.ts'
import { prepareDataDir } from '../../../infrastructure/embedded/data-dir.ts'
import { writePrivate } from '../../../infrastructure/embedded/files.ts'
import { readSettings, writeSettings, type StackSettings } from '../../../infrastructure/embedded/settings-file.ts'
import { readOwn } from '../../../infrastructure/ownership.ts'
import { addressOf } from '../../../service/service-record.ts'
import type { Output } from '../../output.ts'
import { describeDevelopmentKey, DEVELOPMENT_KEY, type DevelopmentKey } from '../development-key.ts'
import { changeLines, changesOf, settingFields, settingLines } from '../kept-settings.ts'
import { checkAddress } from '../settings-checks.ts'
import { withStackLock } from '../stack-lock.ts'
import { keepStackRecord, stackRecord } from '../stack-record.ts'
import { addressLine, POPULATING_LINE, rebuildLines, waitReady } from '../wait-ready.ts'
import { compose, containersOf, envFile, isRunning, projectOf, failureReason, type Container } from './compose.ts'
import { answerOf } from './in-container.ts'
import { prepareStack } from './prepare.ts'

export { help } from '../embedded/up.ts'

const MAX_WAIT_SECONDS = 300

export async function run(given: Config, _args: string[], out: Output): Promise<void> {
  prepareDataDir(given.dataDir)
  await withStackLock(given.dataDir, out, async () => {
    // Another make up may have saved other settings while this one waited.
    const config = configFromEnvironment()
    const previous = readOwn(envFile(config.dataDir))
    const settings = await prepareStack(config)
    const changes = changesOf(readSettings(config.dataDir), settings)
    const before = await containersOf(config)
    await checkPorts(config, before)
    await start(config, settings, before).catch((error: Error) => {
      // Later commands must not use settings that no container has.
      if (previous !== null) writePrivate(envFile(config.dataDir), previous)
      throw error
    })
    writeSettings(config.dataDir, settings)
    const after = await containersOf(config)
    const address = addressOf(config.host, config.port)
    const state = await waitReady(address, () => true, MAX_WAIT_SECONDS * 1000)
    const names = (all: Container[]) =>
      all
        .filter(isRunning)
        .map(({ ID }) => ID)
        .toSorted()
        .join()
    const ran = before.some(isRunning)
    const started = names(before) === names(after) ? 'already running' : ran ? 'restarted' : 'started'
    const status = state === 'ready' ? started : 'filling'
    const hasKey = stackRecord(config.dataDir)?.hasKey ?? false
    const jobs = status === 'filling' || !hasKey ? [] : await jobsOf(config)
    const { fields, lines, secrets } = describeDevelopmentKey(hasKey ? null : await issueKey(config))
    out.result(
      {
        ...{ status, stack: 'docker', address, host: config.host, port: config.port, dataDir: config.dataDir },
        ...{ project: projectOf(config.dataDir), containers: countsOf(after) },
        ...settingFields(settings, changes),
        ...fields,
      },
      [
        addressLine(
          status === 'filling' ? 'running' : status === 'already running' ? status : 'ready',
          address,
          config,
        ),
        ...(settings.PROMETHEUS_PORT ? [`Prometheus on port ${settings.PROMETHEUS_PORT}`] : []),
        ...(ran ? changeLines(changes) : settingLines(settings)),
        ...(status === 'filling' ? [POPULATING_LINE] : []),
        ...rebuildLines(jobs),
        ...lines,
      ],
      secrets,
    )
  })
}

/** Starts the containers and waits until they are healthy. If none ran before, a failed start leaves none. */
async function start(config: Config, settings: StackSettings, before: Container[]): Promise<void> {
  const build = settings.SERVICE_IMAGE === undefined ? '--build' : '--no-build'
  const wait = ['--wait', '--wait-timeout', String(MAX_WAIT_SECONDS)]
  if ((await compose(config, ['up', '-d', '--remove-orphans', build, ...wait])) === 0) return
  const reason = await failureReason(config)
  if (!before.some(isRunning)) await compose(config, ['down'])
  throw new Error(`the containers could not be started: ${reason}`)
}

async function checkPorts({ host, port }: Config, before: Container[]): Promise<void> {
  const { prometheusPort } = dockerSettings()
  if (port === prometheusPort)
    throw new Error(`PORT and PROMETHEUS_PORT are both ${port}: choose another for one of them`)
  const ours = before.flatMap(({ Publishers }) => (Publishers ?? []).map(({ PublishedPort }) => PublishedPort))
  for (const each of prometheusPort === null ? [port] : [port, prometheusPort])
    if (!ours.includes(each)) await checkAddress({ host, port: each })
}

function countsOf(containers: Container[]): Record<string, number> {
  const running = Object.groupBy(containers.filter(isRunning), ({ Service }) => Service)
  return Object.fromEntries(Object.entries(running).map(([service, all]) => [service, all!.length]))
}

/** Returns the unfinished jobs; none if they can't be read. */
async function jobsOf(config: Config): Promise<JobState[]> {
  const state = (await answerOf(config, ['ingestion']).catch(() => null)) as { jobs?: JobState[] } | null
  return state?.jobs ?? []
}

/** Issues the development key in a container. Returns null if there is, or ever was, a key. */
async function issueKey(config: Config): Promise<DevelopmentKey | null> {
  const { keys } = (await answerOf(config, ['keys', 'list'])) as { keys: unknown[] }
  const issue = ['keys', 'issue', `--name=${DEVELOPMENT_KEY}`]
  const key = keys.length > 0 ? null : ((await answerOf(config, issue)) as unknown as DevelopmentKey)
  keepStackRecord(config.dataDir, { stack: 'docker', hasKey: true })
  return key
}
