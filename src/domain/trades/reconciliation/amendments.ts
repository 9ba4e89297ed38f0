// Amendments: which rows a Form 4/A supersedes. A 4/A names only the day its original was filed and may restate all
// rows, some or none; so the original is searched, its rows are matched one by one, and if two originals fit equally
// nothing is superseded. Everything is computed from the full set each time, so the order of arrival doesn't matter.
import { isRealDate, nextBusinessDay } from '../../shared/calendar.ts'
import { comparableDecimal, compare, parseDecimal, subtract } from '../../shared/decimal.ts'
import type { Decimal } from '../../shared/decimal.ts'
import type { AccessionNumber, Cik, DateText, DecimalText } from '../../shared/identifiers.ts'
import { comparableTitle } from '../security-title.ts'

/** A Form 4 or 4/A of the issuer. */
export interface AmendmentFiling {
  accession: AccessionNumber
  formType: '4' | '4/A'
  /** Seconds since 1970. */
  acceptedAt: number
  /** New York day of filing. */
  filedDate: DateText
  /** The day the original was filed, as a 4/A says. */
  dateOfOriginal: DateText | null
  ownerCiks: readonly Cik[]
  /** Table I transactions only, each id once in all filings. */
  rows: readonly AmendmentRow[]
}

export interface AmendmentRow {
  id: string
  /** 1-based place in the table. */
  place: number
  title: string
  acquiredDisposed: string | null
  directIndirect: string | null
  date: DateText | null
  code: string | null
  shares: DecimalText | null
  price: DecimalText | null
  sharesAfter: DecimalText | null
}

interface Supersession {
  /** The 4/A. */
  by: AccessionNumber
  /** Its acceptance, seconds since 1970. */
  at: number
  /** Row id -> the row that stands in its place; null where the 4/A leaves it out. */
  replacement: string | null
}

export interface Amendments {
  superseded: Map<string, Supersession>
  /** 4/A -> first filing of its chain that is stored here. */
  originalOf: Map<AccessionNumber, AccessionNumber>
  /** 4/As that fit several originals equally well, and so change none. */
  ambiguous: Set<AccessionNumber>
}

/** A chain of filings about the same report. */
interface Chain {
  root: AccessionNumber
  /** All filings of the chain: a 4/A may name the day of an earlier 4/A. */
  filings: AmendmentFiling[]
  /** If the chain begins with a 4/A, the day of its original, which isn't here; a further 4/A may name it. */
  missingDay: DateText | null
  /** The rows in force after the amendments so far. */
  table: AmendmentRow[]
}

/** Old row -> new row, for those that are about the same transaction. */
type Matching = Map<AmendmentRow, AmendmentRow>

/**
 * All filings of one issuer, in any order. A 4/A looks for a chain with a filing accepted before it, by an owner of
 * its own, filed on the day it names or the next business day; of several, the one whose table in force has most
 * matching rows.
 * - No original here, or a tie: its rows are additions. Several 4/As of a missing original still amend one another.
 * - No row matches: its rows are additions to the table.
 * - Some match, and it has at least as many rows as the table or repeats one unchanged: it replaces the table whole.
 * - Else it replaces the matched rows and the rest stands.
 * - Without rows it changes nothing.
 */
export function amendmentOutcome(filings: readonly AmendmentFiling[]): Amendments {
  const result: Amendments = { superseded: new Map(), originalOf: new Map(), ambiguous: new Set() }
  const chains: Chain[] = []
  for (const filing of [...filings].sort(byAcceptance)) {
    const found = filing.formType === '4/A' ? originalOf(filing, chains) : null
    if (found === 'tie' && filing.rows.length > 0) result.ambiguous.add(filing.accession)
    if (found === null || found === 'tie') {
      const missingDay = found === null ? filing.dateOfOriginal : null
      chains.push({ root: filing.accession, filings: [filing], missingDay, table: [...filing.rows] })
    } else {
      result.originalOf.set(filing.accession, found.chain.root)
      amend(found.chain, filing, found.matching, result.superseded)
    }
  }
  return result
}

