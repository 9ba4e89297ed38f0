// Parses query parameters that are plain strings in the contract: lists, days, instants and amounts. Each error names
// the parameter, and the elements at fault if it is a list.
import type { ErrorDetail, ServiceError } from '../../application/errors.ts'
import type { TimeSpan } from '../../application/queries/transaction-requests.ts'
import { companyKey, parseCompany, type NamedCompany } from '../../domain/filings/ticker-symbol.ts'
import { addDays, isRealDate } from '../../domain/shared/calendar.ts'
import { compare, parseDecimal, toText } from '../../domain/shared/decimal.ts'
import { parseCik, type Cik, type DateText, type DecimalText } from '../../domain/shared/identifiers.ts'
import { newYorkToUtc } from '../../domain/shared/new-york-time.ts'
import { searchWords } from '../../domain/wording/search-words.ts'
import { defined, invalidRequest, parseEach } from './invalid-request.ts'

/** The text parameters of a request. */
type Query<Name extends string> = { readonly [N in Name]?: string }
/** Those that are lists. */
type ListQuery<Name extends string> = { readonly [N in Name]?: readonly string[] }

interface ListForm<T> {
  /** Returns null for an element that is not well-formed. */
  parse: (element: string) => T | null
  /** What an element must be, such as `a CIK of 1 to 10 digits`. */
  form: string
  /** The most elements that the list may have, repeated ones counted once. */
  most: number
  /** Returns the key by which elements count as equal; the element itself by default. */
  keyOf?: (value: T) => string
}

const MAX_FAULTS = 10

