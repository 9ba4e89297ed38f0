// Resolves the companies that callers name to issuers. A symbol leads to the issuer that has it on the SEC's list, else
// to the issuer of the newest filing that states it. A symbol that leads to none is tried with a class, `INVA` as
// `INV-A`.
import type { DataPart } from '../../../../application/changes/data-dependencies.ts'
import { unknownCompanies } from '../../../../application/errors.ts'
import { symbolsWithClass, type NamedCompany } from '../../../../domain/filings/ticker-symbol.ts'
import { cikNumber, cikOf, type Ticker } from '../../../../domain/shared/identifiers.ts'
import type { CompanyLists, Lists } from './company-list.ts'

interface IssuersResult {
  /** CIKs, each once. */
  issuers: number[]
  found: NamedIssuers['found']
  /** Symbols that lead to no company. */
  unknown: Ticker[]
  /** The dependencies of an answer about these companies. */
  parts: DataPart[]
}

/** The issuer of a symbol, and the symbol that leads to it: `INV-A` if `INVA` was requested and no company has it. */
interface NamedIssuer {
  issuer: number
  ticker: Ticker
}

interface NamedIssuers {
  /** Issuers by requested symbol, without symbols that lead to none. */
  found: Map<Ticker, NamedIssuer>
  /** All symbols that were tried. */
  tried: Ticker[]
}

/**
 * Returns the issuers that these symbols lead to. As of an instant, in seconds, a symbol leads to the issuer of the
 * newest filing until then that states it; if there is none, to its present issuer.
 */
export async function issuersByTicker(
  lists: CompanyLists,
  requested: readonly Ticker[],
  asOf?: number,
): Promise<NamedIssuers> {
  const companyLists = await lists()
  const exact = await issuersOf(companyLists, requested, asOf)
  const others = requested
    .filter((ticker) => !exact.has(ticker))
    .map((ticker) => [ticker, symbolsWithClass(ticker)] as const)
  const withClass = others.flatMap(([, symbols]) => symbols)
  const byClass = await issuersOf(companyLists, [...new Set(withClass)], asOf)
  const found = new Map([...exact].map(([ticker, issuer]) => [ticker, { issuer, ticker }]))
  for (const [given, symbols] of others) {
    const ticker = symbols.find((symbol) => byClass.has(symbol))
    if (ticker !== undefined) found.set(given, { issuer: byClass.get(ticker)!, ticker })
  }
  return { found, tried: [...requested, ...withClass] }
}

/**
 * Returns the issuer of one company, the name that leads to it, and the symbols that were tried; null if there is none.
 */
export async function issuerOf(
  lists: CompanyLists,
  company: NamedCompany,
  asOf?: number,
): Promise<{ issuer: number; named: NamedCompany; tried: Ticker[] } | null> {
  if (company.cik !== null) return { issuer: cikNumber(company.cik), named: company, tried: [] }
  const { found, tried } = await issuersByTicker(lists, [company.ticker], asOf)
  const match = found.get(company.ticker)
  return match ? { issuer: match.issuer, named: { ticker: match.ticker, cik: null }, tried } : null
}

async function issuersOf(
  { byTicker, filed }: Lists,
  requested: readonly Ticker[],
  asOf?: number,
): Promise<Map<Ticker, number>> {
  if (requested.length === 0) return new Map()
  const then = asOf === undefined ? new Map<Ticker, number>() : await filed(requested, asOf)
  const tickers = requested.filter((ticker) => !then.has(ticker))
  const delisted = await filed(tickers.filter((ticker) => !byTicker.has(ticker)))
  return new Map([
    ...then,
    ...tickers.flatMap((ticker): [Ticker, number][] => {
      const listing = byTicker.get(ticker)
      return listing ? [[ticker, listing.issuer]] : []
    }),
    ...delisted,
  ])
}

/**
 * Returns the issuers of these companies. Throws `unknown_ticker`, with the name of the query's `parameter`, if symbols
 * are named and no company has an issuer.
 */
export async function findIssuers(
  lists: CompanyLists,
  companies: readonly NamedCompany[],
  asOf?: number,
  parameter = 'tickers',
): Promise<IssuersResult> {
  const tickers = companies.flatMap(({ ticker }) => ticker ?? [])
  const { found, tried } = await issuersByTicker(lists, tickers, asOf)
  const ciks = companies.flatMap(({ cik }) => (cik === null ? [] : cikNumber(cik)))
  const issuers = [...new Set([...[...found.values()].map(({ issuer }) => issuer), ...ciks])]
  const unknown = tickers.filter((ticker) => !found.has(ticker))
  if (unknown.length > 0 && issuers.length === 0) throw unknownCompanies(unknown, `query.${parameter}`)
  return { issuers, found, unknown, parts: partsOf(issuers, tried) }
}

/** Returns the dependencies of an answer about these companies. */
export const partsOf = (issuers: Iterable<number>, tickers: readonly Ticker[]): DataPart[] => [
  ...[...issuers].map((issuer) => `issuer:${cikOf(issuer)}` as const),
  ...tickers.map((ticker) => `symbol:${ticker}` as const),
]
