// The query of all transactions that pass a filter, newest first, in chunks. Each chunk is a statement of its own that
// begins after the last row of the previous one, so nothing stays open in ClickHouse while the caller reads.
import type { Queries } from '../../../../application/queries/queries.ts'
import type { ClickHouse } from '../../connection/client.ts'
import type { Limit } from '../../connection/session-pool.ts'
import type { CompanyLists } from '../shared/company-list.ts'
import { completeDetails, type DetailSources } from '../shared/complete-details.ts'
import { scopeOf } from './feed.ts'
import { readWindow, makeRowSearch, type RowPlace, type FilteredRow, type RowCriteria } from './filtered-rows.ts'

const CHUNK_ROWS = 10_000
const BLOCK_ROWS = 8_192
/** More than a chunk, since a few candidates turn out to be replaced rows. */
const CANDIDATES = 12_500

export function feedExport(
  store: ClickHouse,
  lists: CompanyLists,
  details: DetailSources,
  { limit, chunkRows = CHUNK_ROWS }: { limit: Limit; chunkRows?: number },
): Queries['feedExport'] {
  const search = makeRowSearch(store, limit, { candidates: CANDIDATES, block: BLOCK_ROWS })

  /** Returns the newest rows of one list without conditions. Reading stops when the chunk is full. */
  const readList = (criteria: RowCriteria): Promise<FilteredRow[]> => readWindow(store, criteria, BLOCK_ROWS)

  return async (request) => {
    const { detail = false } = request
    const { found, ...scope } = await scopeOf(request, lists, details.sectors)
    const read = scope.lists.length === 1 && scope.conditions.length === 0 ? readList : search
    let after: RowPlace | undefined
    let isAtEnd = scope.lists.length === 0
    const next = async () => {
      if (isAtEnd) return []
      const rows = await read({ ...scope, sort: 'newest', after, detail, rows: chunkRows })
      isAtEnd = rows.length < chunkRows
      after = rows.at(-1)
      if (!detail) return rows.map(({ transaction }) => transaction)
      return (await completeDetails(store, rows, details, request.asOf)).transactions
    }
    return { next, unknown: found?.unknown ?? [] }
  }
}
