// The command status for an embedded stack: which processes run on DATA_DIR, and the state of ingestion.
import { basename, dirname } from 'node:path'
import type { Config } from '../../../config.ts'
import { dataPaths } from '../../../infrastructure/embedded/data-dir.ts'
import { findPostgresUrl } from '../../../infrastructure/embedded/postgres/postgres.ts'
import { findStores, type FoundStore } from '../../../infrastructure/embedded/stores.ts'
import { ingestionLines, ingestionState, type IngestionState } from '../ingestion-status.ts'
import { serviceVersion } from '../../../service/version.ts'
import type { Output } from '../../output.ts'
import { runningService } from '../../../service/service-record.ts'
import { askReadiness, askVersion, readinessText } from '../wait-ready.ts'

export const help = `status: show whether the service and the stores of DATA_DIR (.data) run, and the state of ingestion

  edgar      whether EDGAR is followed, when it last answered, and the error since
  lag        seconds from acceptance to visible, over the newest 500 live filings; what is queued
  jobs       jobs that are queued or running
  versions   of the running service, of this checkout, of PostgreSQL and its schema`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const service = runningService(config.dataDir)
  const address = service?.address ?? null
  const databaseUrl = config.databaseUrl ?? findPostgresUrl(dataPaths(config.dataDir))
  const [readiness, version, state, { postgres, redis }] = await Promise.all([
    address === null ? null : askReadiness(address),
    address && askVersion(address),
    databaseUrl && ingestionState(databaseUrl),
    findStores(config.dataDir),
  ])
  const stateOf = (found: FoundStore | null) => ({
    running: found !== null,
    pid: found?.pid ?? null,
    socket: found?.socket ?? null,
  })
  const stores = {
    postgres: config.databaseUrl === null ? stateOf(postgres) : 'external',
    redis: config.redisUrl === null ? stateOf(redis) : 'external',
  }
  const running = service !== null
  const reported = reportOf(state || null, running ? { version, build: buildOf(service.main) } : null)
  out.result(
    {
      running,
      ready: readiness?.state === 'ready',
      notReady: readiness?.reason ?? null,
      address,
      pid: service?.pid ?? null,
      startedAt: service?.startedAt || null,
      dataDir: config.dataDir,
      stores,
      ...reported.fields,
    },
    [
      `service   ${readiness ? `${readinessText(readiness)} at ${address} (process ${service?.pid})` : 'not running'}`,
      `postgres  ${describe(config.databaseUrl, postgres)}`,
      `redis     ${describe(config.redisUrl, redis)}`,
      ...(databaseUrl === null ? [] : reported.lines).map(([what, text]) => `${what.padEnd(9)} ${text}`),
      `data      ${config.dataDir}`,
    ],
  )
}

function describe(url: string | null, found: FoundStore | null): string {
  if (url !== null) return 'external server'
  if (found === null) return 'not running'
  return `running (process ${found.pid}${found.socket === null ? '' : `, ${found.socket}`})`
}

/** Returns the hash of the build that a main file belongs to; null if it runs from source. */
function buildOf(main: string): string | null {
  const folder = basename(dirname(dirname(main)))
  return /^[0-9a-f]{16}$/.test(folder) ? folder : null
}

/** Returns the part of the result that embedded and Docker stacks share: ingestion and versions. */
export function reportOf(
  state: IngestionState | null,
  service: { version: string | null; build: string | null } | null,
): { fields: Record<string, unknown>; lines: [what: string, text: string][] } {
  const unknown = { database: null, edgar: null, lagSeconds: null, waiting: null, jobs: null }
  const { database, edgar, lagSeconds, waiting, jobs: found } = state ?? unknown
  const jobs = found?.map(({ result: _, ...job }) => job) ?? null
  const checkout = serviceVersion()
  const build = service?.build ?? null
  const versions = { service: service?.version ?? null, build, checkout, ...database }
  const words = [
    ...(service ? [`service ${service.version ?? 'unknown'}${build === null ? '' : ` (build ${build})`}`] : []),
    `checkout ${checkout}`,
    ...(database ? [`PostgreSQL ${database.postgres} with ${database.schema.replace('.sql', '')}`] : []),
  ]
  return {
    fields: { edgar, lagSeconds, waiting, jobs, versions },
    lines: [...ingestionLines(state), ['versions', words.join(', ')]],
  }
}
