// Reconciles issuers over their stored trades and those of a batch, and tells which trades have changed.
import { reconcileIssuerSteps } from '../../domain/trades/reconciliation/reconcile-issuer.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import {
  isRelated,
  type RelatedFiling,
  type WithdrawnFilings,
} from '../../domain/trades/reconciliation/related-filing.ts'
import type { SignificanceFloors } from '../../domain/trades/significance.ts'
import type { Trade, TradeFacts } from '../../domain/trades/trade.ts'
import type { TypedSymbols } from '../ports/analytics.ts'
import { newestTyped, type CompanyListings } from '../shared/company-listings.ts'
import { runInSlices, timeSlices } from '../shared/time-slices.ts'
import { relatedFiling } from './directory-entry.ts'
import type { Derived } from './project-filings.ts'

/**
 * Reconciles each issuer over all its trades. Returns all of them in `decided`, and in `trades` those that are new or
 * differ from what is stored.
 */
export async function reconciled(input: {
  issuers: Cik[]
  stored: Trade[]
  /** The stored ones, without the filings of `derived`. */
  related: RelatedFiling[]
  derived: Pick<Derived, 'trades' | 'entries'>
  withdrawn: WithdrawnFilings
  newest: Map<Cik, TypedSymbols>
  listings: CompanyListings
  floors: SignificanceFloors
}): Promise<{ decided: Trade[]; trades: Trade[] }> {
  const { issuers, stored, related, derived, withdrawn, newest, listings, floors } = input
  const before = new Map(stored.map((trade) => [trade.id, trade]))
  const facts = Map.groupBy<Cik, TradeFacts>([...stored, ...derived.trades], (trade) => trade.issuerCik)
  const inForce = derived.entries.filter(({ isWithdrawn }) => !isWithdrawn)
  const typed = Map.groupBy(inForce, (entry) => entry.issuerCik)
  const allRelated = [...related, ...derived.entries.map(relatedFiling).filter(isRelated)]
  const relatedOf = Map.groupBy(allRelated, ({ issuerCik }) => issuerCik)
  const decided: Trade[] = []
  const trades: Trade[] = []
  const pause = timeSlices()
  for (const issuer of issuers) {
    await pause()
    const stated = [newest.get(issuer) ?? [], typed.get(issuer) ?? []].flat()
    const symbols = stated.filter((filing) => filing.symbols.length > 0)
    const lastTyped = newestTyped(symbols)?.symbols ?? []
    const steps = reconcileIssuerSteps(facts.get(issuer) ?? [], listings.tickersOf(issuer), lastTyped, {
      related: relatedOf.get(issuer) ?? [],
      withdrawn,
      marked: (id) => before.get(id),
      floors,
    })
    for (const trade of await runInSlices(steps, pause)) {
      decided.push(trade)
      if (changed(before.get(trade.id), trade)) trades.push(trade)
    }
  }
  return { decided, trades }
}

/** The fields of a trade that reconciliation and signals decide. */
const DECIDED_FIELDS = [
  'ticker',
  'priceStatus',
  'listed',
  'duplicateOf',
  'supersededBy',
  'supersededAt',
  'ambiguous',
  'profileCiks',
  'significance',
  'signals',
  'signalled',
  'routine',
  'firstBuyYears',
  'previousBuy',
] as const

function changed(before: Trade | undefined, after: Trade): boolean {
  return (
    !before ||
    DECIDED_FIELDS.some(
      (field) => before[field] !== after[field] && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
    )
  )
}
