// Totals of a company's or an insider's list: what its profile sums up over all transactions and filings. Those of
// companies and of insiders with long lists are kept ready in a row of the list itself, which comes first: its key is
// the list and `=`. Every insert that adds, changes or removes rows of a list removes that row as well, so that it is
// there only while it is true; make-totals.ts makes it again. Without it the totals are made from the rows, by the same
// code.
import type { Cik, Ticker } from '../../../domain/shared/identifiers.ts'
import type { InsertRow } from '../connection/client.ts'
import type { TransactionList } from '../queries/shared/transaction-list.ts'

/** Rows of a list that are read with its profile, more than are shown. Insiders with fewer need no totals. */
export const PROFILE_ROWS = 32

/** What a filing says of its company or insider. */
export interface ProfileFiling {
  name: string
  symbols: Ticker[]
  sector: string
  sic: string
}

/** The transactions with one other side: an insider of the company, a company of the insider. */
export interface SideTotals {
  cik: Cik
  /** As in the newest transaction, also the title and the symbol. */
  name: string
  title: string
  ticker: string
  buys: number
  sells: number
  /** In cents, of buys and sells at credible prices. */
  cents: bigint
  /** The newest possible day of a transaction. */
  lastDay: string | null
}

export interface ListTotals {
  /** Those with the newest transactions first. */
  sides: SideTotals[]
  /** Of the insiders in its transactions, without repetition, newest first. */
  titles: string[]
  /** Without repetition, newest first. */
  filings: ProfileFiling[]
  /** Eight hexadecimal digits of the newest filing's time; empty without filings. */
  newestFiling: string
}

/** A row of a list: its key, with or without the list, and what the profile sums up. */
export interface ListedRow {
  key: string
  summed: string
}

/** Returns the key of the row that has the totals of a list. */
export const totalsKey = (list: string): string => `${list}=`

/** Returns the list that such a key belongs to. */
export const listOfTotals = (key: string): TransactionList => key.slice(0, -1) as TransactionList

export const isTotals = (key: string): boolean => key.endsWith('=')

/** A `#` in place of the colon marks a filing. */
export const isFiling = (key: string): boolean => key.includes('#')

/** Sums up the rows of a list, which come newest first. */
export function totalsOfRows(rows: Iterable<ListedRow>): ListTotals {
  const sides = new Map<Cik, SideTotals>()
  const titles = new Set<string>()
  const filings = new Map<string, ProfileFiling>()
  let newestFiling = ''
  for (const { key, summed } of rows) {
    if (isFiling(key)) {
      if (filings.size === 0) newestFiling = key.slice(key.indexOf('#') + 1).slice(0, 8)
      if (!filings.has(summed)) filings.set(summed, parseFiling(summed))
      continue
    }
    const [cik, name, title, ticker, type, value, day] = JSON.parse(summed) as RowSums
    titles.add(title)
    let side = sides.get(cik)
    if (!side) sides.set(cik, (side = { cik, name, title, ticker, buys: 0, sells: 0, cents: 0n, lastDay: null }))
    if (type === 'buy') side.buys += 1
    else if (type === 'sell') side.sells += 1
    if (value !== '') side.cents += toCents(value)
    if (day !== null && (side.lastDay === null || day > side.lastDay)) side.lastDay = day
  }
  return { sides: [...sides.values()], titles: [...titles], filings: [...filings.values()], newestFiling }
}

type RowSums = [cik: Cik, name: string, title: string, ticker: string, type: string, value: string, day: string | null]

function toCents(value: string): bigint {
  const [dollars = '0', cents = ''] = value.split('.')
  return BigInt(dollars || '0') * 100n + BigInt(cents.padEnd(2, '0'))
}

/** Reads what the list says of a filing. */
export function parseFiling(text: string): ProfileFiling {
  const [name, symbols, sector, sic] = JSON.parse(text) as FilingTexts
  return { name, symbols, sector, sic }
}

type FilingTexts = [name: string, symbols: Ticker[], sector: string, sic: string]

/** Returns the totals as the row has them. */
export function totalsText({ sides, titles, filings, newestFiling }: ListTotals): string {
  return JSON.stringify([
    sides.map(({ cik, name, title, ticker, buys, sells, cents, lastDay }): SideTexts => {
      return [cik, name, title, ticker, buys, sells, String(cents), lastDay]
    }),
    titles,
    filings.map(({ name, symbols, sector, sic }): FilingTexts => [name, symbols, sector, sic]),
    newestFiling,
  ])
}

type SideTexts = [
  ...[cik: Cik, name: string, title: string, ticker: string],
  ...[buys: number, sells: number, cents: string, lastDay: string | null],
]

/** Reads what `totalsText` wrote. */
export function parseTotals(text: string): ListTotals {
  const [sides, titles, filings, newestFiling] = JSON.parse(text) as [SideTexts[], string[], FilingTexts[], string]
  return {
    sides: sides.map(([cik, name, title, ticker, buys, sells, cents, lastDay]) => {
      return { cik, name, title, ticker, buys, sells, cents: BigInt(cents), lastDay }
    }),
    titles,
    filings: filings.map(([name, symbols, sector, sic]) => ({ name, symbols, sector, sic })),
    newestFiling,
  }
}

/** Returns the buys and sells of these sides, and the newest day. */
export function sumOf(sides: readonly SideTotals[]): { buys: number; sells: number; lastDay: string | null } {
  let [buys, sells, lastDay]: [number, number, string | null] = [0, 0, null]
  for (const side of sides) {
    buys += side.buys
    sells += side.sells
    if (side.lastDay !== null && (lastDay === null || side.lastDay > lastDay)) lastDay = side.lastDay
  }
  return { buys, sells, lastDay }
}

/** Returns the row that removes the totals of a list whose rows change under this version. */
export const goneTotalsRow = (list: string, version: number): InsertRow => ({
  ...totalsRowKey(list, version),
  deleted: 1,
})

export const totalsRow = (list: string, totals: ListTotals, version: number): InsertRow => ({
  ...totalsRowKey(list, version),
  summed: totalsText(totals),
  deleted: 0,
})

/** The CIK of the list stands for the issuer's, also an insider's: it keeps all versions of the row on one shard. */
const totalsRowKey = (list: string, version: number): InsertRow => ({
  key: totalsKey(list),
  issuer_cik: Number(list.slice(1)),
  version,
  trader: 0,
})
