// Companies as callers name them, to issuers: a symbol leads to the issuer that has it in the SEC's list, else to that
// of the newest filing that typed it. A symbol that leads to none is tried with its class: `INVA` as `INV-A`.
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
  /** What an answer about them depends on. */
  parts: DataPart[]
}

/** Where a symbol leads to, and the symbol that does: `INV-A` if `INVA` was asked for and no company has it. */
export interface NamedIssuer {
  issuer: number
  ticker: Ticker
}

export interface NamedIssuers {
  /** By the symbols asked for; those that lead to none are left out. */
  found: Map<Ticker, NamedIssuer>
  /** All symbols that were tried. */
  tried: Ticker[]
}

/**
 * Returns the issuers that these symbols lead to. As of an instant, in seconds, a symbol leads to the issuer of the
 * newest filing by then that typed it; where none did, to that of now.
 */
export async function issuersByTicker(
  lists: CompanyLists,
  asked: readonly Ticker[],
  asOf?: number,
): Promise<NamedIssuers> {
  const known = await lists()
  const exact = await issuersOf(known, asked, asOf)
  const others = asked
    .filter((ticker) => !exact.has(ticker))
    .map((ticker) => [ticker, symbolsWithClass(ticker)] as const)
  const withClass = others.flatMap(([, symbols]) => symbols)
  const byClass = await issuersOf(known, [...new Set(withClass)], asOf)
  const found = new Map([...exact].map(([ticker, issuer]) => [ticker, { issuer, ticker }]))
  for (const [given, symbols] of others) {
    const ticker = symbols.find((symbol) => byClass.has(symbol))
    if (ticker !== undefined) found.set(given, { issuer: byClass.get(ticker)!, ticker })
  }
  return { found, tried: [...asked, ...withClass] }
}

async function issuersOf(
  { byTicker, filed }: Lists,
  asked: readonly Ticker[],
  asOf?: number,
): Promise<Map<Ticker, number>> {
  if (asked.length === 0) return new Map()
  const then = asOf === undefined ? new Map<Ticker, number>() : await filed(asked, asOf)
  const tickers = asked.filter((ticker) => !then.has(ticker))
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
 * Returns the issuers of these companies, which `parameter` names. Throws `unknown_ticker` if symbols are named and none
 * leads to one.
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

/** Returns what an answer about these companies depends on. */
export const partsOf = (issuers: Iterable<number>, tickers: readonly Ticker[]): DataPart[] => [
  ...[...issuers].map((issuer) => `issuer:${cikOf(issuer)}` as const),
  ...tickers.map((ticker) => `symbol:${ticker}` as const),
]
