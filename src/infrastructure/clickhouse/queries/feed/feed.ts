// The query of the feed: listed transactions, newest first, page by page, with at most one of the four named filters.
import type { components } from '../../../../contract.ts'
import { withDependencies } from '../../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../../application/queries/json-text.ts'
import type { FeedRequest, FeedFilter, PageResult } from '../../../../application/queries/transaction-requests.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { decodeCursor, encodeCursor } from '../../../page-cursor.ts'
import { completeDetails } from '../shared/complete-details.ts'
import type { IssuerSectors } from '../shared/issuer-sectors.ts'
import { NO_PRICES } from '../shared/returns.ts'
import { smallTable, throughWindow } from '../shared/time-window.ts'
import { BLOCK_ROWS, FEED_LIST, keyOf, listSql, placeOf } from '../shared/transaction-list.ts'

type FeedPage = components['schemas']['FeedPage']

// `days`: how many days are searched first. Rows of high significance, and of CEOs and CFOs, are rarer than others.
const NAMED_FILTERS: Record<FeedFilter, { where: (significance: Sql) => Sql; days: number }> = {
  buys: { where: () => sql`type = 'buy'`, days: 4 },
  sells: { where: () => sql`type = 'sell'`, days: 4 },
  high: { where: (significance) => sql`${significance} IN ('high', 'critical')`, days: 16 },
  ceo_cfo: { where: () => sql`bitAnd(roles, 48) != 0`, days: 16 },
}
/** How many days are searched first without a filter. */
export const DAYS = 2

/** Returns the condition of a named filter. `significance`: an expression in place of that column. */
export const namedFilterCondition = (filter: FeedFilter, significance = sql`significance`): Sql =>
  NAMED_FILTERS[filter].where(significance)

/** `before` is the key of the last row shown. */
export function feedSql(request: {
  filter?: FeedFilter
  before?: string
  oldest: Date | null
  rows: number
  detail?: boolean
}): Sql {
  return listSql({ ...request, list: FEED_LIST, where: request.filter && namedFilterCondition(request.filter) })
}

/** Returns the query of a page. */
export function feed(
  store: ClickHouse,
  sectors: IssuerSectors,
  prices = NO_PRICES,
): (request: FeedRequest) => Promise<PageResult<FeedPage>> {
  // The newest filing time seen. Only a lower bound is derived from it, so an outdated one just reads more rows.
  let newest: number | null = null
  const isSmall = smallTable(store, sql`transaction_lists`)
  return async ({ filter, cursor, limit, detail = false }) => {
    const scope = `feed:${filter ?? ''}`
    const after = cursor === undefined ? undefined : toPlace(scope, cursor)
    const before = after && keyOf(FEED_LIST, after)
    const anchor = (await isSmall()) ? null : after ? after.filedAt : newest
    const days = filter ? NAMED_FILTERS[filter].days : DAYS
    const rows = await throughWindow(anchor, days, limit + 1, async (oldest) => {
      const request = { ...(filter && { filter }), ...(before && { before }), oldest, rows: limit + 1, detail }
      const texts = await store.texts(feedSql(request), BLOCK_ROWS)
      return texts.map(([key, json]): ListRow => ({ key: key!, json: json! }))
    })
    if (!after && rows[0]) newest = Math.max(newest ?? 0, placeOf(rows[0].key).filedAt)
    const complete = detail ? (texts: string[]) => completeDetails(store, texts, { sectors, prices }) : null
    return pageOf(scope, { rows, before }, limit, complete)
  }
}

/** A transaction as JSON text, with its key in the list. */
interface ListRow {
  key: string
  json: string
}

/**
 * Returns the page of the first `limit` of these rows; one row more means that another page follows. `complete` adds
 * the details that are not stored with a row.
 */
async function pageOf(
  scope: string,
  { rows, before }: { rows: ListRow[]; before: string | undefined },
  limit: number,
  complete: ((texts: string[]) => ReturnType<typeof completeDetails>) | null,
): Promise<PageResult<FeedPage>> {
  const shown = rows.slice(0, limit)
  const texts = shown.map(({ json }) => json)
  const { transactions, parts } = complete ? await complete(texts) : { transactions: texts, parts: [] }
  const last = rows.length > limit ? placeOf(shown.at(-1)!.key) : undefined
  const page = JsonText.object<FeedPage>({
    transactions: JsonText.list(transactions),
    hasMore: last !== undefined,
    ...(last && { nextCursor: encodeCursor(scope, [last.filedAt, last.accession, last.place]) }),
  })
  const from = last ? placeOf(rows.at(-1)!.key).filedAt : 0
  const to = before === undefined ? Number.POSITIVE_INFINITY : placeOf(before).filedAt
  return { page: withDependencies(page, { parts, feed: { from, to } }), unknown: [] }
}

function toPlace(scope: string, cursor: string) {
  const [filedAt, accession, place] = decodeCursor(scope, cursor, ['number', 'id', 'number'])
  return { filedAt, accession, place }
}
