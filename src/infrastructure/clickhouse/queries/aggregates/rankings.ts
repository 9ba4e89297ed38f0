// The query that ranks companies or insiders by their open-market trades of some days, by default the last ones.
import type { components } from '../../../../contract.ts'
import { withDependencies } from '../../../../application/changes/data-dependencies.ts'
import { ServiceError } from '../../../../application/errors.ts'
import type { Measure, RankingsRequest } from '../../../../application/queries/aggregates/aggregate-requests.ts'
import type { Queries } from '../../../../application/queries/queries.ts'
import type { Clock } from '../../../../application/ports/system.ts'
import { addDays } from '../../../../domain/shared/calendar.ts'
import { cikOf, type DateText } from '../../../../domain/shared/identifiers.ts'
import { newYorkDay, newYorkToUtc } from '../../../../domain/shared/new-york-time.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { all, sql, type Sql } from '../../connection/sql.ts'
import { conditionsOf } from '../feed/filter-sql.ts'
import type { CompanyLists } from '../shared/company-list.ts'
import { tradedAt } from '../shared/as-of.ts'
import { sectorCondition, type IssuerSectors } from '../shared/issuer-sectors.ts'
import { BLOCK_ROWS, FEED_LIST } from '../shared/transaction-list.ts'
import { unitsOf } from '../shared/decimal-units.ts'
import { rowsWithin, SUMS, type DayRange, type PeriodSums } from './trade-sums.ts'

type Schemas = components['schemas']

/** The expression of each measure, and the value by which parties with equal measures are ordered. */
const MEASURED: Record<Measure, { measure: Sql; value: Sql }> = {
  buyValue: { measure: sql`buy_value`, value: sql`buy_value` },
  sellValue: { measure: sql`sell_value`, value: sql`sell_value` },
  netValue: { measure: sql`buy_value - sell_value`, value: sql`buy_value - sell_value` },
  buyers: { measure: sql`buyers`, value: sql`buy_value` },
  sellers: { measure: sql`sellers`, value: sql`sell_value` },
  buys: { measure: sql`buys`, value: sql`buy_value` },
  sells: { measure: sql`sells`, value: sql`sell_value` },
}

/** Selects the first parties, with the key of the newest trade of each. */
export function rankingsSql(request: RankingsRequest, range: DayRange, sectors: Sql | null): Sql {
  const { of, by, minValue, limit, plans, routine, roles, asOf } = request
  const { measure, value } = MEASURED[by]
  const filter = { ...(plans && { plans }), ...(routine !== undefined && { routine }), ...(roles && { roles }) }
  return sql`
    SELECT
      ${of === 'companies' ? sql`issuer_cik` : sql`trader`} AS party, ${SUMS},
      sumIf(total_value, type = 'buy') AS buy_value,
      sumIf(total_value, type = 'sell') AS sell_value,
      nullIf(toString(max(trade_day)), '1970-01-01') AS lastTransactionDate,
      ${asOf === undefined ? sql`max(key)` : sql`argMax(key, substring(key, ${FEED_LIST.length + 1}))`} AS newest
    FROM transaction_lists FINAL
    WHERE ${all([rowsWithin(FEED_LIST, 'filed', range, asOf), tradedAt(asOf), ...conditionsOf(filter), sectors])}
    GROUP BY party
    HAVING ${measure} > 0${minValue === undefined ? sql`` : sql` AND ${value} >= toDecimal128(${minValue}, 2)`}
    ORDER BY ${measure} DESC, ${value} DESC, party
    LIMIT ${limit}`
}

/** Selects the newest trades, from which names and symbols of companies and insiders are taken. */
export const newestSql = (keys: readonly string[]): Sql => sql`
  SELECT key, transaction
  FROM transaction_lists FINAL
  WHERE key IN ${keys}`

/** The earliest day that times in ClickHouse can hold. */
const EARLIEST = '1970-01-01'

interface RankedRow extends PeriodSums {
  party: number
  lastTransactionDate: DateText | null
  newest: string
}

/** How often parties and trades are read until they fit together. */
const MAX_TRIES = 5

/**
 * Reads the parties and the newest trade of each, both again if a write in between removed one of these trades. Throws
 * `unavailable` if that happens time after time.
 */
async function readRanked(
  store: ClickHouse,
  query: Sql,
  tries = 1,
): Promise<{ rows: RankedRow[]; shown: Map<string, Schemas['Transaction']> }> {
  const rows = await store.rows<RankedRow>(query)
  const keys = rows.map(({ newest }) => newest)
  const newest = keys.length > 0 ? await store.texts<[key: string, json: string]>(newestSql(keys), 2, BLOCK_ROWS) : []
  const shown = new Map(newest.map(([key, json]) => [key, JSON.parse(json) as Schemas['Transaction']]))
  if (keys.every((key) => shown.has(key))) return { rows, shown }
  if (tries === MAX_TRIES) throw new ServiceError('unavailable', 'The ranked trades change too often; retry later')
  return readRanked(store, query, tries + 1)
}

export function rankings(
  store: ClickHouse,
  lists: CompanyLists,
  issuerSectors: IssuerSectors,
  clock: Clock,
): Queries['rankings'] {
  return async (request) => {
    const { of, by, days, sectors, asOf } = request
    const to = request.to ?? newYorkDay(asOf ?? Math.floor(clock() / 1000))
    const [first, end] = [addDays(to, 1 - days), addDays(to, 1)]
    const from = first > EARLIEST ? first : EARLIEST
    const where = sectors ? sectorCondition(sectors, await issuerSectors()) : null
    const ranked = readRanked(store, rankingsSql(request, { from, end }, where))
    const [{ byIssuer }, { rows, shown }] = await Promise.all([lists(), ranked])
    const parties = rows.map((row, index) => {
      const { ticker, companyName, insiderName, insiderTitle } = shown.get(row.newest)!
      const listing = of === 'companies' ? byIssuer.get(row.party)?.[0] : undefined
      const named =
        of === 'companies'
          ? { ticker: listing?.ticker ?? ticker, companyName: listing?.name ?? companyName }
          : { name: insiderName, title: insiderTitle, ticker, companyName }
      return { rank: index + 1, cik: cikOf(row.party), ...named, ...figuresOf(row, of) }
    })
    const answer = { of, by, from, to, [of]: parties } as Schemas['Rankings']
    // A filing can move its company to another sector, with all that it filed before.
    const feed = sectors
      ? { from: 0, to: Number.POSITIVE_INFINITY }
      : { from: newYorkToUtc(from, 0), to: newYorkToUtc(end, 0) - 1 }
    const isOfNow = request.to === undefined && asOf === undefined
    return withDependencies(answer, { parts: [], feed, ...(isOfNow && { until: newYorkToUtc(end, 0) * 1000 }) })
  }
}

function figuresOf(row: RankedRow, of: RankingsRequest['of']) {
  const net = unitsOf(row.buyValue, 2) - unitsOf(row.sellValue, 2)
  return {
    buys: row.buys,
    sells: row.sells,
    ...(of === 'companies' && { buyers: row.buyers, sellers: row.sellers }),
    buyValue: Number(row.buyValue),
    sellValue: Number(row.sellValue),
    netValue: Number(net) / 100,
    lastTransactionDate: row.lastTransactionDate,
  }
}
