// The request target, parsed once and strictly, before any library reads it its own way. Express, its router and the
// validator each parse it again; they agree only on targets that are plain.
import { distance } from 'fastest-levenshtein'
import type { ErrorDetail } from '../../../application/errors.ts'
import { printable } from '../../printable.ts'
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
 * Returns null if the target is neither a path nor an absolute address (which RFC 9112 obliges a server to accept; its
 * authority is that of `authorityOf`). A fragment is never part of a request, and only printable ASCII is.
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

/** Returns the host of an absolute address, which RFC 9112 §3.2.2 puts above the Host header; null for a path. */
export function authorityOf(raw: string): string | null {
  const [address] = raw.startsWith('/') ? [] : (ABSOLUTE_FORM.exec(raw) ?? [])
  return address === undefined ? null : address.slice(Math.max(address.indexOf('//') + 2, address.lastIndexOf('@') + 1))
}

/** Returns null for bad percent-encoding and for bytes that are not UTF-8. */
function decode(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The valid parameters of a request by name, on an object without prototype, and what is wrong with the others. */
export interface ParsedQuery {
  values: Record<string, string>
  faults: ErrorDetail[]
}

/** The number of faults that one answer lists; parsing ends with the last of them. */
const MAX_FAULTS = 20

/**
 * Returns the parameters that the operation has. One that it does not have, or that is repeated, empty, badly encoded,
 * or an integer not in decimal digits or out of its bounds, is a fault.
 */
export function parseQuery(query: string | null, operation: DocumentedOperation): ParsedQuery {
  const values: Record<string, string> = Object.create(null)
  const faults: ErrorDetail[] = []
  if (!query) return { values, faults }
  // Empty parts between, before or after `&` are skipped: forms and clients that join lists leave them.
  for (const pair of query.split('&').filter(Boolean)) {
    const mark = pair.indexOf('=')
    const name = decodeForm(mark < 0 ? pair : pair.slice(0, mark))
    const value = mark < 0 ? '' : decodeForm(pair.slice(mark + 1))
    const problem = problemOf(name, value, operation, values)
    if (problem === null) values[name!] = value!
    else if (faults.push(fault(name, problem)) === MAX_FAULTS) break
  }
  return { values, faults }
}

function problemOf(
  name: string | null,
  value: string | null,
  operation: DocumentedOperation,
  values: Record<string, string>,
): string | null {
  if (name === null) return 'is badly encoded'
  const parameter = operation.query.get(name)
  if (!parameter) return `is not a parameter of this operation${suggestion(name, [...operation.query.keys()])}`
  if (value === null) return 'is badly encoded'
  if (name in values) return 'is given more than once'
  if (value === '') return 'must not be empty'
  return integerProblem(parameter, value)
}

/** Suggests a name that differs in case or in a letter or two. */
function suggestion(name: string, names: string[]): string {
  const wanted = name.slice(0, MAX_NAME).toLowerCase()
  const near = names
    .map((candidate) => ({ candidate, edits: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= (candidate.length > 4 ? 2 : 1))
    .sort((a, b) => a.edits - b.edits)
  return near[0] ? `; did you mean ${near[0].candidate}?` : ''
}

/** Characters that HTML forms encode in another way than percent-encoding. */
const ENCODED = /[+%]/

/** Returns null if the percent-encoding is invalid. */
const decodeForm = (text: string): string | null => (ENCODED.test(text) ? decode(text.replaceAll('+', ' ')) : text)

function integerProblem({ integer }: QueryParameter, value: string): string | null {
  if (!integer) return null
  const { minimum, maximum } = integer
  if (/^[0-9]{1,15}$/.test(value) && Number(value) >= minimum && Number(value) <= maximum) return null
  return `must be a whole number from ${minimum} to ${maximum}`
}

/** The length at which unknown names are cut in answers; all parameters are shorter. */
const MAX_NAME = 64

function fault(name: string | null, message: string): ErrorDetail {
  return { path: name ? `query.${printable(name.slice(0, MAX_NAME))}` : 'query', message }
}
