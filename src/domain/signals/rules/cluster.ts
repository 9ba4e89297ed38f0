// The rules `cluster_buy` and `cluster_sell`: several persons trading in one direction within days of each other. A
// cluster's window is fixed when it opens; trades in it join, and those that an amendment removes leave. If the rule no
// longer holds, the cluster ends and its trades are free.
import { byPerson, onlyPerson } from '../joint-filers.ts'
import { centsOf, lowest, shifted, stepReached } from '../severity-steps.ts'
import type { TrackedSignal, SignalRegistry, Assessment } from '../signal-registry.ts'
import type { ClusterRule } from '../rule-thresholds.ts'
import { byTradeDay, firstSlot, type Row, type Slot, type TradeEvent } from '../trade-timeline.ts'
import type { Direction } from '../signal.ts'
import { highest, type Severity } from '../../trades/significance.ts'

interface LiveCluster {
  readonly tracked: TrackedSignal
  /** First and last day of the window, in days since 1970. */
  readonly first: number
  readonly last: number
  /** Active ones, and those just removed. */
  members: Row[]
  /** Whether the event adds or removes a member. */
  touched: boolean
}

/** The clusters of one issuer in one direction. */
export class Clusters {
  readonly #direction: Direction
  readonly #rule: ClusterRule
  readonly #slots: readonly Slot[]
  readonly #registry: SignalRegistry
  /** In the order of opening: where windows overlap, the rows belong to the first. */
  readonly #live: LiveCluster[] = []
  readonly #clusterOf = new Map<Row, LiveCluster>()
  #touched = false
  /** Eligible rows the event has added. */
  #fresh: Row[] = []

  constructor(direction: Direction, rule: ClusterRule, slots: readonly Slot[], registry: SignalRegistry) {
    this.#direction = direction
    this.#rule = rule
    this.#slots = slots
    this.#registry = registry
  }

  /** Adds an active row of the direction. */
  add(row: Row): void {
    if (!isEligible(row)) return
    this.#fresh.push(row)
    this.#place(row, true)
  }

  /** Removes a row that is no longer active. */
  remove(row: Row): void {
    const cluster = this.#clusterOf.get(row)
    if (!cluster) return
    this.#clusterOf.delete(row)
    this.#touch(cluster)
  }

  /** Evaluates the clusters after the event's rows are added and removed. */
  evaluate(event: TradeEvent): void {
    if (this.#touched) this.#evaluateTouched(event)
    this.#touched = false
    while (this.#fresh.length > 0) {
      this.#fresh = this.#fresh.filter((row) => !this.#clusterOf.has(row))
      if (!this.#openFirst(event)) this.#fresh = []
    }
  }

  #evaluateTouched(event: TradeEvent): void {
    // A cluster that ends may hand an added row to a later one, which is touched then.
    for (const cluster of [...this.#live]) {
      if (!cluster.touched) continue
      cluster.touched = false
      cluster.members = cluster.members.filter((row) => row.active)
      const assessment = this.#weigh(cluster.members)
      if (assessment) this.#registry.update(cluster.tracked, assessment, event)
      else this.#end(cluster, event)
    }
  }

  #end(cluster: LiveCluster, event: TradeEvent): void {
    this.#registry.close(cluster.tracked, event)
    this.#live.splice(this.#live.indexOf(cluster), 1)
    for (const row of cluster.members) {
      this.#clusterOf.delete(row)
      this.#place(row, row.addedAt === event.index)
    }
  }

  /** Adds it to the first live cluster whose window contains it. */
  #place(row: Row, added: boolean): void {
    const { day } = row.slot!
    const cluster = this.#live.find(({ first, last }) => first <= day && day <= last)
    if (!cluster) return
    cluster.members.push(row)
    this.#clusterOf.set(row, cluster)
    if (added) this.#touch(cluster)
  }

