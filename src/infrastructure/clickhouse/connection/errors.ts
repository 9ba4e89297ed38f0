// Translation of ClickHouse's errors into the service's own: temporary ones become `unavailable`.
import { ClickHouseError } from '@clickhouse/client'
import { ServiceError } from '../../../application/errors.ts'

// 159 time limit, 202 too many queries, 209/210 network, 241 memory, 243 disk; on a cluster 242, 285, 286, 289, 319:
// too few replicas or one that is behind, 279 no replica, 999 Keeper: temporary faults of the store, not of the query.
const TRANSIENT = new Set(['159', '202', '209', '210', '241', '242', '243', '279', '285', '286', '289', '319', '999'])

/** Returns `unavailable` if the store is at fault and not the query; otherwise the error unchanged. */
export function translateError(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const { code = '', message } = error as { code?: string; message: string }
  const isTransient =
    error instanceof ClickHouseError
      ? TRANSIENT.has(code)
      : /^E(?!RR_)[A-Z_]+$/.test(code) || /timeout|socket hang up|aborted/i.test(message)
  return isTransient ? unavailable(error) : error
}

/** Returns whether a statement failed because the database has no such table. */
export const isUnknownTable = (error: unknown): boolean => (error as { code?: string }).code === '60'

export function unavailable(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'ClickHouse does not answer', undefined, { cause })
}

/** Returns whether the server closed the connection before it answered. */
export function isConnectionClosed(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return code === 'ECONNRESET' || code === 'EPIPE' || /socket hang up/.test(message)
}
