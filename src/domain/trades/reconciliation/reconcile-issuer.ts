// Reconciliation of one issuer's trades: which amendments supersede what, which rows are one event, which prices can't
// be true. A pure function of the whole set, so that neither the order of arrival nor a rebuild can matter.
import { amendmentOutcome } from './amendments.ts'
import type { AccessionNumber, Ticker } from '../../shared/identifiers.ts'
import { byPlace } from '../../shared/order.ts'
import { amendmentFiling, eventRow, filingsOf, withdrawals, withRepeats } from './inputs.ts'
import type { EventOwners } from './event-evidence.ts'
import { PriceChecker } from './price-history.ts'
import type { RelatedFiling, WithdrawnFilings } from './related-filing.ts'
import { sameEvents } from './duplicate-events.ts'
import { firstBuys, NO_PURCHASE } from '../first-buys.ts'
import { SIGNIFICANCE_FLOORS, significances, type SignificanceFloors } from '../significance.ts'
import { routineTrades } from '../../signals/routine-trades.ts'
import { marketTrade, weighedTrade } from '../../signals/signal-trade.ts'
import { displayTicker } from '../../filings/ticker-symbol.ts'
import type { SignalMarks, Trade, TradeFacts, TradeVerdict } from '../trade.ts'

interface ReconciliationOptions {
  related?: readonly RelatedFiling[]
  withdrawn?: WithdrawnFilings
  marked?: (id: string) => SignalMarks | undefined
  floors?: SignificanceFloors
}

/**
 * Reconciles all trades of one issuer. `present`: its symbols in the SEC's list, main one first; `newestTyped`: those
 * typed in its newest filing that has any; `related`: its joint filings, and 4/As without rows; `withdrawn`: filings
 * that the SEC withdrew, with the instant in seconds since 1970; `marked`: what signals said of a trade, which stays
 * until they are detected again. Returns the trades in the order of (acceptance, accession, place).
 */
export function reconcileIssuer(
  facts: TradeFacts[],
  present: Ticker[],
  newestTyped: Ticker[],
  options: ReconciliationOptions = {},
): Trade[] {
  const { withdrawn, related = [], floors } = options
  const isWithdrawn = ({ accession }: { accession: AccessionNumber }): boolean => withdrawn?.has(accession) ?? false
  const isStanding = (filing: { accession: AccessionNumber }): boolean => !isWithdrawn(filing)
  if (facts.every(isStanding) && related.every(isStanding)) {
    return withHistory(reconcileAll(facts, present, newestTyped, options), floors)
  }
  // A withdrawn filing decides nothing about the others; its own rows stay as they were until then.
  const others = { ...options, related: related.filter(isStanding) }
  const standing = reconcileAll(facts.filter(isStanding), present, newestTyped, others)
  const gone = reconcileAll(facts, present, newestTyped, options)
    .filter(isWithdrawn)
    .map((trade) => withdrawnTrade(trade, withdrawn!.get(trade.accession)!))
  return withHistory([...standing, ...gone].toSorted(byPlace), floors)
}

/**
 * Adds what follows from the owners' earlier trades: whether a trade is a first purchase, whether it is routine, and
 * its significance, which depends on the latter. Decided here and not with the signals, so that the event of a filing
 * has them.
 */
function withHistory(trades: UnweighedTrade[], floors?: SignificanceFloors): Trade[] {
  const ofMarket = trades.filter(({ code }) => code === 'P' || code === 'S').map(marketTrade)
  const routine = routineTrades(ofMarket)
  const bought = firstBuys(ofMarket)
  const decided: Trade[] = []
  for (const filing of Map.groupBy(trades, ({ accession }) => accession).values()) {
    const marked = filing.map((trade) => {
      return { ...trade, ...(bought.get(trade.id) ?? NO_PURCHASE), routine: routine.has(trade.id) }
    })
    decided.push(...withSignificance(marked, floors))
  }
  return decided
}

