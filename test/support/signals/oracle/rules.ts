// The oracle's rules: what each finds in given rows at a given event. Comparisons of products are done in BigInt, with
// the table's shares and ratios as whole millionths.
import { addDays, addYears } from '../../../../src/domain/shared/calendar.ts'
import type { Direction, Evidence, ExcludedTrade, Signal, SignalTrade } from '../../../../src/domain/signals/signal.ts'
import type { ClusterRule, Steps } from '../../../../src/domain/signals/rule-thresholds.ts'
import { highest, SEVERITIES, type Severity } from '../../../../src/domain/trades/significance.ts'
import {
  activeHistory,
  addMonths,
  closureOf,
  dayTradesOf,
  inOrder,
  isMeantAs,
  leftOut,
  meet,
  named,
  notByPlan,
  personsOf,
  sumOf,
  unique,
  type DayTrade,
  type Person,
  type World,
} from './rows.ts'
import type { DateText } from '../../../../src/domain/shared/identifiers.ts'

/** What detection says about a signal. */
export type Values = Pick<
  Signal,
  | 'severity'
  | 'insiderCount'
  | 'totalCents'
  | 'firstDay'
  | 'lastDay'
  | 'persons'
  | 'prices'
  | 'counted'
  | 'leftOut'
  | 'evidence'
>

export const SINGLE_PERSON_TYPES = ['unusual_size', 'ceo_trade', 'reversal'] as const
export type SinglePersonType = (typeof SINGLE_PERSON_TYPES)[number]

// --- clusters ---

export function isEligible(row: SignalTrade, direction: Direction): boolean {
  return row.direction === direction && row.plan !== 'yes' && !row.tenPercentOnly
}

export function clusterRule(direction: Direction, { rules }: World): ClusterRule {
  return direction === 'buy' ? rules.cluster_buy : rules.cluster_sell
}

export function inWindow(day: DateText | null, start: DateText, { days }: ClusterRule): boolean {
  return day !== null && start <= day && day <= addDays(start, days)
}

/** The persons whose sum of `members` reaches the minimum. */
export function countedPersons(members: SignalTrade[], rule: ClusterRule, world: World): Person[] {
  return personsOf(members, world).filter((person) => sumOf(person.rows) >= cents(rule.minimum))
}

export function clusterValues(
  counted: Person[],
  direction: Direction,
  start: DateText,
  belongsElsewhere: (row: SignalTrade) => boolean,
  world: World,
): Values {
  const rule = clusterRule(direction, world)
  const rows = counted.flatMap((person) => person.rows)
  const around = world.trades.filter((row) => isMeantAs(row, direction) && inWindow(row.day, start, rule))
  const officers = counted.filter((person) => person.rows.some((row) => row.officer)).length
  const chief = rows.some((row) => row.isCeoOrCfo)
  return {
    severity: clusterSeverity(counted.length, officers, chief, sumOf(rows), rule),
    ...counts(rows, counted),
    leftOut: leftOut(around, rows, world, (row) => (belongsElsewhere(row) ? 'other_cluster' : 'below_minimum')),
    evidence: { kind: 'cluster', officers, chief },
  }
}

function clusterSeverity(persons: number, officers: number, chief: boolean, sum: number, rule: ClusterRule): Severity {
  let severity = stepAt(rule.severities, (from) => persons >= from) ?? 'low'
  if (persons === rule.persons && officers >= rule.officersForHigh) severity = highest([severity, 'high'])
  if (persons >= rule.personsForCriticalWithChief && chief) severity = 'critical'
  const limit = sum < cents(rule.lowBelow) ? 0 : sum < cents(rule.mediumBelow) ? 1 : sum < cents(rule.highBelow) ? 2 : 3
  return SEVERITIES[Math.min(limit, SEVERITIES.indexOf(stepped(severity, -rule.stepsDown)))]!
}

// --- one person ---

export function singlePersonValues(type: SinglePersonType, trade: DayTrade, world: World): Values | null {
  if (type === 'unusual_size') return unusualSize(trade, world)
  if (type === 'ceo_trade') return ceoTrade(trade, world)
  return reversal(trade, world)
}

/** Day-trades of the same person (a row's closure meets that of `trade`) with an earlier day, both directions. */
function earlier(trade: DayTrade, world: World): DayTrade[] {
  const rows = activeHistory(world).filter(
    (row) => row.day! < trade.day && meet(closureOf(row.ownerCiks, world), trade.closure),
  )
  return unique(rows.map((row) => row.day!)).flatMap((day) =>
    (['buy', 'sell'] as const).flatMap((direction) => {
      const ofThatDay = rows.filter((row) => row.day === day && row.direction === direction)
      return ofThatDay.length === 0 ? [] : [{ day, direction, closure: trade.closure, rows: ofThatDay }]
    }),
  )
}

const historyValue = (trade: DayTrade): number => sumOf(trade.rows)
const raisingValue = (trade: DayTrade): number => sumOf(notByPlan(trade.rows))

