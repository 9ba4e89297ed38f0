// The oracle's view of one issuer at one event: which rows count, who is one person, what is one day-trade. Plain
// filters over everything there is, so that each line can be read beside the rule it stands for.
import { isRealDate } from '../../../../src/domain/shared/calendar.ts'
import type { AccessionNumber, Cik, DateText } from '../../../../src/domain/shared/identifiers.ts'
import type {
  Direction,
  JointFiling,
  ExcludedTrade,
  ExclusionReason,
  SignalPerson,
  SignalTrade,
} from '../../../../src/domain/signals/signal.ts'
import type { SignalRules } from '../../../../src/domain/signals/rule-thresholds.ts'

/** A filing that brings rows or takes rows away. */
export interface Event {
  at: number
  accession: AccessionNumber
  /** The filing day. */
  day: DateText
}

/** What the issuer's filings say, all of them, and the event up to which they are read. */
export interface World {
  issuerCik: Cik
  trades: SignalTrade[]
  joint: JointFiling[]
  rules: SignalRules
  event: Event
  /** Closures at this event already worked out; the only thing remembered for speed. */
  closures: Map<string, Cik[]>
}

/** All active history rows of one person, one day, one direction. */
export interface DayTrade {
  day: DateText
  direction: Direction
  /** Of all who count as this person. */
  closure: Cik[]
  rows: SignalTrade[]
}

/** Rows of one person. */
export interface Person {
  closure: Cik[]
  rows: SignalTrade[]
}

// --- time ---

type Moment = { at: number; accession: AccessionNumber }

