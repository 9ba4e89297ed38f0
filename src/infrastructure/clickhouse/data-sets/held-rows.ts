// Rows of a staged data set with their nature of ownership and the footnotes that may name somebody, for the domain to
// interpret.
import type { DataSetFile, HeldRows } from '../../../application/ports/data-sets.ts'
import { NAMING_FOOTNOTE } from '../../../domain/trades/holding.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { inRange, type AccessionRange } from './join-filings.ts'
import { BULK, Fields } from './tsv-fields.ts'

/** Returns rows with a nature of ownership or such a footnote, and all others held indirectly, of Forms 4 and 4/A. */
export function heldRows(
  store: ClickHouse,
  footnotes: { file: DataSetFile; lines: Sql } | null,
  range: AccessionRange,
): Promise<HeldRows[]> {
  const within = inRange(range)
  return store.rows<HeldRows>(sql`
    SELECT
      r.accession AS accession, groupArray(sk) AS sks, direct_indirect AS directIndirect, r.nature AS nature,
      arrayFilter(text -> text != '', arrayMap(note -> f.texts[note], r.notes)) AS footnotes
    FROM (
      SELECT accession, sk, toString(direct_indirect) AS direct_indirect, nature, notes
      FROM staged_rows
      WHERE ${within} AND problem = ''
        AND accession IN (SELECT accession FROM staged_submissions WHERE ${within} AND form IN ('4', '4/A'))
      LIMIT 1 BY accession, sk
    ) AS r
    LEFT JOIN (${namingSql(footnotes, range)}) AS f ON r.accession = f.accession
    WHERE r.nature != '' OR direct_indirect = 'I' OR notEmpty(footnotes)
    GROUP BY accession, directIndirect, nature, footnotes
    ${BULK}`)
}

function namingSql(footnotes: { file: DataSetFile; lines: Sql } | null, { from, to }: AccessionRange): Sql {
  if (footnotes === null) return sql`SELECT '' AS accession, map() :: Map(String, String) AS texts WHERE 0`
  const fields = new Fields(footnotes.file, ['ACCESSION_NUMBER', 'FOOTNOTE_ID', 'FOOTNOTE_TXT'])
  return sql`
    SELECT accession, CAST((groupArray(note), groupArray(text)), 'Map(String, String)') AS texts
    FROM (
      SELECT
        ${fields.text('ACCESSION_NUMBER')} AS accession, ${fields.text('FOOTNOTE_ID')} AS note,
        ${fields.prose('FOOTNOTE_TXT')} AS text
      FROM (SELECT splitByChar('\\t', line) AS f FROM ${footnotes.lines} WHERE match(line, ${NAMING_FOOTNOTE}))
    )
    WHERE accession >= ${from} AND accession <= ${to}
    GROUP BY accession`
}
