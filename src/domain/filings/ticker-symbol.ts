// Trading symbols in canonical form, from what people type: words for none, brackets, exchange names, several classes
// in one field. What can't be a symbol is dropped, never guessed.
import { cikAsSymbol, parseCik, type Cik, type Ticker } from '../shared/identifiers.ts'

export const WELL_FORMED = /^[A-Za-z0-9]{1,10}([./-][A-Za-z0-9]{1,5}){0,2}$/

/** A CIK, with or without the prefix. No symbol consists of digits alone, and none of `CIK` and digits. */
export const CIK = /^(?:CIK)?(\d{1,10})$/i

/** Typed if there is no symbol. NA is among them: the one issuer that has it is found by its CIK. */
const NONE_WORDS = new Set([
  'NONE',
  'NA',
  'N-A',
  'N-AP',
  'N-APP',
  'NIL',
  'NULL',
  'TBD',
  'T-B-D',
  'UNKNOWN',
  'UNLISTED',
  'PRIVATE',
  'PENDING',
  'NOT',
  'NO',
  'APPLICABLE',
  'NOTAPPLIC',
  'LISTED',
  'SYMBOL',
  'TICKER',
  'XXXX',
])
/** Exchange names that are not a symbol of any company, dropped wherever they occur. */
const EXCHANGES = new Set([
  'NYSE',
  'NASDAQ',
  'NASDAQGS',
  'NASDAQGM',
  'NASDAQCM',
  'NSDQ',
  'AMEX',
  'NYSEMKT',
  'NYSEARCA',
  'OTC',
  'OTCBB',
  'OTCQB',
  'OTCQX',
  'OTCPK',
  'TSXV',
])
/** Exchange names that are also a company's symbol, so dropped only before a colon. */
const COLON_EXCHANGES = new Set([
  ...EXCHANGES,
  'ASX',
  'TSX',
  'CSE',
  'LSE',
  'AIM',
  'CBOE',
  'NEO',
  'BATS',
  'HKEX',
  'TASE',
  'JSE',
])
/** Words that only continue an exchange's name. */
const EXCHANGE_TAILS = new Set([
  'AMERICAN',
  'MKT',
  'ARCA',
  'GLOBAL',
  'SELECT',
  'CAPITAL',
  'MARKET',
  'MARKETS',
  'PINK',
  'GS',
  'GM',
  'CM',
])
/** Old endings of the over-the-counter market; no part of the symbol. */
const MARKET_ENDINGS = new Set(['PK', 'OB'])

/** A line of a data set may hold megabytes; EDGAR takes 10 characters, and a document more is refused beyond 500. */
const MAX_CHARACTERS = 500

/**
 * Returns all symbols typed into issuerTradingSymbol, canonical, in order, each once; `[]` if it names none. `LEN,
 * LEN.B` gives LEN and LEN-B, `NYSE/TRN` gives TRN, `MACI U` gives MACI-U, `N O G` gives NOG.
 */
