// Writes transactions as CSV (RFC 4180): details follow the other fields, lists are joined, numbers are as in the JSON.
import { DETAIL_NAMES, TRANSACTION_NAMES } from '../../application/queries/transactions/transaction-fields.ts'
import type { components } from '../../contract.ts'

const END = '\r\n'

/** A number as its JSON text: a sum may have more digits than a JavaScript number keeps. */
class NumberText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Cell = string | NumberText | boolean | null | undefined | (string | CoOwner)[]
type CoOwner = components['schemas']['CoOwner']
type Row = Record<string, Cell> & { detail?: Record<string, Cell> }
type Revive = (key: string, value: unknown, context: { source: string }) => unknown

const keepNumberText: Revive = (_key, value, { source }) => (typeof value === 'number' ? new NumberText(source) : value)

/** Returns the first line, with the names of the columns. */
export function csvHead(isDetailed: boolean): string {
  return [...TRANSACTION_NAMES, ...(isDetailed ? DETAIL_NAMES : [])].join(',') + END
}

/** Returns the line of a Transaction that is given as JSON. */
export const csvLine = (json: string): string => lineOf(parsed(json) as Row)

/** Returns a FeedPage that is given as JSON, with the names of the columns above. */
export function csvPage(json: string, isDetailed: boolean): string {
  const { transactions } = parsed(json) as { transactions: Row[] }
  return csvHead(isDetailed) + transactions.map(lineOf).join('')
}

const parsed = (json: string): unknown => JSON.parse(json, keepNumberText as (key: string, value: unknown) => unknown)

function lineOf(row: Row): string {
  const { detail } = row
  const details = detail ? DETAIL_NAMES.map((name) => cell(detail[name])) : []
  return [...TRANSACTION_NAMES.map((name) => cell(row[name])), ...details].join(',') + END
}

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (value instanceof NumberText) return value.text
  if (Array.isArray(value)) return textCell(value.map(elementText).join('; '))
  return typeof value === 'boolean' ? String(value) : textCell(value)
}

/** `0001999105 EXEMPLAR CLARA, Director`, as in the month files. */
const elementText = (element: string | CoOwner): string =>
  typeof element === 'string' ? element : `${element.cik} ${[element.name, element.title].filter(Boolean).join(', ')}`

/** Spreadsheets run cells that begin like this as formulas, and names come from filers. */
const FORMULA = /^[=+\-@\t\r]/
const QUOTED = /[",\r\n]/

function textCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
