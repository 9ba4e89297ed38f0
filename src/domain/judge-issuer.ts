// All that one issuer's trades decide about each other: which amendments supersede what, which rows are one event, which
// prices can't be true. A pure function of the whole set, so that neither the order of arrival nor a rebuild can matter.
import { amendmentOutcome } from './amendments.ts'
import type { Ticker } from './identifiers.ts'
import { amendmentFiling, byAcceptance, eventRow } from './judgeable.ts'
import { PriceJudge } from './price-judge.ts'
import { sameEvents } from './same-event.ts'
import { SIGNIFICANCE_FLOORS, significanceOf, type Severity, type SignificanceFloors } from './significance.ts'
import { displayTicker } from './ticker-symbols.ts'
import type { SignalMarks, Trade, TradeFacts, TradeVerdict } from './trade.ts'

/**
 * `present`: the issuer's symbols in the SEC's list, main one first; `newestTyped`: those typed in its newest filing that
 * has any; `marked`: what signals said of a trade, which stays until they are judged again. Trades come back in the order
 * of (acceptance, accession, place).
 */
export function judgeIssuer(
  facts: TradeFacts[], present: Ticker[], newestTyped: Ticker[], marked: (id: string) => SignalMarks | undefined = () => undefined,
  floors: SignificanceFloors = SIGNIFICANCE_FLOORS,
): Trade[] {
  const inOrder = facts.toSorted(byAcceptance)
  const filings = [...Map.groupBy(inOrder, (trade) => trade.accession).values()]
  const amended = amendmentOutcome(filings.map(amendmentFiling))
  const events = sameEvents(inOrder.map((trade) => eventRow(trade, trade.owners.some((owner) => owner.isTenPercentOwner || owner.isOther))))
  const prices = new PriceJudge()
  return filings.flatMap((filing) => {
    const supersedes = (id: string) => amended.superseded.get(id)?.by === filing[0]!.accession
    const statuses = prices.judge(filing, supersedes, (id) => events.duplicateOf.has(id))
    return filing.map((trade, index): Trade => {
      const superseded = amended.superseded.get(trade.id)
      const duplicateOf = events.duplicateOf.get(trade.id) ?? ''
      return withVerdict(trade, {
        ticker: displayTicker(trade.symbols, present, newestTyped),
        priceStatus: statuses[index]!,
        duplicateOf,
        supersededBy: superseded?.by ?? '',
        supersededAt: superseded?.at ?? 0,
        ambiguous: amended.ambiguous.has(trade.accession),
        profileCiks: superseded ? [] : trade.ownerCiks.filter((cik) => events.inProfile(trade.id, cik)),
      }, marked(trade.id), floors)
    })
  })
}

/** The trade with what was decided, and what follows from that. */
export function withVerdict(
  trade: TradeFacts, verdict: Omit<TradeVerdict, 'listed' | 'significance' | keyof SignalMarks>, marks: SignalMarks = UNMARKED,
  floors: SignificanceFloors = SIGNIFICANCE_FLOORS,
): Trade {
  const listed = verdict.supersededBy === '' && verdict.duplicateOf === ''
  const { signals, signalled, routine } = marks
  return { ...trade, ...verdict, listed, signals, signalled, routine, significance: weigh(trade, verdict, signalled, floors) }
}

/** The trade with what signals say of it now. */
export function withMarks(trade: Trade, { signals, signalled, routine }: SignalMarks, floors: SignificanceFloors): Trade {
  return { ...trade, signals, signalled, routine, significance: weigh(trade, trade, signalled, floors) }
}

const UNMARKED: SignalMarks = { signals: [], signalled: 'low', routine: false }

function weigh(trade: TradeFacts, { priceStatus }: Pick<TradeVerdict, 'priceStatus'>, signalled: Severity, floors: SignificanceFloors) {
  return significanceOf({
    type: trade.type,
    priceStatus,
    totalValue: trade.totalValue,
    byOfficerOrDirector: trade.owners.some((owner) => owner.isOfficer || owner.isDirector),
    byIssuer: trade.ownerCiks.includes(trade.issuerCik),
    signals: [signalled],
  }, floors)
}
