// Makes the events for alerts about filings just projected, signals detected from them, and notices. Events are derived
// from the present state, not from changes, so a process that was killed in between makes the same events again, which
// PostgreSQL recognises by their ids.
import { cikAsSymbol, type AccessionNumber, type Cik, type Ticker } from '../../domain/shared/identifiers.ts'
import type { Sector } from '../../domain/filings/sector.ts'
import { newYorkDay } from '../../domain/shared/new-york-time.ts'
import type { Signal, SignalState } from '../../domain/signals/signal.ts'
import { plainSymbol } from '../../domain/filings/ticker-symbol.ts'
import { compareSeverity } from '../../domain/trades/significance.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import { filingData, LOGGED_BYTES, signalData } from './event-payload.ts'
import type { RuleNeeds, RuleSubject } from './match-rules.ts'
import { factsOfTrade } from '../changes/change-facts.ts'
import { noticeJson, valueStatusOf } from '../notices/notice-answer.ts'
import type { ActiveAlertsStore, EventType, RaisedEvent, SharedRules } from '../ports/alerts.ts'
import type { Compute } from '../ports/computations.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import type { AnalyticsStore, ShownSignal } from '../ports/analytics.ts'
import type { LinkedNotice } from '../ports/notices.ts'
import type { Clock } from '../ports/system.ts'
import type { Queries } from '../queries/queries.ts'

export interface RaiseEvents {
  /** Returns since when filings and signals must date to raise an event, in seconds since 1970. */
  since(): number
  /** Returns the events of these filings; `decided` has their trades and those that they supersede. */
  ofFilings(accessions: AccessionNumber[], decided: Trade[]): Promise<RaisedEvent[]>
  /**
   * Returns the events of all signals of some issuers. Symbols, which only deliveries need, are not looked up if
   * `withDeliveries` is false.
   */
  ofSignals(signals: ShownSignal[], withDeliveries?: boolean): Promise<RaisedEvent[]>
}

export interface RaiseNotices {
  /** Returns since when notices must have been filed to raise an event, in seconds since 1970. */
  since(): number
  /** Returns the events of all these notices of some issuers, which may include older ones. */
  ofNotices(notices: LinkedNotice[]): Promise<RaisedEvent[]>
}

/** Older filings raise no events, however late they arrive. */
const ALERT_WINDOW_HOURS = 72

interface RaiseEventsParts {
  activeAlerts: ActiveAlertsStore
  analytics: Pick<AnalyticsStore, 'newestSymbols' | 'typedSymbols' | 'lastIssuers' | 'trades'>
  sectors: Queries['sectors']
  listings: CompanyListings
  clock: Clock
  compute: Compute
  /** Undefined for the default. */
  windowHours: number | undefined
}

/** What rules are matched against, but for what every event has. */
type EventFacts = RuleSubject extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'type' | 'issuer' | 'sector'>
    : never
  : never

/** An event before symbols and rules are looked up. */
interface Draft {
  id: string
  type: EventType
  issuerCik: Cik
  ticker: Ticker | null
  /** Returns the data, with details of transactions if a sector is given. */
  data(sector: Sector | undefined): string
  /** Returns what rules are matched against. `trades` has those that signals count, if rules need them. */
  facts(trades: ReadonlyMap<string, Trade>): EventFacts
  /** Ids of trades that `facts` needs. */
  counted: readonly string[]
}

export function makeRaiseEvents(parts: RaiseEventsParts): RaiseEvents & RaiseNotices {
  const { activeAlerts, analytics, listings, sectors, clock, compute, windowHours = ALERT_WINDOW_HOURS } = parts
  const since = () => clock() / 1000 - windowHours * 3600
  let known: { rules: SharedRules; needs: RuleNeeds } | null = null
  const needsOf = async (rules: SharedRules): Promise<RuleNeeds> => {
    if (known?.rules !== rules) known = { rules, needs: await compute('live', 'needsOfRules', rules) }
    return known.needs
  }
  const withoutRecipients = ({ id, type, issuerCik, ticker }: Draft, data: string): RaisedEvent => {
    return { id, type, issuerCik, ticker, symbols: [], rules: [], createdAt: clock(), data }
  }
  const raised = async (drafts: Draft[], withDeliveries = true): Promise<RaisedEvent[]> => {
    if (drafts.length === 0) return []
    // A key that starts watching after this point, or adds a rule, does so after the filing is visible, and gets no
    // alert for it. So while no key has an address, there is no need to query ClickHouse for symbols.
    const active = withDeliveries ? await activeAlerts.current() : null
    if (!active?.any) return drafts.map((draft) => withoutRecipients(draft, draft.data(undefined)))
    const issuers = [...new Set(drafts.map(({ issuerCik }) => issuerCik))]
    const needs = active.rules && (await needsOf(active.rules))
    const counted = needs?.needsCountedTrades ? drafts.flatMap((draft) => draft.counted) : []
    const [symbols, sectorOf, trades] = await Promise.all([
      symbolsOf(analytics, listings, issuers),
      needs?.namesSectors || active.detail ? sectors(issuers) : null,
      counted.length > 0 ? analytics.trades(issuers, counted) : [],
    ])
    const tradeOf = new Map(trades.map((trade) => [trade.id, trade]))
    const events: RaisedEvent[] = []
    for (const draft of drafts) {
      const { type, issuerCik } = draft
      const issuer = { cik: issuerCik, symbols: symbols.get(issuerCik) ?? [] }
      const subject = { type, issuer, sector: sectorOf?.(issuerCik) ?? ('Unknown' as const), ...draft.facts(tradeOf) }
      const rules = active.rules ? await compute('live', 'matchRules', { rules: active.rules, subject }) : []
      const data = draft.data(active.detail ? sectorOf!(issuerCik) : undefined)
      events.push({ ...withoutRecipients(draft, data), symbols: [...issuer.symbols], rules })
    }
    return events
  }
  return {
    since,
    ofFilings: (accessions, decided) => {
      const recent = new Set(accessions)
      const from = since()
      // A time inferred from other dates does not show when the filing became public.
      const filings = decided.filter(
        (trade) => recent.has(trade.accession) && trade.filedBasis === 'accepted' && trade.filedAt >= from,
      )
      return raised(
        [...Map.groupBy(filings, ({ accession }) => accession).values()].flatMap((own) => filingDraft(own, decided)),
      )
    },
    ofNotices: async (notices) => {
      const from = since()
      const recent = notices.filter(
        ({ notice, judgement }) =>
          notice.filedBasis === 'accepted' && notice.filedAt >= from && valueStatusOf(judgement) !== 'suspect',
      )
      const issuers = new Set(recent.map(({ notice }) => notice.issuer.cik))
      const unlisted = [...issuers].filter((issuer) => listings.tickersOf(issuer).length === 0)
      const typed = await analytics.newestSymbols(unlisted, [])
      const tickerOf = (issuer: Cik) => listings.tickersOf(issuer)[0] ?? typed.get(issuer)?.symbols[0] ?? ''
      return raised(recent.map((linked) => noticeDraft(linked, tickerOf(linked.notice.issuer.cik), clock())))
    },
    ofSignals: (signals, withDeliveries) =>
      raised(
        signals.flatMap((shown) => signalDrafts(shown, since())),
        withDeliveries,
      ),
  }
}