export function compareMoments(a: Moment, b: Moment): number {
  return a.at - b.at || compareTexts(a.accession, b.accession)
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function noLaterThan(event: Event, at: number, accession: AccessionNumber): boolean {
  return compareMoments({ at, accession }, event) <= 0
}

function isAccepted(row: { filedAt: number; accession: AccessionNumber }, { event }: World): boolean {
  return noLaterThan(event, row.filedAt, row.accession)
}

function isTakenAway(row: SignalTrade, { event }: World): boolean {
  return row.supersededBy !== '' && noLaterThan(event, row.supersededAt, row.supersededBy)
}

function isActive(row: SignalTrade, world: World): boolean {
  return isAccepted(row, world) && !isTakenAway(row, world)
}

export function isAddedNow(row: SignalTrade, world: World): boolean {
  return row.accession === world.event.accession && isActive(row, world)
}

/** Gone with this event, there before it. */
export function isTakenAwayNow(row: SignalTrade, world: World): boolean {
  return row.supersededBy === world.event.accession && isAccepted(row, world) && row.accession !== world.event.accession
}

// --- rows ---

export function isHistoryRow(row: SignalTrade): boolean {
  return (
    row.direction !== null &&
    row.priceStatus === 'as_filed' &&
    row.suspectUntil === 0 &&
    row.sharesStatus === 'as_filed' &&
    row.valueCents > 0 &&
    row.day !== null &&
    !row.byIssuer &&
    row.duplicateOf === ''
  )
}

export function activeHistory(world: World): SignalTrade[] {
  return world.trades.filter((row) => isHistoryRow(row) && isActive(row, world))
}

export function sumOf(rows: SignalTrade[]): number {
  return rows.reduce((sum, row) => sum + row.valueCents, 0)
}

export function notByPlan(rows: SignalTrade[]): SignalTrade[] {
  return rows.filter((row) => row.plan !== 'yes')
}

/** By (day, filedAt, accession, place). */
export function inOrder(rows: SignalTrade[]): SignalTrade[] {
  return rows.toSorted(
    (a, b) =>
      compareTexts(a.day ?? '', b.day ?? '') ||
      a.filedAt - b.filedAt ||
      compareTexts(a.accession, b.accession) ||
      a.place - b.place,
  )
}

// --- persons ---

/** The owners and, over and over, everyone who stood with one of them in a joint filing of the last 24 months. */
export function closureOf(owners: Cik[], world: World): Cik[] {
  const key = owners.join()
  const closure = world.closures.get(key) ?? workOutClosure(owners, world)
  world.closures.set(key, closure)
  return closure
}

function workOutClosure(owners: Cik[], { joint, rules, event }: World): Cik[] {
  const since = addMonths(event.day, -rules.personMonths)
  const valid = joint.filter(
    (filing) => noLaterThan(event, filing.filedAt, filing.accession) && filing.filedDay >= since,
  )
  let closure = unique(owners)
  for (;;) {
    const met = valid.filter((filing) => meet(filing.ownerCiks, closure))
    const wider = unique([...closure, ...met.flatMap((filing) => filing.ownerCiks)])
    if (wider.length === closure.length) return closure.sort(compareTexts)
    closure = wider
  }
}

export function meet(some: Cik[], others: Cik[]): boolean {
  return some.some((cik) => others.includes(cik))
}

/** Two rows are of the same person if their closures meet; of three, where the first and the last meet the second. */
export function personsOf(rows: SignalTrade[], world: World): Person[] {
  let persons: Person[] = []
  for (const row of rows) {
    const closure = closureOf(row.ownerCiks, world)
    const same = persons.filter((person) => meet(person.closure, closure))
    const person = {
      closure: unique([...same.flatMap((one) => one.closure), ...closure]).sort(compareTexts),
      rows: [...same.flatMap((one) => one.rows), row],
    }
    persons = [...persons.filter((one) => !same.includes(one)), person]
  }
  return persons
}

/** The name as in the person's newest counted row. */
export function named({ closure, rows }: Person): SignalPerson {
  const newest = rows
    .toSorted((a, b) => a.filedAt - b.filedAt || compareTexts(a.accession, b.accession) || a.place - b.place)
    .at(-1)!
  return { cik: closure[0]!, name: newest.insiderName, role: newest.insiderRole, cents: sumOf(rows) }
}

// --- day-trades ---

export function dayTradesOf(rows: SignalTrade[], world: World): DayTrade[] {
  const dayTrades: DayTrade[] = []
  for (const day of unique(rows.map((row) => row.day!))) {
    for (const direction of ['buy', 'sell'] as const) {
      const ofThatDay = rows.filter((row) => row.day === day && row.direction === direction)
      for (const { closure, rows } of personsOf(ofThatDay, world)) dayTrades.push({ day, direction, closure, rows })
    }
  }
  return dayTrades
}

// --- rows left out ---

/** `rows` known by now and not counted, each with the first reason that applies, `last` the last of them. */
export function leftOut(
  rows: SignalTrade[],
  counted: SignalTrade[],
  world: World,
  last: (row: SignalTrade) => ExclusionReason,
): ExcludedTrade[] {
  const others = rows.filter((row) => isAccepted(row, world) && !counted.includes(row))
  return inOrder(others).map((row) => ({ id: row.id, reason: reasonOf(row, world) ?? last(row) }))
}

function reasonOf(row: SignalTrade, world: World): ExclusionReason | null {
  if (isTakenAway(row, world)) return 'superseded'
  if (row.duplicateOf !== '') return 'duplicate'
  if (row.direction === null) return 'contradictory_code'
  if (row.byIssuer) return 'issuer_itself'
  if (row.priceStatus === 'suspect' || row.suspectUntil !== 0) return 'suspect_price'
  if (row.priceStatus === 'foreign') return 'foreign_price'
  if (row.priceStatus === 'other_unit') return 'other_unit'
  if (row.sharesStatus === 'suspect') return 'suspect_shares'
  if (row.priceStatus !== 'as_filed' || row.valueCents <= 0) return 'no_price'
  if (row.plan === 'yes') return 'plan'
  if (row.tenPercentOnly) return 'ten_percent_owner'
  return null
}

/** That direction, or P or S for it with a contradicting code. */
export function isMeantAs(row: SignalTrade, direction: Direction): boolean {
  return row.direction === direction || (row.direction === null && row.directionByCode === direction)
}

// --- small helpers ---

export function unique<T>(values: T[]): T[] {
  return [...new Set(values)]
}

/** The same day of the month, or the month's last where it has no such day. */
export function addMonths(day: DateText, months: number): DateText {
  const count = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + months
  const month = `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`
  let last = Number(day.slice(8))
  while (!isRealDate(`${month}-${String(last).padStart(2, '0')}`)) last -= 1
  return `${month}-${String(last).padStart(2, '0')}`
}
