// The watchlists of API keys.
import type { WatchlistEntry, Watchlists } from '../../../application/ports/alerts.ts'
import type { Ticker } from '../../../domain/shared/identifiers.ts'
import { ADDRESS_STATE, releaseAddress, lockKey, reenableAddress, stateOf, type StateRow } from './addresses.ts'
import { rows, transaction, type Connection, type Pool } from '../pool.ts'

export class PostgresWatchlists implements Watchlists {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async entries(keyId: string): Promise<WatchlistEntry[]> {
    const entries = await rows<Omit<WatchlistEntry, 'webhook'> & { webhookUrl: string | null } & StateRow>(
      this.#pool,
      `SELECT ticker, added_at AS "addedAt", detail, notices, webhook_url AS "webhookUrl", ${ADDRESS_STATE}
       FROM watchlist LEFT JOIN endpoints ON endpoints.key_id = watchlist.key_id AND url = webhook_url
       WHERE watchlist.key_id = $1
       ORDER BY added_at DESC, ticker`,
      [keyId],
    )
    return entries.map(({ ticker, addedAt, detail, notices, webhookUrl, ...state }) => ({
      ticker,
      addedAt,
      detail,
      notices,
      webhook: webhookUrl === null ? null : { url: webhookUrl, ...stateOf(state) },
    }))
  }

  put(
    keyId: string,
    { ticker, webhookUrl, detail, notices = false }: Parameters<Watchlists['put']>[1],
    most: number,
  ): ReturnType<Watchlists['put']> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const before = await entryOf(connection, keyId, ticker)
      if (!before && (await countOf(connection, keyId)) >= most) return 'full'
      // Not now(), the transaction's start: an entry that waited longest for the lock would look oldest.
      const [entry] = await rows<{ addedAt: Date }>(
        connection,
        `INSERT INTO watchlist (key_id, ticker, webhook_url, detail, notices, added_at)
         VALUES ($1, $2, $3, $4, $5, clock_timestamp())
         ON CONFLICT (key_id, ticker) DO UPDATE
           SET webhook_url = $3, detail = $4, notices = $5
         RETURNING added_at AS "addedAt"`,
        [keyId, ticker, webhookUrl, detail, notices],
      )
      const formerUrl = before?.webhookUrl ?? null
      if (formerUrl !== null && formerUrl !== webhookUrl)
        await releaseAddress(connection, keyId, standard(formerUrl), webhookUrl === null ? null : standard(webhookUrl))
      if (webhookUrl !== null) await reenableAddress(connection, keyId, webhookUrl)
      return { addedAt: entry!.addedAt, isNew: !before }
    })
  }

  remove(keyId: string, ticker: Ticker): Promise<boolean> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const [removed] = await rows<{ webhookUrl: string | null }>(
        connection,
        'DELETE FROM watchlist WHERE key_id = $1 AND ticker = $2 RETURNING webhook_url AS "webhookUrl"',
        [keyId, ticker],
      )
      const formerUrl = removed?.webhookUrl ?? null
      if (formerUrl !== null) await releaseAddress(connection, keyId, standard(formerUrl), null)
      return removed !== undefined
    })
  }
}

/** Entries of watchlists have no format of their own. */
const standard = (url: string) => ({ url, format: 'standard' }) as const

type StoredEntry = { addedAt: Date; webhookUrl: string | null }

async function entryOf(connection: Connection, keyId: string, ticker: Ticker): Promise<StoredEntry | undefined> {
  const [entry] = await rows<StoredEntry>(
    connection,
    `SELECT added_at AS "addedAt", webhook_url AS "webhookUrl"
     FROM watchlist
     WHERE key_id = $1
       AND ticker = $2`,
    [keyId, ticker],
  )
  return entry
}

async function countOf(connection: Connection, keyId: string): Promise<number> {
  return (await rows<{ n: number }>(connection, 'SELECT count(*) AS n FROM watchlist WHERE key_id = $1', [keyId]))[0]!.n
}
