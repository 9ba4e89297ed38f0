// Allocates sold units to notices, each unit once, day by day. Of the notices that fit a sale, one for that day comes
// first, else the oldest.
import { SortedNumbers } from '../shared/sorted-numbers.ts'
import type { DatedSale, DayWindow } from './sales-by-seller.ts'

/** One whole unit. Notices have whole units, sales may have fractions, so less than one unit may be left over. */
export const ONE_UNIT = 10_000n

/** What a notice, or several for the same shares, announces of one class for one day. */
export interface Offer {
  units: bigint
  /** The sale date, in days since 1970. */
  saleDay: number
  window: DayWindow
  /** Keys of the sellers whose sales count, and the class of these sales. */
  sellers: readonly string[]
  classKey: string
}

export interface Allocation {
  sale: DatedSale
  units: bigint
}

/**
 * Returns the allocations of each offer, in the order of the offers, which is from the oldest to the youngest. `sales`
 * are in order of day, acceptance and place.
 */
export function allocateSales(
  offers: readonly Offer[],
  sales: readonly DatedSale[],
  sellersOf: (sale: DatedSale) => readonly string[],
): Allocation[][] {
  const claims = offers.map((offer, rank) => new Claim(offer, rank))
  const pools = new Pools(claims)
  const byDay = Map.groupBy(claims, ({ offer }) => offer.saleDay)
  for (const [day, ofDay] of Map.groupBy(sales, ({ day }) => day)) {
    const wanted: { sale: DatedSale; pools: Pool[] }[] = []
    for (const sale of ofDay) {
      const found = pools.of(sellersOf(sale), sale.classKey)
      for (const pool of found) pool.expect(sale)
      if (found.length > 0) wanted.push({ sale, pools: found })
    }
    if (wanted.length === 0) continue
    const totals = new Totals(day)
    for (const claim of byDay.get(day) ?? []) claim.wait(totals)
    for (const { sale, pools } of wanted) allocate(sale, pools)
  }
  return claims.map(({ allocations }) => allocations)
}

function allocate(sale: DatedSale, pools: readonly Pool[]): void {
  let left = sale.units
  for (const pick of [exactOfDay, oldestOfDay, oldestWithin]) {
    while (left > 0n) {
      const claim = oldestOf(pools, (pool) => pick(pool, sale.day))
      if (!claim) break
      left -= claim.take(sale, left)
    }
  }
}

const exactOfDay = (pool: Pool, day: number): Claim | undefined => pool.exactOfDay.next(day)
const oldestOfDay = (pool: Pool, day: number): Claim | undefined => pool.ofDay.next(day)
const oldestWithin = (pool: Pool, day: number): Claim | undefined => pool.oldest(day)

function oldestOf(pools: readonly Pool[], pick: (pool: Pool) => Claim | undefined): Claim | undefined {
  let oldest: Claim | undefined
  for (const pool of pools) {
    const claim = pick(pool)
    if (claim && (!oldest || claim.rank < oldest.rank)) oldest = claim
  }
  return oldest
}

/** An offer with the sales that have been allocated to it. */
class Claim {
  readonly offer: Offer
  readonly rank: number
  readonly allocations: Allocation[] = []
  pools: Pool[] = []
  #open: bigint

  constructor(offer: Offer, rank: number) {
    this.offer = offer
    this.rank = rank
    this.#open = offer.units
  }

