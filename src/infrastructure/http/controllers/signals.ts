// Detected signals.
import type { Queries } from '../../../application/queries.ts'
import { ok, type Handler } from '../ask.ts'
import { DEFAULT_LIMIT } from '../limits.ts'

export function listSignals(queries: Queries): Handler<'listSignals'> {
  return async ({ query }) => ok(await queries.signals({ ...query, limit: query.limit ?? DEFAULT_LIMIT }))
}
