// Rights that one process at a time may have: an advisory lock that ends with its connection, however the process dies.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { latch } from './notifications.ts'
import { FILINGS_CHANNEL } from '../filings/filing-ledger.ts'
import { JOBS_CHANNEL } from './job-queue.ts'

/** To write ClickHouse; to ask EDGAR. */
export type LockName = Extract<keyof typeof ADVISORY_LOCKS, 'projection' | 'edgar'>

const PROBE_MS = 3_000
const ANSWER_MS = 5_000

export interface LeaderLock {
  /** Resolves when something was recorded or queued since the last time, or with the signal, or after `milliseconds`. */
  nextWakeUp(milliseconds: number, signal: AbortSignal): Promise<void>
  /** Resolves with the reason when the lock is lost, which ends the right to write. */
  lost: Promise<Error>
  release(): Promise<void>
}

/** Null where another process holds it. */
export async function tryAcquire(url: string, right: LockName = 'projection'): Promise<LeaderLock | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: right,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  })
  const wakeUps = latch()
  let released = false
  let probing: NodeJS.Timeout | undefined
  const lost = new Promise<Error>((resolve) => {
    const end = (error: Error) => {
      clearInterval(probing)
      if (!released) resolve(error)
    }
    client.on('error', end)
    client.on('end', () => end(new Error('the connection to PostgreSQL ended')))
    // Cut off from PostgreSQL without a word, we would go on beside whoever has the right by then.
    probing = setInterval(() => void client.query('SELECT 1').catch(end), PROBE_MS)
  })
  const release = async () => {
    released = true
    clearInterval(probing)
    // Its end waits for an answer, which a connection that was cut never gives.
    await Promise.race([client.end().catch(() => {}), sleep(ANSWER_MS, undefined, { ref: false })])
  }
  try {
    await client.connect()
    const {
      rows: [row],
    } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [ADVISORY_LOCKS[right]])
    if (!row!.held) {
      await release()
      return null
    }
    // Where our machine is gone without a word, PostgreSQL finds out within 5 + 3 x 2 seconds, also where it has just
    // sent us a hint: then the kernel asks no more and sends that again, by itself for a quarter of an hour.
    await client.query('SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3')
    await client.query('SET tcp_user_timeout = 11000').catch(notLost)
    client.on('notification', wakeUps.come)
    await client.query(`LISTEN ${FILINGS_CHANNEL}`)
    await client.query(`LISTEN ${JOBS_CHANNEL}`)
  } catch (error) {
    // Left open, a server that hung for a while would give the lock to a connection nobody knows of, for good.
    await release()
    throw error
  }
  return { nextWakeUp: wakeUps.next, lost, release }
}

/** Systems without it, such as macOS, refuse it. */
function notLost(error: Error & { code?: string }): void {
  if (error.code === undefined) throw error
}

/** As `tryHold`, but tries again until `milliseconds` have passed. */
export async function acquire(
  url: string,
  milliseconds: number,
  right: LockName = 'projection',
): Promise<LeaderLock | null> {
  for (const end = performance.now() + milliseconds; ;) {
    const lock = await tryAcquire(url, right)
    if (lock || performance.now() >= end) return lock
    await sleep(100)
  }
}
