// Turns the validator's messages into ones for people who don't know JSON Schema.
import type { ErrorDetail } from '../../../application/errors.ts'

/** As in express-openapi-validator; `errorCode` is the schema's keyword and a fixed ending, or absent. */
interface ValidationFault {
  path: string
  message: string
  errorCode?: string
}

const TICKER = 'must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193'
const CIK = 'must be a CIK of 1 to 10 digits'
/** What a value that fails its pattern must be, by the last name in its path. */
const FORMS: Record<string, string> = {
  name: 'must have no line breaks or other control characters',
  cursor: 'must be the nextCursor of a page, unchanged',
  after: 'must be the nextCursor of a page, unchanged, or earliest',
  ticker: TICKER,
  tickers: TICKER,
  cik: CIK,
  issuerCiks: CIK,
  insiderCiks: CIK,
  accessionNumber: 'must be an accession number such as 0000320193-26-000042, or 18 digits, or local-...',
  dataset: 'must be the name of a dataset, as GET /v1/exports lists them',
  file: 'must be a file of the dataset, such as 2026-11.parquet or all.parquet',
}
const ALERT_ID = 'must be the id of an alert, such as alr_0123456789abcdefghij'
/** What an `id` in the path must be, by a word in the operation's name. */
const IDS: [operation: RegExp, form: string][] = [
  [/Signal/, 'must be the id of a signal, such as ceo_trade-1999001-1999101-2026-10-30-buy'],
  [/Delivery/, 'must be the id of a delivery, as its header webhook-id and /v1/watchlist/deliveries have it'],
  [/Alert/, ALERT_ID],
]
const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  null: 'null',
  object: 'a JSON object',
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
}

/** Makes the message for each keyword that request schemas use, from the validator's message and the value's name. */
export const WORDS: Record<string, (message: string, name: string) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a field of this operation',
  type: (message) => {
    const types = message.replace(/^must be /, '').split(',')
    return `must be ${types.map((type) => TYPE_WORDS[type] ?? type).join(' or ')}`
  },
  enum: (message) => {
    const values = message.slice(message.indexOf(': ') + 2)
    return values.includes(', ') ? `must be one of ${values}` : `must be ${values}`
  },
  minLength: (message) =>
    numberIn(message) === 1 ? 'must not be empty' : `must have at least ${numberIn(message)} characters`,
  maxLength: (message) => `must have at most ${numberIn(message)} characters`,
  minItems: () => 'must not be an empty list',
  maxItems: (message) => `must have at most ${numberIn(message)} elements`,
  minimum: (message) => `must be at least ${numberIn(message)}`,
  maximum: (message) => `must be at most ${numberIn(message)}`,
  pattern: (_, name) => FORMS[name] ?? 'must have the form that /docs/reference shows',
}

function inWords({ path, message, errorCode }: ValidationFault, operation: string): string {
  const keyword = errorCode?.split('.')[0] ?? ''
  if (message.startsWith('Empty value found')) return 'must not be empty'
  const id = path === '/params/id' ? IDS.find(([name]) => name.test(operation)) : undefined
  if (id) return id[1]
  const name = path.split('/').findLast((part) => !/^\d*$/.test(part)) ?? ''
  if (name === 'alertId') return ALERT_ID
  const words = WORDS[keyword]?.(message, name)
  return words ?? 'must be as /docs/reference shows'
}

const numberIn = (message: string) => Number(/-?\d+(\.\d+)?/.exec(message)?.[0])

/** Returns what the validator found wrong with a request; null if the error is not the validator's. */
export function faultsOfValidator(error: unknown, operation = ''): ErrorDetail[] | null {
  const { status, errors } = (error ?? {}) as { status?: number; errors?: ValidationFault[] }
  return status === 400 && errors ? errors.map((fault) => toDetail(fault, operation)) : null
}

/** Converts `/params/ticker` to `path.ticker`. */
function toDetail(fault: ValidationFault, operation: string): ErrorDetail {
  const parts = fault.path.split('/').filter(Boolean)
  if (parts[0] === 'params') parts[0] = 'path'
  return { path: parts.join('.').slice(0, 128), message: inWords(fault, operation) }
}
