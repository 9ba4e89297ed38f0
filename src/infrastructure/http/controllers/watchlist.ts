// The watchlist is documented and guarded; keeping one is yet to come, and until then it says so.
import { ServiceError } from '../../../application/errors.ts'

export function notImplemented(): never {
  throw new ServiceError('not_implemented', 'The watchlist is not kept yet')
}
