// The watchlists of API keys, and what a change of one means for waiting deliveries.
import type { WatchlistEntry, Watchlists } from '../../../application/ports/alerts.ts'
import type { Ticker } from '../../../domain/shared/identifiers.ts'
import { RESTARTED } from './delivery-commands.ts'
import { DELIVERIES_CHANNEL, IS_ADDRESS_DISABLED } from './outbox.ts'
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
      // Not now(), the transaction's start: an entry that waited longest for the lock would look oldest.
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
      if (webhookUrl !== null) await reenableAddress(connection, keyId, webhookUrl)
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

/** Serializes changes to a key's list. Rows that reference the key, such as deliveries, can still be added. */
export async function lockKey(connection: Connection, keyId: string): Promise<void> {
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

/** A delivery that waits for an address that no entry has any more. */
const IS_UNWATCHED = `status = 'waiting'
         AND NOT EXISTS (SELECT FROM watchlist WHERE key_id = $1 AND webhook_url = $2)`

/** From the deliveries of key $1 to address $2, locked in the order of their ids, like by all that locks several. */
const lockedSql = (condition: string): string => `FROM deliveries
       WHERE key_id = $1
         AND url = $2
         AND ${condition}
       ORDER BY id
       FOR UPDATE`

/**
 * Moves deliveries waiting for an address that no entry has any more to the present address of their own entry, else to
 * the address that replaced it, if any. Attempts start again, and events already delivered to that address are skipped.
 * A delivery being sent is due again when its lease ends; the result of the running attempt is ignored.
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
       ${lockedSql(IS_UNWATCHED)}
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

// A delivery being sent is dropped too: it loses its lease, so the result of the running attempt is ignored.
async function dropUnwatched(connection: Connection, keyId: string, url: string): Promise<void> {
  await rows(
    connection,
    `WITH waiting AS MATERIALIZED (
       SELECT id
       ${lockedSql(IS_UNWATCHED)}
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

/**
 * Enables an address again: setting it says that it should be used, whatever failed before. What was not sent because
 * the address was disabled is sent now.
 */
async function reenableAddress(connection: Connection, keyId: string, url: string): Promise<void> {
  const [enabled] = await rows<{ wasDisabled: boolean }>(
    connection,
    `WITH before AS (SELECT disabled_at FROM endpoints WHERE key_id = $1 AND url = $2 FOR UPDATE)
     UPDATE endpoints
     SET failing_since = NULL, disabled_at = NULL, disabled_reason = NULL
     FROM before
     WHERE key_id = $1
       AND url = $2
       AND (failing_since IS NOT NULL OR endpoints.disabled_at IS NOT NULL)
     RETURNING before.disabled_at IS NOT NULL AS "wasDisabled"`,
    [keyId, url],
  )
  if (!enabled?.wasDisabled) return
  await rows(
    connection,
    `WITH held AS MATERIALIZED (
       SELECT id
       ${lockedSql(`status = 'dead' AND ${IS_ADDRESS_DISABLED}`)}
     ), again AS (
       UPDATE deliveries
       SET ${RESTARTED}
       FROM held
       WHERE deliveries.id = held.id
       RETURNING 1
     )
     SELECT pg_notify('${DELIVERIES_CHANNEL}', '') FROM again LIMIT 1`,
    [keyId, url],
  )
}
