// Matches events against alert rules. The rules are indexed once after each change: a rule that names companies is only
// checked for events of these companies, and conditions that several rules share are evaluated once per event.
import type { components } from '../../contract.ts'
import type { SectorOf } from '../../domain/filings/sector.ts'
import { companyKey } from '../../domain/filings/ticker-symbol.ts'
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { SignalType } from '../../domain/signals/signal.ts'
import { compareSeverity, type Severity } from '../../domain/trades/significance.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { TransactionFilter } from '../../domain/trades/transaction-filter.ts'
import { factsOfTrade, rowPasses } from '../changes/change-facts.ts'
import { factsOfNotice } from '../notices/notice-answer.ts'
import type { ActiveRule, EventType, MatchingRule } from '../ports/alerts.ts'
import { conditionsOf, rowFilterOf } from './rule-filter.ts'

type Schemas = components['schemas']

interface PreparedRule {
  rule: ActiveRule
  /** Equal for equal conditions on transactions; 0 for none. */
  group: number
  insiders: Cik[] | undefined
  transactions: TransactionFilter
  sectors: ReadonlySet<string> | undefined
}

/** The rules of all keys, indexed for many events. */
export interface RuleIndex {
  /** Whether any rule names sectors, so that `sectorOf` is needed. */
  readonly namesSectors: boolean
  /** Whether a rule about signals has conditions on transactions. */
  readonly needsCountedTrades: boolean
  /** Yields the rules that are for events of this type and about this company. */
  candidates(
    type: EventType,
    issuer: { cik: Cik; symbols: readonly Ticker[] },
    sectorOf: SectorOf,
  ): Iterable<PreparedRule>
}

export function indexRules(rules: readonly ActiveRule[]): RuleIndex {
  const everywhere: PreparedRule[] = []
  const bySymbol = new Map<Ticker, PreparedRule[]>()
  const groups = new Map<string, number>()
  let [namesSectors, needsCountedTrades] = [false, false]
  for (const rule of rules) {
    const { companies, sectors, insiderCiks: insiders } = rowFilterOf(rule.filter)
    const transactions = conditionsOf(rule.filter)
    const hasConditions = insiders !== undefined || Object.keys(transactions).length > 0
    const key = JSON.stringify([insiders, transactions])
    if (hasConditions && !groups.has(key)) groups.set(key, groups.size + 1)
    const group = hasConditions ? groups.get(key)! : 0
    const prepared = { rule, group, insiders, transactions, sectors: sectors && new Set<string>(sectors) }
    namesSectors ||= sectors !== undefined
    needsCountedTrades ||= hasConditions && rule.events.some((type) => type.startsWith('signal.'))
    if (!companies) everywhere.push(prepared)
    for (const symbol of new Set(companies?.map(companyKey))) {
      const list = bySymbol.get(symbol)
      if (list) list.push(prepared)
      else bySymbol.set(symbol, [prepared])
    }
  }
  return {
    namesSectors,
    needsCountedTrades,
    *candidates(type, { cik, symbols }, sectorOf) {
      const named = new Set(symbols.flatMap((symbol) => bySymbol.get(symbol) ?? []))
      for (const list of [everywhere, named]) {
        for (const prepared of list) {
          if (!prepared.rule.events.includes(type)) continue
          if (prepared.sectors && !prepared.sectors.has(sectorOf(cik))) continue
          yield prepared
        }
      }
    },
  }
}

interface Subject {
  type: EventType
  issuer: { cik: Cik; symbols: readonly Ticker[] }
}

/**
 * Returns the rules that a filing's event matches: one of the transactions that it lists or supersedes has to pass.
 * `passing` holds places in `listed`.
 */
export function rulesOfFiling(
  index: RuleIndex,
  { type, issuer }: Subject,
  { listed, replaced }: { listed: readonly Trade[]; replaced: readonly Trade[] },
  sectorOf: SectorOf,
): MatchingRule[] {
  const facts = listed.map(factsOfTrade)
  const others = replaced.map(factsOfTrade)
  const decided: (number[] | null | undefined)[] = []
  const matching: MatchingRule[] = []
  for (const { rule, group, insiders, transactions } of index.candidates(type, issuer, sectorOf)) {
    let passing = decided[group]
    if (passing === undefined) {
      const passes = (row: (typeof facts)[number]) => rowPasses({ insiders, transactions }, row)
      passing = facts.flatMap((row, place) => (passes(row) ? [place] : []))
      if (passing.length === 0 && !others.some(passes)) passing = null
      decided[group] = passing
    }
    if (passing) matching.push({ id: rule.id, passing, of: facts.length })
  }
  return matching
}

/**
 * Returns the rules that a notice's event matches: those that a sale by the seller would match, as far as the notice
 * describes it. Rules with conditions that a notice can't answer don't match.
 */
export function rulesOfNotice(
  index: RuleIndex,
  { type, issuer }: Subject,
  notice: Schemas['Notice'],
  sectorOf: SectorOf,
): MatchingRule[] {
  const facts = factsOfNotice(notice)
  const matching: MatchingRule[] = []
  for (const { rule, insiders, transactions } of index.candidates(type, issuer, sectorOf)) {
    const { ownership, minSignificance, routine, shares } = transactions
    if (ownership !== undefined || minSignificance !== undefined || routine !== undefined) continue
    if (shares !== undefined && notice.units === null) continue
    if (rowPasses({ insiders, transactions }, facts)) matching.push({ id: rule.id })
  }
  return matching
}

/** Returns the rules that a signal's event matches. `counted` are the transactions that the signal counts. */
export function rulesOfSignal(
  index: RuleIndex,
  { type, issuer }: Subject,
  signal: { type: SignalType; severity: Severity; counted: readonly Trade[] },
  sectorOf: SectorOf,
): MatchingRule[] {
  const facts = signal.counted.map(factsOfTrade)
  const decided: (boolean | undefined)[] = [true]
  const matching: MatchingRule[] = []
  for (const { rule, group, insiders, transactions } of index.candidates(type, issuer, sectorOf)) {
    if (rule.signalTypes && !rule.signalTypes.includes(signal.type)) continue
    if (rule.minSeverity && compareSeverity(signal.severity, rule.minSeverity) < 0) continue
    let isPassed = decided[group]
    if (isPassed === undefined) {
      isPassed = facts.some((row) => rowPasses({ insiders, transactions }, row))
      decided[group] = isPassed
    }
    if (isPassed) matching.push({ id: rule.id })
  }
  return matching
}
