// Profiles: one company by any of its symbols, one insider by CIK, and many companies at once.
import { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { ok, okText, type Handler } from '../handler.ts'
import { parseTickers } from '../parameters.ts'

const MAX_COMPANIES = 50

export function getCompany(queries: Queries): Handler<'getCompany'> {
  return async ({ path, query }) => {
    const company = await queries.company(path.ticker, query.detail === 'full')
    if (!company) throw new ServiceError('unknown_ticker', 'No company has this ticker')
    return okText(company)
  }
}

export function listCompanies(queries: Queries): Handler<'listCompanies'> {
  return async ({ query }) => ok(await queries.companies(parseTickers(query, MAX_COMPANIES)))
}

export function getInsider(queries: Queries): Handler<'getInsider'> {
  return async ({ path, query }) => {
    const insider = await queries.insider(path.cik, query.detail === 'full')
    if (!insider) throw new ServiceError('unknown_insider', 'No insider has this CIK')
    return okText(insider)
  }
}
