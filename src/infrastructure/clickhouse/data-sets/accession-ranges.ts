// Ranges of accession numbers, by which statements over a staged quarter are divided so that memory does not grow with
// it.
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { BULK } from './tsv-fields.ts'

export interface AccessionRange {
  from: string
  to: string
}

/**
 * Returns ranges of accession numbers that cover a staged table, each with at most `rows` rows unless one filing has
 * more.
 */
export async function accessionRanges(store: ClickHouse, table: Sql, rows: number): Promise<AccessionRange[]> {
  return store.rows<AccessionRange>(sql`
    SELECT min(accession) AS from, max(accession) AS to
    FROM (
      SELECT accession, intDiv(sum(count()) OVER (ORDER BY accession ROWS UNBOUNDED PRECEDING) - 1, ${rows}) AS page
      FROM ${table}
      GROUP BY accession
    )
    GROUP BY page
    ORDER BY from
    ${BULK}`)
}

export const inRange = ({ from, to }: AccessionRange): Sql => sql`accession >= ${from} AND accession <= ${to}`
