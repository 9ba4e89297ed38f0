// The role ingest: projects recorded filings, detects signals, runs queued jobs and follows EDGAR while this process
// holds the ingest lock. If several processes have the role, one is active and the others stand by.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ServiceError } from '../../application/errors.ts'
import type { LoopReport } from '../../application/projection/projection-loop.ts'
import { publishChanges } from '../../application/changes/publish-changes.ts'
import { FILLING } from '../../application/queries/service-status.ts'
import type { Config } from '../../config.ts'
import type { Container } from '../../container/container.ts'
import { resolve } from '../../container/named.ts'
import { TYPES } from '../../container/tokens.ts'
import { tryAcquire, type LeaderLock } from '../../infrastructure/postgres/coordination/leader-lock.ts'
import { dropLeftOver } from '../../infrastructure/clickhouse/shadow-database.ts'
import { mergeParts } from '../../infrastructure/clickhouse/stores/merge-parts.ts'
import { openEdgarFollower } from './edgar-follower.ts'
import { queueExportsNightly } from './queue-exports.ts'

const POLL_MS = 1_000
const PRUNE_MS = 3_600_000
/** Jobs that write many parts of tables, which are merged afterwards. */
const WRITES_HISTORY = new Set(['backfill', 'rebuild'])

export interface IngestRole {
  /** Resolves once ClickHouse can be queried, filled again if it was empty. Rejects if that failed. */
  ready: Promise<void>
  stop(): Promise<void>
}

export interface IngestDependencies {
  config: Config
  databaseUrl: string
  container: Container
  log: Logger
  /** The lock, if it was taken already. */
  first: LeaderLock | null
  /**
   * Receives a fault that does not pass by itself, such as a missing zip file in a rebuild. While a store is
   * unavailable, the role waits instead.
   */
  fail(error: unknown): void
}

export function startIngesting({ config, databaseUrl, container, log, first, fail }: IngestDependencies): IngestRole {
  // Has to come before the projection loop is resolved: jobs that need EDGAR exist only if it is followed.
  const followEdgar = openEdgarFollower(config, databaseUrl, container, log)
  const { projectionLoop, changes, changeLog, toResync, clickHouse, sourceProgress, wait, jobs, clock } = resolve(
    container,
    {
      clickHouse: TYPES.clickHouse,
      projectionLoop: TYPES.projectionLoop,
      changes: TYPES.changes,
      changeLog: TYPES.changeLog,
      toResync: TYPES.toResync,
      sourceProgress: TYPES.sourceProgress,
      wait: TYPES.wait,
      jobs: TYPES.jobs,
      clock: TYPES.clock,
    },
  )
  const unlogged = (error: unknown) => log.warn({ err: error }, 'could not write to the log of changes; will retry')
  const stop = new AbortController()
  publishChanges(changes, changeLog, { wait, failed: unlogged, signal: stop.signal })
  const ready = Promise.withResolvers<void>()
  // The promise can reject before anything waits for it, which would end the process.
  ready.promise.catch(() => {})
  let isHistoryNew = false
  const note = (progress: object) => void sourceProgress.move(FILLING, JSON.stringify(progress)).catch(() => {})
  const report = reporting(log, note, (kind) => {
    if (WRITES_HISTORY.has(kind)) isHistoryNew = true
  })
  let merging: Promise<void> | undefined
  // Runs beside the loop: after a large load it takes minutes, for which new filings must not wait.
  const merge = (signal: AbortSignal) => {
    const unmerged = (error: unknown) => signal.aborted || log.warn({ err: error }, 'could not merge parts')
    if (merging !== undefined) return
    log.info('merging the parts of ClickHouse')
    merging = mergeParts(clickHouse, signal)
      .then(() => log.info('merged the parts of ClickHouse'), unmerged)
      .then(() => (merging = undefined))
  }

  const ingest = async (lock: LeaderLock) => {
    const lost = new AbortController()
    void lock.lost.then((error) => {
      log.warn({ err: error }, 'lost the ingest lock')
      lost.abort(new ServiceError('unavailable', 'lost the ingest lock', undefined, { cause: error }))
    })
    const signal = AbortSignal.any([stop.signal, lost.signal])
    let pruning: NodeJS.Timeout | undefined
    log.info('ingesting')
    try {
      toResync.add(await changeLog.takeOver())
      await dropLeftOver(clickHouse).catch((error: unknown) => {
        log.warn({ err: error }, 'could not drop what an interrupted rebuild left')
      })
      const prune = () => void changeLog.prune(config.changesDays).catch(unlogged)
      prune()
      pruning = setInterval(prune, PRUNE_MS)
      await projectionLoop.prepare(signal, report)
      ready.resolve()
      const unqueued = (error: unknown) => log.warn({ err: error }, 'could not queue the making of the month files')
      queueExportsNightly(jobs, clock, unqueued, signal)
      await Promise.all([
        followEdgar(signal),
        projectionLoop.run(
          signal,
          async () => {
            if (isHistoryNew) merge(signal)
            isHistoryNew = false
            return lock.nextWakeUp(POLL_MS, signal)
          },
          report,
        ),
      ])
    } finally {
      clearInterval(pruning)
      await merging
      await lock.release().catch(() => {})
    }
  }
  const run = async () => {
    for (let lock = first; !stop.signal.aborted; lock = null) {
      // The lock is lost with its connection, for example when PostgreSQL restarts; then it is taken again.
      lock ??= await tryAcquire(databaseUrl).catch(() => null)
      if (lock)
        await ingest(lock).catch((error: unknown) => {
          ready.reject(error)
          if (stop.signal.aborted) return
          log.error({ err: error }, 'ingestion failed')
          if (!(error instanceof ServiceError)) fail(error)
        })
      await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    ready: ready.promise,
    stop: () => {
      stop.abort()
      return running
    },
  }
}

const PROGRESS_MS = 10_000
const NOTE_MS = 500

/**
 * Reports to the log. `note` receives the progress of filling ClickHouse, `worked` the kind of each job that is done.
 */
function reporting(log: Logger, note: (progress: object) => void, worked: (kind: string) => void): LoopReport {
  let reportedAt = Number.NEGATIVE_INFINITY
  let notedAt = Number.NEGATIVE_INFINITY
  return {
    filling: (done, total, pace) => {
      if (done === 0 || performance.now() - notedAt >= NOTE_MS) {
        notedAt = performance.now()
        note({ done, total, pace: pace ?? null })
      }
      if (performance.now() - reportedAt < PROGRESS_MS) return
      reportedAt = performance.now()
      log.info({ done, total, ...pace }, 'rebuilding ClickHouse from PostgreSQL')
    },
    projected: (filings) => log.info({ filings }, 'projected'),
    job: (kind, result) => {
      worked(kind)
      log.info({ kind, result }, 'job done')
    },
    upgrading: () =>
      log.info('a rebuild makes the rows of another version again, and new filings wait for it; see GET /v1/status'),
    failed: (what, error) => log.error({ what, err: error }, 'projection failed'),
  }
}
