// Stores the details of each filing of a data set as one JSON text, made from the staged lines, by ranges of filings.
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { accessionRanges, inRange, type AccessionRange } from './join-filings.ts'
import { BULK } from './tsv-fields.ts'

/** Filings per statement; their texts are in memory at once. */
const FILINGS_BATCH = 8_000
/** The most lines that are stored for one filing, far more than real filings have. */
const MAX_LINES = 2_000

/** Returns the statements. If not `hasAllFiles`, they remove the details of an earlier load instead. */
export async function detailStatements(store: ClickHouse, version: number, hasAllFiles: boolean): Promise<Sql[]> {
  const ranges = await accessionRanges(store, sql`staged_filings`, FILINGS_BATCH)
  return ranges.map((range) => detailsSql(range, version, hasAllFiles))
}

/** A filing is complete if no line with its accession number was rejected. */
function detailsSql(range: AccessionRange, version: number, hasAllFiles: boolean): Sql {
  return sql`
    INSERT INTO filing_details (filed_at, accession, issuer_cik, content, version, deleted)
    SELECT filed_at, accession, issuer_cik, content, ${version}, ${hasAllFiles ? 0 : 1}
    FROM (${filingContentsSql(range)})
    ${BULK}`
}

/** Selects the text of each filing of the range that is not stored already, with the key of its row. */
export function filingContentsSql(range: AccessionRange): Sql {
  const within = inRange(range)
  return sql`
    SELECT
      filed_at, accession, issuer_cik, form, filed_day,
      concat(
        '{"basis":', toJSONString(toString(filed_basis)),
        ',"complete":', if(d.complete AND row_count = good_rows, 'true', 'false'),
        ',"lines":[', d.lines, ']}'
      ) AS content
    FROM (
      SELECT accession, filed_at, filed_day, form, issuer_cik, filed_basis, row_count, good_rows
      FROM staged_filings
      WHERE ${within} AND accession NOT IN (SELECT accession FROM staged_known)
    ) AS f
    INNER JOIN (
      SELECT
        accession, countIf(problem != '') = 0 AND count() <= ${MAX_LINES} AS complete,
        arrayStringConcat(
          arrayMap(
            line -> line.4,
            arraySort(groupArrayIf(${MAX_LINES})((place, length(key), key, content), problem = ''))
          ),
          ','
        ) AS lines
      FROM (${linesSql(within)})
      GROUP BY accession
    ) AS d ON f.accession = d.accession`
}

/** Returns SQL for the lines. Of lines with the same key only one is taken, as for published rows. */
function linesSql(within: Sql): Sql {
  return sql`
    SELECT accession, 0 AS place, '' AS key, content, problem
    FROM staged_submissions
    WHERE ${within} AND problem = ''
    LIMIT 1 BY accession
    UNION ALL
    SELECT accession, 1, toString(cik), content, problem
    FROM staged_owners
    WHERE ${within}
    LIMIT 1 BY accession, cik, problem
    UNION ALL
    SELECT accession, 2, toString(sk), content, problem
    FROM staged_rows
    WHERE ${within}
    LIMIT 1 BY accession, sk, problem
    UNION ALL
    SELECT
      accession,
      transform(file, ['NONDERIV_HOLDING', 'DERIV_TRANS', 'DERIV_HOLDING', 'FOOTNOTES'], [3, 4, 5, 6], 0),
      key, content, problem
    FROM staged_details
    WHERE ${within} AND file != 'OWNER_SIGNATURE'
    LIMIT 1 BY accession, file, key, problem
    UNION ALL
    SELECT accession, 7, key, content, problem
    FROM staged_details
    WHERE ${within} AND file = 'OWNER_SIGNATURE'`
}
