// All that one issuer's trades decide about each other: which amendments supersede what, which rows are one event, which
// prices can't be true. A pure function of the whole set, so that neither the order of arrival nor a rebuild can matter.
import { amendmentOutcome, type AmendmentFiling } from './amendments.ts'
import type { Ticker } from './identifiers.ts'
import { PriceJudge } from './price-judge.ts'
import { eventKey, sameEvents, type EventRow } from './same-event.ts'
import { significanceOf } from './significance.ts'
import { displayTicker } from './ticker-symbols.ts'
import type { Trade, TradeFacts, TradeVerdict } from './trade.ts'

/**
 * `present`: the issuer's symbols in the SEC's list, main one first; `newestTyped`: those typed in its newest filing that
 * has any. Trades come back in the order of (acceptance, accession, place).
 */
export function judgeIssuer(facts: TradeFacts[], present: Ticker[], newestTyped: Ticker[]): Trade[] {
  const inOrder = facts.toSorted(byAcceptance)
  const filings = [...Map.groupBy(inOrder, (trade) => trade.accession).values()]
  const amended = amendmentOutcome(filings.map(amendmentFiling))
  const events = sameEvents(inOrder.map(eventRow))
  const prices = new PriceJudge()
  return filings.flatMap((filing) => {
    const supersedes = (id: string) => amended.superseded.get(id)?.by === filing[0]!.accession
    const statuses = prices.judge(filing, supersedes, (id) => events.duplicateOf.has(id))
    return filing.map((trade, index): Trade => {
      const superseded = amended.superseded.get(trade.id)
      const duplicateOf = events.duplicateOf.get(trade.id) ?? ''
      const verdict = {
        ticker: displayTicker(trade.symbols, present, newestTyped),
        priceStatus: statuses[index]!,
        listed: !superseded && duplicateOf === '',
        duplicateOf,
        supersededBy: superseded?.by ?? '',
        supersededAt: superseded?.at ?? 0,
        ambiguous: amended.ambiguous.has(trade.accession),
        profileCiks: superseded ? [] : trade.ownerCiks.filter((cik) => events.inProfile(trade.id, cik)),
        signals: [],
      }
      return { ...trade, ...verdict, significance: weigh(trade, verdict) }
    })
  })
}

/** Order in which filings are judged, which is that of acceptance, not of arrival. */
function byAcceptance(a: TradeFacts, b: TradeFacts): number {
  return a.filedAt - b.filedAt || (a.accession < b.accession ? -1 : a.accession > b.accession ? 1 : a.place - b.place)
}

function weigh(trade: TradeFacts, { priceStatus }: Pick<TradeVerdict, 'priceStatus'>) {
  return significanceOf({
    type: trade.type,
    priceStatus,
    totalValue: trade.totalValue,
    byOfficerOrDirector: trade.owners.some((owner) => owner.isOfficer || owner.isDirector),
    byIssuer: trade.ownerCiks.includes(trade.issuerCik),
    signals: [],
  })
}

function amendmentFiling(filing: TradeFacts[]): AmendmentFiling {
  const [first] = filing
  return {
    accession: first!.accession,
    formType: first!.amendment ? '4/A' : '4',
    acceptedAt: first!.filedAt,
    filedDate: first!.filedDay,
    dateOfOriginal: first!.originalDate,
    ownerCiks: first!.ownerCiks,
    rows: filing.map((trade) => ({
      id: trade.id,
      place: trade.place,
      title: trade.securityTitle,
      acquiredDisposed: trade.acquiredDisposed,
      directIndirect: trade.directIndirect,
      date: trade.date,
      code: trade.code,
      shares: trade.shares,
      price: trade.priceFiled,
      sharesAfter: trade.sharesAfter,
    })),
  }
}

function eventRow(trade: TradeFacts): EventRow {
  return {
    id: trade.id,
    accession: trade.accession,
    place: trade.place,
    acceptedAt: trade.filedAt,
    isAmendment: trade.amendment,
    ownerCiks: trade.ownerCiks,
    groupHint: trade.owners.some((owner) => owner.isTenPercentOwner || owner.isOther),
    indirect: trade.directIndirect === 'I',
    eventKey: eventKey({
      title: trade.securityTitle,
      date: trade.date,
      code: trade.code,
      acquiredDisposed: trade.acquiredDisposed,
      shares: trade.shares,
      price: trade.priceFiled,
      sharesAfter: trade.sharesAfter,
    }),
  }
}

