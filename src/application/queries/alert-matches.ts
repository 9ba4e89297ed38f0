// What a rule would have matched in the past days: asked of the feed and the list of signals, by the rule's own filter.
import type { components } from '../../contract.ts'
import { companyKey } from '../../domain/filings/ticker-symbol.ts'
import { cikOf, type Cik } from '../../domain/shared/identifiers.ts'
import { factsOfTrade } from '../changes/change-facts.ts'
import { rowFilterOf } from '../alerts/rule-filter.ts'
import { indexRules, rulesOfNotice, rulesOfSignal } from '../alerts/match-rules.ts'
import { ServiceError } from '../errors.ts'
import type { AlertRuleStore, StoredRule } from '../ports/alerts.ts'
import type { AnalyticsStore, SignalStore } from '../ports/analytics.ts'
import type { Clock } from '../ports/system.ts'
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

/** What matches, newest first; `hasMore` also if the search ended before all was looked through. */
interface Matches<Item> {
  found: Item[]
  hasMore: boolean
}

interface Page<Item> {
  /** Those of the page that match. */
  matching: Item[]
  hasMore: boolean
  nextCursor?: string | null
}

const DAY = 86_400
const PAGE = 100
/** Signals whose transactions are read at a time, and pages that are looked through for what few pass. */
const [SIGNALS_AT_ONCE, MAX_PAGES] = [20, 10]

const nothing = { found: [], hasMore: false }

export function makeFindMatches({ rules, queries, analytics, signalStore, clock }: MatchesParts): FindMatches {
  const transactionsOf = async (rule: StoredRule, from: number, limit: number): Promise<Matches<Transaction>> => {
    const forms = [
      ...(rule.events.includes('transaction.created') ? ['4'] : []),
      ...(rule.events.includes('transaction.amended') ? ['4/A'] : []),
    ]
    if (forms.length === 0) return nothing
    const filter = { ...rowFilterOf(rule.filter), filed: { from } }
    const { found, hasMore } = await search(limit, async (cursor) => {
      const { page } = await queries.feed({ ...filter, limit: PAGE, detail: true, ...(cursor && { cursor }) })
      const { transactions, ...rest } = page.value
      return { ...rest, matching: transactions.filter(({ detail }) => forms.includes(detail!.form)) }
    })
    return { found: rule.detail ? found : found.map(({ detail: _, ...transaction }) => transaction), hasMore }
  }

  const signalsOf = async (rule: StoredRule, from: number, limit: number): Promise<Matches<Signal>> => {
    if (!rule.events.some((type) => type.startsWith('signal.'))) return nothing
    const { companies, sectors } = rowFilterOf(rule.filter)
    const index = indexRules([{ ...rule, events: ['signal.detected'] }])
    const sectorOf = sectors ? await queries.sectors() : () => 'Unknown' as const
    const passing = async (some: Signal[]): Promise<Signal[]> => {
      if (some.length === 0) return []
      const issuers = [...new Set(some.map(({ id }) => issuerOf(id)))]
      const ids = new Set(some.map(({ id }) => id))
      const all = (await signalStore.signals(issuers)).map(({ signal }) => signal)
      const stored = all.filter(({ id }) => ids.has(id))
      const needed = index.needsCountedTrades ? stored.flatMap((signal) => signal.counted) : []
      const trades = needed.length > 0 ? await analytics.trades(issuers, needed) : []
      const tradeOf = new Map(trades.map((trade) => [trade.id, trade]))
      const signalOf = new Map(stored.map((signal) => [signal.id, signal]))
      const passed: Signal[] = []
      for (const shown of some) {
        const signal = signalOf.get(shown.id)
        if (!signal) continue
        // That it is of these companies, the list of signals has seen to.
        const issuer = { cik: signal.issuerCik, symbols: (companies ?? []).map(companyKey) }
        const counted = signal.counted.flatMap((id) => tradeOf.get(id) ?? []).map(factsOfTrade)
        const subject = { type: 'signal.detected' as const, issuer }
        const matching = rulesOfSignal(index, subject, { signal, counted }, sectorOf)
        if (matching.length > 0) passed.push(shown)
      }
      return passed
    }
    return search(limit, async (cursor) => {
      const { page } = await queries.signals({
        detected: { from },
        limit: PAGE,
        ...(companies && { companies }),
        ...(rule.minSeverity && { minSeverity: rule.minSeverity }),
        ...(rule.signalTypes?.length === 1 && { type: rule.signalTypes[0]! }),
        ...(cursor && { cursor }),
      })
      const { signals, ...rest } = page.value
      const matching: Signal[] = []
      for (let at = 0; at < signals.length && matching.length <= limit; at += SIGNALS_AT_ONCE)
        matching.push(...(await passing(signals.slice(at, at + SIGNALS_AT_ONCE))))
      return { ...rest, matching }
    })
  }

  const noticesOf = async (rule: StoredRule, from: number, limit: number): Promise<Matches<Notice>> => {
    if (!rule.events.includes('notice.created')) return nothing
    const { companies, sectors, insiderCiks, value } = rowFilterOf(rule.filter)
    const index = indexRules([rule])
    const sectorOf = sectors ? await queries.sectors() : () => 'Unknown' as const
    return search(limit, async (cursor) => {
      const { page } = await queries.notices({
        filed: { from },
        limit: PAGE,
        ...(companies && { companies }),
        // In the query too: few notices pass these, and only so many pages are searched.
        ...(insiderCiks && { insiderCiks }),
        ...(value?.min !== undefined && { minValue: value.min }),
        ...(cursor && { cursor }),
      })
      const { notices, ...rest } = page.value
      const matching: Notice[] = []
      for (const notice of notices) {
        // That it is of these companies, the list of notices has seen to.
        const issuer = { cik: notice.issuerCik, symbols: (companies ?? []).map(companyKey) }
        const matches = rulesOfNotice(index, { type: 'notice.created', issuer }, notice, sectorOf)
        if (notice.valueStatus !== 'suspect' && matches.length > 0) matching.push(notice)
      }
      return { ...rest, matching }
    })
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
      transactions: transactions.found,
      signals: signals.found,
      ...(rule.events.includes('notice.created') && { notices: notices.found }),
      hasMore: [transactions, signals, notices].some(({ hasMore }) => hasMore),
    }
  }
}

/** Reads pages until more than `limit` match, there are no more, or `MAX_PAGES` were looked through. */
async function search<Item>(
  limit: number,
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<Matches<Item>> {
  const found: Item[] = []
  let cursor: string | undefined
  for (let pages = 1; ; pages += 1) {
    const { matching, hasMore, nextCursor } = await read(cursor)
    found.push(...matching)
    if (found.length > limit || !hasMore || pages === MAX_PAGES)
      return { found: found.slice(0, limit), hasMore: found.length > limit || hasMore }
    cursor = nextCursor ?? undefined
  }
}

/** A rule may name symbols that no company has yet. */
function noCompany(error: unknown): Matches<never> {
  if (error instanceof ServiceError && error.code === 'unknown_ticker') return nothing
  throw error
}

/** A signal's id contains its company's CIK. */
const issuerOf = (id: string): Cik => cikOf(id.split('-')[1]!)
