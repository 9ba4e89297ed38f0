// Companies as callers name them, to issuers: a symbol leads to the issuer that has it in the SEC's list, else to that
// of the newest filing that typed it.
import type { DataPart } from '../../../../application/changes/dependence.ts'
import { ServiceError } from '../../../../application/errors.ts'
import type { NamedCompany } from '../../../../domain/filings/ticker-symbol.ts'
import { cikNumber, cikOf, type Ticker } from '../../../../domain/shared/identifiers.ts'
import type { CompanyLists } from './company-list.ts'

interface FoundIssuers {
  /** CIKs, each once. */
  issuers: number[]
  /** Symbols that lead to no company. */
  unknown: Ticker[]
  /** What an answer about them depends on. */
  parts: DataPart[]
}

/**
 * Returns the issuers that these symbols lead to; those that lead to none are left out. As of an instant, in seconds, a
 * symbol leads to the issuer of the newest filing by then that typed it; where none did, to that of now.
 */
export async function issuersByTicker(
  lists: CompanyLists,
  asked: readonly Ticker[],
  asOf?: number,
): Promise<Map<Ticker, number>> {
  const { byTicker, filed, filedAsOf } = await lists()
  const then = asOf === undefined ? new Map<Ticker, number>() : await filedAsOf(asked, asOf)
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

/** Returns the issuers of these companies. Throws `unknown_ticker` if symbols are named and none leads to one. */
export async function findIssuers(
  lists: CompanyLists,
  companies: readonly NamedCompany[],
  asOf?: number,
): Promise<FoundIssuers> {
  const tickers = companies.flatMap(({ ticker }) => ticker ?? [])
  const found = await issuersByTicker(lists, tickers, asOf)
  const ciks = companies.flatMap(({ cik }) => (cik === null ? [] : cikNumber(cik)))
  const issuers = [...new Set([...found.values(), ...ciks])]
  const unknown = tickers.filter((ticker) => !found.has(ticker))
  if (unknown.length > 0 && issuers.length === 0) throw unknownTickers(unknown)
  return { issuers, unknown, parts: partsOf(issuers, tickers) }
}

/** Returns what an answer about these companies depends on. */
export const partsOf = (issuers: Iterable<number>, tickers: readonly Ticker[]): DataPart[] => [
  ...[...issuers].map((issuer) => `issuer:${cikOf(issuer)}` as const),
  ...tickers.map((ticker) => `symbol:${ticker}` as const),
]

function unknownTickers(tickers: Ticker[]): ServiceError {
  const details = tickers.map((ticker) => ({ path: 'query.tickers', message: `no company has the ticker ${ticker}` }))
  return new ServiceError('unknown_ticker', 'No company has any of these tickers', details)
}