/** Returns the elements of a list, each once, sorted; undefined if there is none. */
function parseSorted<Name extends string, T>(query: ListQuery<Name>, name: Name, form: ListForm<T>): T[] | undefined {
  const found = parseList(query, name, form)
  return found && [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}

/** Returns the elements of a list by their key, in their order. */
function parseList<Name extends string, T>(
  query: ListQuery<Name>,
  name: Name,
  { parse, form, most, keyOf = String }: ListForm<T>,
): Map<string, T> | undefined {
  const elements = query[name]
  if (elements === undefined) return undefined
  const path = `query.${name}`
  const found = new Map<string, T>()
  const faults: ErrorDetail[] = []
  elements.forEach((element, index) => {
    const value = parse(element)
    if (value !== null) found.set(keyOf(value), value)
    else faults.push({ path, message: `element ${index + 1}, ${quoted(element)}, must be ${form}` })
  })
  if (faults.length > 0) throw invalidRequest(faults.slice(0, MAX_FAULTS))
  if (found.size > most) throw invalidRequest([{ path, message: `must have at most ${most} elements` }])
  return found
}

/** Returns the elements of a list of words that the contract names, compared without regard to case. */
export function parseWords<Name extends string, Word extends string>(
  query: ListQuery<Name>,
  name: Name,
  words: readonly Word[],
): Word[] | undefined {
  if (query[name] === undefined) return undefined
  const known = new Map(words.map((word) => [word.toLowerCase(), word]))
  return parseSorted(query, name, {
    parse: (element) => known.get(element.toLowerCase()) ?? null,
    form: `one of ${words.join(', ')}`,
    most: words.length,
  })
}

/** Returns CIKs with ten digits. */
export function parseCiks<Name extends string>(query: ListQuery<Name>, name: Name, most: number): Cik[] | undefined {
  return parseSorted(query, name, {
    parse: (element) => (/^\d+$/.test(element) ? parseCik(element) : null),
    form: 'a CIK of 1 to 10 digits',
    most,
  })
}

/** Companies that one request may name. */
const MAX_COMPANIES = 100

/** Returns the companies that `tickers` and `issuerCiks` together name; undefined if neither is given. */
export function parseCompanies(query: ListQuery<'tickers' | 'issuerCiks'>): NamedCompany[] | undefined {
  const { symbols, ciks } = parseEach({
    symbols: () => parseSorted(query, 'tickers', companiesForm(MAX_COMPANIES)),
    ciks: () => parseCiks(query, 'issuerCiks', MAX_COMPANIES),
  })
  if (symbols === undefined && ciks === undefined) return undefined
  const byKey = new Map<string, NamedCompany>()
  for (const company of [...(symbols ?? []), ...(ciks ?? []).map((cik) => ({ ticker: null, cik }))]) {
    byKey.set(companyKey(company), company)
  }
  if (byKey.size > MAX_COMPANIES) {
    const message = `tickers and issuerCiks must name at most ${MAX_COMPANIES} companies together`
    throw invalidRequest([pathed('tickers', message), pathed('issuerCiks', message)])
  }
  return [...byKey.values()]
}

/** Returns the company of a parameter that names one. */
export function parseTicker(query: { readonly ticker: string }): NamedCompany {
  const company = parseCompany(query.ticker)
  if (company) return company
  throw invalidRequest([pathed('ticker', 'must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193')])
}

/** Returns the companies of a list, in its order. */
export function parseTickers(query: { readonly tickers: readonly string[] }, most: number): NamedCompany[] {
  return [...parseList(query, 'tickers', companiesForm(most))!.values()]
}

const companiesForm = (most: number): ListForm<NamedCompany> => ({
  parse: parseCompany,
  form: 'a ticker symbol such as BRK-B, or a CIK such as CIK0000320193',
  most,
  keyOf: companyKey,
})

/** Returns the text of a search, which must have a word. */
export function parseSearchText(query: { readonly q: string }): string {
  if (searchWords(query.q).length > 0) return query.q
  throw invalidRequest([pathed('q', 'must have a letter or a digit')])
}

interface Moment {
  /** In seconds since 1970. */
  at: number
  /** The end of the day, exclusive; for an instant the same as `at`. */
  end: number
}

const MOMENT_FORM =
  'must be a day such as 2026-11-06, in New York, or an instant such as 2026-11-06T15:00:00Z or ' +
  '2026-11-06T10:00:00-05:00, from 1970 to 2105'

/**
 * Returns the span between two parameters that are days or instants. Days are whole days in New York; an instant at the
 * end is excluded. Undefined if neither is given.
 */
export function parseTimeSpan<Name extends string>(
  query: Query<Name>,
  fromName: Name,
  toName: Name,
): TimeSpan | undefined {
  const { from, to } = parseEach({ from: () => parseMoment(query, fromName), to: () => parseMoment(query, toName) })
  if (!from && !to) return undefined
  // A day's last second is the second before its end.
  if (from && to && from.at > Math.max(to.at, to.end - 1)) throw outOfOrder(fromName, toName, 'must not be after')
  return { ...(from && { from: from.at }), ...(to && { before: to.end }) }
}

function parseMoment<Name extends string>(query: Query<Name>, name: Name): Moment | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  const at = instantOf(text)
  if (at !== null) return { at, end: at }
  if (!isDay(text)) throw invalidRequest([pathed(name, MOMENT_FORM)])
  return { at: newYorkToUtc(text, 0), end: newYorkToUtc(addDays(text, 1), 0) }
}

/** Returns an instant in seconds since 1970. */
export function parseInstant<Name extends string>(query: Query<Name>, name: Name): number | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  const at = instantOf(text)
  if (at === null)
    throw invalidRequest([
      pathed(name, 'must be an instant such as 2026-11-06T15:00:00Z or 2026-11-06T10:00:00-05:00, from 1970 to 2105'),
    ])
  return at
}

/** Returns the instant as of which to answer, in seconds since 1970. Throws if it is in the future. */
export function parseAsOf(query: Query<'asOf'>): number | undefined {
  const asOf = parseInstant(query, 'asOf')
  if (asOf === undefined || asOf <= Date.now() / 1000) return asOf
  throw invalidRequest([pathed('asOf', 'must not be in the future')])
}

