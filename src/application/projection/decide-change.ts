// Decides what filings change: reconciles their issuers over all trades, stored and new, and compares. Pure, and
// computed beside what the service answers.
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import {
  isRelated,
  type RelatedFiling,
  type WithdrawnFilings,
} from '../../domain/trades/reconciliation/related-filing.ts'
import { reconcileIssuer } from '../../domain/trades/reconciliation/reconcile-issuer.ts'
import type { SignificanceFloors } from '../../domain/trades/significance.ts'
import type { Trade, TradeFacts, TradeKey } from '../../domain/trades/trade.ts'
import type { AnalyticsChange, TypedSymbols } from '../ports/analytics.ts'
import type { DataSetFiling } from '../ports/data-sets.ts'
import { newestTyped } from '../shared/company-listings.ts'
import type { Derived } from './derive-rows.ts'
import { relatedFiling } from './directory-entry.ts'

/** What is stored of issuers, and what else decides about their trades. */
export interface Known {
  stored: Trade[]
  related: RelatedFiling[]
  /** The symbols typed in the newest stored filing of each issuer that is not on the SEC's list. */
  symbols: ReadonlyMap<Cik, TypedSymbols>
  /** The symbols of issuers that are on the SEC's list. */
  tickers: ReadonlyMap<Cik, Ticker[]>
  withdrawn: WithdrawnFilings
  floors: SignificanceFloors
}

export interface Decided {
  change: AnalyticsChange
  /** All trades of the issuers as they are now. */
  decided: Trade[]
}

/** Reconciles these issuers, those of derived rows among them. */
export function decide(
  issuers: readonly Cik[],
  derived: Derived,
  known: Known,
  withdrawnOfSets: DataSetFiling[] = [],
): Decided {
  const { stored, related, withdrawn } = known
  const rederived = new Set(derived.accessions)
  const gone = new Set(derived.goneTrades.map(keyOfTrade))
  const goneFilings = new Set(derived.goneEntries.map(keyOfFiling))
  const { entries, balances, details, goneTrades, goneEntries, goneDetails } = derived
  const { decided, trades } = reconciled({
    ...known,
    issuers,
    stored: stored.filter((trade) => !rederived.has(trade.accession) && !gone.has(keyOfTrade(trade))),
    related: related.filter((filing) => !rederived.has(filing.accession) && !goneFilings.has(keyOfFiling(filing))),
    derived,
  })
  const superseded = new Set(stored.filter(({ supersededBy }) => supersededBy !== '').map(({ id }) => id))
  const restored = trades.filter(({ id, supersededBy }) => supersededBy === '' && superseded.has(id))
  const change = {
    ...{ trades, entries, goneTrades, goneEntries, goneDetails, restored, balances, details },
    withdrawn: withdrawnOfSets.map((filing) => ({
      ...filing,
      withdrawnAt: Math.max(filing.filedAt, withdrawn.get(filing.accession) ?? 0),
    })),
  }
  return { change, decided }
}

export const keyOfFiling = ({
  issuerCik,
  accession,
  filedAt,
}: Pick<RelatedFiling, 'issuerCik' | 'accession' | 'filedAt'>) => `${issuerCik} ${accession} ${filedAt}`
const keyOfTrade = (trade: TradeKey) => `${keyOfFiling(trade)} ${trade.place}`

/**
 * Reconciles each issuer over all its trades. Returns all of them in `decided`, and in `trades` those that are new or
 * differ from what is stored.
 */
function reconciled(input: Known & { issuers: readonly Cik[]; derived: Derived }): {
  decided: Trade[]
  trades: Trade[]
} {
  const { issuers, stored, related, derived, withdrawn, symbols: newest, tickers, floors } = input
  const before = new Map(stored.map((trade) => [trade.id, trade]))
  const facts = Map.groupBy<Cik, TradeFacts>([...stored, ...derived.trades], (trade) => trade.issuerCik)
  const inForce = derived.entries.filter(({ isWithdrawn }) => !isWithdrawn)
  const typed = Map.groupBy(inForce, (entry) => entry.issuerCik)
  const allRelated = [...related, ...derived.entries.map(relatedFiling).filter(isRelated)]
  const relatedOf = Map.groupBy(allRelated, ({ issuerCik }) => issuerCik)
  const decided: Trade[] = []
  const trades: Trade[] = []
  for (const issuer of issuers) {
    const stated = [newest.get(issuer) ?? [], typed.get(issuer) ?? []].flat()
    const symbols = stated.filter((filing) => filing.symbols.length > 0)
    const lastTyped = newestTyped(symbols)?.symbols ?? []
    const all = reconcileIssuer(facts.get(issuer) ?? [], tickers.get(issuer) ?? [], lastTyped, {
      related: relatedOf.get(issuer) ?? [],
      withdrawn,
      marked: (id) => before.get(id),
      floors,
    })
    for (const trade of all) {
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
  'suspectUntil',
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