/**
 * Returns the symbols of each issuer: its CIK; its tickers on the SEC's list; unlisted symbols, if the last filing to
 * state them is the issuer's; and all of these without the hyphen of a class of shares, unless another company has that
 * symbol.
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

/** Returns the event of a filing with these trades, if it has one. */
function filingDraft(own: Trade[], decided: Trade[]): Draft[] {
  const { accession, issuerCik, companyName, ticker } = own[0]!
  const event = eventOfFiling(own, decided)
  if (!event) return []
  const { id, type, listed, superseded } = event
  const gone = new Set(superseded)
  const replaced = gone.size === 0 ? [] : decided.filter((trade) => gone.has(trade.id))
  return [
    {
      id,
      type,
      issuerCik,
      ticker: ticker || cikAsSymbol(issuerCik),
      data: (sector) => filingData({ accession, companyName, listed, superseded }, LOGGED_BYTES, sector),
      facts: () => ({ listed: listed.map(factsOfTrade), replaced: replaced.map(factsOfTrade) }),
      counted: [],
    },
  ]
}

/**
 * Returns id and type of the event that reports a filing with the trades `own`, the trades that it lists, and if it is
 * an amendment the ids of those that it supersedes. Null if the filing lists no trade and supersedes none.
 */
export function eventOfFiling(own: Trade[], decided: Trade[]) {
  const { accession, amendment } = own[0]!
  const listed = own.filter((trade) => trade.listed).sort((a, b) => a.place - b.place)
  const isSuperseded = (trade: Trade) => trade.supersededBy === accession && trade.accession !== accession
  const superseded = amendment ? decided.filter(isSuperseded).map(({ id }) => id) : null
  if (listed.length === 0 && (superseded?.length ?? 0) === 0) return null
  const type: EventType = amendment ? 'transaction.amended' : 'transaction.created'
  return { id: `${type}/${accession}`, type, listed, superseded }
}

/** Returns an event for a signal's detection, and one for each higher severity that it reaches later. */
function signalDrafts(shown: ShownSignal, since: number): Draft[] {
  const { signal } = shown
  if (signal.endedAt !== null) return []
  const [first, ...later] = signal.history
  const event = (type: EventType, id: string): Draft => ({
    id,
    type,
    issuerCik: signal.issuerCik,
    ticker: null,
    data: () => JSON.stringify(signalData(shown)),
    facts: (trades) => ({
      signal: { type: signal.type, severity: signal.severity },
      counted: signal.counted.flatMap((id) => trades.get(id) ?? []).map(factsOfTrade),
    }),
    counted: signal.counted,
  })
  return [
    ...(first!.at >= since ? [event('signal.detected', `signal.detected/${signal.id}`)] : []),
    ...escalations(first!, later)
      .filter(({ at }) => at >= since)
      .map(({ severity }) => event('signal.escalated', `signal.escalated/${signal.id}/${severity}`)),
  ]
}

function noticeDraft(linked: LinkedNotice, ticker: string, now: number): Draft {
  const { notice } = linked
  const type = 'notice.created'
  const issuerCik = notice.issuer.cik
  const shown = noticeJson(linked, ticker, newYorkDay(now / 1000))
  return {
    id: `${type}/${notice.accession}`,
    type,
    issuerCik,
    ticker: null,
    data: () => JSON.stringify({ notice: shown }),
    facts: () => ({ notice: shown }),
    counted: [],
  }
}

/** Returns the later states whose severity is higher than all before them. */
function escalations(first: SignalState, later: Signal['history']): SignalState[] {
  let highest = first.severity
  return later.filter(({ severity }) => {
    const higher = compareSeverity(severity, highest) > 0
    if (higher) highest = severity
    return higher
  })
}
