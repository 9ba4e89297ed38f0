// Positions in the log of changes that callers hold.
import { ServiceError } from '../errors.ts'

/** What the log holds: entries above `pruned` up to `last`. */
export interface LogExtent {
  last: number
  pruned: number
  /** No position above `last` was ever given: ingestion has begun since PostgreSQL was started. */
  isSettled: boolean
}

/** After a crash of PostgreSQL, until ingestion begins again, positions this far above the last may have been given. */
const MAX_AHEAD = 2 ** 30

/** Throws `cursor_expired` for a position before what is kept, `invalid_cursor` for one that was never given. */
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
