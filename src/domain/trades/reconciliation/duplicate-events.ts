// Duplicates: one economic event reported in several filings, counted once. Filings split over more than 10 owners,
// sponsors' chains (a filing per entity) and papers sent twice repeat rows word for word; equal grants to several
// directors do too and are different events. So an event is a set of rows of different filings, any two of which may be
// the same thing.
import { comparableDecimal } from '../../shared/decimal.ts'
import type { AccessionNumber, Cik, DateText, DecimalText } from '../../shared/identifiers.ts'
import { comparableTitle } from '../security-title.ts'

/** A Table I transaction of a Form 4 or 4/A, as far as this matters. */
export interface EventRow {
  id: string
  accession: AccessionNumber
  /** 1-based place among the Table I transactions of its filing. */
  place: number
  /** Seconds since 1970. */
  acceptedAt: number
  /** The filing is a 4/A. */
  isAmendment: boolean
  ownerCiks: readonly Cik[]
  /** An owner of the filing is a 10% owner or an "other" owner. */
  groupHint: boolean
  /** The row is reported as held indirectly. */
  indirect: boolean
  /** From `eventKey`. */
  eventKey: string
}

/** What rows of one event have in common, the issuer apart. */
export interface EventFacts {
  title: string
  date: DateText | null
  code: string | null
  acquiredDisposed: string | null
  shares: DecimalText | null
  price: DecimalText | null
  sharesAfter: DecimalText | null
}

/**
 * Returns the same key for the same facts: numbers by value (9 = 9.0), titles as `comparableTitle` has them,
 * absent equals absent.
 */
export function eventKey(facts: EventFacts): string {
  return JSON.stringify([
    comparableTitle(facts.title),
    facts.date,
    facts.code,
    facts.acquiredDisposed,
    comparableDecimal(facts.shares),
    comparableDecimal(facts.price),
    comparableDecimal(facts.sharesAfter),
  ])
}

export interface SameEvents {
  /** Repeating row -> the shown row of its event, the earliest accepted. */
  duplicateOf: Map<string, string>
  /** Whether the row counts in the profile of this owner of its filing, superseded rows left to the caller. */
  inProfile: (id: string, owner: Cik) => boolean
}

/**
 * Finds the events among all rows of one issuer's Forms 4 and 4/A, superseded ones too (a duplicate stays hidden when
 * its shown row is superseded), given in any order.
 *
 * Rows are taken in order of acceptance, and each joins an event that has no row of its filing yet and
 * - whose shown row has an owner in common with it: the same owner filing again. Else
 * - any row of which has. Else
 * - with each row of which it may be one: one of the two filings has a 10% or "other" owner or holds it indirectly.
 *
 * Of several the earliest. So k equal rows inside a filing pair with k of another, a surplus is new, and two directors'
 * grants stay apart even when a fund's filing equals both. A 4/A does not join an event shown by its own owners'
 * filing: whether it replaces that row is for the amendment rule.
 *
 * An owner's profile has each event once, by the earliest accepted row that names this owner. A 4/A's row counts beside
 * the row it amends: of the two one is superseded, or both are shown because the original can't be told.
 */
export function sameEvents(rows: readonly EventRow[]): SameEvents {
  const duplicateOf = new Map<string, string>()
  const profiles = new Set<string>()
  for (const equal of Map.groupBy(rows, (row) => row.eventKey).values()) {
    for (const event of eventsAmong(equal)) {
      for (const row of event.slice(1)) duplicateOf.set(row.id, event[0]!.id)
      for (const [id, owner] of profileEntries(event)) profiles.add(`${id} ${owner}`)
    }
  }
  return { duplicateOf, inProfile: (id, owner) => profiles.has(`${id} ${owner}`) }
}

/** Returns, for one event's rows in order of acceptance, who counts which. */
function profileEntries(event: EventRow[]): [id: string, owner: Cik][] {
  const seen = new Set<Cik>()
  return event.flatMap((row) => {
    const owners = row.ownerCiks.filter((owner) => row.isAmendment || !seen.has(owner))
    for (const owner of row.ownerCiks) seen.add(owner)
    return owners.map((owner): [string, Cik] => [row.id, owner])
  })
}

/** Sorts by acceptance, then accession, then place: a total order. */
function byAcceptance(a: EventRow, b: EventRow): number {
  if (a.acceptedAt !== b.acceptedAt) return a.acceptedAt - b.acceptedAt
  if (a.accession !== b.accession) return a.accession < b.accession ? -1 : 1
  return a.place - b.place
}

/** Divides rows with one key into events, each in order of acceptance. */
function eventsAmong(equal: EventRow[]): EventRow[][] {
  const events: EventRow[][] = []
  for (const row of equal.sort(byAcceptance)) {
    const event = eventOf(row, events)
    if (event) event.push(row)
    else events.push([row])
  }
  return events
}

function eventOf(row: EventRow, events: EventRow[][]): EventRow[] | undefined {
  const ofOwnShown = (event: EventRow[]): boolean => event[0] !== undefined && shareOwner(row, event[0])
  const open = events.filter(
    (event) => event.every((member) => member.accession !== row.accession) && !(row.isAmendment && ofOwnShown(event)),
  )
  return (
    open.find(ofOwnShown) ??
    open.find((event) => event.some((member) => shareOwner(row, member))) ??
    open.find((event) => isGroup(row) || event.every(isGroup))
  )
}

function isGroup(row: EventRow): boolean {
  return row.groupHint || row.indirect
}

function shareOwner(a: EventRow, b: EventRow): boolean {
  return a.ownerCiks.some((owner) => b.ownerCiks.includes(owner))
}
