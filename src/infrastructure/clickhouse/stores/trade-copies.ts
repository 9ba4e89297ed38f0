// Column lists and SQL for the copies of a trade that the engine writes itself from one complete row: which columns
// all copies have, which only the issuer's copy has, and where each goes. Rows that this process writes are made in
// trade-rows.ts.
import { sql, Sql } from '../connection/sql.ts'

/** Columns of every copy besides path, subject, owner title, version and deleted, which differ between copies. */
export const SHOWN = [
  'filed_at',
  'accession',
  'n',
  'id',
  'issuer_cik',
  'ticker',
  'company_name',
  'insider_name',
  'insider_title',
  'type',
  'shares',
  'price',
  'total_value',
  'ceo',
  'ceo_cfo',
  'price_status',
  'code',
  'acquired_disposed',
  'direct_indirect',
  'trade_date',
  'trade_day',
  'shares_after',
  'filed_basis',
  'plan',
  'plan_source',
  'ambiguous',
  'significance',
  'signals',
  'insider_cik',
  'security_title',
  'amendment',
]

/** Columns of the issuer's copy alone: in the others they would take a third more space. */
export const ISSUER_ONLY = [
  'listed',
  'duplicate_of',
  'superseded_by',
  'superseded_at',
  'profile_ciks',
  'price_filed',
  'foreign',
  'symbols',
  'original_date',
  'filed_day',
  'owner_ciks',
  'owner_names',
  'owner_titles',
  'owner_roles',
  'signalled',
  'routine',
  'whole',
]

/** The copies of a row with listed, issuer_cik, owner_ciks, owner_titles and profile_ciks; join it as `copy`. */
export const COPIES = sql`
  arrayConcat(
    [('feed', toUInt64(0), '', if(listed, 0, 1)), ('issuer', issuer_cik, '', 0)],
    arrayMap(
      (cik, title) -> ('insider', cik, title, if(has(profile_ciks, cik), 0, 1)),
      owner_ciks, owner_titles
    )
  ) :: Array(Tuple(path String, subject UInt64, title String, deleted UInt8))`

// Defaults as rows made in this process have them: the engine's own default for a Date32 is 1900, and for an enum its
// first value.
const ABSENT: Record<string, string> = { filed_day: 'toDate32(0)', signalled: `'low'` }

/** Returns SQL for `value` in the issuer's copy and for the empty value in the others. */
export function ofIssuer(column: string, value: string): Sql {
  return new Sql(
    `
      if(
        copy.path = 'issuer', ${value},
        ${ABSENT[column] ?? `defaultValueOfTypeName(toTypeName(${value}))`}
      ) AS ${column}_`,
  )
}