  #touch(cluster: LiveCluster): void {
    cluster.touched = true
    this.#touched = true
  }

  /** Opens the earliest window with a fresh row that makes a cluster. */
  #openFirst(event: TradeEvent): boolean {
    if (this.#fresh.length === 0) return false
    const days = this.#fresh.map((row) => row.slot!.day)
    const [earliest, latest] = [Math.min(...days), Math.max(...days)]
    if (!this.#mayOpen(earliest, latest)) return false
    for (let at = firstSlot(this.#slots, earliest - this.#rule.days); at < this.#slots.length; at += 1) {
      const { day } = this.#slots[at]!
      if (day > latest) return false
      if (!days.some((fresh) => day <= fresh && fresh <= day + this.#rule.days)) continue
      if (this.#open(day, event)) return true
    }
    return false
  }

  /** Spares most windows a closer look: checks whether enough persons reach the minimum in all of them together. */
  #mayOpen(earliest: number, latest: number): boolean {
    const rows = this.#free(earliest - this.#rule.days, latest + this.#rule.days)
    if (rows.length < this.#rule.persons) return false
    // Rows of several persons join these, so that more rows may be fewer persons.
    return rows.some((row) => onlyPerson(row.owners) === null) || this.#weigh(rows) !== null
  }

  #open(first: number, event: TradeEvent): boolean {
    const last = first + this.#rule.days
    const members = this.#free(first, last)
    if (members[0]?.slot!.day !== first) return false
    const assessment = this.#weigh(members)
    if (!assessment) return false
    const earliest = assessment.counted.flatMap((one) => one.rows).sort(byTradeDay)[0]!
    if (earliest.slot!.day !== first) return false
    const slots = this.#slots.slice(firstSlot(this.#slots, first), firstSlot(this.#slots, last + 1))
    const type = `cluster_${this.#direction}` as const
    const tracked = this.#registry.open({
      type,
      direction: this.#direction,
      about: earliest.trade.id,
      slots,
      assessment,
      event,
    })
    const cluster = { tracked, first, last, members, touched: false }
    this.#live.push(cluster)
    for (const row of members) this.#clusterOf.set(row, cluster)
    return true
  }

  /** Returns the eligible active rows of no live cluster, by day. */
  #free(first: number, last: number): Row[] {
    const rows: Row[] = []
    for (let at = firstSlot(this.#slots, first); at < this.#slots.length && this.#slots[at]!.day <= last; at += 1) {
      for (const row of this.#slots[at]!.rows) {
        if (row.active && isEligible(row) && !this.#clusterOf.has(row)) rows.push(row)
      }
    }
    return rows
  }

  /** Returns null if too few persons reach the minimum. */
  #weigh(members: readonly Row[]): Assessment | null {
    const minimum = centsOf(this.#rule.minimum)
    const counted = byPerson(members).filter(({ cents }) => cents >= minimum)
    if (counted.length < this.#rule.persons) return null
    const severity = stepReached(this.#rule.severities, (from) => counted.length >= from)
    if (severity === null) return null
    const totalCents = counted.reduce((sum, { cents }) => sum + cents, 0)
    const officers = counted.filter(({ rows }) => rows.some((row) => row.trade.officer)).length
    const chief = counted.some(({ rows }) => rows.some((row) => row.trade.isCeoOrCfo))
    return {
      severity: this.#severity(severity, { persons: counted.length, totalCents, officers, chief }),
      totalCents,
      counted,
      members: [...members],
      persons: null,
      evidence: { kind: 'cluster', officers, chief },
    }
  }

  #severity(
    byCount: Severity,
    of: { persons: number; totalCents: number; officers: number; chief: boolean },
  ): Severity {
    const { persons, totalCents, officers, chief } = of
    const rule = this.#rule
    const reasons: Severity[] = [byCount]
    if (persons === rule.persons && officers >= rule.officersForHigh) reasons.push('high')
    if (chief && persons >= rule.personsForCriticalWithChief) reasons.push('critical')
    return lowest(shifted(highest(reasons), -rule.stepsDown), mostBySum(rule, totalCents))
  }
}

/** Returns the highest severity that a cluster of this total can have. */
function mostBySum(rule: ClusterRule, totalCents: number): Severity {
  if (totalCents < centsOf(rule.lowBelow)) return 'low'
  if (totalCents < centsOf(rule.mediumBelow)) return 'medium'
  return totalCents < centsOf(rule.highBelow) ? 'high' : 'critical'
}

/** Checks the conditions of a cluster on an active row, apart from the direction. */
function isEligible({ trade }: Row): boolean {
  return trade.plan !== 'yes' && !trade.tenPercentOnly
}
