// The sales of an issuer, indexed by those who may have sold: owners by CIK, and holders that rows name. Finding sales
// in a time window takes a binary search in the days of one seller.
import { append } from '../shared/append.ts'
import { dayNumber, isRealDate } from '../shared/calendar.ts'
import { parseDecimal, round, unitsAt } from '../shared/decimal.ts'
import type { Cik } from '../shared/identifiers.ts'
import { lowerBound } from '../shared/lower-bound.ts'
import { byPlace } from '../shared/order.ts'
import { classKey, DEPOSITARY } from './class-key.ts'
import { holdersOf } from './named-holders.ts'
import type { ReportedSale } from './reported-sale.ts'

/** Units are counted in steps of the fourth decimal place, as in EDGAR. */
export const UNIT_PLACES = 4

export interface DatedSale {
  sale: ReportedSale
  /** The day of the trade, as a number since 1970. */
  day: number
  units: bigint
  classKey: string
}

/** In days since 1970, both included. */
export interface DayWindow {
  from: number
  to: number
}

/** The sales of one seller, added in order of day, then of acceptance. */
class SalesOfSeller {
  readonly #days: number[] = []
  readonly #classes: string[] = []
  readonly #byClass = new Map<string, number[]>()
  /** For each sale the first later one of another class. */
  #nextOther: number[] | null = null

  add({ day, classKey }: DatedSale): void {
    this.#days.push(day)
    this.#classes.push(classKey)
    append(this.#byClass, classKey, day)
  }

  has(classKey: string, { from, to }: DayWindow): boolean {
    const days = this.#byClass.get(classKey) ?? []
    const first = days[firstFrom(days, from)]
    return first !== undefined && first <= to
  }

  /** Returns the class that was sold in the window; undefined if none was, null if several were. */
  onlyClass({ from, to }: DayWindow): string | null | undefined {
    const first = firstFrom(this.#days, from)
    const end = firstFrom(this.#days, to + 1)
    if (first >= end) return undefined
    this.#nextOther ??= this.#findNextOther()
    return this.#nextOther[first]! >= end ? this.#classes[first] : null
  }

  #findNextOther(): number[] {
    const next: number[] = []
    for (let at = this.#classes.length - 1; at >= 0; at -= 1) {
      next[at] = this.#classes[at] === this.#classes[at + 1] ? next[at + 1]! : at + 1
    }
    return next
  }
}

/** Returns the place of the first number that is at least `least`. */
const firstFrom = (sorted: readonly number[], least: number): number => lowerBound(sorted, (each) => each < least)

export const ownerKey = (cik: Cik): string => `owner ${cik}`

export class SalesBySeller {
  /** In order of day, acceptance and place. */
  readonly sales: DatedSale[]
  readonly #bySeller = new Map<string, SalesOfSeller>()
  readonly #sellers = new Map<DatedSale, string[]>()

  constructor(sales: readonly ReportedSale[]) {
    this.sales = sales.flatMap(dated).sort(inOrder)
    for (const each of this.sales) this.#add(each)
  }

  #add(each: DatedSale): void {
    const keys = [...new Set(each.sale.owners.map(({ cik }) => ownerKey(cik))), ...holdersOf(each.sale)]
    this.#sellers.set(each, keys)
    for (const key of keys) {
      const known = this.#bySeller.get(key) ?? new SalesOfSeller()
      known.add(each)
      this.#bySeller.set(key, known)
    }
  }

  sellersOf(sale: DatedSale): readonly string[] {
    return this.#sellers.get(sale) ?? []
  }

  /**
   * Returns the sellers who sold securities of a notice's class in a window, and that class as in their sales. A notice
   * without a class fits sales without one, else those of a class that is the only one sold.
   */
  soldBy(sellers: readonly string[], noticed: string, window: DayWindow): { sellers: string[]; classKey: string } {
    const known = sellers.filter((key) => this.#bySeller.has(key))
    const having = (sold: string) => known.filter((key) => this.#bySeller.get(key)!.has(sold, window))
    const equal = { sellers: having(noticed), classKey: noticed }
    if (equal.sellers.length > 0 || noticed !== '') return equal
    const classes = new Set(known.map((key) => this.#bySeller.get(key)!.onlyClass(window)))
    classes.delete(undefined)
    const [only] = classes
    if (classes.size !== 1 || only === null || only === undefined || only === DEPOSITARY) return equal
    return { sellers: having(only), classKey: only }
  }

  /** Returns whether the notice is of depositary shares and these sellers sold others, or the reverse. */
  soldOtherUnits(sellers: readonly string[], noticed: string, window: DayWindow): boolean {
    return sellers.some((key) => {
      const sales = this.#bySeller.get(key)
      if (!sales) return false
      if (noticed !== DEPOSITARY) return sales.has(DEPOSITARY, window)
      const only = sales.onlyClass(window)
      return only !== undefined && only !== DEPOSITARY
    })
  }
}

function dated(sale: ReportedSale): DatedSale[] {
  const shares = parseDecimal(sale.shares)
  if (sale.tradeDay === null || !isRealDate(sale.tradeDay) || shares === null) return []
  const units = unitsAt(round(shares, UNIT_PLACES), UNIT_PLACES)
  if (units <= 0n) return []
  return [{ sale, day: dayNumber(sale.tradeDay), units, classKey: classKey(sale.securityTitle) }]
}

/** Orders sales by day, acceptance and place. */
export function inOrder(a: DatedSale, b: DatedSale): number {
  return a.day - b.day || byPlace(a.sale, b.sale)
}
