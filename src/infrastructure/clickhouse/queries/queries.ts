// All queries on ClickHouse. Each is in a file of its own beside this one.
import type { FilingAnalytics } from '../../../application/queries/filings/filing-analytics.ts'
import type { AnalyticsQueries } from '../../../application/queries/queries.ts'
import type { Sector } from '../../../domain/filings/sector.ts'
import { cikNumber, cikOf } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { limitTo } from '../connection/session-pool.ts'
import { companies } from './companies.ts'
import { company } from './company.ts'
import { feedStats } from './feed-stats.ts'
import { feedExport } from './feed/export.ts'
import { feed } from './feed/feed.ts'
import { issuerSectors, sectorsOf } from './shared/issuer-sectors.ts'
import { presentPrices } from './shared/returns.ts'
import { filingAnalytics } from './filing.ts'
import { companyLists } from './shared/company-list.ts'
import { findIssuers } from './shared/named-companies.ts'
import type { Freshness } from './shared/freshness.ts'
import { insider } from './insider.ts'
import { linksAsOf } from './notices/known-links.ts'
import { noticeQueries } from './notices/notices.ts'
import { holders, positions } from './positions.ts'
import { search } from './search.ts'
import { signal } from './signal.ts'
import { signals } from './signals.ts'
import { rankings } from './aggregates/rankings.ts'
import { sentiment } from './aggregates/sentiment.ts'
import type { Compute } from '../../../application/ports/computations.ts'
import type { Clock } from '../../../application/ports/system.ts'

export interface ClickHouseQueries extends AnalyticsQueries {
  /** The parts of the query of one filing that ClickHouse answers. */
  filingAnalytics: FilingAnalytics
}

/**
 * How many expensive questions are answered at once: those that read much of a table, sum it up, or name fifty
 * companies. They leave sessions and a processor to cheap ones.
 */
const EXPENSIVE_AT_ONCE = 2

export function clickHouseQueries(
  store: ClickHouse,
  clock: Clock,
  freshness: Freshness,
  compute: Compute,
): ClickHouseQueries {
  const lists = companyLists(store, freshness)
  const sectors = issuerSectors(store, lists, freshness)
  const details = { sectors, prices: presentPrices(store, freshness), linksAsOf: linksAsOf(store, compute) }
  const limit = limitTo(EXPENSIVE_AT_ONCE)
  return {
    feed: feed(store, lists, details, limit),
    feedExport: feedExport(store, lists, details, { limit }),
    company: company(store, lists, details),
    companies: limit(companies(store, lists)),
    issuers: async (named) => {
      const { issuers, unknown } = await findIssuers(lists, named)
      return { issuers: issuers.map(cikOf), unknown }
    },
    sectors: async (issuers) => {
      const present = await (issuers ? sectorsOf(store, lists, issuers) : sectors())
      return (issuer) => (present.get(cikNumber(issuer)) ?? 'Unknown') as Sector
    },
    insider: insider(store, details, compute),
    positions: limit(positions({ store, lists, clock, compute })),
    holders: limit(holders({ store, lists, clock, compute })),
    search: search(store),
    signals: signals(store, lists, sectors),
    signal: signal(store, details),
    ruleReturns: async () => (await details.prices())?.rules ?? null,
    feedStats: feedStats(store, clock),
    sentiment: sentiment(store, lists, sectors, limit),
    rankings: limit(rankings(store, lists, sectors, clock)),
    ...noticeQueries(store, lists, clock, details.linksAsOf),
    filingAnalytics: filingAnalytics(store, lists),
  }
}
