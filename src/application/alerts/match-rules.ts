// Matches events against alert rules. The rules are indexed once after each change: a rule that names companies is only
// checked for events of these companies, and conditions that several rules share are evaluated once per event. Of ten
// thousand rules each event takes some milliseconds, so live events are matched in a worker thread.
import type { components } from '../../contract.ts'
import type { Sector, SectorOf } from '../../domain/filings/sector.ts'
import { companyKey } from '../../domain/filings/ticker-symbol.ts'
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { SignalType } from '../../domain/signals/signal.ts'
import { compareSeverity, type Severity } from '../../domain/trades/significance.ts'
import type { TransactionFilter } from '../../domain/trades/transaction-filter.ts'
import { rowPasses, type TransactionFacts } from '../changes/change-facts.ts'
import { factsOfNotice } from '../notices/notice-answer.ts'
import type { ActiveRule, EventType, MatchingRule, SharedRules } from '../ports/alerts.ts'
import type { Computations } from '../ports/computations.ts'
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

/** What has to be known of an event for its rules to be matched. */
export interface RuleNeeds {
  /** Whether any rule names sectors, so that `sectorOf` is needed. */
  readonly namesSectors: boolean
  /** Whether a rule about signals has conditions on transactions. */
  readonly needsCountedTrades: boolean
}

/** The rules of all keys, indexed for many events. */
export interface RuleIndex extends RuleNeeds {
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

/** A filing's event: the facts of the transactions that it lists, and of those that it supersedes. */
interface FilingSubject {
  listed: readonly TransactionFacts[]
  replaced: readonly TransactionFacts[]
}

/** A signal's event: the facts of the transactions that it counts. */
interface SignalSubject {
  signal: { type: SignalType; severity: Severity }
  counted: readonly TransactionFacts[]
}

/** An event, with the sector of its company if a rule names sectors. */
export type RuleSubject = Subject & { sector: Sector } & (FilingSubject | SignalSubject | { notice: Schemas['Notice'] })

// A thread is asked about the same rules for many events.
let indexed: { id: string; index: RuleIndex } | null = null

function indexOf({ id, json }: SharedRules): RuleIndex {
  if (indexed?.id !== id) {
    const rules = JSON.parse(Buffer.from(json).toString()) as ActiveRule[]
    indexed = { id, index: indexRules(rules) }
  }
  return indexed.index
}

export const needsOfSharedRules: Computations['needsOfRules'] = (rules) => {
  const { namesSectors, needsCountedTrades } = indexOf(rules)
  return { namesSectors, needsCountedTrades }
}

export const matchSharedRules: Computations['matchRules'] = ({ rules, subject }) => {
  const index = indexOf(rules)
  const sectorOf = () => subject.sector
  if ('notice' in subject) return rulesOfNotice(index, subject, subject.notice, sectorOf)
  if ('signal' in subject) return rulesOfSignal(index, subject, subject, sectorOf)
  return rulesOfFiling(index, subject, subject, sectorOf)
}

/**
 * Returns the rules that a filing's event matches: one of the transactions that it lists or supersedes has to pass.
 * `passing` holds places in `listed`.
 */
function rulesOfFiling(
  index: RuleIndex,
  { type, issuer }: Subject,
  { listed, replaced }: FilingSubject,
  sectorOf: SectorOf,
): MatchingRule[] {
  const decided: (number[] | null | undefined)[] = []
  const matching: MatchingRule[] = []
  for (const { rule, group, insiders, transactions } of index.candidates(type, issuer, sectorOf)) {
    let passing = decided[group]
    if (passing === undefined) {
      const passes = (row: TransactionFacts) => rowPasses({ insiders, transactions }, row)
      passing = listed.flatMap((row, place) => (passes(row) ? [place] : []))
      if (passing.length === 0 && !replaced.some(passes)) passing = null
      decided[group] = passing
    }
    if (passing) matching.push({ id: rule.id, passing, of: listed.length })
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

/** Returns the rules that a signal's event matches. */
export function rulesOfSignal(
  index: RuleIndex,
  { type, issuer }: Subject,
  { signal, counted }: SignalSubject,
  sectorOf: SectorOf,
): MatchingRule[] {
  const decided: (boolean | undefined)[] = [true]
  const matching: MatchingRule[] = []
  for (const { rule, group, insiders, transactions } of index.candidates(type, issuer, sectorOf)) {
    if (rule.signalTypes && !rule.signalTypes.includes(signal.type)) continue
    if (rule.minSeverity && compareSeverity(signal.severity, rule.minSeverity) < 0) continue
    let isPassed = decided[group]
    if (isPassed === undefined) {
      isPassed = counted.some((row) => rowPasses({ insiders, transactions }, row))
      decided[group] = isPassed
    }
    if (isPassed) matching.push({ id: rule.id })
  }
  return matching
}
