// Signal detection: all signals of one issuer, from all its open-market trades. A pure function of the whole set, so
// that neither the order of arrival nor a rebuild can matter. The filings are evaluated in the order of acceptance,
// each with what had been accepted by then.
import { Clusters } from './rules/cluster.ts'
import { DayTrades } from './daily-trades.ts'
import type { Cik } from '../shared/identifiers.ts'
import { PersonSignals } from './rules/single-insider.ts'
import { Persons } from './joint-filers.ts'
import { SignalRegistry } from './signal-registry.ts'
import type { SignalRules } from './rule-thresholds.ts'
import { tradeTimeline, type Row } from './trade-timeline.ts'
import type { JointFiling, Signal, SignalStep, SignalTrade } from './signal.ts'
import { addMonths } from '../shared/calendar.ts'

export interface FollowedSignals {
  /** In the order of (detectedAt, id), including ended ones. */
  signals: Signal[]
  /** By id: what each said from when on, oldest first. */
  steps: Map<string, SignalStep[]>
}

/**
 * Detects the signals of one issuer from its trades and joint filings, in any order. Returns as well what each said at
 * any time before.
 */
export function followSignals(
  issuerCik: Cik,
  trades: SignalTrade[],
  joint: JointFiling[],
  rules: SignalRules,
): FollowedSignals {
  const { events, slots, owners } = tradeTimeline(trades, joint)
  const registry = new SignalRegistry(issuerCik)
  const persons = new Persons(joint, owners)
  const dayTrades = new DayTrades(slots)
  const single = new PersonSignals(dayTrades, rules, registry)
  const clusters = {
    buy: new Clusters('buy', rules.cluster_buy, slots.buy, registry),
    sell: new Clusters('sell', rules.cluster_sell, slots.sell, registry),
  }
  const change = (row: Row, active: boolean): void => {
    row.active = active
    dayTrades.change(row, active ? 1 : -1)
    single.touch(row)
    const ofDirection = clusters[row.slot!.direction]
    if (active) ofDirection.add(row)
    else ofDirection.remove(row)
  }
  for (const event of events) {
    if (joint.length > 0) {
      const since = addMonths(event.filedDay, -rules.personMonths)
      dayTrades.regroup(persons.moveTo(event.at, event.accession, since))
    }
    for (const row of event.removed) if (row.active) change(row, false)
    for (const row of event.added) if (row.usable && row.removedAt > event.index) change(row, true)
    clusters.buy.evaluate(event)
    clusters.sell.evaluate(event)
    single.evaluate(event)
  }
  return { signals: registry.signals(), steps: registry.steps() }
}