/** Returns the trade as superseded by its own filing, from when it is shown no more. */
function withdrawnTrade(trade: UnweighedTrade, at: number): UnweighedTrade {
  const { accession, filedAt, supersededBy, supersededAt } = trade
  const ended = supersededBy === '' ? at : Math.min(at, supersededAt)
  return { ...trade, supersededBy: accession, supersededAt: Math.max(filedAt, ended), listed: false }
}

function reconcileAll(
  facts: TradeFacts[],
  present: Ticker[],
  newestTyped: Ticker[],
  options: ReconciliationOptions,
): UnweighedTrade[] {
  const { related = [], marked = () => undefined } = options
  const filings = filingsOf(facts)
  const amended = amendmentOutcome([...filings.map(amendmentFiling), ...withdrawals(related, filings)])
  const owners = new Map(facts.map((trade) => [trade.id, trade.ownerCiks]))
  const rows = facts.map((trade) => eventRow(trade, eventOwners(trade)))
  const events = withRepeats(sameEvents(rows, related), amended.duplicates, (id) => owners.get(id)!)
  const supersededBy = supersededIds(amended.superseded)
  const prices = new PriceChecker()
  for (const filing of filings) {
    prices.check(
      filing.map((trade) => ({
        ...trade,
        tenPercentOwner: trade.owners.some(({ isTenPercentOwner }) => isTenPercentOwner),
      })),
      supersededBy.get(filing[0]!.accession) ?? [],
      (id) => events.duplicateOf.get(id),
    )
  }
  const trades: UnweighedTrade[] = []
  for (const filing of filings) {
    for (const trade of filing) {
      const superseded = amended.superseded.get(trade.id)
      const verdict = {
        ticker: displayTicker(trade.symbols, present, newestTyped, trade.securityTitle),
        ...prices.verdict(trade.id),
        duplicateOf: events.duplicateOf.get(trade.id) ?? '',
        supersededBy: superseded?.by ?? '',
        supersededAt: superseded?.at ?? 0,
        ambiguous: amended.ambiguous.has(trade.accession),
        profileCiks: trade.ownerCiks.filter((cik) => events.inProfile(trade.id, cik)),
      }
      trades.push(withVerdict(trade, verdict, marked(trade.id)))
    }
  }
  return trades
}

function eventOwners({ owners }: TradeFacts): EventOwners {
  return {
    ownerNames: owners.map((owner) => owner.name),
    groupHint: owners.some((owner) => owner.isTenPercentOwner || owner.isOther),
    insidersOnly: owners.every((owner) => owner.isDirector || owner.isOfficer),
  }
}

/** Returns the ids of the rows that each amendment superseded. */
function supersededIds(superseded: ReadonlyMap<string, { by: string }>): Map<string, string[]> {
  const byAmendment = Map.groupBy(superseded, ([, { by }]) => by)
  return new Map([...byAmendment].map(([accession, rows]) => [accession, rows.map(([id]) => id)]))
}

/** A trade whose significance is still to be decided: it depends on the other trades of its filing. */
type UnweighedTrade = Omit<Trade, 'significance'>

/** Returns the trade with what was decided, and what follows from that. */
function withVerdict(
  trade: TradeFacts,
  verdict: Omit<TradeVerdict, 'listed' | 'significance' | keyof SignalMarks>,
  marks: SignalMarks = UNMARKED,
): UnweighedTrade {
  const listed = verdict.supersededBy === '' && verdict.duplicateOf === ''
  const { signals, signalled, routine, earlier, firstBuyYears, previousBuy } = marks
  return { ...trade, ...verdict, listed, signals, signalled, routine, earlier, firstBuyYears, previousBuy }
}

const UNMARKED: SignalMarks = { signals: [], signalled: 'low', routine: false, earlier: [], ...NO_PURCHASE }

/** Returns the trades with their significance; these must be all trades of their filings. */
function withSignificance(trades: UnweighedTrade[], floors: SignificanceFloors = SIGNIFICANCE_FLOORS): Trade[] {
  const severities = significances(trades.map(weighedTrade), floors)
  return trades.map((trade, index) => ({ ...trade, significance: severities[index]! }))
}
