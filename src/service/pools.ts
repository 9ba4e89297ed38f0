// Opens and closes the pools of connections to PostgreSQL, and waits for stores that are not up yet.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ServiceError } from '../application/errors.ts'
import { openPool, type Pool } from '../infrastructure/postgres/pool.ts'

const POOLS_END_MS = 2_000
const STORE_COMES_MS = 60_000

export type Pools = Record<'work' | 'delivery' | 'callers', Pool>

/**
 * Opens a pool for each set of time limits, so that requests never wait for connections of background work. A pool that
 * is not used does not connect.
 */
export function openPools(url: string, onError: (error: Error) => void): Pools {
  const pool = (limits: keyof Pools) => openPool({ url, name: `service ${limits}`, limits, onError })
  return { work: pool('work'), delivery: pool('delivery'), callers: pool('callers') }
}

/** Closes the pools, with a time limit: closing waits for an answer, which never comes on a broken connection. */
export async function endPools(pools: Record<string, Pool>): Promise<void> {
  await Promise.race([
    Promise.all(Object.values(pools).map((pool) => pool.end())),
    sleep(POOLS_END_MS, undefined, { ref: false }),
  ])
}

/** Retries while a store is unavailable: it may be starting at the same time, for example after a reboot. */
export async function retryUntilAvailable<T>(log: Logger, act: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + STORE_COMES_MS; ;) {
    try {
      return await act()
    } catch (error) {
      const isAway = error instanceof ServiceError && error.code === 'unavailable'
      if (!isAway || performance.now() > end) throw error
      log.warn({ reason: error.message }, 'waiting for a store')
      await sleep(1_000)
    }
  }
}
