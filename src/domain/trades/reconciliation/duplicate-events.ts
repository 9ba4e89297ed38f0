// Finds events that several filings report, so that each is counted once. Rows are repeated word for word by filings
// that are split over more than 10 owners, by sponsors that file once per entity, and by documents sent twice. But
// equal grants to several directors, or equal purchases in one offering, are different events. So equal rows of
// different owners are one event only with evidence that they report one holding.
import type { AccessionNumber, Cik } from '../../shared/identifiers.ts'
import { byPlace } from '../../shared/order.ts'
import {
  isEvidence,
  JointOwners,
  MOST_OWNERS,
  MOST_PARTNERS,
  numberBlock,
  Report,
  type FilingOwners,
  type ReportedRow,
} from './event-evidence.ts'
import type { TradeFacts } from '../trade.ts'

/** A Table I transaction of a Form 4 or 4/A, as far as this matters. */
export interface EventRow extends ReportedRow, Pick<TradeFacts, 'id' | 'place' | 'amendment'> {
  /** From `eventKey`. */
  eventKey: string
}

export interface SameEvents {
  /** The id of the shown row of an event, its earliest accepted one, by the ids of the rows that repeat it. */
  duplicateOf: Map<string, string>
  /** Whether the row counts in the profile of this owner of its filing. The caller leaves out superseded rows. */
  inProfile: (id: string, owner: Cik) => boolean
}

/**
 * Finds the events among all rows of one issuer's Forms 4 and 4/A, and uses its joint filings as evidence; both may be
 * in any order. Superseded rows take part too: a duplicate stays hidden when its shown row is superseded.
 *
 * Rows are processed in order of acceptance. A row joins the first event without a row of its own filing, by the first
 * of these conditions that any event meets:
 * 1. The shown row of the event has an owner in common with the row: the same owner files again.
 * 2. Some row of the event has an owner in common with the row.
 * 3. There is evidence (event-evidence.ts) of one holding with the shown row, and with another one if there are others.
 *
 * Otherwise the row is a new event. So if one filing has two equal rows and another three, two pairs are found and one
 * row is new, and the grants of two directors stay separate even if the row of a fund's filing equals both. A 4/A does
 * not join an event that is shown by a filing of its own owners: the rule for amendments decides whether it replaces
 * that row.
 *
 * A row is compared with at most 500 rows of different owners, first with those of near accession numbers, common names
 * or joint filings, so that equal rows take no more than linear time.
 *
 * An owner's profile counts each event once, by the earliest accepted row that names the owner. The row of a 4/A counts
 * too, since either it or the row that it amends is superseded, or both are shown because the original is ambiguous.
 */
export function sameEvents(rows: readonly EventRow[], jointFilings: readonly FilingOwners[]): SameEvents {
  const duplicateOf = new Map<string, string>()
  const profiles = new Set<string>()
  const joint = new JointOwners(jointFilings)
  for (const equal of Map.groupBy(rows, (row) => row.eventKey).values()) {
    for (const event of new EqualRows(joint).eventsAmong(equal)) {
      for (const row of event.slice(1)) duplicateOf.set(row.id, event[0]!.id)
      for (const [id, owner] of profileEntries(event)) profiles.add(`${id} ${owner}`)
    }
  }
  return { duplicateOf, inProfile: (id, owner) => profiles.has(`${id} ${owner}`) }
}

/** Returns which rows of an event count in which owner's profile. The rows are in order of acceptance. */
function profileEntries(event: EventRow[]): [id: string, owner: Cik][] {
  const seen = new Set<Cik>()
  return event.flatMap((row) => {
    const owners = row.ownerCiks.filter((owner) => row.amendment || !seen.has(owner))
    for (const owner of row.ownerCiks) seen.add(owner)
    return owners.map((owner): [string, Cik] => [row.id, owner])
  })
}

/** The most rows of different owners that a row is compared with. */
const MOST_COMPARED = 500

interface Event {
  /** Its place among the events with this key, in order of acceptance. */
  place: number
  shown: Report<EventRow>
  reports: Report<EventRow>[]
}

/** Rows with one key, divided into events. */
class EqualRows {
  readonly #joint: JointOwners
  readonly #events: Event[] = []
  /** Events by owners of the shown row, and of later rows. */
  readonly #shownBy = new Lists()
  readonly #joinedBy = new Lists()
  /** Events by what their shown rows have, for evidence; filled when it is first looked for. */
  readonly #byAgent = new Lists()
  readonly #byEntity = new Lists()
  readonly #byNamed = new Lists()
  readonly #byOwned = new Lists()
  #indexed = 0

  constructor(joint: JointOwners) {
    this.#joint = joint
  }

  /** Returns the events, each in order of acceptance. */
  eventsAmong(equal: EventRow[]): EventRow[][] {
    if (equal.length === 1) return [equal]
    let search: FilingSearch | null = null
    for (const row of equal.toSorted(byPlace)) {
      const report = new Report(row)
      if (search?.accession !== row.accession) search = this.#searchFor(report)
      const event = this.#eventOf(report, search)
      if (event) this.#join(event, report)
      else this.#open(report)
    }
    return this.#events.map((event) => event.reports.map((report) => report.row))
  }

