// One company by any of its symbols.
import { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { ok, type Handler } from '../handler.ts'

export function getCompany(queries: Queries): Handler<'getCompany'> {
  return async ({ path, query }) => {
    const company = await queries.company(path.ticker, query.detail === 'full')
    if (!company) throw new ServiceError('unknown_ticker', 'No company has this ticker')
    return ok(company)
  }
}
