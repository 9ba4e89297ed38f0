// The feed and its statistics.
import { ServiceError } from '../../../application/errors.ts'
import type { RowFilter } from '../../../application/queries/asked-transactions.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { csvHead, csvLine } from '../csv.ts'
import type { Download } from '../downloads.ts'
import { okText, unknownTickers, type Handler, type KeyedHandler } from '../handler.ts'
import { parseAsOf } from '../parameters.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'
import { parseRowFilter } from './transaction-filter.ts'

export function listFeed(queries: Queries): Handler<'listFeed'> {
  return async ({ query }) => {
    const filter = parseRowFilter(query)
    const { sort, cursor, detail, limit = DEFAULT_LIMIT } = query
    const asOf = parseAsOf(query)
    if (sort === 'value') checkExtent(filter, asOf ?? Date.now() / 1000)
    const { page, unknown } = await queries.feed({
      ...filter,
      ...(asOf !== undefined && { asOf }),
      ...(sort && { sort }),
      ...(cursor !== undefined && { cursor }),
      ...(detail && { detail: true }),
      limit,
    })
    return okText(page, unknownTickers(unknown))
  }
}

const MAX_DAYS = 92
/** A day that begins or ends daylight saving time is an hour longer or shorter. */
const MAX_SECONDS = MAX_DAYS * 86_400 + 3_600
const MAX_PARTIES = 10

/** Throws if `sort=value` would have to sort too many rows. `now` in seconds since 1970. */
function checkExtent({ companies = [], insiderCiks = [], filed }: RowFilter, now: number): void {
  const parties = companies.length + insiderCiks.length
  if (parties > 0 && parties <= MAX_PARTIES) return
  if (filed?.from !== undefined && (filed.before ?? now) - filed.from <= MAX_SECONDS) return
  const message =
    `value needs filedFrom within ${MAX_DAYS} days of filedTo, or of now without filedTo, ` +
    `or at most ${MAX_PARTIES} companies and insiders together`
  throw new ServiceError('invalid_parameter', 'A query parameter is not valid', [{ path: 'query.sort', message }])
}

/** Answers with all transactions that pass the filter, a line each. */
export function exportFeed(queries: Queries): KeyedHandler<'exportFeed'> {
  return ({ query }) => {
    const filter = parseRowFilter(query)
    const isDetailed = query.detail === 'full'
    const asOf = parseAsOf(query)
    const instant = asOf === undefined ? {} : { asOf }
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
