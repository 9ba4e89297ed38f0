// One insider by CIK.
import { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries.ts'
import { ok, type Handler } from '../ask.ts'

export function getInsider(queries: Queries): Handler<'getInsider'> {
  return async ({ path }) => {
    const insider = await queries.insider(path.cik)
    if (!insider) throw new ServiceError('unknown_insider', 'No insider is known by this CIK')
    return ok(insider)
  }
}