/** Finds the one chain that fits best. */
function originalOf(amendment: AmendmentFiling, chains: Chain[]): { chain: Chain; matching: Matching } | 'tie' | null {
  const day = amendment.dateOfOriginal
  if (day === null || !isRealDate(day)) return null
  const days = [day, nextBusinessDay(day)]
  const fitting = chains
    .filter((chain) =>
      chain.filings.some(
        (filing, index) =>
          (days.includes(filing.filedDate) || (index === 0 && chain.missingDay === day)) &&
          filing.ownerCiks.some((owner) => amendment.ownerCiks.includes(owner)),
      ),
    )
    .map((chain) => ({ chain, matching: matchRows(chain.table, amendment.rows) }))
    .sort((a, b) => b.matching.size - a.matching.size)
  const [best, second] = fitting
  if (!best) return null
  return second && second.matching.size === best.matching.size ? 'tie' : best
}

/** Puts the 4/A's rows into the chain's table and notes what they supersede. */
function amend(
  chain: Chain,
  amendment: AmendmentFiling,
  matching: Matching,
  superseded: Amendments['superseded'],
): void {
  const { rows, accession: by, acceptedAt: at } = amendment
  const whole =
    matching.size > 0 &&
    (rows.length >= chain.table.length || [...matching].some(([before, after]) => pairOf(before, after)?.changed === 0))
  const gone = chain.table.filter((row) => whole || matching.has(row))
  for (const row of gone) superseded.set(row.id, { by, at, replacement: matching.get(row)?.id ?? null })
  chain.table = [...chain.table.filter((row) => !gone.includes(row)), ...rows]
  chain.filings.push(amendment)
}

/**
 * Matches one to one. Candidates: equal title, A/D, D/I and date; else equal title, A/D and D/I with two of code,
 * shares, price, shares-after equal. Of candidates first those with equal code, then with the nearest shares, then by
 * place. (A row repeated unchanged goes with its like before place decides; which rows match is the same.)
 */
function matchRows(table: readonly AmendmentRow[], rows: readonly AmendmentRow[]): Matching {
  const pairs = table
    .flatMap((before) => rows.map((after) => pairOf(before, after)).filter((pair) => pair !== null))
    .sort(
      (a, b) =>
        a.tier - b.tier ||
        a.otherCode - b.otherCode ||
        compare(a.sharesApart, b.sharesApart) ||
        a.changed - b.changed ||
        a.after.place - b.after.place,
    )
  const matching: Matching = new Map()
  const taken = new Set<AmendmentRow>()
  for (const { before, after } of pairs) {
    if (matching.has(before) || taken.has(after)) continue
    matching.set(before, after)
    taken.add(after)
  }
  return matching
}

interface Pair {
  before: AmendmentRow
  after: AmendmentRow
  /** 1: the date is equal; 2: two of the other facts are. */
  tier: 1 | 2
  otherCode: 0 | 1
  sharesApart: Decimal
  changed: 0 | 1
}

/**
 * Returns null for rows that can't be about the same transaction. Stable sorting keeps pairs in the order of the table.
 */
function pairOf(before: AmendmentRow, after: AmendmentRow): Pair | null {
  const sameLine =
    comparableTitle(before.title) === comparableTitle(after.title) &&
    before.acquiredDisposed === after.acquiredDisposed &&
    before.directIndirect === after.directIndirect
  if (!sameLine) return null
  const sameDate = before.date === after.date
  if (!sameDate && equalFacts(before, after) < 2) return null
  return {
    before,
    after,
    tier: sameDate ? 1 : 2,
    otherCode: before.code === after.code ? 0 : 1,
    sharesApart: apart(before.shares, after.shares),
    changed: sameDate && equalFacts(before, after) === 4 ? 0 : 1,
  }
}

/** Counts how many of code, shares, price and shares-after agree; absent agrees with absent. */
function equalFacts(before: AmendmentRow, after: AmendmentRow): number {
  const amounts = ['shares', 'price', 'sharesAfter'] as const
  return (
    amounts.filter((name) => comparableDecimal(before[name]) === comparableDecimal(after[name])).length +
    (before.code === after.code ? 1 : 0)
  )
}

/** Returns the difference in shares; beyond any real one if either has none. */
function apart(before: DecimalText | null, after: DecimalText | null): Decimal {
  const [a, b] = [parseDecimal(before ?? ''), parseDecimal(after ?? '')]
  if (!a || !b) return { units: before === after ? 0n : 10n ** 30n, scale: 0 }
  const difference = subtract(a, b)
  return { units: difference.units < 0n ? -difference.units : difference.units, scale: difference.scale }
}

function byAcceptance(a: AmendmentFiling, b: AmendmentFiling): number {
  return a.acceptedAt - b.acceptedAt || (a.accession < b.accession ? -1 : 1)
}
