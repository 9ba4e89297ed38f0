// The timeline of one issuer's trades, for the rules of signals: sorted once, and indexed by trade day, by owner and by
// the filing that adds or removes them, so that no event has to look at all rows.
import { dayNumber } from '../shared/calendar.ts'
import type { AccessionNumber, Cik, DateText } from '../shared/identifiers.ts'
import { lowerBound } from '../shared/lower-bound.ts'
import { byPlace, compareText } from '../shared/order.ts'
import type { Direction, JointFiling, SignalTrade } from './signal.ts'
import { newYorkDay } from '../shared/new-york-time.ts'

/** The state of an owner while the filings are evaluated. */
export interface Owner {
  readonly cik: Cik
  person: Person
  /** Those that may ever count as history, active or not. */
  readonly rows: Row[]
}

/** Owners that count as one at the moment; never changed, so that results can keep it. */
export interface Person {
  readonly owners: readonly Owner[]
  /** The smallest of its owners'. */
  readonly cik: Cik
}

export interface Row {
  readonly trade: SignalTrade
  /** Each owner once. */
  readonly owners: readonly Owner[]
  /** Place in the order of (filedAt, accession, place). */
  readonly order: number
  /** Null if the trade has no possible day. */
  readonly slot: Slot | null
  /** Meets all conditions for history, except for being active. */
  readonly usable: boolean
  /** Index of the event that adds it. */
  addedAt: number
  /** Index of the event that removes it. */
  removedAt: number
  /** Usable, added and not removed. */
  active: boolean
}

/** One trade day in one direction: that of the code if the acquired/disposed code contradicts it. */
export interface Slot {
  readonly direction: Direction
  readonly date: DateText
  /** Days since 1970. */
  readonly day: number
  /** In the order of (filedAt, accession, place). */
  readonly rows: Row[]
}

/** A filing that adds or removes rows. */
export interface TradeEvent {
  index: number
  readonly at: number
  readonly accession: AccessionNumber
  readonly filedDay: DateText
  readonly added: Row[]
  readonly removed: Row[]
}

interface TradeTimeline {
  /** In the order of (filedAt, accession). */
  events: TradeEvent[]
  /** By day, earliest first. */
  slots: Record<Direction, Slot[]>
  owners: Map<Cik, Owner>
}

/** Builds the timeline from trades in any order. Owners of joint filings get their place with those of the trades. */
export function tradeTimeline(trades: readonly SignalTrade[], joint: readonly JointFiling[]): TradeTimeline {
  const owners = new Map<Cik, Owner>()
  for (const filing of joint) for (const cik of filing.ownerCiks) ownerOf(owners, cik)
  const slotOf = { buy: new Map<DateText, Slot>(), sell: new Map<DateText, Slot>() }
  const rows = trades.toSorted(byFiling).map((trade, order): Row => {
    const slot = trade.day === null ? null : slotFor(slotOf[trade.direction ?? trade.directionByCode], trade)
    const row: Row = {
      trade,
      order,
      slot,
      usable: isUsable(trade),
      owners: distinct(trade.ownerCiks).map((cik) => ownerOf(owners, cik)),
      addedAt: 0,
      removedAt: Infinity,
      active: false,
    }
    slot?.rows.push(row)
    if (row.usable) for (const owner of row.owners) owner.rows.push(row)
    return row
  })
  const byDay = (direction: Direction): Slot[] => [...slotOf[direction].values()].sort((a, b) => a.day - b.day)
  return { events: eventsOf(rows, joint), slots: { buy: byDay('buy'), sell: byDay('sell') }, owners }
}

/** Returns the index of the first slot not before `day`. */
export const firstSlot = (slots: readonly Slot[], day: number): number => lowerBound(slots, (slot) => slot.day < day)

/** Compares by (trade day, filedAt, accession, place). */
export function byTradeDay(a: Row, b: Row): number {
  return a.slot!.day - b.slot!.day || a.order - b.order
}

function isUsable(trade: SignalTrade): boolean {
  return (
    trade.direction !== null &&
    trade.priceStatus === 'as_filed' &&
    trade.suspectUntil === 0 &&
    trade.sharesStatus === 'as_filed' &&
    trade.valueCents > 0 &&
    trade.day !== null &&
    !trade.byIssuer &&
    trade.duplicateOf === ''
  )
}

function byFiling(a: SignalTrade, b: SignalTrade): number {
  return byPlace(a, b) || compareText(a.id, b.id)
}

function distinct(ciks: Cik[]): Cik[] {
  return ciks.length < 2 ? ciks : [...new Set(ciks)]
}

function ownerOf(owners: Map<Cik, Owner>, cik: Cik): Owner {
  let owner = owners.get(cik)
  if (!owner) owners.set(cik, (owner = alone({ cik, rows: [] })))
  return owner
}

function alone(known: Omit<Owner, 'person'>): Owner {
  const owner = known as Owner
  owner.person = { owners: [owner], cik: owner.cik }
  return owner
}

function slotFor(slots: Map<DateText, Slot>, trade: SignalTrade): Slot {
  const date = trade.day!
  const direction = trade.direction ?? trade.directionByCode
  let slot = slots.get(date)
  if (!slot) slots.set(date, (slot = { direction, date, day: dayNumber(date), rows: [] }))
  return slot
}

function eventsOf(rows: Row[], joint: readonly JointFiling[]): TradeEvent[] {
  const events: TradeEvent[] = []
  const newEvent = (at: number, accession: AccessionNumber, filedDay: DateText): TradeEvent => {
    const event = { index: 0, at, accession, filedDay, added: [], removed: [] }
    events.push(event)
    return event
  }
  let last: TradeEvent | undefined
  for (const row of rows) {
    const { filedAt, accession, filedDay } = row.trade
    if (last?.at !== filedAt || last.accession !== accession) last = newEvent(filedAt, accession, filedDay)
    last.added.push(row)
  }
  const amended = rows.filter((row) => row.trade.supersededBy !== '')
  const byKey = new Map(amended.length === 0 ? [] : events.map((event) => [keyOf(event.at, event.accession), event]))
  for (const row of amended) {
    const { supersededBy, supersededAt } = row.trade
    const key = keyOf(supersededAt, supersededBy)
    let event = byKey.get(key)
    // A 4/A that removes rows may add none, and so have no filing day; nor has the withdrawal of the row's own filing.
    if (!event) {
      const isWithdrawn = supersededBy === row.trade.accession
      const day = isWithdrawn ? newYorkDay(supersededAt) : filingDay(supersededBy, supersededAt, joint)
      event = newEvent(supersededAt, supersededBy, day)
      byKey.set(key, event)
    }
    event.removed.push(row)
  }
  events
    .sort((a, b) => a.at - b.at || compareText(a.accession, b.accession))
    .forEach((event, index) => {
      event.index = index
      for (const row of event.added) row.addedAt = index
      for (const row of event.removed) row.removedAt = index
    })
  return events
}

function keyOf(at: number, accession: AccessionNumber): string {
  return `${at} ${accession}`
}

function filingDay(accession: AccessionNumber, at: number, joint: readonly JointFiling[]): DateText {
  return joint.find((filing) => filing.accession === accession)?.filedDay ?? newYorkDay(at)
}
