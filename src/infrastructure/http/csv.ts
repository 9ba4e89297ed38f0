// Writes transactions as CSV (RFC 4180): details follow the other fields, lists are joined, numbers are as in the JSON.
import type { components } from '../../contract.ts'

type Transaction = components['schemas']['Transaction']
type Detail = components['schemas']['TransactionDetail']

// Objects, so that a field of the contract that has no column here does not compile.
const FIELDS: Record<Exclude<keyof Transaction, 'detail'>, true> = {
  id: true,
  ticker: true,
  companyName: true,
  insiderName: true,
  insiderTitle: true,
  transactionType: true,
  shares: true,
  pricePerShare: true,
  totalValue: true,
  filingDate: true,
  significance: true,
  signals: true,
}
/** Details without a column: those from notices, and returns, which exist only if prices are loaded. */
type WithoutColumn = 'notices' | 'planAdoptedOn' | 'planAdoptedSource' | 'return1w' | 'return1m' | 'return6m'
const DETAILS: Record<Exclude<keyof Detail, WithoutColumn>, true> = {
  accessionNumber: true,
  transactionCode: true,
  acquiredDisposed: true,
  ownership: true,
  tradeDate: true,
  tradeDateStatus: true,
  sharesOwnedAfter: true,
  sharesStatus: true,
  priceStatus: true,
  filingDateBasis: true,
  plan10b51: true,
  planSource: true,
  ambiguousAmendment: true,
  issuerCik: true,
  insiderCik: true,
  form: true,
  securityTitle: true,
  sector: true,
  routine: true,
  holdingChange: true,
  holdingChangeKind: true,
  businessDaysToFile: true,
  late: true,
  isWeightedAverage: true,
  lowPrice: true,
  highPrice: true,
  coOwners: true,
  firstBuyInYears: true,
  previousBuyDate: true,
  url: true,
}
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
  return [...Object.keys(FIELDS), ...(isDetailed ? Object.keys(DETAILS) : [])].join(',') + END
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
  const details = detail ? Object.keys(DETAILS).map((name) => cell(detail[name])) : []
  return [...Object.keys(FIELDS).map((name) => cell(row[name])), ...details].join(',') + END
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
