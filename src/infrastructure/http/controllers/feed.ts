// The feed and its statistics.
import type { Queries } from '../../../application/queries/queries.ts'
import { okText, type Handler } from '../handler.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'

export function listFeed(queries: Queries): Handler<'listFeed'> {
  return async ({ query: { detail, ...query } }) =>
    okText(await queries.feed({ ...query, limit: query.limit ?? DEFAULT_LIMIT, ...(detail && { detail: true }) }))
}

export function getFeedStatistics(queries: Queries): Handler<'getFeedStatistics'> {
  return async () => okText(await queries.feedStats())
}
