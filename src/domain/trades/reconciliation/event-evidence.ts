// Evidence that equal rows in filings of different owners report one holding: without any they are trades of different
// persons.
import { append } from '../../shared/append.ts'
import { addMonths } from '../../shared/calendar.ts'
import { lowerBound } from '../../shared/lower-bound.ts'
import { compareText } from '../../shared/order.ts'
import type { Cik } from '../../shared/identifiers.ts'
import { newYorkDay, newYorkToUtc } from '../../shared/new-york-time.ts'
import { keysOfNames, keysOfOwners, keysOfPersons, MENTION } from '../holder-names.ts'
import type { Holding } from '../holding.ts'
import type { TradeFacts } from '../trade.ts'
import type { RelatedFiling } from './related-filing.ts'

/** What an event needs of a filing's owners. */
export interface EventOwners {
  /** As filed, of all owners. */
  ownerNames: readonly string[]
  /** An owner of the filing is a 10% owner or an "other" owner. */
  groupHint: boolean
  /** All owners of the filing are directors or officers. */
  insidersOnly: boolean
}

/** A row, as far as evidence is looked for in it. */
export interface ReportedRow
  extends EventOwners, Pick<TradeFacts, 'accession' | 'filedAt' | 'ownerCiks' | 'code' | 'holding' | 'holderNames'> {}

/** A filing of any of the six forms; those with several owners are joint filings. */
export type FilingOwners = Pick<RelatedFiling, 'filedAt' | 'ownerCiks'>

/** EDGAR takes ten owners in a filing. */
export const MOST_OWNERS = 20
/** With how many an owner of a row can have stood together, the first ones. */
export const MOST_PARTNERS = 250
/** How long owners of a joint filing are taken to report together. */
const MONTHS_TOGETHER = 24
/** How far apart one agent's numbers for one event are at most. */
const NUMBERS_APART = 50

/** Who stood together in joint filings, and when. */
export class JointOwners {
  readonly #times = new Map<Cik, Map<Cik, number[]>>()

  constructor(filings: readonly FilingOwners[]) {
    const inOrder = filings.map(({ filedAt, ownerCiks }) => ({
      filedAt,
      owners: ownerCiks.toSorted().slice(0, MOST_OWNERS),
    }))
    inOrder.sort((a, b) => a.filedAt - b.filedAt || compareText(a.owners.join(), b.owners.join()))
    for (const { filedAt, owners } of inOrder) {
      for (const owner of owners) for (const other of owners) if (other !== owner) this.#add(owner, other, filedAt)
    }
  }

  #add(owner: Cik, other: Cik, at: number): void {
    const partners = this.#times.get(owner) ?? new Map<Cik, number[]>()
    this.#times.set(owner, partners)
    append(partners, other, at)
  }

  /** Returns those with whom the owner had stood together by then. */
  partnersOf(owner: Cik, until: number): Cik[] {
    const partners: Cik[] = []
    for (const [partner, times] of this.#times.get(owner) ?? []) {
      // Later ones were added later.
      if (times[0]! > until || partners.length === MOST_PARTNERS) break
      partners.push(partner)
    }
    return partners
  }

  stoodTogether(owner: Cik, other: Cik, since: number, until: number): boolean {
    const times = this.#times.get(owner)?.get(other) ?? []
    const first = times[lowerBound(times, (time) => time < since)]
    return first !== undefined && first <= until
  }
}

/** A row with what evidence is looked for by, worked out once. */
export class Report<Row extends ReportedRow = ReportedRow> {
  readonly row: Row
  readonly owners: ReadonlySet<Cik>
  #agent: { name: string; number: number } | null | undefined
  #named: Set<string> | undefined
  #owned: Set<string> | undefined
  #entities: string[] | undefined

  constructor(row: Row) {
    this.row = row
    this.owners = new Set(row.ownerCiks)
  }

