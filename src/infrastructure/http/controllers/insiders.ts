// One insider by CIK.
import { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { ok, type Handler } from '../handler.ts'

export function getInsider(queries: Queries): Handler<'getInsider'> {
  return async ({ path, query }) => {
    const insider = await queries.insider(path.cik, query.detail === 'full')
    if (!insider) throw new ServiceError('unknown_insider', 'No insider has this CIK')
    return ok(insider)
  }
}
