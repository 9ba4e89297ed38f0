// What a rule would have matched in the past days: asked of the feed and the list of signals, by the rule's own filter.
import type { components } from '../../contract.ts'
import { companyKey } from '../../domain/filings/ticker-symbol.ts'
import { cikOf, type Cik } from '../../domain/shared/identifiers.ts'
import { rowFilterOf } from '../alerts/rule-filter.ts'
import { indexRules, rulesOfNotice, rulesOfSignal } from '../alerts/match-rules.ts'
import { ServiceError } from '../errors.ts'
import type { AlertRuleStore, StoredRule } from '../ports/alerts.ts'
import type { AnalyticsStore, SignalStore } from '../ports/analytics.ts'
import type { Clock } from '../ports/system.ts'
import { runInSlices } from '../shared/time-slices.ts'
import type { Queries } from './queries.ts'

type Schemas = components['schemas']
type Transaction = Schemas['Transaction']
type Notice = components['schemas']['Notice']
type Signal = Schemas['Signal']
type AlertMatches = Schemas['AlertMatches']

interface MatchesRequest {
  days: number
  limit: number
}

/** Returns null for an unknown id, and for another key's. */
export type FindMatches = (keyId: string, id: string, asked: MatchesRequest) => Promise<AlertMatches | null>

interface MatchesParts {
  rules: Pick<AlertRuleStore, 'get'>
  queries: Pick<Queries, 'feed' | 'signals' | 'sectors' | 'notices'>
  analytics: Pick<AnalyticsStore, 'trades'>
  signalStore: Pick<SignalStore, 'signals'>
  clock: Clock
}

const DAY = 86_400
const PAGE = 100
/** Signals whose transactions are read at a time, and pages that are looked through for what few pass. */
const [SIGNALS_AT_ONCE, MAX_PAGES] = [20, 10]

