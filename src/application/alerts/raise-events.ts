// The events that alerts are made from: filings just projected, and the signals that follow. They are derived from the
// present state, not from changes, so that a process killed in between raises the same events again, which their ids
// deduplicate.
import { cikAsSymbol, type AccessionNumber, type Cik, type Ticker } from '../../domain/shared/identifiers.ts'
import type { Signal, SignalState } from '../../domain/signals/signal.ts'
import { plainSymbol } from '../../domain/filings/ticker-symbol.ts'
import { compareSeverity } from '../../domain/trades/significance.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import { filingData, signalData, WEBHOOK_BYTES } from './event-payload.ts'
import type { EventType, RaisedEvent, Watchlists } from '../ports/alerts.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import type { AnalyticsStore, ShownSignal } from '../ports/analytics.ts'
import type { Clock } from '../ports/system.ts'

export interface RaiseEvents {
  /** Returns the events of these filings; `decided` has all trades of their issuers. */
  ofFilings(accessions: AccessionNumber[], decided: Trade[]): Promise<RaisedEvent[]>
  /**
   * Returns the events of all signals of some issuers. Symbols, which only deliveries need, are not looked up if
   * `withDeliveries` is false.
   */
  ofSignals(signals: ShownSignal[], withDeliveries?: boolean): Promise<RaisedEvent[]>
}

/** Older filings raise no events, however late they arrive. */
const ALERT_WINDOW_HOURS = 72

interface RaiseEventsParts {
  watchlists: Pick<Watchlists, 'hasAddress'>
  analytics: Pick<AnalyticsStore, 'typedSymbols' | 'lastIssuers'>
  listings: CompanyListings
  clock: Clock
  /** Undefined for the usual window. */
  windowHours: number | undefined
}

export function makeRaiseEvents(parts: RaiseEventsParts): RaiseEvents {
  const { watchlists, analytics, listings, clock, windowHours = ALERT_WINDOW_HOURS } = parts
  type Raised = Omit<RaisedEvent, 'symbols' | 'createdAt'>
  const since = () => clock() / 1000 - windowHours * 3600
  const raised = async (events: Raised[], withDeliveries = true): Promise<RaisedEvent[]> => {
    if (events.length === 0) return []
    // A key that starts watching after this point does so after the filing is visible, and gets no alert for it. So
    // without watchers the symbols, for which ClickHouse is asked, are not needed.
    const issuers =
      withDeliveries && (await watchlists.hasAddress()) ? [...new Set(events.map(({ issuerCik }) => issuerCik))] : []
    const symbols = issuers.length === 0 ? null : await symbolsOf(analytics, listings, issuers)
    return events.map((event) => ({ ...event, symbols: symbols?.get(event.issuerCik) ?? [], createdAt: clock() }))
  }
  return {
    ofFilings: (accessions, decided) => {
      const recent = new Set(accessions)
      const from = since()
      // A time inferred from other dates does not show when the filing became public.
      const filings = decided.filter(
        (trade) => recent.has(trade.accession) && trade.filedBasis === 'accepted' && trade.filedAt >= from,
      )
      return raised(
        [...Map.groupBy(filings, ({ accession }) => accession).values()].flatMap((own) => filingEvent(own, decided)),
      )
    },
    ofSignals: (signals, withDeliveries) =>
      raised(
        signals.flatMap((shown) => signalEvents(shown, since())),
        withDeliveries,
      ),
  }
}

/**
 * Returns the symbols of each issuer: its CIK, its tickers on the SEC's list, unlisted ones that its filing was the
 * last to type, and these without the hyphen of their class where no company has that.
 */
async function symbolsOf(
  analytics: Pick<AnalyticsStore, 'typedSymbols' | 'lastIssuers'>,
  listings: CompanyListings,
  issuers: Cik[],
): Promise<Map<Cik, Ticker[]>> {
  const typed = await analytics.typedSymbols(issuers)
  const unlisted = (issuer: Cik) => (typed.get(issuer) ?? []).filter((symbol) => !listings.has(symbol))
  const shortOf = (symbols: Ticker[]) =>
    symbols.map(plainSymbol).filter((symbol) => !symbols.includes(symbol) && !listings.has(symbol))
  const possible = (issuer: Cik) => [...listings.tickersOf(issuer), ...unlisted(issuer)]
  const last = await analytics.lastIssuers([
    ...new Set(issuers.flatMap((issuer) => [...unlisted(issuer), ...shortOf(possible(issuer))])),
  ])
  return new Map(
    issuers.map((issuer) => {
      const own = unlisted(issuer).filter((symbol) => last.get(symbol) === issuer)
      const symbols = [...listings.tickersOf(issuer), ...own]
      const short = shortOf(symbols).filter((symbol) => !last.has(symbol))
      return [issuer, [cikAsSymbol(issuer), ...symbols, ...new Set(short)]]
    }),
  )
}

function filingEvent(own: Trade[], decided: Trade[]) {
  const { accession, issuerCik, companyName } = own[0]!
  const news = newsOfFiling(own, decided)
  if (!news) return []
  const data = filingData({ accession, companyName, ...news }, WEBHOOK_BYTES)
  return [{ id: news.id, type: news.type, issuerCik, data }]
}

/**
 * Returns what a filing with these trades is reported by, with the ids that it supersedes if it is an amendment. Null
 * if it lists no trade and supersedes none.
 */
export function newsOfFiling(own: Trade[], decided: Trade[]) {
  const { accession, amendment } = own[0]!
  const listed = own.filter((trade) => trade.listed).sort((a, b) => a.place - b.place)
  const isSuperseded = (trade: Trade) => trade.supersededBy === accession && trade.accession !== accession
  const superseded = amendment ? decided.filter(isSuperseded).map(({ id }) => id) : null
  if (listed.length === 0 && (superseded?.length ?? 0) === 0) return null
  const type: EventType = amendment ? 'transaction.amended' : 'transaction.created'
  return { id: `${type}/${accession}`, type, listed, superseded }
}

/** Returns an event for a signal's detection, and one for each higher severity that it reaches later. */
function signalEvents(shown: ShownSignal, since: number) {
  const { signal } = shown
  if (signal.endedAt !== null) return []
  const [first, ...later] = signal.history
  const event = (type: EventType, id: string) => ({
    id,
    type,
    issuerCik: signal.issuerCik,
    data: JSON.stringify(signalData(shown)),
  })
  return [
    ...(first!.at >= since ? [event('signal.detected', `signal.detected/${signal.id}`)] : []),
    ...escalations(first!, later)
      .filter(({ at }) => at >= since)
      .map(({ severity }) => event('signal.escalated', `signal.escalated/${signal.id}/${severity}`)),
  ]
}

function escalations(first: SignalState, later: Signal['history']): SignalState[] {
  let highest = first.severity
  return later.filter(({ severity }) => {
    const higher = compareSeverity(severity, highest) > 0
    if (higher) highest = severity
    return higher
  })
}
