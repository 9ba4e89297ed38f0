// Amendments: which rows a Form 4/A supersedes. A 4/A names only the day its original was filed, often wrongly, and may
// restate all rows, some or none; so the original is searched, its rows are matched one by one, and only what is
// restated or taken back is replaced. If two originals fit equally nothing is superseded. Everything is computed from
// the full set each time, so the order of arrival doesn't matter.
import { addMonths, isRealDate, nextBusinessDay } from '../../shared/calendar.ts'
import { byAcceptance } from '../../shared/order.ts'
import type { AccessionNumber, Cik, DateText } from '../../shared/identifiers.ts'
import type { TradeFacts } from '../trade.ts'
import {
  agreeing,
  amountPairs,
  eventKeyOf,
  matchRows,
  rowFacts,
  type AmendmentRow,
  type Link,
  type RowFacts,
} from './row-matching.ts'

/** A Form 4 or 4/A of the issuer. */
export interface AmendmentFiling extends Pick<
  TradeFacts,
  'accession' | 'amendment' | 'filedAt' | 'filedDay' | 'period' | 'originalDate' | 'ownerCiks' | 'amendmentWords'
> {
  /** Table I transactions only, each id once in all filings; may be empty. */
  rows: readonly AmendmentRow[]
}

interface Supersession {
  /** The 4/A. */
  by: AccessionNumber
  /** Its acceptance, seconds since 1970. */
  at: number
  /**
   * Row id -> the row that stands in its place; null where the 4/A leaves it out. Several rows merged into one have
   * the same; a row split into several has the first of them, the one that opens at its opening balance.
   */
  replacement: string | null
}

export interface Amendments {
  superseded: Map<string, Supersession>
  /** 4/A -> first filing of its chain that is stored here. */
  originalOf: Map<AccessionNumber, AccessionNumber>
  /** 4/As that fit several originals equally well, and so change none. */
  ambiguous: Set<AccessionNumber>
  /** Row of a 4/A that replaces nothing and equals a row in force -> that row. */
  duplicates: Map<string, string>
}

/** A chain of filings about the same report: the original, repetitions of it, and 4/As. */
interface Chain {
  root: AccessionNumber
  /** The rows in force after the amendments so far, and some rows that are no longer in force. */
  table: Entry[]
}

/** A row, with its copies in other filings of its owners. */
interface Entry extends RowFacts {
  id: string
  /** Increases with acceptance. */
  order: number
  filedDay: DateText
  copies: string[]
  inForce: boolean
  chains: Chain[]
}

interface Fit {
  chain: Chain
  links: Link<Entry>[]
}

/** Months before a 4/A within which an original is found by its rows alone. */
const MONTHS_BY_ROWS = 24
/** If more chains have the same day, the original is not searched among them, since each pair would be compared. */
const MOST_CHAINS = 100

/**
 * Decides what the 4/As of one issuer amend, from all its filings, in any order.
 *
 * The original of a 4/A is searched among the chains that were accepted before it and share an owner with it:
 * 1. chains filed on the day that the 4/A names as the original's, or on the next business day,
 * 2. chains whose period of report is that day, or the period of the 4/A,
 * 3. chains of the 24 months before with a row of equal date and code, and two equal values of shares, price and
 *    balance.
 *
 * The first step that finds a matching row decides. Of several chains, the one with most matching rows is the original,
 * then the one with most equal facts. If no row matches in any step, and step 1 has only one chain, that is the
 * original.
 * - If the original is missing or ambiguous, the rows of the 4/A are additions. Several 4/As of a missing original
 *   still amend each other.
 * - Matching rows are replaced, and other rows of the 4/A are added. Other rows of the original stay, unless the 4/A
 *   restates the table, or says that a row was to be removed or is reported twice.
 * - A 4/A without rows changes nothing, unless it withdraws the original.
 */
export function amendmentOutcome(filings: readonly AmendmentFiling[]): Amendments {
  const chains = new Chains()
  for (const filing of [...filings].sort(byAcceptance)) {
    if (filing.amendment) chains.amend(filing)
    else chains.open(filing)
  }
  return chains.outcome
}

/** Must be given the filings in the order of acceptance. */
class Chains {
  readonly outcome: Amendments = {
    superseded: new Map(),
    originalOf: new Map(),
    ambiguous: new Set(),
    duplicates: new Map(),
  }
  /** By owner and day of filing, period, or the missing original's day. */
  readonly #byDay = new Index<Chain>()
  /** By owner, date, code and two amounts. */
  readonly #byAmounts = new Index<Entry>()
  /** By owner and all facts of an event. */
  readonly #byEvent = new Index<Entry>()
  #entries = 0