function unusualSize(trade: DayTrade, world: World): Values | null {
  const rule = world.rules.unusual_size
  const rows = notByPlan(trade.rows)
  const value = raisingValue(trade)
  if (rows.length === 0 || value < cents(rule.minimum)) return null

  const own = earlier(trade, world).filter((other) => other.direction === trade.direction)
  if (own.length >= rule.earlierTrades) {
    const sum = own.reduce((total, other) => total + historyValue(other), 0)
    // value >= from * sum / own.length
    const reaches = (from: number) => BigInt(value) * BigInt(own.length) * MILLION >= millionths(from) * BigInt(sum)
    const severity = stepAt(rule.ratios, reaches)
    const tenths = (BigInt(value) * BigInt(own.length) * 10n) / BigInt(sum)
    return severity === null
      ? null
      : single(trade, rows, severity, world, {
          kind: 'own-mean',
          mean: Math.round(sum / own.length),
          trades: own.length,
          ratio: Number(tenths) / 10,
        })
  }

  const since = addYears(trade.day, -rule.companyYears)
  const company = dayTradesOf(activeHistory(world), world).filter(
    (other) =>
      other.direction === trade.direction &&
      since <= other.day &&
      other.day <= trade.day &&
      !(other.day === trade.day && meet(other.closure, trade.closure)),
  )
  if (company.length < rule.companyTrades) return null
  const ascending = company.map(historyValue).sort((a, b) => a - b)
  const rank = Number((millionths(rule.percentile) * BigInt(ascending.length) + MILLION - 1n) / MILLION)
  const percentile = ascending[rank - 1]!
  return value <= percentile
    ? null
    : single(trade, rows, rule.percentileSeverity, world, { kind: 'percentile', percentile, trades: ascending.length })
}

function ceoTrade(trade: DayTrade, world: World): Values | null {
  const byCeo = trade.rows.filter((row) => row.ceo)
  const rows = trade.direction === 'buy' ? byCeo : notByPlan(byCeo)
  if (rows.length === 0) return null
  const severity = stepAt(world.rules.ceo_trade[trade.direction], (from) => sumOf(rows) >= cents(from))
  return severity === null ? null : single(trade, rows, severity, world, { kind: 'ceo' })
}

function reversal(trade: DayTrade, world: World): Values | null {
  const rule = world.rules.reversal
  const rows = notByPlan(trade.rows)
  if (rows.length === 0) return null

  const before = earlier(trade, world)
  const against = before.filter(
    (other) => other.direction !== trade.direction && other.day >= addMonths(trade.day, -rule.againstMonths),
  )
  const own = before.filter(
    (other) => other.direction === trade.direction && other.day >= addMonths(trade.day, -rule.noneOwnMonths),
  )
  if (against.length < rule.against || own.length > 0) return null

  // Newest day first, of one day buys before sells.
  const last = before
    .toSorted((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : a.direction < b.direction ? -1 : 1))
    .slice(0, rule.lastTrades)
  const opposite = last.filter((other) => other.direction !== trade.direction)
  const mostly =
    last.length >= rule.leastTrades &&
    BigInt(opposite.length) * MILLION >= millionths(rule.oppositeShare) * BigInt(last.length)
  const large = raisingValue(trade) >= cents(rule.stepUpFrom)
  const severity = stepped(rule[trade.direction], (mostly ? 1 : 0) + (large ? 1 : 0))
  return single(trade, rows, severity, world, {
    kind: 'reversal',
    against: against.length,
    last: last.length,
    opposite: opposite.length,
  })
}

function single(trade: DayTrade, rows: SignalTrade[], severity: Severity, world: World, evidence: Evidence): Values {
  return {
    severity,
    ...counts(rows, [{ closure: trade.closure, rows }]),
    leftOut: leftOutOfDayTrade(trade, rows, world),
    evidence,
  }
}

function leftOutOfDayTrade(
  { day, direction, closure }: DayTrade,
  counted: SignalTrade[],
  world: World,
): ExcludedTrade[] {
  const around = world.trades.filter(
    (row) => row.day === day && isMeantAs(row, direction) && meet(row.ownerCiks, closure),
  )
  // A row that is not the CEO's has no reason of its own.
  return leftOut(around, counted, world, () => 'below_minimum')
}

// --- shared ---

function counts(
  rows: SignalTrade[],
  persons: Person[],
): Pick<Signal, 'insiderCount' | 'totalCents' | 'firstDay' | 'lastDay' | 'persons' | 'prices' | 'counted'> {
  const ordered = inOrder(rows)
  return {
    insiderCount: persons.length,
    totalCents: sumOf(rows),
    firstDay: ordered[0]!.day!,
    lastDay: ordered.at(-1)!.day!,
    persons: persons.map(named).sort((a, b) => (a.cik < b.cik ? -1 : 1)),
    prices: [Math.min(...rows.map(({ price }) => price)), Math.max(...rows.map(({ price }) => price))],
    counted: ordered.map((row) => row.id),
  }
}

const MILLION = 1_000_000n
const millionths = (value: number): bigint => BigInt(Math.round(value * 1e6))
const cents = (dollars: number): number => Math.round(dollars * 100)

/** The severity of the last step reached; null below the first. */
function stepAt(steps: Steps, reaches: (from: number) => boolean): Severity | null {
  return steps.filter(({ from }) => reaches(from)).at(-1)?.severity ?? null
}

function stepped(severity: Severity, by: number): Severity {
  const last = SEVERITIES.length - 1
  return SEVERITIES[Math.min(last, Math.max(0, SEVERITIES.indexOf(severity) + by))]!
}
