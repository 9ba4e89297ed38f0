// Handlers of the sums over open-market trades: by interval, and by company or insider.
import type { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { SECTORS } from '../../../domain/filings/sector.ts'
import { intervalsBetween, moveInterval, startOfInterval, type Interval } from '../../../domain/shared/interval.ts'
import type { DateText } from '../../../domain/shared/identifiers.ts'
import { newYorkDay, newYorkToUtc } from '../../../domain/shared/new-york-time.ts'
import { OWNER_ROLES, PLANS } from '../../../domain/trades/transaction-filter.ts'
import { ok, type Handler, type QueryOf } from '../handler.ts'
import { invalidRequest, parseEach } from '../invalid-request.ts'
import { parseAmount, parseAsOf, parseDay, parseDays, parseTicker, parseWords } from '../parameters.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'

const MAX_INTERVALS = 520
const DEFAULT_INTERVALS = 24
const DEFAULT_DAYS = 7

export function getSentiment(queries: Queries): Handler<'getSentiment'> {
  return async ({ query }) => {
    const { interval = 'month', by = 'filed' } = query
    const { filter, days: _days, ...rest } = parseSentiment(query)
    const intervals = parseIntervals(query, interval, rest.asOf)
    return ok(await queries.sentiment({ ...rest, ...filter, interval, by, ...intervals }))
  }
}

/** Parses all parameters except the intervals. Throws `invalid_parameter` with all faults. */
export function parseSentiment(query: QueryOf<'getSentiment'>) {
  const { ticker } = query
  const parsed = parseEach({
    company: () => (ticker === undefined ? undefined : parseTicker({ ticker })),
    sector: () => parseSector(query),
    filter: () => parseFilter(query),
    asOf: () => parseAsOf(query),
    days: () => parseDays(query, 'from', 'to'),
  })
  const { sector, filter } = parsed
  if (ticker !== undefined && sector) throw refused(['ticker', 'sector'], 'ticker and sector cannot be combined')
  if (ticker === undefined && filter.roles) throw refused(['roles'], 'roles can only be used with ticker')
  return parsed
}

/** Returns the requested intervals, and if they end with the current one by default, the instant at which that ends. */
function parseIntervals(query: { from?: string; to?: string }, interval: Interval, asOf?: number) {
  const { from, to } = parseDays(query, 'from', 'to')
  const last = to ?? newYorkDay(asOf ?? Math.floor(Date.now() / 1000))
  const end = asOf === undefined ? 'today' : 'the day of asOf'
  if (from !== undefined && from > last) throw refused(['from'], `without to, from must not be after ${end}`)
  const first = from ?? firstOf(last, interval)
  const starts = intervalsBetween(first, last, interval, MAX_INTERVALS)
  if (!starts) throw refused(['from', 'to'], `from and to must lie within ${MAX_INTERVALS} intervals`)
  const next = moveInterval(starts.at(-1)!, interval, 1)
  return { starts, ...(to === undefined && asOf === undefined && { until: newYorkToUtc(next, 0) * 1000 }) }
}

const EARLIEST = '1970-01-01'

function firstOf(last: DateText, interval: Interval): DateText {
  const first = moveInterval(startOfInterval(last, interval), interval, 1 - DEFAULT_INTERVALS)
  return first > EARLIEST ? first : EARLIEST
}

export function getRankings(queries: Queries): Handler<'getRankings'> {
  return async ({ query }) => {
    const { of = 'companies', by = 'buyValue', days = DEFAULT_DAYS, limit = DEFAULT_LIMIT } = query
    if (of === 'insiders' && (by === 'buyers' || by === 'sellers'))
      throw refused(['by'], `by=${by} ranks companies only, so it cannot be used with of=insiders`)
    const { filter, ...rest } = parseRankings(query)
    return ok(await queries.rankings({ of, by, days, limit, ...rest, ...filter }))
  }
}

/** Parses the parameters of rankings. Throws `invalid_parameter` with all faults. */
export const parseRankings = (query: QueryOf<'getRankings'>) =>
  parseEach({
    sectors: () => parseWords(query, 'sectors', SECTORS),
    minValue: () => parseAmount(query, 'minValue', 2),
    filter: () => parseFilter(query),
    to: () => parseDay(query, 'to'),
    asOf: () => parseAsOf(query),
  })

const parseFilter = (query: QueryOf<'getSentiment'> | QueryOf<'getRankings'>) =>
  parseEach({
    plans: () => parseWords(query, 'plan10b51', PLANS),
    roles: () => parseWords(query, 'roles', OWNER_ROLES),
    routine: () => query.routine && query.routine === 'yes',
  })

function parseSector(query: { sector?: string }) {
  if (query.sector === undefined) return undefined
  const name = query.sector.toLowerCase()
  const sector = SECTORS.find((each) => each.toLowerCase() === name)
  if (!sector) throw refused(['sector'], `must be one of ${SECTORS.join(', ')}`)
  return sector
}

function refused(names: readonly string[], message: string): ServiceError {
  return invalidRequest(names.map((name) => ({ path: `query.${name}`, message })))
}
