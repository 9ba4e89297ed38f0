// Profiles: one company by any of its symbols, one insider by CIK.
import { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { okText, type Handler } from '../handler.ts'

export function getCompany(queries: Queries): Handler<'getCompany'> {
  return async ({ path, query }) => {
    const company = await queries.company(path.ticker, query.detail === 'full')
    if (!company) throw new ServiceError('unknown_ticker', 'No company has this ticker')
    return okText(company)
  }
}

export function getInsider(queries: Queries): Handler<'getInsider'> {
  return async ({ path, query }) => {
    const insider = await queries.insider(path.cik, query.detail === 'full')
    if (!insider) throw new ServiceError('unknown_insider', 'No insider has this CIK')
    return okText(insider)
  }
}
