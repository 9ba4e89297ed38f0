// A run is the rows of one filing that are about one line: transactions whose balances follow from one another, or a
// single holding.
import { parseDecimal, unitsAt } from '../shared/decimal.ts'
import type { DateText, DecimalText } from '../shared/identifiers.ts'
import { compareText } from '../shared/order.ts'
import { evidenceDay, type BalanceRow, type Evidence } from './evidence.ts'
import { classKey, instrumentKey, natureKey } from './keys.ts'

/** Balances are counted in steps of 10^-8. */
export const SCALE = 8

/** The SEC's data sets have two places, so a balance and what it follows from can differ by this. */
const ROUNDED = 2_000_000n

/** Returns whether two balances are the same but for rounding. */
export const isNear = (a: bigint, b: bigint): boolean => a - b <= ROUNDED && b - a <= ROUNDED

/** Returns a function that replaces a balance by the one of these that it is but for rounding, if there is one. */
export function nearTo(balances: Iterable<bigint | null>): (balance: bigint) => bigint {
  const known = new Set(Iterator.from(balances).filter((balance) => balance !== null))
  const byStep = new Map(known.values().map((balance) => [balance / ROUNDED, balance]))
  return (balance) => {
    if (known.has(balance)) return balance
    const close = [0n, -1n, 1n].map((step) => byStep.get(balance / ROUNDED + step))
    return close.find((each) => each !== undefined && isNear(each, balance)) ?? balance
  }
}

export interface Run {
  evidence: Evidence
  /** Table, class and instrument. */
  bucket: string
  table: 1 | 2
  class: string
  ownership: 'D' | 'I'
  nature: string
  isVague: boolean
  /** The balance before all of its rows, in steps; null if it is not known. */
  opening: bigint | null
  /** Null if a value is reported instead. */
  closing: bigint | null
  firstDay: DateText
  /** The day of the newest balance. */
  day: DateText
  isTransaction: boolean
  /** The row with the closing balance. */
  last: BalanceRow
  rows: BalanceRow[]
  /** Its chains of rows, which are separate lines if lines with their opening balances are known. */
  parts: Run[]
}

const stepsOf = (text: DecimalText | null | undefined): bigint | null => {
  const parsed = text === null || text === undefined ? null : parseDecimal(text)
  return parsed && unitsAt(parsed, SCALE)
}

interface Placed {
  row: BalanceRow
  day: DateText
  place: number
  opening: bigint | null
  closing: bigint | null
}

/** Returns the runs of a filing, without superseded rows. `isInForce` takes the index of a row. */
export function runsOf(evidence: Evidence, isInForce: (place: number) => boolean): Run[] {
  const groups = new Map<
    string,
    { common: Omit<Run, 'opening' | 'closing' | 'firstDay' | 'day' | 'last' | 'rows' | 'parts'>; rows: Placed[] }
  >()
  evidence.rows.forEach((row, place) => {
    if ((row.after === undefined && row.value === undefined) || !isInForce(place)) return
    const common = commonOf(row, evidence)
    const key = `${common.bucket}\n${common.ownership}\n${common.nature}\n${row.kind}`
    const group = groups.get(key) ?? { common, rows: [] }
    groups.set(key, group)
    const closing = stepsOf(row.after)
    group.rows.push({ row, place, day: evidenceDay(row, evidence), opening: openingOf(row, closing), closing })
  })
  return [...groups.values()].flatMap(({ common, rows }) => {
    const runOf = (chain: Placed[], parts: Placed[][] = []): Run => {
      const last = chain.at(-1)!
      const days = chain.map(({ day }) => day).sort()
      return {
        ...common,
        ...{
          opening: openingOfAll(chain),
          closing: last.closing,
          firstDay: days[0]!,
          day: days.at(-1)!,
          last: last.row,
        },
        rows: chain.map(({ row }) => row),
        parts: parts.map((part) => runOf(part)),
      }
    }
    return linesOf(rows, common).map((chains) => runOf(chains.flat(), chains.length > 1 ? chains : []))
  })
}

