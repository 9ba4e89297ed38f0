// Do the stores answer, each within a second.
import type { ReadinessReport } from '../infrastructure/http/controllers/health.ts'
import type { ClickHouse } from '../infrastructure/clickhouse/client.ts'
import { newestFilingAt } from '../infrastructure/clickhouse/queries/newest-filing.ts'
import { rows, type Pool } from '../infrastructure/postgres/pool.ts'
import type { Redis } from '../infrastructure/redis/client.ts'

const LONGEST_MS = 1_000

export function readiness(store: ClickHouse, pool: Pool, redis: Redis): () => Promise<ReadinessReport> {
  return async () => {
    const [clickhouse, postgres, cache] = await Promise.all([
      check(() => store.ping()), check(() => rows(pool, 'SELECT 1')), check(() => redis.ping()),
    ])
    const newest = clickhouse.ok ? await newestFilingAt(store).catch(() => null) : null
    const ingestion = { newestFilingAt: newest, lagSeconds: null }
    return { checks: { clickhouse, postgres, redis: cache }, ingestion }
  }
}

async function check(act: () => Promise<unknown>): Promise<{ ok: boolean; ms: number; error?: string }> {
  const start = performance.now()
  const took = () => Math.round((performance.now() - start) * 10) / 10
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => { timer = setTimeout(() => reject(new Error('timeout')), LONGEST_MS) })
  try {
    await Promise.race([act(), late])
    return { ok: true, ms: took() }
  } catch (error) {
    // The reason may name hosts and users, so only its kind is told.
    return { ok: false, ms: took(), error: (error as Error).message === 'timeout' ? 'timeout' : 'unreachable' }
  } finally {
    clearTimeout(timer)
  }
}
