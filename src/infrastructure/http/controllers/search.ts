// The search for companies and insiders.
import type { Queries, SearchKind } from '../../../application/queries/queries.ts'
import { okText, type Handler } from '../handler.ts'
import { parseSearchText, parseWords } from '../parameters.ts'

const KINDS: readonly SearchKind[] = ['company', 'insider']
const DEFAULT_RESULTS = 10

export function search(queries: Queries): Handler<'search'> {
  return async ({ query }) => {
    const kinds = parseWords(query, 'kinds', KINDS)
    const found = await queries.search({
      q: parseSearchText(query),
      ...(kinds && { kinds }),
      limit: query.limit ?? DEFAULT_RESULTS,
    })
    return okText(found)
  }
}
