// Reads filings of a staged data set whose footnotes or remarks may matter for their rows; the domain decides.
import type { CountedRow, DataSetFile, TextFiling } from '../../../application/ports/data-sets.ts'
import { MENTIONS_PLAN } from '../../../domain/filings/trading-plan/trading-plan.ts'
import { MENTIONS_AVERAGE } from '../../../domain/trades/average-price.ts'
import { NAMING_FOOTNOTE } from '../../../domain/trades/holding.ts'
import { MENTIONS_DEBT, MENTIONS_UNIT } from '../../../domain/trades/price-unit.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { inRange, type AccessionRange } from './join-filings.ts'
import { BULK, Fields } from './tsv-fields.ts'

/** Footnotes of a data set: the file, and SQL for its lines. */
export interface Footnotes {
  file: DataSetFile
  lines: Sql
}

const TEXTS = [`(?i)${NAMING_FOOTNOTE}`, MENTIONS_UNIT, MENTIONS_PLAN, `(?i)${MENTIONS_AVERAGE}`]
  .map((pattern) => `(?:${pattern})`)
  .join('|')

/** Returns Forms 4 and 4/A with such a footnote, remarks that mention a plan, or a row that is not held directly. */
export function textFilings(
  store: ClickHouse,
  footnotes: Footnotes | null,
  range: AccessionRange,
): Promise<TextFiling[]> {
  const within = inRange(range)
  return store.rows<TextFiling>(sql`
    SELECT
      s.accession AS accession, toString(s.plan) AS box,
      if(match(s.remarks, ${MENTIONS_PLAN}), s.remarks, '') AS remarks,
      n.notes AS footnotes, r.rows AS rows
    FROM (
      SELECT accession, remarks, plan
      FROM staged_submissions
      WHERE ${within} AND problem = '' AND form IN ('4', '4/A')
      LIMIT 1 BY accession
    ) AS s
    INNER JOIN (
      SELECT
        accession,
        groupArray(
          (sks, code, title, toString(price), direct_indirect, nature, notes, price_notes) :: Tuple(
            sks Array(UInt32), code String, title String, price Nullable(String), directIndirect String, nature String,
            notes Array(String), priceNotes Array(String)
          )
        ) AS rows,
        max(direct_indirect = 'I' OR nature != '' OR match(title, ${`(?i)${MENTIONS_DEBT}`})) AS is_told_by_row
      FROM (
        SELECT accession, code, title, price, direct_indirect, nature, notes, price_notes, groupArray(sk) AS sks
        FROM (SELECT * FROM staged_rows WHERE ${within} AND problem = '' LIMIT 1 BY accession, sk)
        GROUP BY accession, code, title, price, direct_indirect, nature, notes, price_notes
      )
      GROUP BY accession
    ) AS r ON s.accession = r.accession
    LEFT JOIN (${notesSql(footnotes, range)}) AS n ON s.accession = n.accession
    WHERE notEmpty(footnotes) OR remarks != '' OR is_told_by_row
    ${BULK}`)
}

function notesSql(footnotes: Footnotes | null, { from, to }: AccessionRange): Sql {
  if (footnotes === null)
    return sql`SELECT '' AS accession, [] :: Array(Tuple(id String, text String)) AS notes WHERE 0`
  const fields = new Fields(footnotes.file, ['ACCESSION_NUMBER', 'FOOTNOTE_ID', 'FOOTNOTE_TXT'])
  return sql`
    SELECT accession, groupArray((id, text) :: Tuple(id String, text String)) AS notes
    FROM (
      SELECT
        ${fields.text('ACCESSION_NUMBER')} AS accession, ${fields.text('FOOTNOTE_ID')} AS id,
        ${fields.prose('FOOTNOTE_TXT')} AS text
      FROM (SELECT splitByChar('\\t', line) AS f FROM ${footnotes.lines} WHERE match(line, ${TEXTS}))
    )
    WHERE accession >= ${from} AND accession <= ${to}
    GROUP BY accession`
}

/** Returns the rows of filings with two balances that differ by a thousand times or a thousandth of a row's shares. */
export function countedRows(store: ClickHouse): Promise<CountedRow[]> {
  return store.rows<CountedRow>(sql`
    SELECT
      accession, sk, title, acquired_disposed AS acquiredDisposed, direct_indirect AS directIndirect,
      toString(shares) AS shares, toString(shares_after) AS sharesAfter
    FROM staged_rows
    WHERE problem = '' AND accession IN (
      SELECT accession
      FROM staged_rows
      WHERE problem = '' AND isNotNull(shares_after)
      GROUP BY accession
      HAVING arrayExists(
        (count, after) -> count > 0 AND arrayExists(
          other -> abs(other - after) IN (count * 1000, toDecimal128(count, 7) / 1000), afters
        ),
        groupArray(toDecimal128(shares, 4)) AS counts,
        groupArray(toDecimal128(assumeNotNull(shares_after), 4)) AS afters
      )
    )
    LIMIT 1 BY accession, sk
    ${BULK}`)
}
