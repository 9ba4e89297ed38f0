// Marks of the pictures: what one person traded on one day in one direction, as the rules of signals count. Pure:
// tested without a browser.
import type { Transaction } from '../../client/index.ts'
import { dayOf, insiderName, money, price, shares } from '../format.ts'
import { dayNumber } from './scale.ts'

export interface Mark {
  id: string
  cik: string
  name: string
  title: string
  ticker: string
  day: string
  at: number
  isBuy: boolean
  /** The trade date is impossible or doubtful: the day of filing stands for it. */
  isFiledDay: boolean
  /** All of it under a plan. */
  isPlan: boolean
  shares: number
  value: number
  price: number
  rows: number
}

/** Returns the marks of open-market trades, and how many rows are left out for want of a plausible price. */
export function marksOf(rows: readonly Transaction[]): { marks: Mark[]; leftOut: number } {
  const marks = new Map<string, Mark>()
  let leftOut = 0
  for (const row of rows) {
    const { detail } = row
    if (detail === undefined || !['buy', 'sell'].includes(row.transactionType)) continue
    if (detail.priceStatus !== 'as_filed' || detail.sharesStatus !== 'as_filed' || row.totalValue <= 0) {
      leftOut += 1
      continue
    }
    const isFiledDay = detail.tradeDateStatus !== 'plausible'
    const day = isFiledDay ? dayOf(row.filingDate, 'ET') : detail.tradeDate
    const id = `${detail.insiderCik} ${day} ${row.transactionType} ${row.ticker} ${isFiledDay}`
    const mark = marks.get(id)
    if (mark === undefined) {
      marks.set(id, {
        id,
        cik: detail.insiderCik,
        name: insiderName(row.insiderName),
        title: row.insiderTitle,
        ticker: row.ticker,
        day,
        at: dayNumber(day),
        isBuy: row.transactionType === 'buy',
        isFiledDay,
        isPlan: detail.plan10b51 === 'yes',
        shares: row.shares,
        value: row.totalValue,
        price: row.pricePerShare,
        rows: 1,
      })
      continue
    }
    mark.shares += row.shares
    mark.value += row.totalValue
    mark.rows += 1
    mark.price = mark.value / mark.shares
    mark.isPlan &&= detail.plan10b51 === 'yes'
  }
  return { marks: [...marks.values()].sort((one, other) => one.at - other.at), leftOut }
}

const cents = (value: number): number => Math.round(value * 100) / 100

/** Returns a mark in words. */
export function markWords({ name, title, isBuy, day, value, price: paid, isPlan, ...mark }: Mark): string {
  const plan = isPlan ? ', under a 10b5-1 plan' : ''
  const on = mark.isFiledDay ? `filed ${day}, the trade date filed is not plausible` : day
  const who = title === '' ? name : `${name} (${title})`
  const at = mark.rows > 1 ? `an average of ${price(cents(paid))} in ${mark.rows} trades` : price(cents(paid))
  return `${on}: ${who} ${isBuy ? 'bought' : 'sold'} ${shares(cents(mark.shares))} at ${at}, ${money(value)}${plan}`
}

/** Returns the days that a picture of sorted marks spans, with room at both ends. */
export function spanOf(marks: readonly Mark[]): { from: number; to: number } {
  const [first, last] = [marks[0]!.at, marks.at(-1)!.at]
  const room = Math.max(5, (last - first) * 0.03)
  return { from: first - room, to: last + room }
}

/** Returns what was bought and what was sold. */
export function sumsOf(marks: readonly Mark[]): [bought: number, sold: number] {
  const sums: [number, number] = [0, 0]
  for (const { isBuy, value } of marks) sums[isBuy ? 0 : 1] += value
  return sums
}

export interface Month {
  month: string
  buys: number
  sells: number
  bought: number
  sold: number
}

/** Returns every month from the first mark to the last, also those without a trade. */
export function monthsOf(marks: readonly Mark[]): Month[] {
  if (marks.length === 0) return []
  const months = new Map<string, Month>()
  const first = new Date(marks[0]!.at * 86_400_000)
  const last = marks.at(-1)!.day.slice(0, 7)
  for (let number = 0; ; number += 1) {
    const month = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + number, 1)).toISOString().slice(0, 7)
    months.set(month, { month, buys: 0, sells: 0, bought: 0, sold: 0 })
    if (month >= last) break
  }
  for (const { day, isBuy, value } of marks) {
    const month = months.get(day.slice(0, 7))!
    month[isBuy ? 'buys' : 'sells'] += 1
    month[isBuy ? 'bought' : 'sold'] += value
  }
  return [...months.values()]
}
