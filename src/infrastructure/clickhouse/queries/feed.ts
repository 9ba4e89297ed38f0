// The feed: listed transactions, newest first, page by page.
import type { components } from '../../../contract.ts'
import { parseTransactionId } from '../../../domain/shared/identifiers.ts'
import type { ChangeTracker } from '../../../application/changes/change-tracker.ts'
import { madeFrom } from '../../../application/changes/dependence.ts'
import type { FeedFilter, Queries } from '../../../application/queries/queries.ts'
import type { ClickHouse } from '../connection/client.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { all, Sql, sql } from '../connection/sql.ts'
import { ReadAhead } from './read-ahead.ts'
import { smallTable, throughWindow } from './time-window.ts'
import { NEWEST_FIRST, transactionColumns, type Detail, type DetailFor } from './transaction-columns.ts'

type Transaction = components['schemas']['Transaction']

/** The last row shown: filing time in seconds, accession, place. */
interface FeedPlace {
  filedAt: number
  accession: string
  place: number
}

// Days searched first for a page: about 700 rows are listed a day, of which few are of high significance or a CEO's
// or CFO's.
const FILTERS: Record<FeedFilter, { where: Sql; days: number }> = {
  buys: { where: sql`type = 'buy'`, days: 4 },
  sells: { where: sql`type = 'sell'`, days: 4 },
  high: { where: sql`significance IN ('high', 'critical')`, days: 16 },
  ceo_cfo: { where: sql`ceo_cfo`, days: 16 },
}

/** How current what is kept in memory is. */
export interface Freshness {
  changes: ChangeTracker
  /** Whether changes by other processes are known up to a second ago. */
  isUpToDate: () => boolean
}

/** The feed's copy of the trades. */
export const FEED = sql`path = 'feed' AND subject = 0`

export function feedSql(ask: {
  filter?: FeedFilter
  after?: FeedPlace
  oldest: Date | null
  rows: number
  detail?: Detail
}): Sql {
  const { filter, after, oldest, rows } = ask
  // The tuple alone would not use the key, and every granule would be read. The plain bound makes it a binary search.
  const before =
    after &&
    sql`
      filed_at <= ${new Date(after.filedAt * 1000)}
      AND (filed_at, accession, n) < (${new Date(after.filedAt * 1000)}, ${after.accession}, ${after.place})`
  const where = all([FEED, oldest && sql`filed_at >= ${oldest}`, before ?? null, filter ? FILTERS[filter].where : null])
  return sql`
    SELECT ${transactionColumns(ask.detail)}
    FROM trades FINAL
    WHERE ${where}
    ORDER BY ${NEWEST_FIRST}
    LIMIT ${rows}`
}

/** Reads a page, or from memory where the caller reads on from page to page. */
export function feed(store: ClickHouse, detailFor: DetailFor, freshness: Freshness): Queries['feed'] {
  // The newest filing time seen; it only anchors a lower bound, so an old one is merely less selective.
  let newest: number | null = null
  const isSmall = smallTable(store, sql`trades`)
  const lists = new Map<string, ReadAhead<Transaction>>()
  return async ({ filter, cursor, limit, detail: asked }) => {
    const detail = await detailFor(asked)
    const of = `feed:${filter ?? ''}`
    const after = cursor === undefined ? undefined : toPlace(decodeCursor(of, cursor, ['number', 'id', 'number']))
    const ahead = lists.get(of) ?? new ReadAhead<Transaction>({ ...freshness, placeOf: (row) => placedIn(of, row) })
    lists.set(of, ahead)
    const list = `${of} ${detail}`
    const known = cursor === undefined ? null : ahead.find(list, cursor, limit)
    if (known) return pageOf(of, known.rows, limit, known.feed)
    const wanted = cursor === undefined ? limit + 1 : ahead.rowsFor(list, cursor, limit)
    const version = ahead.version()
    const anchor = (await isSmall()) ? null : (after?.filedAt ?? newest)
    // A block reaches further back than a page.
    const days = (filter ? FILTERS[filter].days : 2) * (wanted > limit + 1 ? 4 : 1)
    const found = await throughWindow(anchor, days, wanted, (oldest) =>
      store.rows<Transaction>(
        feedSql({ ...(filter && { filter }), ...(after && { after }), oldest, rows: wanted, detail }),
      ),
    )
    if (!after && found[0]) newest = Math.max(newest ?? 0, toSeconds(found[0].filingDate))
    if (cursor !== undefined && wanted > limit + 1) {
      ahead.keep(list, cursor, { rows: found, wanted, filedAt: after!.filedAt, version })
    }
    const rows = found.slice(0, limit + 1)
    const from = rows.length <= limit ? 0 : toSeconds(rows.at(-1)!.filingDate)
    const page = pageOf(of, rows, limit, { from, to: after?.filedAt ?? Number.POSITIVE_INFINITY })
    if (cursor !== undefined && page.nextCursor !== undefined) ahead.readOn(list, page.nextCursor)
    return page
  }
}

/** Returns the page of the first `limit` of these rows; one more says that there are more. */
function pageOf(
  of: string,
  rows: Transaction[],
  limit: number,
  feed: { from: number; to: number },
): components['schemas']['FeedPage'] {
  const transactions = rows.slice(0, limit)
  const last = transactions.at(-1)
  if (rows.length <= limit || !last) return madeFrom({ transactions, hasMore: false }, { parts: [], feed })
  const nextCursor = placedIn(of, last).cursor
  return madeFrom({ transactions, hasMore: true, nextCursor }, { parts: [], feed })
}

function placedIn(of: string, row: Transaction): { filedAt: number; cursor: string } {
  return { filedAt: toSeconds(row.filingDate), cursor: encodeCursor(of, placeOf(row)) }
}

const toSeconds = (timestamp: string) => Date.parse(timestamp) / 1000

function placeOf(row: Transaction): (string | number)[] {
  const { accession, place } = parseTransactionId(row.id)
  return [toSeconds(row.filingDate), accession, place]
}

function toPlace([filedAt, accession, place]: [number, string, number]): FeedPlace {
  return { filedAt, accession, place }
}