/** Returns the days that two parameters name, both inclusive. */
export function parseDays<Name extends string>(
  query: Query<Name>,
  fromName: Name,
  toName: Name,
): { from?: DateText; to?: DateText } {
  const { from, to } = parseEach({ from: () => parseDay(query, fromName), to: () => parseDay(query, toName) })
  if (from !== undefined && to !== undefined && from > to) throw outOfOrder(fromName, toName, 'must not be after')
  return defined({ from, to })
}

/** Returns a day. */
export function parseDay<Name extends string>(query: Query<Name>, name: Name): DateText | undefined {
  const text: string | undefined = query[name]
  if (text === undefined || isDay(text)) return text
  throw invalidRequest([pathed(name, 'must be a day such as 2026-11-06, from 1970 to 2105')])
}

/** Within the range of the stores' types. */
const isDay = (text: string): boolean => isRealDate(text) && text >= '1970' && text < '2106'

// A `+` that is not encoded arrives as a space.
const INSTANT = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:Z|([ +-])((?:[01]\d|2[0-3]):[0-5]\d))$/

/** Returns an instant of RFC 3339, in UTC or with an offset, in seconds since 1970. */
function instantOf(text: string): number | null {
  const [, day = '', time, sign, offset] = INSTANT.exec(text) ?? []
  if (time === undefined || !isDay(day)) return null
  const zone = sign === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${offset}`
  const at = Date.parse(`${day}T${time}${zone}`)
  return isDay(new Date(at).toISOString().slice(0, 10)) ? at / 1000 : null
}

/** Returns the bounds that two parameters give, as amounts in shortest form. */
export function parseAmounts<Name extends string>(
  query: Query<Name>,
  minName: Name,
  maxName: Name,
  places: number,
): { min?: DecimalText; max?: DecimalText } {
  const { min, max } = parseEach({
    min: () => parseAmount(query, minName, places),
    max: () => parseAmount(query, maxName, places),
  })
  if (min !== undefined && max !== undefined && compare(parseDecimal(min)!, parseDecimal(max)!) > 0) {
    throw outOfOrder(minName, maxName, 'must not be above')
  }
  return defined({ min, max })
}

/** Returns an amount in shortest form. */
export function parseAmount<Name extends string>(
  query: Query<Name>,
  name: Name,
  places: number,
): DecimalText | undefined {
  const text: string | undefined = query[name]
  if (text === undefined) return undefined
  const [, whole = '', , fraction = ''] = /^(\d*)(\.(\d*))?$/.exec(text) ?? []
  const isGood = whole.length + fraction.length > 0 && whole.length <= 15 && fraction.length <= places
  if (isGood) return toText(parseDecimal(text)!)
  throw invalidRequest([pathed(name, `must be written in digits, at most 15 before the point and ${places} after it`)])
}

/** Returns the bounds that two parameters give, as fractions with a sign and up to 4 places. */
export function parseFractions<Name extends string>(
  query: Query<Name>,
  minName: Name,
  maxName: Name,
): { min?: number; max?: number } {
  const { min, max } = parseEach({ min: () => parseFraction(query, minName), max: () => parseFraction(query, maxName) })
  if (min !== undefined && max !== undefined && min > max) throw outOfOrder(minName, maxName, 'must not be above')
  return defined({ min, max })
}

function parseFraction<Name extends string>(query: Query<Name>, name: Name): number | undefined {
  const text: string | undefined = query[name]
  if (text === undefined) return undefined
  // With a 0 added, -0 is 0.
  if (/^-?(?:\d{1,15}(?:\.\d{0,4})?|\.\d{1,4})$/.test(text)) return Number(text) + 0
  throw invalidRequest([
    pathed(name, 'must be a fraction in digits, such as 0.1 or -0.5, with at most 4 decimal places'),
  ])
}

/** Quotes an element in a message, on one line, and cuts it if it is long. */
const quoted = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text)

const pathed = (name: string, message: string): ErrorDetail => ({ path: `query.${name}`, message })

function outOfOrder(lower: string, upper: string, words: string): ServiceError {
  const message = `${lower} ${words} ${upper}`
  return invalidRequest([pathed(lower, message), pathed(upper, message)])
}
