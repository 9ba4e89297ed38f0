// Handlers of the feed, its export and its statistics.
import type { RowFilter } from '../../../application/queries/transaction-requests.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { csvHead, csvLine } from '../csv.ts'
import type { Download } from '../downloads.ts'
import { okText, unknownTickers, type Handler, type KeyedHandler, type QueryOf } from '../handler.ts'
import { defined, parseEach } from '../invalid-request.ts'
import { parseAsOf } from '../parameters.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'
import { parseRowFilter } from './transaction-filter.ts'

export function listFeed(queries: Queries): Handler<'listFeed'> {
  return async ({ query }) => {
    const { page, unknown } = await queries.feed(feedRequest(query))
    return okText(page, unknownTickers(unknown))
  }
}

/** Returns the request for a page of the feed. */
export function feedRequest(query: QueryOf<'listFeed'>) {
  const { sort, cursor, detail, limit = DEFAULT_LIMIT } = query
  const { filter, ...instant } = parseFeed(query)
  return { ...filter, ...instant, ...defined({ sort, cursor, detail: detail && true }), limit }
}

/** Parses the filter and the instant of a request for the feed. Throws `invalid_parameter` with all faults. */
export function parseFeed(query: QueryOf<'listFeed'>): { filter: RowFilter; asOf?: number } {
  return parseEach({ filter: () => parseRowFilter(query), asOf: () => parseAsOf(query) })
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