export function makeFindMatches({ rules, queries, analytics, signalStore, clock }: MatchesParts): FindMatches {
  /** Returns up to `limit` and one more. */
  const transactionsOf = async (rule: StoredRule, from: number, limit: number): Promise<Transaction[]> => {
    const forms = [
      ...(rule.events.includes('transaction.created') ? ['4'] : []),
      ...(rule.events.includes('transaction.amended') ? ['4/A'] : []),
    ]
    const found: Transaction[] = []
    if (forms.length === 0) return found
    let cursor: string | undefined
    for (let pages = 0; pages < MAX_PAGES && found.length <= limit; pages += 1) {
      const filter = { ...rowFilterOf(rule.filter), filed: { from } }
      const { page } = await queries.feed({ ...filter, limit: PAGE, detail: true, ...(cursor && { cursor }) })
      const { transactions, hasMore, nextCursor } = page.value
      found.push(...transactions.filter(({ detail }) => forms.includes(detail!.form)))
      if (!hasMore) break
      cursor = nextCursor
    }
    return rule.detail ? found : found.map(({ detail: _, ...transaction }) => transaction)
  }

  const signalsOf = async (rule: StoredRule, from: number, limit: number): Promise<Signal[]> => {
    const found: Signal[] = []
    if (!rule.events.some((type) => type.startsWith('signal.'))) return found
    const { companies, sectors } = rowFilterOf(rule.filter)
    const index = indexRules([{ ...rule, events: ['signal.detected'] }])
    const sectorOf = sectors ? await queries.sectors() : () => 'Unknown' as const
    const passing = async (some: Signal[]): Promise<Signal[]> => {
      if (some.length === 0) return []
      const issuers = [...new Set(some.map(({ id }) => issuerOf(id)))]
      const [trades, stored] = await Promise.all([
        index.needsCountedTrades ? analytics.trades(issuers) : [],
        signalStore.signals(issuers),
      ])
      const [tradeOf, signalOf] = [
        new Map(trades.map((trade) => [trade.id, trade])),
        new Map(stored.map(({ signal }) => [signal.id, signal])),
      ]
      const passed: Signal[] = []
      for (const shown of some) {
        const signal = signalOf.get(shown.id)
        if (!signal) continue
        // That it is of these companies, the list of signals has seen to.
        const issuer = { cik: signal.issuerCik, symbols: (companies ?? []).map(companyKey) }
        const counted = signal.counted.flatMap((id) => tradeOf.get(id) ?? [])
        const subject = { type: 'signal.detected' as const, issuer }
        const matching = await runInSlices(rulesOfSignal(index, subject, { ...signal, counted }, sectorOf))
        if (matching.length > 0) passed.push(shown)
      }
      return passed
    }
    let cursor: string | undefined
    for (let pages = 0; pages < MAX_PAGES && found.length <= limit; pages += 1) {
      const { page } = await queries.signals({
        detected: { from },
        limit: PAGE,
        ...(companies && { companies }),
        ...(rule.minSeverity && { minSeverity: rule.minSeverity }),
        ...(rule.signalTypes?.length === 1 && { type: rule.signalTypes[0]! }),
        ...(cursor && { cursor }),
      })
      const { signals, hasMore, nextCursor } = page.value
      for (let at = 0; at < signals.length && found.length <= limit; at += SIGNALS_AT_ONCE)
        found.push(...(await passing(signals.slice(at, at + SIGNALS_AT_ONCE))))
      if (!hasMore) break
      cursor = nextCursor
    }
    return found
  }

  const noticesOf = async (rule: StoredRule, from: number, limit: number): Promise<Notice[]> => {
    const found: Notice[] = []
    if (!rule.events.includes('notice.created')) return found
    const { companies, sectors, insiderCiks, value } = rowFilterOf(rule.filter)
    const index = indexRules([rule])
    const sectorOf = sectors ? await queries.sectors() : () => 'Unknown' as const
    let cursor: string | undefined
    for (let pages = 0; pages < MAX_PAGES && found.length <= limit; pages += 1) {
      const { page } = await queries.notices({
        filed: { from },
        limit: PAGE,
        ...(companies && { companies }),
        // In the query too: few notices pass these, and only so many pages are searched.
        ...(insiderCiks && { insiderCiks }),
        ...(value?.min !== undefined && { minValue: value.min }),
        ...(cursor && { cursor }),
      })
      const { notices, hasMore, nextCursor } = page.value
      for (const notice of notices) {
        // That it is of these companies, the list of notices has seen to.
        const issuer = { cik: notice.issuerCik, symbols: (companies ?? []).map(companyKey) }
        const matching = rulesOfNotice(index, { type: 'notice.created', issuer }, notice, sectorOf)
        if (notice.valueStatus !== 'suspect' && (await runInSlices(matching)).length > 0) found.push(notice)
      }
      if (!hasMore) break
      cursor = nextCursor
    }
    return found
  }

  return async (keyId, id, { days, limit }) => {
    const rule = await rules.get(keyId, id)
    if (!rule) return null
    const from = Math.floor(clock() / 1000) - days * DAY
    const [transactions, signals, notices] = await Promise.all([
      transactionsOf(rule, from, limit).catch(noCompany),
      signalsOf(rule, from, limit).catch(noCompany),
      noticesOf(rule, from, limit).catch(noCompany),
    ])
    return {
      transactions: transactions.slice(0, limit),
      signals: signals.slice(0, limit),
      ...(rule.events.includes('notice.created') && { notices: notices.slice(0, limit) }),
      hasMore: [transactions, signals, notices].some((matches) => matches.length > limit),
    }
  }
}

/** A rule may name symbols that no company has yet. */
function noCompany(error: unknown): never[] {
  if (error instanceof ServiceError && error.code === 'unknown_ticker') return []
  throw error
}

/** A signal's id contains its company's CIK. */
const issuerOf = (id: string): Cik => cikOf(id.split('-')[1]!)