  #open(report: Report<EventRow>): void {
    const event = { place: this.#events.length, shown: report, reports: [report] }
    this.#events.push(event)
    for (const owner of report.owners) this.#shownBy.add(owner, event)
  }

  #join(event: Event, report: Report<EventRow>): void {
    event.reports.push(report)
    for (const owner of report.owners) if (!event.shown.owners.has(owner)) this.#joinedBy.add(owner, event)
  }

  #searchFor(report: Report<EventRow>): FilingSearch {
    return {
      accession: report.row.accession,
      shown: new InOrder(report.row.ownerCiks.map((owner) => this.#shownBy.get(owner))),
      joined: new InOrder(report.row.ownerCiks.map((owner) => this.#joinedBy.get(owner))),
      related: new Map(),
    }
  }

  #eventOf(report: Report<EventRow>, { shown, joined, related }: FilingSearch): Event | undefined {
    // Rows of a filing follow each other, so that an event has one of them if its last row is one.
    const isOpen = (event: Event) => event.reports.at(-1)!.row.accession !== report.row.accession
    const { amendment, holding, holderNames } = report.row
    if (!amendment) {
      const own = shown.find(isOpen)
      if (own) return own
    }
    const mayJoin = (event: Event) => isOpen(event) && !(amendment && report.sharesOwner(event.shown))
    let left = MOST_COMPARED
    const again = joined.find((event) => left-- <= 0 || mayJoin(event))
    if (again) return left < 0 ? undefined : again
    const likeness = JSON.stringify([holding, holderNames])
    const candidates = related.get(likeness) ?? this.#related(report)
    related.set(likeness, candidates)
    const hasEvidence = (other: Report) => left-- > 0 && isEvidence(other, report, this.#joint)
    const found = candidates.find((event) => {
      if (left <= 0) {
        left = -1
        return true
      }
      if (!mayJoin(event)) left -= 1
      else if (hasEvidence(event.shown)) {
        if (event.reports.length === 1) return true
        for (let at = 1; at < event.reports.length && left > 0; at += 1) {
          if (hasEvidence(event.reports[at]!)) return true
        }
      }
      return false
    })
    return left < 0 ? undefined : found
  }

  /** Returns the events whose shown row can have evidence with the row, in order. */
  #related(report: Report<EventRow>): InOrder {
    for (; this.#indexed < this.#events.length; this.#indexed += 1) this.#index(this.#events[this.#indexed]!)
    const { agent, row } = report
    const partners = row.ownerCiks.slice(0, MOST_OWNERS).flatMap((owner) => this.#joint.partnersOf(owner, row.filedAt))
    return new InOrder([
      ...(agent ? [-1, 0, 1].map((step) => this.#byAgent.get(numberBlock(agent, step))) : []),
      ...report.entities.map((name) => this.#byEntity.get(name)),
      ...[...report.owned].map((key) => this.#byNamed.get(key)),
      ...[...report.named].map((key) => this.#byOwned.get(key)),
      ...[...new Set(partners)].slice(0, MOST_PARTNERS).map((partner) => this.#shownBy.get(partner)),
    ])
  }

  #index(event: Event): void {
    const { agent, entities, named, owned } = event.shown
    if (agent) this.#byAgent.add(numberBlock(agent, 0), event)
    for (const name of entities) this.#byEntity.add(name, event)
    for (const key of named) this.#byNamed.add(key, event)
    for (const key of owned) this.#byOwned.add(key, event)
  }
}

/** Where the search for events of one filing's rows stands: what was skipped stays so, since its rows are alike. */
interface FilingSearch {
  accession: AccessionNumber
  /** Events whose shown row has one of its owners. */
  shown: InOrder
  /** Events with a later row of one of its owners. */
  joined: InOrder
  /** Events that can be found by evidence, for each holding and names in it. */
  related: Map<string, InOrder>
}

/** Lists of events by a key, each in order. */
class Lists {
  readonly #lists = new Map<string, Event[]>()

  add(key: string, event: Event): void {
    const list = this.#lists.get(key)
    if (!list) {
      this.#lists.set(key, [event])
      return
    }
    let at = list.length
    while (at > 0 && list[at - 1]!.place > event.place) at -= 1
    if (list[at - 1] !== event) list.splice(at, 0, event)
  }

  get(key: string): Event[] | undefined {
    return this.#lists.get(key)
  }
}

/** Goes through lists of events, which may grow meanwhile, as if they were one. */
class InOrder {
  readonly #lists: { events: Event[]; next: number }[]

  constructor(lists: (Event[] | undefined)[]) {
    this.#lists = lists.filter((events) => events !== undefined).map((events) => ({ events, next: 0 }))
  }

  /** Returns the next event for which this holds; those before it are skipped for good. */
  find(holds: (event: Event) => boolean): Event | undefined {
    for (;;) {
      let first: Event | undefined
      for (const { events, next } of this.#lists) {
        const event = events[next]
        if (event && (!first || event.place < first.place)) first = event
      }
      if (!first) return undefined
      for (const list of this.#lists) if (list.events[list.next] === first) list.next += 1
      if (holds(first)) return first
    }
  }
}
