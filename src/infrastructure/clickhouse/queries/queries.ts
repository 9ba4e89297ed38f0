// All queries on ClickHouse. Each is in a file of its own beside this one.
import type { FilingAnalytics } from '../../../application/queries/filings/filing-analytics.ts'
import type { AnalyticsQueries, Queries } from '../../../application/queries/queries.ts'
import type { Sector } from '../../../domain/filings/sector.ts'
import { cikNumber, cikOf } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { companies } from './companies.ts'
import { company } from './company.ts'
import { feedStats } from './feed-stats.ts'
import { feedExport } from './feed/export.ts'
import { feed } from './feed/feed.ts'
import { issuerSectors } from './shared/issuer-sectors.ts'
import { presentPrices } from './shared/returns.ts'
import { filingAnalytics } from './filing.ts'
import { companyLists, type CompanyLists } from './shared/company-list.ts'
import { findIssuers } from './shared/named-companies.ts'
import type { Freshness } from './shared/freshness.ts'
import { insider } from './insider.ts'
import { noticeQueries } from './notices/notices.ts'
import { holders, positions } from './positions.ts'
import { search } from './search.ts'
import { signal } from './signal.ts'
import { signals } from './signals.ts'
import { rankings } from './aggregates/rankings.ts'
import { sentiment } from './aggregates/sentiment.ts'
import type { Clock } from '../../../application/ports/system.ts'

export class ClickHouseQueries implements AnalyticsQueries {
  readonly feed: Queries['feed']
  readonly feedExport: Queries['feedExport']
  readonly company: Queries['company']
  readonly companies: Queries['companies']
  readonly issuers: Queries['issuers']
  readonly sectors: Queries['sectors']
  readonly insider: Queries['insider']
  readonly positions: Queries['positions']
  readonly holders: Queries['holders']
  readonly search: Queries['search']
  readonly signals: Queries['signals']
  readonly signal: Queries['signal']
  readonly ruleReturns: Queries['ruleReturns']
  readonly feedStats: Queries['feedStats']
  readonly sentiment: Queries['sentiment']
  readonly rankings: Queries['rankings']
  readonly notices: Queries['notices']
  readonly notice: Queries['notice']

  readonly #store: ClickHouse
  readonly #lists: CompanyLists

  constructor(store: ClickHouse, clock: Clock, freshness: Freshness) {
    this.#store = store
    this.#lists = companyLists(store, freshness)
    const sectors = issuerSectors(store, this.#lists, freshness)
    const prices = presentPrices(store, freshness)
    this.feed = feed(store, this.#lists, sectors, prices)
    this.feedExport = feedExport(store, this.#lists, sectors, { prices })
    this.company = company(store, this.#lists, sectors, prices)
    this.companies = companies(store, this.#lists)
    this.issuers = async (named) => {
      const { issuers, unknown } = await findIssuers(this.#lists, named)
      return { issuers: issuers.map(cikOf), unknown }
    }
    this.sectors = async () => {
      const present = await sectors()
      return (issuer) => (present.get(cikNumber(issuer)) ?? 'Unknown') as Sector
    }
    this.insider = insider(store, sectors, prices)
    this.positions = positions(store, this.#lists, clock)
    this.holders = holders(store, this.#lists, clock)
    this.search = search(store)
    this.signals = signals(store, this.#lists, sectors)
    this.signal = signal(store, sectors, prices)
    this.ruleReturns = async () => (await prices())?.rules ?? null
    this.feedStats = feedStats(store, clock)
    this.sentiment = sentiment(store, this.#lists, sectors)
    this.rankings = rankings(store, this.#lists, sectors, clock)
    const { notices, notice } = noticeQueries(store, this.#lists, clock)
    this.notices = notices
    this.notice = notice
  }

  /** Returns the parts of the query of one filing that ClickHouse answers. */
  filingAnalytics(): FilingAnalytics {
    return filingAnalytics(this.#store, this.#lists)
  }
}