function commonOf(row: BalanceRow, evidence: Evidence) {
  const { text, isVague } = natureKey(row)
  const name = classKey(row.title)
  return {
    evidence,
    bucket: `${row.table} ${name}\t${instrumentKey(row)}`,
    table: row.table,
    class: name,
    ownership: row.ownership ?? ('D' as const),
    nature: text,
    isVague,
    isTransaction: row.kind === 'transaction',
  }
}

/**
 * Computes the opening from the last balance and all moves, because some filers repeat the last balance in each row.
 */
function openingOfAll(chain: readonly Placed[]): bigint | null {
  let opening = chain.at(-1)!.closing
  for (const row of chain) {
    if (opening === null || row.opening === null || row.closing === null) return null
    opening -= row.closing - row.opening
  }
  return opening
}

function openingOf(row: BalanceRow, closing: bigint | null): bigint | null {
  if (row.kind === 'holding') return closing
  const moved = stepsOf(row.shares)
  if (closing === null || moved === null || row.acquiredDisposed === undefined) return null
  return row.acquiredDisposed === 'A' ? closing - moved : closing + moved
}

/**
 * Divides rows into the chains of each line. Holdings of equal keys are different lines; so are transactions of one day
 * with different balances, if they are indirect or of Table II, where each grant has its own, and begins it at 0.
 */
function linesOf(
  rows: Placed[],
  { isTransaction, ownership, table }: Pick<Run, 'isTransaction' | 'ownership' | 'table'>,
): Placed[][][] {
  if (!isTransaction) return rows.map((row) => [[row]])
  const paths = pathsOf(withoutRounding(rows).toSorted((a, b) => compareText(a.day, b.day) || a.place - b.place))
  const isGrant = (path: Placed[]): boolean => table === 2 && path[0]!.opening === 0n
  const [grants, others] = [paths.filter(isGrant), paths.filter((path) => !isGrant(path))]
  const balances = new Set(others.map((path) => path.at(-1)!.closing))
  const days = new Set(others.flat().map(({ day }) => day))
  const isDivided = ownership === 'I' || table === 2
  const areLines = isDivided && days.size === 1 && balances.size === others.length && others.every(isKnown)
  const rest = areLines ? others.map((path) => [path]) : others.length > 0 ? [others.toSorted(byEnd)] : []
  return [...grants.map((path) => [path]), ...rest]
}

const isKnown = (path: Placed[]): boolean => path[0]!.opening !== null && path.at(-1)!.closing !== null

function byEnd(a: Placed[], b: Placed[]): number {
  const [first, second] = [a.at(-1)!, b.at(-1)!]
  return compareText(first.day, second.day) || first.place - second.place
}

/** Lets rows open at exactly the closing balance of another row where the two differ only by rounding. */
function withoutRounding(rows: Placed[]): Placed[] {
  const near = nearTo(rows.map(({ closing }) => closing))
  return rows.map((row) => (row.opening === null ? row : { ...row, opening: near(row.opening) }))
}

/** Chains rows so that each opens at the closing balance of the one before, whatever their order in the filing. */
function pathsOf(rows: Placed[]): Placed[][] {
  const byOpening = Map.groupBy(rows, ({ opening }) => opening)
  const closings = new Set(rows.map(({ closing }) => closing))
  const used = new Set<Placed>()
  const follow = (start: Placed): Placed[] => {
    const path: Placed[] = []
    for (let row: Placed | undefined = start; row; row = next(row)) {
      used.add(row)
      path.push(row)
    }
    return path
  }
  const next = ({ closing }: Placed): Placed | undefined => {
    const following = closing === null ? undefined : byOpening.get(closing)
    while (following && following.length > 0) {
      const row = following.shift()!
      if (!used.has(row)) return row
    }
    return undefined
  }
  const starts = rows.filter(({ opening }) => opening === null || !closings.has(opening))
  const paths = starts.filter((row) => !used.has(row)).map(follow)
  for (const row of rows) if (!used.has(row)) paths.push(follow(row))
  return paths
}
