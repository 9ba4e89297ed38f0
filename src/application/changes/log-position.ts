// Checks positions in the log of changes that callers send.
import { ServiceError } from '../errors.ts'

/** The extent of the log: it has the entries above `pruned` up to `last`. */
export interface LogExtent {
  last: number
  pruned: number
  /** Whether no position above `last` was ever given, which is sure once ingestion has begun since PostgreSQL started. */
  isSettled: boolean
}

/** Until ingestion begins after a crash of PostgreSQL, callers may have positions this far above the last one. */
const MAX_AHEAD = 2 ** 30

/** Throws `cursor_expired` for a position before the oldest entry, `invalid_cursor` for one that was never given. */
export function checkPosition(position: number, { last, pruned, isSettled }: LogExtent): void {
  if (position < pruned) {
    throw new ServiceError(
      'cursor_expired',
      'Changes after this position are no longer kept. Load the data again, then continue from a new position.',
      [{ path: 'query.after', message: `The oldest position kept is ${pruned}.` }],
    )
  }
  if (position > last + (isSettled ? 0 : MAX_AHEAD)) {
    const message = 'must be the nextCursor of a page, unchanged'
    throw new ServiceError('invalid_cursor', `after ${message}`, [{ path: 'query.after', message }])
  }
}
