// Signals about one person's trades on one day. An event evaluates the daily trades whose rows it adds or removes, and
// no others: what is filed later about an earlier day does not affect later ones.
import { append } from '../../shared/append.ts'
import { compareText } from '../../shared/order.ts'
import { ceoTrade } from './ceo-trade.ts'
import type { DayTrade, DayTrades } from '../daily-trades.ts'
import { personsOf } from '../joint-filers.ts'
import { reversal } from './reversal.ts'
import type { TrackedSignal, RuleMatch, SignalRegistry, Assessment } from '../signal-registry.ts'
import type { SignalRules } from '../rule-thresholds.ts'
import type { Owner, Person, Row, Slot, TradeEvent } from '../trade-timeline.ts'
import type { SignalType } from '../signal.ts'
import { unusualSize } from './unusual-size.ts'

interface LiveSignal {
  readonly tracked: TrackedSignal
  /** The one that its id names. */
  readonly owner: Owner
}

export class PersonSignals {
  readonly #trades: DayTrades
  readonly #registry: SignalRegistry
  readonly #rulesByType: readonly [SignalType, (trade: DayTrade) => RuleMatch | null][]
  readonly #live = new Map<Slot, LiveSignal[]>()
  /** Rows that the event adds or removes. */
  readonly #touched = new Map<Slot, Row[]>()

  constructor(trades: DayTrades, rules: SignalRules, registry: SignalRegistry) {
    this.#trades = trades
    this.#registry = registry
    this.#rulesByType = [
      ['unusual_size', (trade) => unusualSize(trade, trades, rules.unusual_size)],
      ['ceo_trade', (trade) => ceoTrade(trade, rules.ceo_trade)],
      ['reversal', (trade) => reversal(trade, trades, rules.reversal)],
    ]
  }

  /** Marks a row that is new or no longer active. */
  touch(row: Row): void {
    append(this.#touched, row.slot!, row)
  }

  /** Evaluates the signals after the event's rows are added and removed, and persons updated. */
  evaluate(event: TradeEvent): void {
    for (const [slot, rows] of this.#touched) this.#evaluateDay(slot, rows, event)
    this.#touched.clear()
  }

  #evaluateDay(slot: Slot, rows: Row[], event: TradeEvent): void {
    // A signal that counted a row which is now removed is affected too, even if its person was another one then.
    const shaken = this.#liveOf(slot, ({ tracked }) =>
      tracked.assessment.counted.some((one) => one.rows.some((row) => rows.includes(row))),
    )
    const owners = rows.length === 1 ? rows[0]!.owners : rows.flatMap((row) => row.owners)
    const trading = personsOf(owners)
    const persons = shaken.length === 0 ? trading : personsOf([...owners, ...shaken.map(({ owner }) => owner)])
    const affected = this.#trades.of(slot).filter((trade) => trade.persons.some((person) => persons.includes(person)))
    for (const trade of affected) {
      const traded = trade.persons.some((person) => trading.includes(person))
      for (const [type, match] of this.#rulesByType) {
        const concerned =
          traded || shaken.some(({ tracked, owner }) => tracked.type === type && trade.persons.includes(owner.person))
        if (concerned) this.#apply(type, trade, match(trade), event)
      }
    }
    // Of persons who have no trade left on this day.
    const left = (one: LiveSignal) => !affected.some((trade) => trade.persons.includes(one.owner.person))
    const over = this.#liveOf(slot, (one) => left(one) && (trading.includes(one.owner.person) || shaken.includes(one)))
    for (const signal of over) this.#end(slot, signal, event)
  }

  #apply(type: SignalType, trade: DayTrade, match: RuleMatch | null, event: TradeEvent): void {
    const { slot, persons } = trade
    if (!match && !this.#live.has(slot)) return
    const live = this.#liveOf(slot, ({ tracked, owner }) => tracked.type === type && persons.includes(owner.person))
    if (match) {
      const { severity, totalCents, rows, evidence } = match
      const counted = [{ persons: [...persons], rows, cents: totalCents }]
      const assessment: Assessment = { severity, totalCents, evidence, counted, persons, members: null }
      const first = live.shift()
      if (first) this.#registry.update(first.tracked, assessment, event)
      else this.#raise({ type, slot, assessment, event, owner: firstOwner(persons) })
    }
    for (const signal of live) this.#end(slot, signal, event)
  }

  #raise(of: { type: SignalType; slot: Slot; assessment: Assessment; event: TradeEvent; owner: Owner }): void {
    const { type, slot, assessment, event, owner } = of
    const about = `${Number(owner.cik)}-${slot.date}-${slot.direction}`
    const opened = { type, direction: slot.direction, about, slots: [slot], assessment, event }
    append(this.#live, slot, { tracked: this.#registry.open(opened), owner })
  }

  /** Sorts the first detected first: if two persons became one and both had a signal on a day, that one continues. */
  #liveOf(slot: Slot, wanted: (signal: LiveSignal) => boolean): LiveSignal[] {
    const live = this.#live.get(slot)
    if (!live) return []
    return live
      .filter(wanted)
      .sort((a, b) => a.tracked.detectedBy - b.tracked.detectedBy || compareText(a.tracked.id, b.tracked.id))
  }

  #end(slot: Slot, signal: LiveSignal, event: TradeEvent): void {
    this.#registry.close(signal.tracked, event)
    this.#live.set(
      slot,
      this.#live.get(slot)!.filter((one) => one !== signal),
    )
  }
}

/** Returns the one with the smallest CIK. */
function firstOwner(persons: readonly Person[]): Owner {
  return persons.flatMap((person) => person.owners).reduce((least, owner) => (owner.cik < least.cik ? owner : least))
}
