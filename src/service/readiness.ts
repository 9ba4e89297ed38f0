// The readiness check of a process: whether all stores that its roles need answer in time.
import { setTimeout as sleep } from 'node:timers/promises'
import type { IsPopulated } from '../application/queries/analytics-ready.ts'
import { isSilenceSuspicious } from '../domain/shared/edgar-hours.ts'
import type { ReadinessReport } from '../infrastructure/http/controllers/health.ts'
import type { ClickHouse } from '../infrastructure/clickhouse/connection/client.ts'
import { newestFilingAt as newestFiling } from '../infrastructure/clickhouse/queries/newest-filing.ts'
import { ingestionLag } from '../infrastructure/postgres/filings/ingestion-stats.ts'
import { rows, type Pool } from '../infrastructure/postgres/pool.ts'
import type { Redis } from '../infrastructure/redis/client.ts'

const MAX_MS = 1_000

/** The error reported while ClickHouse answers but is still being filled. */
export const POPULATING = 'being filled'

/** The stores that the roles of the process need; null for those that they don't. */
export interface NeededStores {
  store: ClickHouse | null
  /** Pool with the time limits of requests. */
  pool: Pool
  redis: Redis | null
  isPopulated: IsPopulated | null
}

export function readiness(
  { store, pool, redis, isPopulated }: NeededStores,
  follows: boolean,
): () => Promise<ReadinessReport> {
  return async () => {
    const analytics = store?.forCallers
    const populated = async () => {
      if (isPopulated && !(await isPopulated())) throw new Error(POPULATING)
    }
    const [clickhouse, postgres, cache] = await Promise.all([
      analytics && check(() => analytics.ping().then(populated)),
      check(() => rows(pool, 'SELECT 1')),
      redis && check(() => redis.ping()),
    ])
    const checks = { ...(clickhouse && { clickhouse }), postgres, ...(cache && { redis: cache }) }
    if (!analytics) return { checks }
    const [newestFilingAt, lag] = await Promise.all([
      clickhouse?.ok ? within(() => newestFiling(analytics)).catch(() => null) : null,
      postgres.ok ? within(() => ingestionLag(pool)).catch(() => null) : null,
    ])
    const last = lag?.newestAcceptedAt ? lag.newestAcceptedAt.getTime() / 1000 : null
    const silent = follows && lag !== null && isSilenceSuspicious(Date.now() / 1000, last)
    const ingestion = { follows, newestFilingAt, lagSeconds: lag?.acceptedToVisible ?? null, silent }
    return { checks, ingestion }
  }
}

async function check(act: () => Promise<unknown>): Promise<{ ok: boolean; ms: number; error?: string }> {
  const start = performance.now()
  const took = () => Math.round((performance.now() - start) * 10) / 10
  try {
    await within(act)
    return { ok: true, ms: took() }
  } catch (error) {
    // The error may name hosts and users, so only its kind is shown.
    const { message } = error as Error
    return { ok: false, ms: took(), error: message === 'timeout' || message === POPULATING ? message : 'unreachable' }
  }
}

function within<T>(act: () => Promise<T>): Promise<T> {
  return Promise.race([act(), late()])
}

async function late(): Promise<never> {
  await sleep(MAX_MS, undefined, { ref: false })
  throw new Error('timeout')
}
