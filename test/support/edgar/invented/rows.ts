// The rows of an invented Form 4: what people do with shares, in the shapes that real filings have.
import type { DerivativeRowSpec, FilingSpec, RowSpec } from '../../filings/filing-builder.ts'

export type Shape =
  | 'purchase'
  | 'sale'
  | 'award'
  | 'vesting'
  | 'withholding'
  | 'exercise-and-sale'
  | 'gift'
  | 'option-grant'
  | 'fund'

export interface Rows {
  rows: RowSpec[]
  derivativeRows: DerivativeRowSpec[]
  footnotes: NonNullable<FilingSpec['footnotes']>
  /** The Rule 10b5-1 box. */
  plan: boolean
}

type Chance = () => number

const AVERAGE = { id: 'F1', text: 'The price is a weighted average of several transactions on that day.' }
const PLAN = { id: 'F2', text: 'Sold under a Rule 10b5-1 trading plan adopted on an earlier day.' }

/** `price` in dollars a share on `date`, around which trades lie. */
export function rowsOf(shape: Shape, price: number, date: string, chance: Chance): Rows {
  const none: Rows = { rows: [], derivativeRows: [], footnotes: [], plan: false }
  const held = Math.round(between(2_000, 400_000, chance))
  switch (shape) {
    case 'purchase':
      return { ...none, rows: tranches('P', between(100, 12_000, chance), price, date, held, chance) }
    case 'sale':
      return sale(tranches('S', between(300, 40_000, chance), price, date, held, chance), chance)
    case 'fund':
      return { ...none, rows: fundRows(price, date, chance) }
    case 'award':
      return { ...none, rows: [row('A', between(400, 60_000, chance), 0, date, held)] }
    case 'withholding':
      return { ...none, rows: [row('F', between(50, 6_000, chance), price, date, held)] }
    case 'gift':
      return { ...none, rows: [row('G', between(50, 5_000, chance), 0, date, held)] }
    case 'option-grant':
      return { ...none, derivativeRows: [option('A', between(1_000, 90_000, chance), price, date)] }
    case 'vesting':
      return { ...none, ...vesting(price, date, held, chance) }
    case 'exercise-and-sale':
      return exerciseAndSale(price, date, held, chance)
  }
}

function sale(rows: RowSpec[], chance: Chance): Rows {
  const plan = chance() < 0.4
  const footnotes = [AVERAGE, ...(plan ? [PLAN] : [])]
  const noted = rows.map((each) => ({ ...each, footnotes: { price: ['F1'], coding: plan ? ['F2'] : [] } }))
  return { rows: noted, derivativeRows: [], footnotes, plan }
}

/** A trade that took one to three prices. */
function tranches(code: string, shares: number, price: number, date: string, held: number, chance: Chance): RowSpec[] {
  const count = 1 + Math.floor(chance() * chance() * 3)
  let left = code === 'S' ? held + Math.round(shares) * count : held
  return Array.from({ length: count }, () => {
    const part = Math.max(1, Math.round(shares / count))
    left += code === 'S' ? -part : part
    return { ...row(code, part, price * (0.99 + 0.02 * chance()), date, 0), sharesAfter: String(left) }
  })
}

function fundRows(price: number, date: string, chance: Chance): RowSpec[] {
  const code = chance() < 0.6 ? 'P' : 'S'
  return tranches(code, between(20_000, 900_000, chance), price, date, 4_000_000, chance).map((each) => ({
    ...each,
    directIndirect: 'I' as const,
    nature: 'By the partnership',
  }))
}

/** Restricted stock units become shares, and some of these go for the tax. */
function vesting(price: number, date: string, held: number, chance: Chance): Pick<Rows, 'rows' | 'derivativeRows'> {
  const units = between(200, 20_000, chance)
  return {
    rows: [
      row('M', units, 0, date, held + units),
      row('F', Math.max(1, units * 0.38), price, date, held + units * 0.62),
    ],
    derivativeRows: [
      {
        ...option('M', units, 0, date),
        securityTitle: 'Restricted Stock Units',
        expirationDate: null,
        conversionPrice: '0',
        acquiredDisposed: 'D',
      },
    ],
  }
}

function exerciseAndSale(price: number, date: string, held: number, chance: Chance): Rows {
  const shares = between(1_000, 30_000, chance)
  const strike = price * (0.2 + 0.5 * chance())
  const sold = sale([row('S', shares, price, date, held)], chance)
  return {
    ...sold,
    rows: [row('M', shares, strike, date, held + shares), ...sold.rows],
    derivativeRows: [{ ...option('M', shares, strike, date), acquiredDisposed: 'D' }],
  }
}

function row(code: string, shares: number, price: number, date: string, sharesAfter: number): RowSpec {
  return {
    code,
    date,
    shares: whole(shares),
    price: dollars(price),
    acquiredDisposed: 'SFG'.includes(code) ? 'D' : 'A',
    sharesAfter: whole(sharesAfter),
  }
}

function option(code: string, shares: number, strike: number, date: string): DerivativeRowSpec {
  return {
    code,
    date,
    shares: whole(shares),
    price: '0',
    conversionPrice: dollars(strike),
    underlyingShares: whole(shares),
    exerciseDate: date,
    expirationDate: `${Number(date.slice(0, 4)) + 9}${date.slice(4, 8)}01`,
    sharesAfter: whole(shares),
  }
}

/** Evenly in orders of magnitude, so that small trades are the most. */
function between(least: number, most: number, chance: Chance): number {
  return Math.round(least * Math.exp(chance() * Math.log(most / least)))
}

function whole(shares: number): string {
  return String(Math.round(shares))
}

/** To the cent, or to a hundredth of one where it is an average. */
function dollars(price: number): string {
  return price === 0 ? '0' : price < 20 ? price.toFixed(4) : price.toFixed(2)
}
