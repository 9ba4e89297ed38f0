// Hints that there is work (NOTIFY), for loops that poll as well: a hint may be lost, and only ever saves waiting.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { rows, type Pool } from '../pool.ts'

const RECONNECT_MS = 1_000
/** A connection that was cut without a word looks idle: it is asked something so often, and given up if no answer comes. */
const PROBE_MS = 10_000
const ANSWER_MS = 5_000

export interface WakeUp {
  /** Resolves when a hint came since the last time, or with the signal, or after `milliseconds`. Never rejects. */
  next(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** A hint that comes while nobody waits is kept, else what came just then would wait for the next poll. */
export function latch(): WakeUp & { come(): void } {
  let latched = false
  let listener = () => {}
  return {
    come: () => {
      latched = true
      listener()
    },
    next: async (milliseconds, signal) => {
      const come = new AbortController()
      listener = () => come.abort()
      if (!latched)
        await sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, come.signal]) }).catch(() => {})
      latched = false
    },
  }
}

/** Listens on a connection of its own, which is made again whenever it is lost; that counts as a hint. */
export function listenFor(
  url: string,
  channel: string,
  onError: (error: Error) => void,
): WakeUp & { close(): Promise<void> } {
  const flag = latch()
  const stop = new AbortController()
  // Told once while it lasts.
  let isAway = false
  const listening = () => {
    isAway = false
    flag.come()
  }
  const running = (async () => {
    while (!stop.signal.aborted) {
      await listen(url, channel, listening, flag.come, stop.signal).catch((error: Error) => {
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

/** Whether any process listens now, wherever it runs. */
export async function isListenedTo(pool: Pool, channel: string): Promise<boolean> {
  const [found] = await rows(
    pool,
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database()
       AND application_name = $1
     LIMIT 1`,
    [nameOf(channel)],
  )
  return found !== undefined
}

/** As pg_stat_activity shows it. */
const nameOf = (channel: string): string => `hints of ${channel}`

/** Until the signal; rejects when the connection is lost. */
async function listen(
  url: string,
  channel: string,
  listening: () => void,
  come: () => void,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: nameOf(channel),
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  })
  const lost = new AbortController()
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => lost.abort(new Error('the connection to PostgreSQL ended')))
  client.on('notification', come)
  try {
    await client.connect()
    await client.query(`LISTEN ${channel}`)
    listening()
    while (!signal.aborted) {
      await sleep(PROBE_MS, undefined, { signal: AbortSignal.any([signal, lost.signal]) }).catch(() => {})
      lost.signal.throwIfAborted()
      if (!signal.aborted) await client.query('SELECT 1')
    }
  } finally {
    // Its end waits for an answer, which one that was cut never gives.
    await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })])
  }
}
