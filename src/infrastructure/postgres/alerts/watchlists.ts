// Watchlists, each of one API key, and what a change of one means for deliveries that wait.
import type { WatchlistEntry, Watchlists } from '../../../application/ports/alerts.ts'
import type { Ticker } from '../../../domain/shared/identifiers.ts'
import { DELIVERIES_CHANNEL } from './outbox.ts'
import { rows, transaction, type Connection, type Pool } from '../pool.ts'

export class PostgresWatchlists implements Watchlists {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  entries(keyId: string): Promise<WatchlistEntry[]> {
    return rows<WatchlistEntry>(
      this.#pool,
      `SELECT ticker, added_at AS "addedAt"
       FROM watchlist
       WHERE key_id = $1
       ORDER BY added_at DESC, ticker`,
      [keyId],
    )
  }

  put(keyId: string, ticker: Ticker, webhookUrl: string | null, most: number): ReturnType<Watchlists['put']> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const before = await entryOf(connection, keyId, ticker)
      if (!before && (await countOf(connection, keyId)) >= most) return 'full'
      // Not now(), which is when the transaction began: whoever waited for the lock longest would look oldest.
      const [entry] = await rows<{ addedAt: Date }>(
        connection,
        `INSERT INTO watchlist (key_id, ticker, webhook_url, added_at)
         VALUES ($1, $2, $3, clock_timestamp())
         ON CONFLICT (key_id, ticker) DO UPDATE
           SET webhook_url = $3
         RETURNING added_at AS "addedAt"`,
        [keyId, ticker, webhookUrl],
      )
      const left = before?.webhookUrl ?? null
      if (left !== null && left !== webhookUrl) await leave(connection, keyId, left, webhookUrl)
      if (webhookUrl !== null) await giveAnotherTry(connection, keyId, webhookUrl)
      return { addedAt: entry!.addedAt, isNew: !before }
    })
  }

  async hasAddress(): Promise<boolean> {
    const [found] = await rows(this.#pool, 'SELECT FROM watchlist WHERE webhook_url IS NOT NULL LIMIT 1')
    return found !== undefined
  }

  remove(keyId: string, ticker: Ticker): Promise<boolean> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const [removed] = await rows<{ webhookUrl: string | null }>(
        connection,
        'DELETE FROM watchlist WHERE key_id = $1 AND ticker = $2 RETURNING webhook_url AS "webhookUrl"',
        [keyId, ticker],
      )
      const left = removed?.webhookUrl ?? null
      if (left !== null) await leave(connection, keyId, left, null)
      return removed !== undefined
    })
  }
}

/** One change of a key's list at a time. Rows that refer to the key, such as deliveries, may be added meanwhile. */
async function lockKey(connection: Connection, keyId: string): Promise<void> {
  await rows(connection, 'SELECT FROM api_keys WHERE id = $1 FOR NO KEY UPDATE', [keyId])
}

type StoredEntry = { addedAt: Date; webhookUrl: string | null }

async function entryOf(connection: Connection, keyId: string, ticker: Ticker): Promise<StoredEntry | undefined> {
  const [found] = await rows<StoredEntry>(
    connection,
    `SELECT added_at AS "addedAt", webhook_url AS "webhookUrl"
     FROM watchlist
     WHERE key_id = $1
       AND ticker = $2`,
    [keyId, ticker],
  )
  return found
}

async function countOf(connection: Connection, keyId: string): Promise<number> {
  return (await rows<{ n: number }>(connection, 'SELECT count(*) AS n FROM watchlist WHERE key_id = $1', [keyId]))[0]!.n
}

async function leave(connection: Connection, keyId: string, url: string, other: string | null): Promise<void> {
  await moveUnwatched(connection, keyId, url, other)
  await dropUnwatched(connection, keyId, url)
}

/**
 * What waits for an address that no entry has any more goes to the one that its own entry has by now, else to the one that
 * took its place, if any: from the first attempt on, unless it was told the same. One that is being sent comes again when its
 * sender must have ended, who changes nothing any more.
 */
async function moveUnwatched(connection: Connection, keyId: string, from: string, to: string | null): Promise<void> {
  await rows(
    connection,
    `WITH waiting AS MATERIALIZED (
       SELECT
         id,
         event_id,
         coalesce(
           (SELECT webhook_url FROM watchlist WHERE key_id = $1 AND watchlist.ticker = deliveries.ticker),
           $3) AS target
       FROM deliveries
       WHERE key_id = $1
         AND url = $2
         AND status = 'waiting'
         AND NOT EXISTS (SELECT FROM watchlist WHERE key_id = $1 AND webhook_url = $2)
       ORDER BY id
       FOR UPDATE
     ), moved AS (
       UPDATE deliveries
       SET url = target,
         attempts = 0,
         next_attempt_at = greatest(now(), leased_until),
         published_at = NULL,
         lease = NULL,
         leased_until = NULL
       FROM waiting
       WHERE deliveries.id = waiting.id
         AND target IS NOT NULL
         AND NOT EXISTS (
           SELECT FROM deliveries AS other
           WHERE other.event_id = waiting.event_id
             AND other.key_id = $1
             AND other.url = target)
       RETURNING 1
     )
     SELECT pg_notify('${DELIVERIES_CHANNEL}', '') FROM moved LIMIT 1`,
    [keyId, from, to],
  )
}

// In the order of their ids, as whoever else takes several of them. One that is being sent is dropped too: its lease is
// gone then, and what became of it changes nothing any more.
async function dropUnwatched(connection: Connection, keyId: string, url: string): Promise<void> {
  await rows(
    connection,
    `WITH waiting AS MATERIALIZED (
       SELECT id
       FROM deliveries
       WHERE key_id = $1
         AND url = $2
         AND status = 'waiting'
         AND NOT EXISTS (SELECT FROM watchlist WHERE key_id = $1 AND webhook_url = $2)
       ORDER BY id
       FOR UPDATE
     )
     UPDATE deliveries
     SET status = 'dead',
       reason = 'no longer watched',
       settled_at = now(),
       lease = NULL,
       leased_until = NULL
     FROM waiting
     WHERE deliveries.id = waiting.id`,
    [keyId, url],
  )
}

/** Somebody who sets an address means it to be used, whatever was thought of it. */
async function giveAnotherTry(connection: Connection, keyId: string, url: string): Promise<void> {
  await rows(
    connection,
    `UPDATE endpoints
     SET failing_since = NULL, disabled_at = NULL, disabled_reason = NULL
     WHERE key_id = $1
       AND url = $2
       AND (failing_since IS NOT NULL OR disabled_at IS NOT NULL)`,
    [keyId, url],
  )
}
