// Reverse splits of one class of an issuer, as balances show them: a line opens at a whole fraction of what it closed
// at in the filing before. Prices rise by the same factor then, which is no typing error.
import type { DateText, DecimalText } from '../../shared/identifiers.ts'
import { parseDecimal, round, unitsAt } from '../../shared/decimal.ts'
import { SortedNumbers } from '../../shared/sorted-numbers.ts'
import type { TradeFacts } from '../trade.ts'

export interface BalanceRow extends Pick<
  TradeFacts,
  'id' | 'filedDay' | 'ownerCiks' | 'acquiredDisposed' | 'directIndirect' | 'shares' | 'sharesAfter'
> {}

/** In ten-thousandths of a share, the places that EDGAR keeps. */
const ONE = 10_000
/** Fractions of a share are paid out or rounded up. */
const ROUNDING = ONE
/** Fewer shares are near a whole fraction of nearly any number. */
const LEAST_OPENING = 20 * ONE
/** A line of one owner with more ends in a filing is several lines, such as trusts; most have one. */
const MOST_ENDS = 8

/** Where a line ended in a filing. */
interface End {
  balance: number
  gone: boolean
}

interface ShownSplit {
  id: string
  day: DateText
  factor: number
  gone: boolean
}

/** Must be given the filings in the order of (acceptance, accession), the rows of the class alone. */
export class ReverseSplits {
  /** The ends of each line, filing by filing, the newest last. */
  #lines = new Map<string, End[][]>()
  #ends = new Map<string, End[]>()
  #shown = new Map<string, ShownSplit>()
  #queue: ShownSplit[] = []
  #oldest = 0
  #factors = new SortedNumbers()

  /** Takes the balances of a filing; returns the factors of the splits that they show. */
  take(rows: readonly BalanceRow[]): number[] {
    const factors: number[] = []
    for (const [line, own] of Map.groupBy(rows, lineOf)) {
      const balances = own.flatMap((row) => balancesOf(row) ?? [])
      if (balances.length === 0) continue
      const filings = this.#lines.get(line) ?? []
      this.#lines.set(line, filings)
      const split = splitBetween(newestEnds(filings), apart(balances, 'opening', 'closing'))
      if (split) {
        this.#show({ ...split, day: own[0]!.filedDay, gone: false })
        factors.push(split.factor)
      }
      const ends = apart(balances, 'closing', 'opening').map(({ closing }): End => ({ balance: closing, gone: false }))
      filings.push(ends)
      for (const { id } of balances) this.#ends.set(id, ends)
    }
    return factors
  }

  /** Forgets a superseded row: what followed from its balances was not filed so. */
  forget(id: string): void {
    for (const end of this.#ends.get(id) ?? []) end.gone = true
    this.#ends.delete(id)
    const split = this.#shown.get(id)
    if (split) this.#remove(split)
  }

  /** Forgets the splits that were shown before this day. */
  expire(before: DateText): void {
    for (; this.#oldest < this.#queue.length; this.#oldest++) {
      const split = this.#queue[this.#oldest]!
      if (split.day >= before) return
      this.#remove(split)
    }
  }

  /** Returns whether a split by a factor between these is shown. */
  isShown(least: number, most: number): boolean {
    return (this.#factors.lowestFrom(least) ?? Infinity) <= most
  }

  #show(split: ShownSplit): void {
    this.#shown.set(split.id, split)
    this.#queue.push(split)
    this.#factors.add(split.factor)
  }

  #remove(split: ShownSplit): void {
    if (split.gone) return
    split.gone = true
    this.#shown.delete(split.id)
    this.#factors.remove(split.factor)
  }
}

/** Returns the balances of the newest filing that stands, and drops those that don't. */
function newestEnds(filings: End[][]): number[] {
  while (filings.at(-1)?.every(({ gone }) => gone)) filings.pop()
  return (filings.at(-1) ?? []).map(({ balance }) => balance)
}

const lineOf = ({ ownerCiks, directIndirect }: BalanceRow): string =>
  `${directIndirect} ${ownerCiks.toSorted().join(' ')}`

interface Balances {
  id: string
  opening: number
  closing: number
}

function balancesOf({ id, acquiredDisposed, shares, sharesAfter }: BalanceRow): Balances | null {
  const sign = { A: 1, D: -1 }[acquiredDisposed]
  if (sign === undefined || sharesAfter === null) return null
  const closing = unitsOf(sharesAfter)
  return { id, opening: closing - sign * unitsOf(shares), closing }
}

/** Returns the rows whose balance of one kind is none of the other kind in their filing; none if there are too many. */
function apart(rows: readonly Balances[], kind: 'opening' | 'closing', other: 'opening' | 'closing'): Balances[] {
  const others = new Set(rows.map((row) => row[other]))
  const found = rows.filter((row) => !others.has(row[kind]))
  return found.length > MOST_ENDS ? [] : found
}

/** Returns the row that opens at a whole fraction of a balance before; null if there is none, or one continues it. */
function splitBetween(before: readonly number[], after: readonly Balances[]): Pick<ShownSplit, 'id' | 'factor'> | null {
  if (after.some(({ opening }) => before.includes(opening))) return null
  for (const { id, opening } of after) {
    for (const large of before) {
      const factor = Math.round(large / opening)
      if (opening >= LEAST_OPENING && factor > 1 && Math.abs(large / factor - opening) <= ROUNDING)
        return { id, factor }
    }
  }
  return null
}

const unitsOf = (amount: DecimalText): number => Number(unitsAt(round(parseDecimal(amount)!, 4), 4))
