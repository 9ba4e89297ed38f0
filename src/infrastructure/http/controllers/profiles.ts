// Handlers of profiles and of the search: a company by any of its symbols, an insider by CIK, many companies at once.
import { ServiceError, unknownCompanies } from '../../../application/errors.ts'
import type { Queries, SearchKind } from '../../../application/queries/queries.ts'
import { ok, okText, type Handler, type QueryOf } from '../handler.ts'
import { parseEach } from '../invalid-request.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'
import { parseAsOf, parseSearchText, parseTickers, parseWords } from '../parameters.ts'

const MAX_COMPANIES = 50

export function getCompany(queries: Queries): Handler<'getCompany'> {
  return async ({ path, query }) => {
    const company = await queries.company(path.ticker, query.detail === 'full', parseAsOf(query))
    if (!company) throw unknownCompanies([path.ticker])
    return okText(company)
  }
}

/** Parses the requested companies. Throws `invalid_parameter` with all faults. */
export const parseCompanyList = (query: QueryOf<'listCompanies'>) =>
  parseEach({ tickers: () => parseTickers(query, MAX_COMPANIES), asOf: () => parseAsOf(query) })

export function listCompanies(queries: Queries): Handler<'listCompanies'> {
  return async ({ query }) => {
    const { tickers, asOf } = parseCompanyList(query)
    return ok(await queries.companies(tickers, asOf))
  }
}

export function getInsider(queries: Queries): Handler<'getInsider'> {
  return async ({ path, query }) => {
    const insider = await queries.insider(path.cik, query.detail === 'full', parseAsOf(query))
    if (!insider) throw new ServiceError('unknown_insider', `No insider has the CIK ${path.cik}`)
    return okText(insider)
  }
}

export function listPositions(queries: Queries): Handler<'listPositions'> {
  return async ({ path, query }) => {
    const positions = await queries.positions(path.cik, parseAsOf(query))
    if (!positions) throw new ServiceError('unknown_insider', `No insider has the CIK ${path.cik}`)
    return okText(positions)
  }
}

export function listHolders(queries: Queries): Handler<'listHolders'> {
  return async ({ path, query }) => {
    const holders = await queries.holders(path.ticker, query.limit ?? DEFAULT_LIMIT, parseAsOf(query))
    if (!holders) throw unknownCompanies([path.ticker])
    return okText(holders)
  }
}

const KINDS: readonly SearchKind[] = ['company', 'insider']
const DEFAULT_RESULTS = 10

/** Parses the parameters of the search. Throws `invalid_parameter` with all faults. */
export const parseSearch = (query: QueryOf<'search'>) =>
  parseEach({ q: () => parseSearchText(query), kinds: () => parseWords(query, 'kinds', KINDS) })

export function search(queries: Queries): Handler<'search'> {
  return async ({ query }) =>
    okText(await queries.search({ ...parseSearch(query), limit: query.limit ?? DEFAULT_RESULTS }))
}
