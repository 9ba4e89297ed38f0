// All transactions that pass a filter, newest first, in chunks: each is read when the one before has been taken, by the
// place of its last row, so that nothing is held in between.
import type { Queries } from '../../../../application/queries/queries.ts'
import type { ClickHouse } from '../../connection/client.ts'
import type { CompanyLists } from '../shared/company-list.ts'
import { completeDetails } from '../shared/complete-details.ts'
import type { IssuerSectors } from '../shared/issuer-sectors.ts'
import { NO_PRICES } from '../shared/returns.ts'
import { scopeOf } from './filtered-feed.ts'
import { readWindow, searching, type FoundPlace, type FoundRow, type Search } from './search.ts'

/** With all details 10 MB of text. */
const CHUNK_ROWS = 10_000
const BLOCK_ROWS = 8_192
/** Few of the rows that are found have been replaced. */
const CANDIDATES = 12_500

export function feedExport(
  store: ClickHouse,
  lists: CompanyLists,
  sectors: IssuerSectors,
  { prices = NO_PRICES, chunkRows = CHUNK_ROWS } = {},
): Queries['feedExport'] {
  const search = searching(store, { candidates: CANDIDATES, block: BLOCK_ROWS })

  /** The newest rows of one list without conditions, which stops where the chunk is full. */
  const whole = (asked: Search): Promise<FoundRow[]> => readWindow(store, asked, BLOCK_ROWS)

  return async (ask) => {
    const { detail = false } = ask
    const { found, ...scope } = await scopeOf(ask, lists, sectors)
    const read = scope.lists.length === 1 && scope.conditions.length === 0 ? whole : search
    let after: FoundPlace | undefined
    let isAtEnd = scope.lists.length === 0
    const next = async () => {
      if (isAtEnd) return []
      const rows = await read({ ...scope, sort: 'newest', after, detail, rows: chunkRows })
      isAtEnd = rows.length < chunkRows
      after = rows.at(-1)
      const texts = rows.map(({ json }) => json)
      return detail ? (await completeDetails(store, texts, { sectors, prices }, ask.asOf)).transactions : texts
    }
    return { next, unknown: found?.unknown ?? [] }
  }
}
