// Errors of requests that do not meet the contract: one answer names everything that is wrong, in its message too.
import { ServiceError, type ErrorCode, type ErrorDetail } from '../../application/errors.ts'

/** The number of faults that the message spells out; `details` has all. */
const MAX_NAMED = 3

/** Returns the error for these faults, of which there must be at least one. */
export function invalidRequest(details: ErrorDetail[], cause?: unknown): ServiceError {
  return new ServiceError(codeOf(details), messageOf(details), details, cause === undefined ? {} : { cause })
}

/** The properties of T that are not undefined. */
export type Defined<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
}

/** Returns the properties that are not undefined. */
export function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}

/**
 * Runs all parsers and returns their results, without those that are undefined. If any refuse the request, throws one
 * error with the details of all.
 */
export function parseEach<T extends object>(parsers: { [Name in keyof T]: () => T[Name] }): Defined<T> {
  const results: Partial<T> = {}
  const details: ErrorDetail[] = []
  for (const name in parsers) {
    try {
      results[name] = parsers[name]()
    } catch (error) {
      if (!isInvalid(error)) throw error
      details.push(...error.details!)
    }
  }
  if (details.length > 0) throw invalidRequest(details)
  return defined(results as T)
}

/** Returns the details that `parse` throws, none if it throws nothing. */
export function faultsOf(parse: () => unknown): ErrorDetail[] {
  try {
    parse()
    return []
  } catch (error) {
    if (isInvalid(error)) return error.details!
    throw error
  }
}

const INVALID: readonly ErrorCode[] = ['invalid_parameter', 'invalid_cursor', 'invalid_body']

const isInvalid = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && INVALID.includes(error.code) && error.details !== undefined

function codeOf(details: ErrorDetail[]): ErrorCode {
  const everywhere = (place: string) => details.every(({ path }) => path === place || path.startsWith(`${place}.`))
  // A cursor parameter that is repeated, badly encoded or unknown to the operation is not an invalid cursor.
  const concernsValue = details.every(({ message }) => !message.startsWith('is '))
  if (concernsValue && (everywhere('query.cursor') || everywhere('query.after'))) return 'invalid_cursor'
  return everywhere('body') ? 'invalid_body' : 'invalid_parameter'
}

function messageOf(details: ErrorDetail[]): string {
  const texts = [...new Set(details.map(textOf))]
  const left = texts.length - MAX_NAMED
  return [...texts.slice(0, MAX_NAMED), ...(left > 0 ? [`and ${left} more, see details`] : [])].join('; ')
}

/** Names the place of the fault, unless the message does: `limit must be ...`, `The body must be ...`. */
function textOf({ path, message }: ErrorDetail): string {
  const name = path.slice(path.indexOf('.') + 1)
  if (message.startsWith('element ')) return `${name}: ${message}`
  if (!/^(is|must) /.test(message)) return message
  return `${path === 'query' ? 'The query string' : path === 'body' ? 'The body' : name} ${message}`
}