  /** Whether it takes sales of this day. A remainder of less than a unit takes no sales of a later day. */
  takes(day: number): boolean {
    if (this.#open === 0n || day > this.offer.window.to) return false
    return this.#open > ONE_UNIT || this.allocations.length === 0 || this.allocations.at(-1)!.sale.day === day
  }

  take(sale: DatedSale, most: bigint): bigint {
    const units = most < this.#open ? most : this.#open
    this.#open -= units
    this.allocations.push({ sale, units })
    return units
  }

  /** Joins the queues for the sales of its day. */
  wait(totals: Totals): void {
    if (this.pools.length === 0) return
    const difference = this.#open - totals.of(this.pools)
    const isExact = difference <= ONE_UNIT && difference >= -ONE_UNIT
    for (const pool of this.pools) {
      pool.ofDay.add(this, totals.day)
      if (isExact) pool.exactOfDay.add(this, totals.day)
    }
  }
}

/** Claims for one day, the oldest first. */
class Queue {
  #day = Number.NaN
  #claims: Claim[] = []
  #at = 0

  add(claim: Claim, day: number): void {
    if (day !== this.#day) [this.#day, this.#claims, this.#at] = [day, [], 0]
    this.#claims.push(claim)
  }

  next(day: number): Claim | undefined {
    if (day !== this.#day) return undefined
    while (this.#claims[this.#at]?.takes(day) === false) this.#at += 1
    return this.#claims[this.#at]
  }
}

/** The claims to the sales of one seller and class. */
class Pool {
  readonly ofDay = new Queue()
  readonly exactOfDay = new Queue()
  readonly id: number
  /** The sales of the day that is being allocated. */
  sales: DatedSale[] = []
  #byStart: Claim[] = []
  #started = 0
  /** Ranks of claims whose window has begun. */
  readonly #open = new SortedNumbers()
  readonly #byRank: readonly Claim[]

  constructor(id: number, byRank: readonly Claim[]) {
    this.id = id
    this.#byRank = byRank
  }

  add(claim: Claim): void {
    this.#byStart.push(claim)
  }

  sort(): void {
    this.#byStart.sort((a, b) => a.offer.window.from - b.offer.window.from || a.rank - b.rank)
  }

  expect(sale: DatedSale): void {
    if (this.sales[0]?.day !== sale.day) this.sales = []
    this.sales.push(sale)
  }

  /** Returns the oldest whose window includes the day. Days only increase, so claims that take no more are dropped. */
  oldest(day: number): Claim | undefined {
    for (; (this.#byStart[this.#started]?.offer.window.from ?? Infinity) <= day; this.#started += 1) {
      this.#open.add(this.#byStart[this.#started]!.rank)
    }
    for (let rank = this.#open.at(0); rank !== undefined; rank = this.#open.at(0)) {
      const claim = this.#byRank[rank]!
      if (claim.takes(day)) return claim
      this.#open.remove(rank)
    }
    return undefined
  }
}

class Pools {
  readonly #bySeller = new Map<string, Map<string, Pool>>()

  constructor(claims: readonly Claim[]) {
    let count = 0
    for (const claim of claims) {
      const { sellers, classKey } = claim.offer
      claim.pools = sellers.map((seller) => {
        const ofSeller = this.#bySeller.get(seller) ?? new Map<string, Pool>()
        this.#bySeller.set(seller, ofSeller)
        const pool = ofSeller.get(classKey) ?? new Pool((count += 1), claims)
        ofSeller.set(classKey, pool)
        pool.add(claim)
        return pool
      })
    }
    for (const ofSeller of this.#bySeller.values()) for (const pool of ofSeller.values()) pool.sort()
  }

  of(sellers: readonly string[], classKey: string): Pool[] {
    return sellers.flatMap((seller) => this.#bySeller.get(seller)?.get(classKey) ?? [])
  }
}

/** Sums of the units sold in one day, by the pools of a claim. */
class Totals {
  readonly day: number
  readonly #known = new Map<string, bigint>()

  constructor(day: number) {
    this.day = day
  }

  of(pools: readonly Pool[]): bigint {
    const key = pools.map(({ id }) => id).join(' ')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const sales = new Set(pools.flatMap((pool) => (pool.sales[0]?.day === this.day ? pool.sales : [])))
    let total = 0n
    for (const { units } of sales) total += units
    this.#known.set(key, total)
    return total
  }
}
