// Matching of an amendment's rows with those in force: which are about the same transaction. A 4/A mistypes or corrects
// any fact, so rows are compared fact by fact; what a line's balances say tells a corrected row from an added one.
import { append } from '../../shared/append.ts'
import { add, comparableDecimal, compare, parseDecimal, subtract, toText, type Decimal } from '../../shared/decimal.ts'
import { comparableTitle } from '../security-title.ts'
import type { TradeFacts } from '../trade.ts'

/** What makes an event, besides the issuer. */
export type EventFacts = Pick<
  TradeFacts,
  'securityTitle' | 'acquiredDisposed' | 'date' | 'code' | 'shares' | 'priceFiled' | 'sharesAfter'
>

export interface AmendmentRow extends EventFacts, Pick<TradeFacts, 'id' | 'place' | 'directIndirect'> {}

/** What makes an event, in forms to be compared; absent is ''. */
interface ComparableFacts {
  title: string
  acquiredDisposed: string
  date: string
  code: string
  shares: string
  price: string
  sharesAfter: string
}

/** A row in forms to be compared. */
export interface RowFacts extends ComparableFacts {
  directIndirect: string
  /** Balance before: the balance after, less what was acquired or plus what was disposed of; '' if unknown. */
  opening: string
  /** Title and D/I, whose balance the row continues. */
  line: string
  /** All eight facts, as a key. */
  key: string
  place: number
  size: Decimal | null
}

/** Rows about the same transaction. */
export interface Link<Row extends RowFacts> {
  before: Row
  after: Row
  /** All facts agree. */
  unchanged: boolean
}

const FACTS = ['title', 'acquiredDisposed', 'directIndirect', 'date', 'code', 'shares', 'price', 'sharesAfter'] as const

/** So many facts must agree. */
const FACTS_NEEDED = 5

export function rowFacts(row: AmendmentRow): RowFacts {
  const facts = { ...comparableFacts(row), directIndirect: row.directIndirect }
  const [size, balance] = [parseDecimal(facts.shares), parseDecimal(facts.sharesAfter)]
  const opening =
    size && balance && facts.acquiredDisposed === 'A'
      ? toText(subtract(balance, size))
      : size && balance && facts.acquiredDisposed === 'D'
        ? toText(add(balance, size))
        : ''
  const line = JSON.stringify([facts.title, facts.directIndirect])
  return { ...facts, opening, line, key: JSON.stringify(Object.values(facts)), place: row.place, size }
}

function comparableFacts(row: EventFacts): ComparableFacts {
  return {
    title: comparableTitle(row.securityTitle),
    acquiredDisposed: row.acquiredDisposed,
    date: row.date,
    code: row.code,
    shares: comparableDecimal(row.shares),
    price: comparableDecimal(row.priceFiled),
    sharesAfter: comparableDecimal(row.sharesAfter),
  }
}

/**
 * Returns the same key for the same event: numbers by value (9 = 9.0), titles as `comparableTitle` has them, absent
 * equals absent.
 */
export const eventKey = (row: EventFacts): string => eventKeyOf(comparableFacts(row))

/** Returns the key of facts that are in forms to be compared. */
export function eventKeyOf(facts: ComparableFacts): string {
  const { title, acquiredDisposed, date, code, shares, price, sharesAfter } = facts
  return JSON.stringify([title, acquiredDisposed, date, code, shares, price, sharesAfter])
}

/** Returns keys of which two rows have one in common if they agree in date, code and two of shares, price, balance. */
export function amountPairs({ date, code, shares, price, sharesAfter }: RowFacts): string[] {
  if (date === '') return []
  const amounts = [isAmount(shares) && `s${shares}`, isAmount(price) && `p${price}`, sharesAfter && `b${sharesAfter}`]
  return [
    [amounts[0], amounts[1]],
    [amounts[0], amounts[2]],
    [amounts[1], amounts[2]],
  ]
    .filter(([one, two]) => one && two)
    .map((pair) => [date, code, ...pair].join(' '))
}

/** Counts how many of the eight facts agree; absent agrees with absent. */
export function agreeing(before: RowFacts, after: RowFacts): number {
  return FACTS.filter((name) => before[name] === after[name]).length
}

/**
 * Matches rows that agree in everything first, then several rows that are one in the other filing, then the others one
 * to one: those that agree in most facts first, then with the nearest shares, then by place.
 */
export function matchRows<Row extends RowFacts>(table: readonly Row[], rows: readonly Row[]): Link<Row>[] {
  if (table.length === 0 || rows.length === 0) return []
  const [before, after] = [new Set(table), new Set(rows)]
  const links: Link<Row>[] = []
  const link = (one: Row, other: Row, unchanged: boolean) => {
    links.push({ before: one, after: other, unchanged })
    before.delete(one)
    after.delete(other)
  }
  const unchanged = Map.groupBy(table.toReversed(), ({ key }) => key)
  for (const row of rows) {
    const same = unchanged.get(row.key)?.pop()
    if (same) link(same, row, true)
  }
  for (const row of after) for (const tranche of tranches(row, before)) link(tranche, row, false)
  for (const row of before) for (const tranche of tranches(row, after)) link(row, tranche, false)
  for (const pair of pairs(before, after, closingBalances(table))) {
    if (before.has(pair.before) && after.has(pair.after)) link(pair.before, pair.after, false)
  }
  return links
}

