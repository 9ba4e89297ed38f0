// Joint filers, who count as one person: owners that filed together within the last two years, and who filed with one
// of them. Joint filings come into force and lapse as events pass; only the persons they affect are recomputed.
import { append } from '../shared/append.ts'
import { byAcceptance } from '../shared/order.ts'
import type { Owner, Person, Row } from './trade-timeline.ts'
import type { AccessionNumber, Cik, DateText } from '../shared/identifiers.ts'
import type { JointFiling } from './signal.ts'

/** All joint filings of the same owners. */
interface JointGroup {
  readonly owners: readonly Owner[]
  /** Of those accepted so far; empty for none. */
  newestDay: DateText
  inForce: boolean
}

/** Rows of one person. Several, if a row's own owners are several persons by now. */
export interface PersonRows {
  persons: Person[]
  rows: Row[]
  /** Of all the rows. */
  cents: number
}

export class Persons {
  readonly #filings: { filedAt: number; accession: AccessionNumber; day: DateText; group: JointGroup }[]
  readonly #groups: JointGroup[]
  readonly #groupsOf = new Map<Owner, JointGroup[]>()
  #accepted = 0
  #since: DateText = ''
  /** No group in force ended on an earlier day. */
  #oldest: DateText = ''

  /** `owners` has every owner of the filings. */
  constructor(joint: readonly JointFiling[], owners: ReadonlyMap<Cik, Owner>) {
    const groups = new Map<string, JointGroup>()
    this.#filings = joint
      .map((filing) => {
        const ciks = [...new Set(filing.ownerCiks)].sort()
        const key = ciks.join()
        let group = groups.get(key)
        if (!group) {
          group = { owners: ciks.map((cik) => owners.get(cik)!), newestDay: '', inForce: false }
          groups.set(key, group)
        }
        return { filedAt: filing.filedAt, accession: filing.accession, day: filing.filedDay, group }
      })
      .sort(byAcceptance)
    this.#groups = [...groups.values()]
    for (const group of this.#groups) for (const owner of group.owners) append(this.#groupsOf, owner, group)
  }

  /**
   * Moves to a later moment than in all calls before. In force are the filings accepted up to (`at`, `accession`) and
   * filed on `since` or later, which may lie before that of the last call. Returns the owners whose person has changed.
   */
  moveTo(at: number, accession: AccessionNumber, since: DateText): Owner[] {
    const joining = this.#accept(at, accession, since)
    const lapsed: JointGroup[] = []
    if (this.#accepted > 0 && (since < this.#since || since > this.#oldest)) {
      this.#oldest = '9999-12-31'
      for (const group of this.#groups) {
        if (group.inForce && group.newestDay < since) lapsed.push(group)
        else if (!group.inForce && group.newestDay >= since) joining.add(group)
        else if (group.inForce && group.newestDay < this.#oldest) this.#oldest = group.newestDay
      }
    }
    this.#since = since
    if (lapsed.length === 0 && joining.size === 0) return []
    const before = new Map<Owner, Person>()
    for (const group of lapsed) group.inForce = false
    for (const person of new Set(lapsed.map((group) => group.owners[0]!.person))) this.#takeApart(person, before)
    for (const group of joining) {
      group.inForce = true
      if (group.newestDay < this.#oldest) this.#oldest = group.newestDay
      join(group.owners, before)
    }
    return [...before].filter(([owner, person]) => owner.person !== person).map(([owner]) => owner)
  }

  #accept(at: number, accession: AccessionNumber, since: DateText): Set<JointGroup> {
    const joining = new Set<JointGroup>()
    for (; this.#accepted < this.#filings.length; this.#accepted += 1) {
      const filing = this.#filings[this.#accepted]!
      if (filing.filedAt > at || (filing.filedAt === at && filing.accession > accession)) break
      const { group, day } = filing
      if (day > group.newestDay) group.newestDay = day
      if (!group.inForce && group.newestDay >= since) joining.add(group)
    }
    return joining
  }

  /** Splits the person into those whom the groups still in force hold together. */
  #takeApart(person: Person, before: Map<Owner, Person>): void {
    const groups = new Set<JointGroup>()
    for (const owner of person.owners) {
      before.set(owner, person)
      owner.person = { owners: [owner], cik: owner.cik }
      for (const group of this.#groupsOf.get(owner) ?? []) if (group.inForce) groups.add(group)
    }
    for (const group of groups) join(group.owners, before)
    const whole = person.owners[0]!.person.owners.length === person.owners.length
    if (whole) for (const owner of person.owners) owner.person = person
  }
}

/** Returns the persons of the owners, each once. */
export function personsOf(owners: readonly Owner[]): Person[] {
  const person = onlyPerson(owners)
  return person ? [person] : [...new Set(owners.map((owner) => owner.person))]
}

/** Returns null if the owners are several persons. */
export function onlyPerson(owners: readonly Owner[]): Person | null {
  const person = owners[0]?.person
  for (let at = 1; at < owners.length; at += 1) if (owners[at]!.person !== person) return null
  return person ?? null
}

/** Groups rows that share a person, and with them what shares a person with one of them. */
export function byPerson(rows: readonly Row[]): PersonRows[] {
  const found = new Map<Person, PersonRows>()
  const groups: PersonRows[] = []
  let absorbed = false
  for (const row of rows) {
    const [person, others] = firstAndOthers(row.owners)
    if (!person) continue
    let group = found.get(person)
    if (!group) {
      groups.push((group = { persons: [person], rows: [], cents: 0 }))
      found.set(person, group)
    }
    group.rows.push(row)
    group.cents += row.trade.valueCents
    for (const other of others) absorbed = absorb(group, other, found) || absorbed
  }
  return absorbed ? [...new Set(found.values())] : groups
}

const NOBODY: readonly Person[] = []

function firstAndOthers(owners: readonly Owner[]): [Person | undefined, readonly Person[]] {
  const person = onlyPerson(owners)
  return person ? [person, NOBODY] : [owners[0]?.person, personsOf(owners).slice(1)]
}

/** Returns whether another group was absorbed. */
function absorb(group: PersonRows, person: Person, found: Map<Person, PersonRows>): boolean {
  const other = found.get(person)
  if (other === group) return false
  for (const row of other?.rows ?? []) group.rows.push(row)
  group.cents += other?.cents ?? 0
  for (const one of other?.persons ?? [person]) {
    group.persons.push(one)
    found.set(one, group)
  }
  return other !== undefined
}

function join(owners: readonly Owner[], before: Map<Owner, Person>): void {
  const persons = personsOf(owners)
  if (persons.length < 2) return
  const all = persons.flatMap((person) => person.owners)
  const joined: Person = { owners: all, cik: all.reduce((least, { cik }) => (cik < least ? cik : least), all[0]!.cik) }
  for (const owner of all) {
    if (!before.has(owner)) before.set(owner, owner.person)
    owner.person = joined
  }
}