  /** Null for a document without an accession number. */
  get agent(): { name: string; number: number } | null {
    const match = this.#agent === undefined ? /^(\d{10}-\d{2})-(\d{6})$/.exec(this.row.accession) : null
    if (this.#agent === undefined) this.#agent = match && { name: match[1]!, number: Number(match[2]) }
    return this.#agent
  }

  /** Keys of the owners whom the row names, without keys that fit an owner of its own filing too. */
  get named(): Set<string> {
    return (this.#named ??= keysOfNames(this.row.holderNames).difference(keysOfPersons(this.owned)))
  }

  /** Keys of the names of its own owners. */
  get owned(): Set<string> {
    return (this.#owned ??= keysOfOwners(this.row.ownerNames))
  }

  /** The entities through which it is held. */
  get entities(): string[] {
    return (this.#entities ??= this.row.holderNames.filter((name) => !name.startsWith(MENTION)))
  }

  sharesOwner(other: Report): boolean {
    return this.row.ownerCiks.some((owner) => other.owners.has(owner))
  }
}

/**
 * Returns whether there is evidence that two rows without a common owner report one holding, in one of these ways:
 * - Joint filing: an owner of each row took part in the same joint filing. It was accepted no later than the later row,
 *   and at most 24 months before it, by days in New York.
 * - Accession numbers: both are of one filing agent and year and at most 50 apart, and either both filings have a 10%
 *   or "other" owner, or one row is held through an entity. If the entity is not named, one filing must have such an
 *   owner. The other row must not be held through the spouse or a personal vehicle, since neither can be that entity.
 *   Awards in filings of directors and officers do not count, because members of a board get equal ones.
 * - Names: the nature of ownership or a footnote of one row names an owner of the other filing, or both rows name the
 *   same entity through which they are held, and at least one of them is not held directly.
 * - Marriage: one row is held through the spouse and the other directly, and the accession numbers are as near as
 *   above.
 */
export function isEvidence(earlier: Report, later: Report, joint: JointOwners): boolean {
  return isByNumber(earlier, later) || isByName(earlier, later) || areTogether(earlier, later, joint)
}

function areTogether(earlier: Report, later: Report, joint: JointOwners): boolean {
  const until = later.row.filedAt
  const since = newYorkToUtc(addMonths(newYorkDay(until), -MONTHS_TOGETHER), 0)
  const others = earlier.row.ownerCiks.slice(0, MOST_OWNERS)
  return later.row.ownerCiks
    .slice(0, MOST_OWNERS)
    .some((owner) => others.some((other) => joint.stoodTogether(owner, other, since, until)))
}

type Agent = NonNullable<Report['agent']>

/** Returns the key of a block of accession numbers. Numbers at most 50 apart are in the same or in adjacent blocks. */
export const numberBlock = ({ name, number }: Agent, step: number): string =>
  `${name} ${Math.floor(number / NUMBERS_APART) + step}`

function isByNumber({ agent, row }: Report, { agent: otherAgent, row: other }: Report): boolean {
  if (agent === null || agent.name !== otherAgent?.name) return false
  if (Math.abs(agent.number - otherAgent.number) > NUMBERS_APART) return false
  const isHeld = (...holdings: Holding[]) => holdings.includes(row.holding) || holdings.includes(other.holding)
  if (isHeld('spouse') && isHeld('direct')) return true
  if (row.code === 'A' && row.insidersOnly && other.insidersOnly) return false
  if (row.groupHint && other.groupHint) return true
  if (isHeld('personal', 'spouse')) return false
  return isHeld('entity') || (isHeld('unnamed') && (row.groupHint || other.groupHint))
}

function isByName(report: Report, other: Report): boolean {
  if (!report.named.isDisjointFrom(other.owned) || !other.named.isDisjointFrom(report.owned)) return true
  const areDirect = report.row.holding === 'direct' && other.row.holding === 'direct'
  return !areDirect && report.entities.some((name) => other.entities.includes(name))
}
