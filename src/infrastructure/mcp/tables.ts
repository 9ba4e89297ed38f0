// Tables as text for a language model: a header, a line for each row, `|` between cells. Text from filings is data
// written by strangers: it is cut, its invisible characters are escaped, and it can't end a cell or a line.
import { printable } from '../printable.ts'

export type Cell = string | number | boolean | null | undefined

const MAX_CELL = 80
const UNITS: readonly [value: number, letter: string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
]

/** Returns a number in few characters: `1.2M`, `48.13`. Below 10,000 it is exact to two decimal places. */
export function shortNumber(value: number): string {
  if (Math.abs(value) < 1) return String(Number(value.toPrecision(4)))
  if (Math.abs(value) < 10_000) return String(Number(value.toFixed(2)))
  const rounded = Number(value.toPrecision(3))
  const [unit, letter] = UNITS.find(([least]) => Math.abs(rounded) >= least)!
  return `${Number((rounded / unit).toPrecision(3))}${letter}`
}

/** Returns text in one line, of at most 80 characters before escapes. */
export function cell(value: Cell, most = MAX_CELL): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'number') return shortNumber(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const cut = value.length > most ? `${value.slice(0, most - 1)}…` : value
  return printable(cut).replaceAll('|', String.raw`\|`)
}

export type Columns<Row> = { readonly [name: string]: (row: Row) => Cell }

/** Returns the header and the rows as lines, without columns that are undefined in all of them. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const shown = Object.entries(columns).filter(([, column]) => rows.some((row) => column(row) !== undefined))
  const lines = rows.map((row) => shown.map(([, column]) => cell(column(row))))
  return [shown.map(([name]) => name), ...lines].map((cells) => cells.join(' | ')).join('\n')
}

/** Returns `name: value` pairs in one line. */
export function facts(pairs: { readonly [name: string]: Cell }): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}: ${cell(value)}`)
    .join('; ')
}

/** Returns a titled part of an answer; `empty` where it has no rows. */
export function part<Row>(title: string, rows: readonly Row[], columns: Columns<Row>, empty = 'none'): string {
  return rows.length === 0 ? `${title}: ${empty}` : `${title}:\n${table(rows, columns)}`
}

/** Returns a day and a time in UTC without seconds. */
export const minute = (timestamp: string): string => timestamp.slice(0, 16).replace('T', ' ')
