// The feed and its statistics.
import type { FeedAsked, RowFilter } from '../../../application/queries/asked-transactions.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { csvHead, csvLine } from '../csv.ts'
import type { Download } from '../downloads.ts'
import { okText, unknownTickers, type Handler, type KeyedHandler } from '../handler.ts'
import { defined, invalidRequest, parseEach } from '../invalid-request.ts'
import { parseAsOf } from '../parameters.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'
import { parseRowFilter, type FilterParameters } from './transaction-filter.ts'

export function listFeed(queries: Queries): Handler<'listFeed'> {
  return async ({ query }) => {
    const { sort, cursor, detail, limit = DEFAULT_LIMIT } = query
    const { filter, ...instant } = parseFeed(query)
    const options = defined({ sort, cursor, detail: detail && true })
    const { page, unknown } = await queries.feed({ ...filter, ...instant, ...options, limit })
    return okText(page, unknownTickers(unknown))
  }
}

type FeedParameters = FilterParameters & { asOf?: string; sort?: FeedAsked['sort'] }

/** Returns the filter and the instant of a request for the feed. Throws `invalid_parameter` with all that is wrong. */
export function parseFeed(query: FeedParameters): { filter: RowFilter; asOf?: number } {
  const parsed = parseEach({ filter: () => parseRowFilter(query), asOf: () => parseAsOf(query) })
  if (query.sort === 'value' || query.sort === 'holdingChange')
    checkExtent(query.sort, parsed.filter, parsed.asOf ?? Date.now() / 1000)
  return parsed
}

const MAX_DAYS = 92
/** A day that begins or ends daylight saving time is an hour longer or shorter. */
const MAX_SECONDS = MAX_DAYS * 86_400 + 3_600
const MAX_PARTIES = 10

/** Throws if an order by amounts would have to sort too many rows. `now` in seconds since 1970. */
function checkExtent(sort: string, { companies = [], insiderCiks = [], filed }: RowFilter, now: number): void {
  const parties = companies.length + insiderCiks.length
  if (parties > 0 && parties <= MAX_PARTIES) return
  if (filed?.from !== undefined && (filed.before ?? now) - filed.from <= MAX_SECONDS) return
  const message =
    `sort=${sort} needs filedFrom within ${MAX_DAYS} days of filedTo, or of now without filedTo, ` +
    `or at most ${MAX_PARTIES} companies and insiders together`
  throw invalidRequest([{ path: 'query.sort', message }])
}

/** Answers with all transactions that pass the filter, a line each. */
export function exportFeed(queries: Queries): KeyedHandler<'exportFeed'> {
  return ({ query }) => {
    const { filter, ...instant } = parseFeed(query)
    const isDetailed = query.detail === 'full'
    const open = async () => {
      const { next, unknown } = await queries.feedExport({ ...filter, ...instant, ...(isDetailed && { detail: true }) })
      return { headers: unknownTickers(unknown), next }
    }
    return { status: 200, download: { ...formatOf(query.format ?? 'jsonl', isDetailed), open } }
  }
}

function formatOf(format: 'jsonl' | 'csv', isDetailed: boolean): Omit<Download, 'open'> {
  const fileName = `transactions.${format}`
  return format === 'csv'
    ? { type: 'text/csv; charset=utf-8; header=present', fileName, head: csvHead(isDetailed), line: csvLine }
    : { type: 'application/x-ndjson', fileName, head: '', line: (json) => `${json}\n` }
}

export function getFeedStatistics(queries: Queries): Handler<'getFeedStatistics'> {
  return async () => okText(await queries.feedStats())
}
