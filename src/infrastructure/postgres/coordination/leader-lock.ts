// Leader locks: advisory locks that one process holds at a time, until its connection ends, however the process dies.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../client.ts'
import { translateError } from '../pool.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { latch } from './notifications.ts'
import { FILINGS_CHANNEL } from '../filings/withdrawals.ts'
import { JOBS_CHANNEL } from './job-queue.ts'

/** `projection` allows writing ClickHouse, `edgar` requesting from EDGAR. */
type LockName = Extract<keyof typeof ADVISORY_LOCKS, 'projection' | 'edgar'>

const PROBE_MS = 3_000
const ANSWER_MS = 5_000

export interface LeaderLock {
  /** Resolves when something was recorded or queued since the last call, on the signal, or after `milliseconds`. */
  nextWakeUp(milliseconds: number, signal: AbortSignal): Promise<void>
  /** Resolves with the reason when the lock is lost, which ends the right to write. */
  lost: Promise<Error>
  release(): Promise<void>
}

/**
 * Returns null if another process holds the lock. Throws ServiceError `unavailable` while PostgreSQL cannot be reached.
 */
export async function tryAcquire(url: string, name: LockName = 'projection'): Promise<LeaderLock | null> {
  const client = new Client({
    connectionString: url,
    application_name: name,
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
    // Without probes a silently cut connection would go unnoticed, and two processes would act as leader.
    probing = setInterval(() => void client.query('SELECT 1').catch(end), PROBE_MS)
  })
  const release = async () => {
    released = true
    clearInterval(probing)
    // `end` waits for an answer, which a connection that was cut never gives.
    await Promise.race([client.end().catch(() => {}), sleep(ANSWER_MS, undefined, { ref: false })])
  }
  try {
    await client.connect()
    const {
      rows: [row],
    } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [ADVISORY_LOCKS[name]])
    if (!row!.held) {
      await release()
      return null
    }
    // Lets PostgreSQL detect within seconds that this machine has disappeared, and release the lock. tcp_user_timeout
    // covers the case that it has just sent a notification: its kernel then retransmits for minutes instead of probing.
    await client.query('SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3')
    await client.query('SET tcp_user_timeout = 11000').catch(ignoreRefusal)
    client.on('notification', wakeUps.notify)
    await client.query(`LISTEN ${FILINGS_CHANNEL}`)
    await client.query(`LISTEN ${JOBS_CHANNEL}`)
  } catch (error) {
    // Left open, the connection could be granted the lock later by a server that hung, and nothing would release it.
    await release()
    throw translateError(error)
  }
  return { nextWakeUp: wakeUps.next, lost, release }
}

/** Ignores the refusal of servers on systems without tcp_user_timeout, such as macOS; rethrows a lost connection. */
function ignoreRefusal(error: Error & { code?: string }): void {
  if (error.code === undefined) throw error
}

/** Acquires like `tryAcquire`, retrying until `milliseconds` have passed. */
export async function acquire(
  url: string,
  milliseconds: number,
  name: LockName = 'projection',
): Promise<LeaderLock | null> {
  for (const end = performance.now() + milliseconds; ;) {
    const lock = await tryAcquire(url, name)
    if (lock || performance.now() >= end) return lock
    await sleep(100)
  }
}
