// Wakes loops by PostgreSQL's notifications (LISTEN/NOTIFY). Loops poll as well, so a lost notification delays them
// only until their next poll.
import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../client.ts'
import { rows, type Pool } from '../pool.ts'

const RECONNECT_MS = 1_000
/** A connection that was cut silently looks idle, so it is probed this often and closed if it does not answer. */
const PROBE_MS = 10_000
const ANSWER_MS = 5_000

interface WakeUp {
  /** Resolves on a notification since the last call, on the signal, or after `milliseconds`. Never rejects. */
  next(milliseconds: number, signal: AbortSignal): Promise<void>
}

export interface Listener extends WakeUp {
  close(): Promise<void>
}

/** Returns a latch that remembers a notification until the next call, so that none between two calls is missed. */
export function latch(): WakeUp & { notify(): void } {
  let latched = false
  let listener = () => {}
  return {
    notify: () => {
      latched = true
      listener()
    },
    next: async (milliseconds, signal) => {
      const woken = new AbortController()
      listener = () => woken.abort()
      if (!latched)
        await sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => {})
      latched = false
    },
  }
}

/** Listens on a dedicated connection, reconnecting whenever it is lost; a reconnection counts as a notification. */
export function listenFor(url: string, channel: string, onError: (error: Error) => void): Listener {
  const flag = latch()
  const stop = new AbortController()
  // An outage is reported once.
  let isAway = false
  const listening = () => {
    isAway = false
    flag.notify()
  }
  const running = (async () => {
    while (!stop.signal.aborted) {
      await listen(url, channel, { listening, notify: flag.notify }, stop.signal).catch((error: Error) => {
        if (!isAway && !stop.signal.aborted) onError(error)
        isAway = true
      })
      await sleep(RECONNECT_MS, undefined, { signal: stop.signal }).catch(() => {})
    }
  })()
  return {
    next: flag.next,
    close: () => {
      stop.abort()
      return running
    },
  }
}

/** Returns whether any process on any machine listens to the channel now. */
export async function isListenedTo(pool: Pool, channel: string): Promise<boolean> {
  const [listener] = await rows(
    pool,
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database()
       AND application_name = $1
     LIMIT 1`,
    [nameOf(channel)],
  )
  return listener !== undefined
}

/** Returns the application name of a listener in pg_stat_activity. */
const nameOf = (channel: string): string => `notifications of ${channel}`

/** Listens until the signal. Rejects when the connection is lost. */
async function listen(
  url: string,
  channel: string,
  { listening, notify }: Record<'listening' | 'notify', () => void>,
  signal: AbortSignal,
): Promise<void> {
  const config = {
    connectionString: url,
    application_name: nameOf(channel),
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  }
  await withClient(config, async (client, lost) => {
    client.on('notification', notify)
    await client.query(`LISTEN ${channel}`)
    listening()
    while (!signal.aborted) {
      await sleep(PROBE_MS, undefined, { signal: AbortSignal.any([signal, lost]) }).catch(() => {})
      lost.throwIfAborted()
      if (!signal.aborted) await client.query('SELECT 1')
    }
  })
}