  /** Adds a Form 4. If all its rows repeat rows of its owners' earlier filings, it belongs to their chain. */
  open(filing: AmendmentFiling): void {
    if (filing.rows.length === 0) return
    const copied = this.#equalRows(filing)
    const entries = filing.rows.map((row) => {
      const entry = this.#entry(row, filing)
      const original = copied(entry)
      original?.copies.push(row.id)
      return original ?? entry
    })
    const repeated = entries[0]!.chains.find((chain) => entries.every((entry) => entry.chains.includes(chain)))
    const chain = repeated ?? { root: filing.accession, table: [] }
    if (!repeated) this.#place(entries, chain, filing)
    this.#date(chain, filing)
  }

  amend(filing: AmendmentFiling): void {
    const entries = filing.rows.map((row) => this.#entry(row, filing))
    const original = this.#originalOf(filing, entries)
    if (original === null || original === 'tie') {
      if (entries.length === 0) return
      if (original === 'tie') this.outcome.ambiguous.add(filing.accession)
      const chain = { root: filing.accession, table: [] }
      this.#place(this.#additions(entries, filing), chain, filing)
      this.#date(chain, filing)
      const day = filing.originalDate
      if (original === null && day !== null) this.#byDay.add(filing.ownerCiks, `missing ${day}`, chain)
      return
    }
    this.outcome.originalOf.set(filing.accession, original.chain.root)
    this.#date(original.chain, filing)
    if (entries.length > 0 || filing.amendmentWords.includes('withdrawn')) this.#replace(original, entries, filing)
  }

  /** Puts the 4/A's rows into the chain's table and notes what they supersede. */
  #replace({ chain, links }: Fit, entries: Entry[], filing: AmendmentFiling): void {
    const replacement = new Map<Entry, Entry>()
    for (const { before, after } of links) if (!replacement.has(before)) replacement.set(before, after)
    const matched = new Set(links.map(({ after }) => after))
    const added = entries.filter((entry) => !matched.has(entry))
    const table = chain.table.filter((entry) => entry.inForce)
    const left = table.filter((entry) => !replacement.has(entry))
    const gone = this.#leftOut(left, { table, links, added, entries, filing })
    for (const entry of table) {
      if (!replacement.has(entry) && !gone.has(entry)) continue
      const supersession = {
        by: filing.accession,
        at: filing.filedAt,
        replacement: replacement.get(entry)?.id ?? null,
      }
      for (const id of [entry.id, ...entry.copies]) this.outcome.superseded.set(id, supersession)
      entry.inForce = false
    }
    chain.table = chain.table.filter((entry) => entry.inForce)
    this.#place([...matched, ...this.#additions(added, filing)], chain, filing)
  }

