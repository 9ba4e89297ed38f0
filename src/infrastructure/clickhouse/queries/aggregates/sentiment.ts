// Open-market trades of a company, a sector or all companies, summed up by day, week, month or quarter.
import type { components } from '../../../../contract.ts'
import { withDependencies, type DataDependencies } from '../../../../application/changes/data-dependencies.ts'
import { unknownCompanies } from '../../../../application/errors.ts'
import type { SentimentRequest } from '../../../../application/queries/aggregates/aggregate-requests.ts'
import type { Queries } from '../../../../application/queries/queries.ts'
import type { NamedCompany } from '../../../../domain/filings/ticker-symbol.ts'
import { cikAsSymbol, type DateText } from '../../../../domain/shared/identifiers.ts'
import { moveInterval } from '../../../../domain/shared/interval.ts'
import { newYorkToUtc } from '../../../../domain/shared/new-york-time.ts'
import type { ClickHouse } from '../../connection/client.ts'
import type { Limit } from '../../connection/session-pool.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import type { CompanyLists } from '../shared/company-list.ts'
import { sectorCondition, type IssuerSectors } from '../shared/issuer-sectors.ts'
import { findIssuers } from '../shared/named-companies.ts'
import { FEED_LIST, listOfCompany, type TransactionList } from '../shared/transaction-list.ts'
import { unitsOf } from '../shared/decimal-units.ts'
import { sumsSql, type DayRange, type PeriodSums } from './trade-sums.ts'

type Sentiment = components['schemas']['Sentiment']
type Point = components['schemas']['SentimentPoint']

/** Returns SQL for whether anything is known of a company that the SEC's list lacks. */
export const isKnownSql = (list: TransactionList): Sql => sql`
  SELECT 1 AS one
  FROM transaction_lists
  WHERE key >= ${`${list}#`} AND key < ${`${list};`}
  LIMIT 1`

/** Returns the query, of which those of the whole market are under the limit. */
export function sentiment(
  store: ClickHouse,
  lists: CompanyLists,
  issuerSectors: IssuerSectors,
  limit: Limit,
): Queries['sentiment'] {
  const sumUp = (request: SentimentRequest, list: TransactionList, where: Sql | null) =>
    store.rows<PeriodSums & { start: DateText }>(
      sumsSql({ ...request, list, range: rangeOf(request), filter: filterOf(request), where }),
    )

  const ofCompany = async (request: SentimentRequest, company: NamedCompany) => {
    const companyLists = await lists()
    const { issuers, found, parts } = await findIssuers(lists, [company], request.asOf, 'ticker')
    const list = listOfCompany(issuers[0]!)
    const listings = companyLists.byIssuer.get(issuers[0]!) ?? []
    const [sums, isKnown] = await Promise.all([
      sumUp(request, list, null),
      listings.length > 0 || company.cik === null || store.rows(isKnownSql(list)).then((rows) => rows.length > 0),
    ])
    if (!isKnown) throw unknownCompanies([cikAsSymbol(company.cik!)], 'query.ticker')
    const requested = company.ticker === null ? cikAsSymbol(company.cik) : found.get(company.ticker)!.ticker
    const listing = listings.find(({ ticker }) => ticker === requested) ?? listings[0]
    return { ticker: listing?.ticker ?? requested, sums, dependencies: { parts } }
  }

  const ofMarket = limit(async (request: SentimentRequest) => {
    const where = request.sector ? sectorCondition([request.sector], await issuerSectors()) : null
    return { ticker: null, sums: await sumUp(request, FEED_LIST, where), dependencies: dependenciesOn(request) }
  })

  return async (request) => {
    const { company, sector = null, interval, by, until } = request
    const { ticker, sums, dependencies } = company ? await ofCompany(request, company) : await ofMarket(request)
    const byStart = new Map(sums.map((each) => [each.start, each]))
    const points = request.starts.map((start) => pointOf(start, byStart.get(start)))
    const answer: Sentiment = { ticker, sector, interval, by, points }
    return withDependencies(answer, { ...dependencies, ...(until !== undefined && { until }) })
  }
}

const filterOf = ({ plans, routine, roles }: SentimentRequest) => ({
  ...(plans && { plans }),
  ...(routine !== undefined && { routine }),
  ...(roles && { roles }),
})

function rangeOf({ starts, interval }: SentimentRequest): DayRange {
  return { from: starts[0]!, end: moveInterval(starts.at(-1)!, interval, 1) }
}

/** A filing can move its company to another sector, with all that it filed before. */
function dependenciesOn(request: SentimentRequest): DataDependencies {
  const { from, end } = rangeOf(request)
  if (request.sector) return { parts: [], feed: { from: 0, to: Number.POSITIVE_INFINITY } }
  // A filing of a trade may come years later, and on its own day after it at the earliest.
  const to = request.by === 'filed' ? newYorkToUtc(end, 0) - 1 : Number.POSITIVE_INFINITY
  return { parts: [], feed: { from: request.by === 'filed' ? newYorkToUtc(from, 0) : 0, to } }
}

const NOTHING: PeriodSums = {
  buys: 0,
  sells: 0,
  buyers: 0,
  sellers: 0,
  sharesBought: '0',
  sharesSold: '0',
  buyValue: '0',
  sellValue: '0',
}

function pointOf(start: DateText, sums: PeriodSums = NOTHING): Point {
  const [bought, sold] = [unitsOf(sums.buyValue, 2), unitsOf(sums.sellValue, 2)]
  return {
    start,
    buys: sums.buys,
    sells: sums.sells,
    buyers: sums.buyers,
    sellers: sums.sellers,
    sharesBought: Number(sums.sharesBought),
    sharesSold: Number(sums.sharesSold),
    buyValue: Number(sums.buyValue),
    sellValue: Number(sums.sellValue),
    netValue: Number(bought - sold) / 100,
    shareRatio: ratioOf(unitsOf(sums.sharesBought, 4), unitsOf(sums.sharesSold, 4)),
    valueRatio: ratioOf(bought, sold),
    personRatio: ratioOf(BigInt(sums.buyers), BigInt(sums.sellers)),
  }
}

/** Returns 100 × (bought − sold) / (bought + sold) to 2 places, half away from zero; null for nothing. */
function ratioOf(bought: bigint, sold: bigint): number | null {
  const all = bought + sold
  if (all === 0n) return null
  const difference = bought - sold
  const size = difference < 0n ? -difference : difference
  const rounded = Number((size * 20_000n + all) / (2n * all)) / 100
  // Not -0, to which a small difference would round.
  return difference < 0n && rounded > 0 ? -rounded : rounded
}