export function cleanSymbols(raw: string): Ticker[] {
  const text = raw
    .slice(0, MAX_CHARACTERS)
    .toUpperCase()
    .replace(/["'`‘’“”()[\]{}*#]/g, ' ')
    .replaceAll('\\', '/')
    .replace(/\bCL(?:ASS)?\.?\s+(?=[A-Z]\b)/g, ' ')
    .replace(/(?<![A-Z])([A-Z]+)\s*:(\s*(?:GS|GM|CM)\s*(?:(?=[,;|&])|$))?/g, (_, word: string, alone: string = '') =>
      // Alone after the colon, `GM` is the symbol and not a tier of Nasdaq.
      COLON_EXCHANGES.has(word) ? ` NYSE ${alone && `, ${alone}`}` : ` ${word} , ${alone}`,
    )
  const groups = text.split(/[,;|&]|\bAND\b/).map((group) => group.split(/\s+/).filter(Boolean))
  return [...new Set(groups.flatMap(symbolsOfGroup))]
}

/**
 * Returns a well-formed symbol in canonical form (upper case, `-`); null for anything else. For symbols in requests.
 */
export function canonicalTicker(text: string): Ticker | null {
  return WELL_FORMED.test(text) && !CIK.test(text) ? text.toUpperCase().replace(/[./]/g, '-') : null
}

/**
 * Returns the symbols that `INVA` can stand for where no company has it, the likeliest first: `INV-A`, `IN-VA`. None
 * for a symbol that shows its class.
 */
export function symbolsWithClass(ticker: Ticker): Ticker[] {
  if (ticker.includes('-')) return []
  return [1, 2].filter((length) => length < ticker.length).map((length) => withClass(ticker, length))
}

const withClass = (ticker: Ticker, length: number): Ticker => `${ticker.slice(0, -length)}-${ticker.slice(-length)}`

/** A company as callers name it. */
export type NamedCompany = { ticker: Ticker; cik: null } | { ticker: null; cik: Cik }

/** Returns the symbol, or `CIK` and ten digits: one text for all ways to name a company. */
export const companyKey = ({ ticker, cik }: NamedCompany): string => ticker ?? cikAsSymbol(cik)

/** Parses a symbol, `CIK` and digits, or plain digits; null for anything else. */
export function parseCompany(text: string): NamedCompany | null {
  const cik = parseCik(CIK.exec(text)?.[1] ?? '')
  if (cik !== null) return { ticker: null, cik }
  const ticker = canonicalTicker(text)
  return ticker === null ? null : { ticker, cik: null }
}

/**
 * Returns one text for all ways to name a company: the canonical symbol, or `CIK` and ten digits; null for anything
 * else.
 */
export function canonicalCompany(text: string): Ticker | null {
  const named = parseCompany(text)
  return named && companyKey(named)
}

/**
 * Chooses the symbol to show with a row. `typed`: the symbols of its filing, cleaned; `present`: the issuer's symbols
 * in the SEC's list, in its order; `newestTyped`: those of the issuer's newest filing that has any; `title`: that of
 * the row's security, which decides where the filing has several symbols. `MOGA` counts as the list's `MOG-A`.
 */
export function displayTicker(
  typed: Ticker[],
  present: Ticker[],
  newestTyped: Ticker[] | null,
  title: string | null = null,
): string {
  const inOrder = symbolsByTitle(typed, title)
  if (inOrder !== typed) {
    const own = listedAs(inOrder[0]!, present)
    if (own) return own
    // The issuer still has what the filing typed.
    if (present.length === 0 && newestTyped?.some((symbol) => typed.includes(symbol))) return inOrder[0]!
  }
  const exact = typed.find((symbol) => present.includes(symbol))
  if (exact) return exact
  for (const symbol of typed) {
    const listed = listedAs(symbol, present)
    if (listed) return listed
  }
  const newest = newestTyped ?? []
  return present[0] ?? (typed.length > 1 ? symbolsByTitle(newest, title) : newest)[0] ?? ''
}

/** Returns one text for `MOG-A` and `MOGA`. */
export const plainSymbol = (symbol: Ticker): string => symbol.replaceAll('-', '')

function listedAs(symbol: Ticker, present: Ticker[]): Ticker | undefined {
  return present.includes(symbol) ? symbol : present.find((candidate) => plainSymbol(candidate) === plainSymbol(symbol))
}

/** Moves to the front, of several symbols, the one whose class is the title's. */
function symbolsByTitle(symbols: Ticker[], title: string | null): Ticker[] {
  const ofClass = title === null || symbols.length < 2 ? null : classOfTitle(title)
  const own = ofClass === null ? undefined : symbols.find((symbol) => isOfClass(symbol, ofClass, symbols))
  return own === undefined ? symbols : [own, ...symbols.filter((symbol) => symbol !== own)]
}

/** A line of a data set may hold megabytes. */
const TITLE_CHARACTERS = 500

/** Returns `B` of `Class B Common Stock`, `PA` of `Series A Preferred Stock`, null where no class is named. */
function classOfTitle(title: string): string | null {
  const text = title.slice(0, TITLE_CHARACTERS)
  const letter = /\b(?:class|cl|ser(?:ies)?)\b[\s.:"'“‘(-]{0,3}([a-z])\b/i.exec(text)?.[1]
  if (letter === undefined) return null
  return /\b(?:preferred|preference|pfd)\b/i.test(text) ? `P${letter.toUpperCase()}` : letter.toUpperCase()
}

/** Recognizes `BF-B`, or `BFB` beside `BFA` or `BF`, as of class B. */
function isOfClass(symbol: Ticker, ofClass: string, symbols: Ticker[]): boolean {
  if (symbol.endsWith(`-${ofClass}`)) return true
  const stem = symbol.slice(0, -ofClass.length)
  return (
    symbol.endsWith(ofClass) &&
    stem.length > 1 &&
    symbols.some((other) => other !== symbol && other.startsWith(stem) && other.length - stem.length <= 1)
  )
}

/** Returns the symbols of words separated only by spaces. */
function symbolsOfGroup(group: string[]): Ticker[] {
  if (/^(?:NOT|NO|NONE|PENDING)$/.test(group[0] ?? '')) return []
  if (group.length > 1 && group.every((word) => /^[A-Z]$/.test(word))) return symbolsOfGroup([group.join('')])
  const symbols: Ticker[] = []
  let afterExchange = false
  for (const word of group) {
    const tail: boolean = afterExchange && EXCHANGE_TAILS.has(word)
    afterExchange = tail || EXCHANGES.has(word)
    if (afterExchange || isNone(word)) continue
    word.split('/').forEach((part, index) => {
      if (index > 0 && MARKET_ENDINGS.has(part)) return
      const classOnly = index === 0 ? /^([A-Z]|WS|WT|UN)$/ : /^([A-Z]|WS[A-Z]?|WT|UN|RT|P[A-Z])$/
      if (classOnly.test(part) && symbols.length > 0) addClass(symbols, part)
      else symbols.push(...singleSymbol(part))
    })
  }
  return symbols
}

/** Adds a share class: `BRK` `A` is BRK-A; a further `B` is BRK-B beside it. */
function addClass(symbols: Ticker[], ending: string): void {
  const before = symbols.pop() ?? ''
  const [base = '', ...classes] = before.split('-')
  symbols.push(...(classes.length > 0 ? [before, `${base}-${ending}`] : [`${base}-${ending}`]))
}

/**
 * Returns one symbol at most: none for words that mean none, bare numbers (CIKs, foreign codes after a letter) and
 * leaked codes (`ctb$news20`).
 */
function singleSymbol(word: string): Ticker[] {
  const parts = word
    .split(/[.-]/)
    .filter(Boolean)
    .filter((part) => !EXCHANGES.has(part))
  if (parts.length > 1 && MARKET_ENDINGS.has(parts.at(-1) ?? '')) parts.pop()
  const symbol = parts.join('-')
  if (isNone(symbol) || /(^|-)\d+$/.test(symbol)) return []
  const canonical = canonicalTicker(symbol)
  return canonical ? [canonical] : []
}

function isNone(word: string): boolean {
  return NONE_WORDS.has(word.replace(/[./]/g, '-').replace(/^-+|-+$/g, ''))
}
