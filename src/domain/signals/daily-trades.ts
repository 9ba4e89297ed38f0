// Daily trades: what one person trades on one day in one direction, and the person's earlier days and the company's
// trades to compare it with. Both are kept up to date row by row and recomputed only where persons change.
import { lowerBound } from '../shared/lower-bound.ts'
import { byPerson, personsOf } from './joint-filers.ts'
import { firstSlot, type Owner, type Person, type Row, type Slot } from './trade-timeline.ts'
import type { Direction } from './signal.ts'

/** All active history rows of one person, one day, one direction. */
export interface DayTrade {
  slot: Slot
  /** Several, if a row's own owners are several persons by now. */
  persons: readonly Person[]
  rows: readonly Row[]
  /** Cents of all its rows: its value as history. */
  value: number
  /** Cents of the rows that are not under a plan: its value for raising a signal. */
  raising: number
}

/** The days on which a person traded in one direction, earliest first, each with the cents of all its rows. */
interface TradedDays {
  days: number[]
  cents: number[]
  /** Rows of the day. */
  rows: number[]
}

export type PersonHistory = Record<Direction, TradedDays>

export class DayTrades {
  readonly #slots: Readonly<Record<Direction, Slot[]>>
  readonly #ofSlot = new Map<Slot, DayTrade[]>()
  readonly #ofPerson = new Map<Person, PersonHistory>()

  constructor(slots: Readonly<Record<Direction, Slot[]>>) {
    this.#slots = slots
  }

  /** Adds an active row that is new, or removes one that is no longer active. */
  change(row: Row, sign: 1 | -1): void {
    this.#ofSlot.delete(row.slot!)
    for (const person of personsOf(row.owners)) {
      const history = this.#ofPerson.get(person)
      if (history) count(history[row.slot!.direction], row, sign)
    }
  }

  /** Moves owners who now belong to other persons. */
  regroup(owners: readonly Owner[]): void {
    for (const owner of owners) for (const row of owner.rows) this.#ofSlot.delete(row.slot!)
  }

  /** Returns them in no particular order. */
  of(slot: Slot): DayTrade[] {
    let trades = this.#ofSlot.get(slot)
    if (!trades) this.#ofSlot.set(slot, (trades = dayTrades(slot)))
    return trades
  }

  /** Returns all days on which the persons of a daily trade traded, including this one and later ones. */
  historyOf(persons: readonly Person[]): PersonHistory {
    if (persons.length > 1) return historyOf(persons)
    const person = persons[0]!
    let history = this.#ofPerson.get(person)
    if (!history) this.#ofPerson.set(person, (history = historyOf(persons)))
    return history
  }

  /**
   * Passes the company's daily trades of a direction on the days from `first` to `last`, in days since 1970, to `each`.
   */
  ofCompany(direction: Direction, first: number, last: number, each: (trade: DayTrade) => void): void {
    const slots = this.#slots[direction]
    for (let at = firstSlot(slots, first); at < slots.length && slots[at]!.day <= last; at += 1) {
      this.of(slots[at]!).forEach(each)
    }
  }
}

/** Returns the rows that are not under a plan: they alone can raise a signal, except for the CEO's purchases. */
export function raisingRows(trade: DayTrade): Row[] {
  return trade.rows.filter((row) => row.trade.plan !== 'yes')
}

/** Counts the days before `day`. */
export const daysBefore = ({ days }: TradedDays, day: number): number => lowerBound(days, (each) => each < day)

const NONE: DayTrade[] = []

function dayTrades(slot: Slot): DayTrade[] {
  const active = slot.rows.filter((row) => row.active)
  const [first] = active
  if (!first) return NONE
  if (active.length === 1) return [dayTrade(slot, personsOf(first.owners), active, first.trade.valueCents)]
  return byPerson(active).map(({ persons, rows, cents }) => dayTrade(slot, persons, rows, cents))
}

function dayTrade(slot: Slot, persons: Person[], rows: Row[], value: number): DayTrade {
  let raising = 0
  for (const { trade } of rows) if (trade.plan !== 'yes') raising += trade.valueCents
  return { slot, persons, rows, value, raising }
}

function historyOf(persons: readonly Person[]): PersonHistory {
  const history: PersonHistory = { buy: { days: [], cents: [], rows: [] }, sell: { days: [], cents: [], rows: [] } }
  const several = persons.length > 1 || persons[0]!.owners.length > 1
  const seen = new Set<Row>()
  for (const { owners } of persons) {
    for (const { rows } of owners) {
      for (const row of rows) {
        if (!row.active || seen.has(row)) continue
        if (several) seen.add(row)
        count(history[row.slot!.direction], row, 1)
      }
    }
  }
  return history
}

function count(traded: TradedDays, { slot, trade }: Row, sign: 1 | -1): void {
  const { day } = slot!
  // Mostly it is the last day or a later one.
  const end = traded.days.length
  const at = end === 0 || traded.days[end - 1]! < day ? end : daysBefore(traded, day)
  if (traded.days[at] !== day) {
    traded.days.splice(at, 0, day)
    traded.cents.splice(at, 0, 0)
    traded.rows.splice(at, 0, 0)
  }
  traded.cents[at] = traded.cents[at]! + sign * trade.valueCents
  traded.rows[at] = traded.rows[at]! + sign
  if (traded.rows[at] !== 0) return
  traded.days.splice(at, 1)
  traded.cents.splice(at, 1)
  traded.rows.splice(at, 1)
}
