// The request target, parsed once and strictly, before any library reads it its own way. Express, its router and the
// validator each parse it again; they agree only on targets that are plain.
import { ServiceError } from '../../../application/errors.ts'
import type { DocumentedOperation, QueryParameter } from './document.ts'

export interface Target {
  /** Still percent-encoded, always beginning with `/`. */
  path: string
  /** Without the `?`; null if there is none. */
  query: string | null
}

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i
const PRINTABLE = /^[\x21-\x7e]+$/

/**
 * Returns null if the target is neither a path nor an absolute address (which RFC 9112 obliges a server to accept; the
 * authority means nothing here). A fragment is never part of a request, and only printable ASCII is.
 */
export function parseTarget(raw: string): Target | null {
  const target = raw.startsWith('/') ? raw : withoutAuthority(raw)
  if (target === null || target.includes('#') || !PRINTABLE.test(target)) return null
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  return decode(path) === null ? null : { path, query: mark < 0 ? null : target.slice(mark + 1) }
}

function withoutAuthority(raw: string): string | null {
  const match = ABSOLUTE_FORM.exec(raw)
  if (!match) return null
  const rest = raw.slice(match[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Returns null for bad percent-encoding and for bytes that are not UTF-8. */
export function decode(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Returns the parameters by name, on an object without prototype. Throws `invalid_parameter` for one that the operation
 * does not have, that is repeated or badly encoded, and for an integer not in decimal digits or out of its bounds.
 */
export function parseQuery(query: string | null, operation: DocumentedOperation): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  if (!query) return values
  // Empty parts between, before or after `&` are skipped: forms and clients that join lists leave them.
  for (const pair of query.split('&').filter(Boolean)) {
    const mark = pair.indexOf('=')
    const name = decodeForm(mark < 0 ? pair : pair.slice(0, mark))
    const parameter = operation.query.get(name)
    if (!parameter) throw refused(name.slice(0, 64), 'is not a parameter of this operation')
    if (name in values) throw refused(name, 'is given more than once')
    values[name] = mark < 0 ? '' : decodeForm(pair.slice(mark + 1))
    checkInteger(parameter, values[name])
  }
  return values
}

/** What a form writes in another way than as it is. */
const ENCODED = /[+%]/

function decodeForm(text: string): string {
  if (!ENCODED.test(text)) return text
  const decoded = decode(text.replaceAll('+', ' '))
  if (decoded === null) throw new ServiceError('invalid_parameter', 'The query string is badly encoded')
  return decoded
}

function checkInteger({ name, integer }: QueryParameter, value: string) {
  if (!integer) return
  const { minimum, maximum } = integer
  if (/^[0-9]{1,15}$/.test(value) && Number(value) >= minimum && Number(value) <= maximum) return
  throw refused(name, `must be a whole number from ${minimum} to ${maximum}, in decimal digits`)
}

function refused(name: string, message: string): ServiceError {
  const path = name === '' ? 'query' : `query.${name}`
  return new ServiceError('invalid_parameter', 'A query parameter is not valid', [{ path, message }])
}