  /** Returns those of the rows that no row of the 4/A matches that no longer stand. */
  #leftOut(
    left: Entry[],
    amendment: { table: Entry[]; links: Link<Entry>[]; added: Entry[]; entries: Entry[]; filing: AmendmentFiling },
  ): Set<Entry> {
    const { table, links, added, entries, filing } = amendment
    if (filing.amendmentWords.includes('removed') || filing.amendmentWords.includes('withdrawn')) return new Set(left)
    const balances = new Set(left.map((entry) => `${entry.line} ${entry.sharesAfter}`))
    const restated =
      entries.length >= table.length &&
      links.some(({ unchanged }) => unchanged) &&
      !added.some((entry) => entry.opening !== '' && balances.has(`${entry.line} ${entry.opening}`))
    if (restated) return new Set(left)
    if (!filing.amendmentWords.includes('repeated')) return new Set()
    const kept = new Set(entries.map(allButBalance))
    return new Set(left.filter((entry) => kept.has(allButBalance(entry))))
  }

  /** Returns the chain that fits best. */
  #originalOf(filing: AmendmentFiling, entries: Entry[]): Fit | 'tie' | null {
    const day = filing.originalDate !== null && isRealDate(filing.originalDate) ? filing.originalDate : null
    const named = day === null ? [] : [`filed ${day}`, `filed ${nextBusinessDay(day)}`, `missing ${day}`]
    const periods = [day, filing.period].filter((date) => date !== null).map((date) => `period ${date}`)
    const [onDay, ofPeriod] = [named, periods].map((keys) => this.#byDay.find(filing.ownerCiks, keys))
    if (entries.length === 0) return onlyOne(onDay!) ?? onlyOne(ofPeriod!)
    return (
      fittest(onDay!, entries) ??
      fittest(ofPeriod!, entries) ??
      fittest(this.#similar(filing, entries), entries) ??
      onlyOne(onDay!)
    )
  }

  #similar(filing: AmendmentFiling, entries: Entry[]): Set<Chain> {
    const since = addMonths(filing.filedDay, -MONTHS_BY_ROWS)
    const alike = this.#byAmounts.find(filing.ownerCiks, [...new Set(entries.flatMap(amountPairs))])
    return new Set(
      [...alike].filter((entry) => entry.inForce && entry.filedDay >= since).flatMap(({ chains }) => chains),
    )
  }

  /** Replaces rows by equal rows in force, which they repeat. */
  #additions(entries: Entry[], filing: AmendmentFiling): Entry[] {
    const copied = this.#equalRows(filing)
    return entries.map((entry) => {
      const shown = copied(entry)
      if (!shown) return entry
      shown.copies.push(entry.id)
      this.outcome.duplicates.set(entry.id, shown.id)
      return shown
    })
  }

  /**
   * Returns a function that finds the earliest equal row of another filing of the same owners, for a 4/A one in force;
   * each row is found once.
   */
  #equalRows(filing: AmendmentFiling): (entry: Entry) => Entry | undefined {
    const amends = filing.amendment
    const pools = new Map<string, Entry[]>()
    return (entry) => {
      const facts = eventKeyOf(entry)
      const key = amends ? `${entry.directIndirect} ${facts}` : facts
      const pool =
        pools.get(key) ??
        [...this.#byEvent.find(filing.ownerCiks, [facts])]
          .filter((other) => !amends || (other.inForce && other.directIndirect === entry.directIndirect))
          .sort((a, b) => b.order - a.order)
      pools.set(key, pool)
      return pool.pop()
    }
  }

  #entry(row: AmendmentRow, filing: AmendmentFiling): Entry {
    this.#entries += 1
    const { filedDay } = filing
    return { ...rowFacts(row), id: row.id, order: this.#entries, filedDay, copies: [], inForce: true, chains: [] }
  }

  /** Adds rows to the chain's table; those that are new can be found from now on. */
  #place(entries: Entry[], chain: Chain, filing: AmendmentFiling): void {
    for (const entry of entries) {
      chain.table.push(entry)
      if (entry.chains.length === 0) {
        this.#byEvent.add(filing.ownerCiks, eventKeyOf(entry), entry)
        for (const key of amountPairs(entry)) this.#byAmounts.add(filing.ownerCiks, key, entry)
      }
      if (!entry.chains.includes(chain)) entry.chains.push(chain)
    }
  }

  #date(chain: Chain, { ownerCiks, filedDay, period }: AmendmentFiling): void {
    this.#byDay.add(ownerCiks, `filed ${filedDay}`, chain)
    if (period !== null) this.#byDay.add(ownerCiks, `period ${period}`, chain)
  }
}

/** What filings of an owner have, by a key. */
class Index<Item> {
  readonly #items = new Map<string, Set<Item>>()

  add(owners: readonly Cik[], key: string, item: Item): void {
    for (const owner of owners) {
      const name = `${owner} ${key}`
      const items = this.#items.get(name)
      if (items) items.add(item)
      else this.#items.set(name, new Set([item]))
    }
  }

  find(owners: readonly Cik[], keys: readonly string[]): Set<Item> {
    const found = new Set<Item>()
    for (const owner of owners)
      for (const key of keys) for (const item of this.#items.get(`${owner} ${key}`) ?? []) found.add(item)
    return found
  }
}

/** Returns null where no row of any chain matches. */
function fittest(chains: Set<Chain>, entries: Entry[]): Fit | 'tie' | null {
  if (chains.size > MOST_CHAINS) return 'tie'
  let best: (Fit & { facts: number }) | null = null
  let tie = false
  for (const chain of chains) {
    const links = matchRows(
      chain.table.filter((entry) => entry.inForce),
      entries,
    )
    const facts = links.reduce((sum, { before, after }) => sum + agreeing(before, after), 0)
    const more = best ? links.length - best.links.length || facts - best.facts : links.length
    if (more < 0 || links.length === 0) continue
    // A filing that repeats rows of another shares them with its chain.
    tie = more === 0 && best !== null && (tie || !sameRows(links, best.links))
    if (more > 0) best = { chain, links, facts }
  }
  return tie ? 'tie' : best
}

function sameRows(some: Link<Entry>[], others: Link<Entry>[]): boolean {
  const rows = new Set(others.map(({ before }) => before))
  return some.every(({ before }) => rows.has(before))
}

function onlyOne(chains: Set<Chain>): Fit | 'tie' | null {
  const [chain, other] = chains
  return other ? 'tie' : chain ? { chain, links: [] } : null
}

function allButBalance(entry: Entry): string {
  return JSON.stringify([eventKeyOf({ ...entry, sharesAfter: '' }), entry.directIndirect])
}
