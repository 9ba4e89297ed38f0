// Follows the log of changes, so that this process drops answers from its memory when another process changes the data
// that they were made from. NOTIFY wakes it, and it polls as well: reading the log makes up for a lost notification, and
// shows that a connection was cut silently.
import { setTimeout as sleep } from 'node:timers/promises'
import { withClient, type Client } from '../client.ts'
import type { ChangeTracker, Extent } from '../../../application/changes/change-tracker.ts'
import type { DataPart } from '../../../application/changes/data-dependencies.ts'
import { ADVISORY_LOCKS } from '../coordination/advisory-locks.ts'
import { latch } from '../coordination/notifications.ts'
import { CHANGES_CHANNEL } from './log-statement.ts'

const POLL_MS = 250
const RECONNECT_MS = 500
const ANSWER_MS = 800
/** Answers are taken from memory only while the log was read to its end within this time. */
const MAX_AGE_MS = 1_000
const PAGE = 1_000
const REACHED_POLL_MS = 2

export interface ChangeFollowerOptions {
  databaseUrl: string
  changes: ChangeTracker
  /** Receives each fault once while it lasts. */
  onError: (error: Error) => void
}

export class ChangeFollower {
  readonly #options: ChangeFollowerOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  /** When the last complete reading of the log began, by performance.now(). */
  #readAt = Number.NEGATIVE_INFINITY
  /** The position of the log's end in that reading. */
  #readTo = -1
  #position = -1
  /** The connection that holds the lock for writing to ClickHouse; null for none. */
  #writer: number | null = null
  #isAway = false

  constructor(options: ChangeFollowerOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  /** Returns whether changes older than `MAX_AGE_MS` are known here; false too after this process was paused. */
  isUpToDate(): boolean {
    return performance.now() - this.#readAt < MAX_AGE_MS
  }

  /**
   * Resolves when the changes up to a position of the log are known here, so that a caller who has seen that position
   * gets no older answer. Resolves too when the log can't be read in time: answers then come from the stores.
   */
  readonly reached = async (position: number): Promise<void> => {
    for (const end = performance.now() + MAX_AGE_MS; this.#readTo < position && performance.now() < end;) {
      if (!this.isUpToDate()) return
      await sleep(REACHED_POLL_MS)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await this.#follow(signal).catch((error: Error) => {
        if (!this.#isAway && !signal.aborted) this.#options.onError(error)
        this.#isAway = true
      })
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Reads the log over a dedicated connection until the signal. Rejects when the connection is lost. */
  async #follow(signal: AbortSignal): Promise<void> {
    const config = {
      connectionString: this.#options.databaseUrl,
      application_name: 'changes',
      connectionTimeoutMillis: ANSWER_MS * 5,
      query_timeout: ANSWER_MS,
    }
    const wakeUps = latch()
    await withClient(config, async (client, lost) => {
      client.on('notification', wakeUps.notify)
      await client.query(`LISTEN ${CHANGES_CHANNEL}`)
      this.#isAway = false
      while (!signal.aborted) {
        await this.#read(client)
        lost.throwIfAborted()
        await wakeUps.next(POLL_MS, AbortSignal.any([signal, lost]))
        lost.throwIfAborted()
      }
    })
  }

  /** Reads the log to its end. */
  async #read(client: Client): Promise<void> {
    for (;;) {
      const begunAt = performance.now()
      const { rows } = await client.query<Reading>(READ, [this.#position, PAGE, ADVISORY_LOCKS.projection])
      const { last, pruned, entries, writer } = rows[0]!
      const end = Number(last)
      // A writer that was killed may have left rows that no entry names, and the engine may still be writing them.
      if (writer === null || writer !== this.#writer) this.#options.changes.drop('everything')
      this.#writer = writer
      // At the start, after an absence longer than entries are kept, and when the database was restored from a backup.
      if (this.#position < Number(pruned) || this.#position > end) {
        this.#options.changes.drop('everything')
        this.#position = this.#readTo = end
        this.#readAt = begunAt
        return
      }
      for (const { seq, scope } of entries ?? []) {
        if (scope.parts === undefined) this.#options.changes.drop(scope.extent ?? 'everything')
        else this.#options.changes.record({ parts: scope.parts, feed: scope.feed ?? [] })
        this.#position = seq
      }
      if ((entries?.length ?? 0) < PAGE) {
        this.#readTo = end
        this.#readAt = begunAt
        return
      }
    }
  }
}

interface Reading {
  last: string
  pruned: string
  writer: number | null
  entries: Entry[] | null
}

interface Entry {
  seq: number
  scope: { parts?: DataPart[]; feed?: number[]; extent?: Extent }
}

const READ = `SELECT last, pruned_to AS pruned,
    (SELECT pid FROM pg_locks
     WHERE locktype = 'advisory' AND classid = 0 AND objid = $3 AND objsubid = 1 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS writer,
    (SELECT jsonb_agg(jsonb_build_object('seq', seq, 'scope', scope) ORDER BY seq)
     FROM (
       SELECT seq, scope FROM changes WHERE seq > $1 AND scope IS NOT NULL ORDER BY seq LIMIT $2) AS page) AS entries
  FROM change_position`