/**
 * Returns the rows of the same line, date and code whose sum the row is, in the order of their balances, or none. They
 * lead from its opening balance to its balance, or are all there are and one of them has its balance.
 */
function tranches<Row extends RowFacts>(whole: RowFacts, rows: Set<Row>): Row[] {
  const like = [...rows].filter(
    (row) =>
      row.line === whole.line &&
      row.acquiredDisposed === whole.acquiredDisposed &&
      row.date === whole.date &&
      row.code === whole.code &&
      isAmount(row.shares),
  )
  if (like.length < 2 || whole.opening === '' || !like.some((row) => row.sharesAfter === whole.sharesAfter)) return []
  const path = balancePath(whole, like)
  if (path.length > 1) return path
  const sum = like.reduce((total, { size }) => add(total, size!), { units: 0n, scale: 0 })
  return toText(sum) === whole.shares ? like : []
}

/** Follows balances, which only rise or only fall: no row is met twice. */
function balancePath<Row extends RowFacts>(whole: RowFacts, like: Row[]): Row[] {
  const from = new Map(like.toReversed().map((row) => [row.opening, row]))
  const path: Row[] = []
  for (let at = whole.opening; at !== whole.sharesAfter;) {
    const next = from.get(at)
    if (!next) return []
    path.push(next)
    at = next.sharesAfter
  }
  return path
}

interface Pair<Row> {
  before: Row
  after: Row
  facts: number
  apart: Decimal
}

function pairs<Row extends RowFacts>(before: Set<Row>, after: Set<Row>, closing: ClosingBalances): Pair<Row>[] {
  const byAmount = new Map<string, Row[]>()
  for (const row of before) {
    for (const key of amounts(row)) append(byAmount, key, row)
  }
  const order = new Map([...before].map((row, index) => [row, index]))
  return [...after]
    .flatMap((row) => {
      const alike = new Set(amounts(row).flatMap((key) => byAmount.get(key) ?? []))
      return [...alike]
        .filter((other) => isMatch(other, row, closing))
        .map((other): Pair<Row> => ({
          before: other,
          after: row,
          facts: agreeing(other, row),
          apart: apart(other, row),
        }))
    })
    .sort(
      (a, b) =>
        b.facts - a.facts ||
        compare(a.apart, b.apart) ||
        a.after.place - b.after.place ||
        order.get(a.before)! - order.get(b.before)!,
    )
}

/** Returns keys of which two rows that match have one in common. */
function amounts({ shares, price, sharesAfter, opening }: RowFacts): string[] {
  return [
    ...(isAmount(shares) ? [`s${shares}`] : []),
    ...(isAmount(price) ? [`p${price}`] : []),
    ...(sharesAfter === '' ? [] : [`b${sharesAfter}`]),
    ...(opening === '' ? [] : [`o${opening}`]),
  ]
}

/** Checks whether the rows, which have an amount or the opening balance in common, are about the same transaction. */
function isMatch(before: RowFacts, after: RowFacts, closing: ClosingBalances): boolean {
  const sameKind = FACTS.slice(0, 5).every((name) => before[name] === after[name])
  if (sameKind && before.opening !== '' && before.opening === after.opening) return true
  if (isAddition(before, after, closing)) return false
  const amount =
    (before.shares === after.shares && isAmount(after.shares)) ||
    (before.price === after.price && isAmount(after.price)) ||
    (before.sharesAfter === after.sharesAfter && after.sharesAfter !== '')
  return amount && agreeing(before, after) >= FACTS_NEEDED
}

/**
 * Checks for a trade that was left out of the original: it begins where the line ended. A line of one row may have its
 * balance corrected by just the shares of that row.
 */
function isAddition(before: RowFacts, after: RowFacts, closing: ClosingBalances): boolean {
  const line = closing.get(after.line)
  if (!line?.balances.has(after.opening)) return false
  return line.rows > 1 || before.shares !== after.shares || before.price !== after.price
}

type ClosingBalances = Map<string, { rows: number; balances: Set<string> }>

/**
 * Returns where each line ends: balances from which no other row of it opens. Where it comes back to where it began,
 * any of them.
 */
function closingBalances(table: readonly RowFacts[]): ClosingBalances {
  const lines = Map.groupBy(table, ({ line }) => line)
  return new Map(
    [...lines].map(([line, rows]) => {
      const opened = Map.groupBy(rows, ({ opening }) => opening)
      const withBalance = rows.filter(({ sharesAfter }) => sharesAfter !== '')
      const last = withBalance.filter((row) => (opened.get(row.sharesAfter) ?? []).every((other) => other === row))
      const balances = new Set((last.length > 0 ? last : withBalance).map(({ sharesAfter }) => sharesAfter))
      return [line, { rows: rows.length, balances }]
    }),
  )
}

/** Returns the difference in shares; beyond any real one if either has none. */
function apart(before: RowFacts, after: RowFacts): Decimal {
  if (!before.size || !after.size) return { units: before.shares === after.shares ? 0n : 10n ** 30n, scale: 0 }
  const difference = subtract(before.size, after.size)
  return { units: difference.units < 0n ? -difference.units : difference.units, scale: difference.scale }
}

const isAmount = (text: string) => text !== '' && text !== '0'
