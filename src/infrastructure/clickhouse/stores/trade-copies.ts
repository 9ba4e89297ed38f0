// The copies of a trade as the engine writes them by itself, from one row that has everything: which columns all of them have,
// which the issuer's alone, and where they go. Rows that this process writes are made in trade-rows.ts.
import { sql, Sql } from '../connection/sql.ts'

/** Beside path, subject, owner title, version and deleted, which differ. */
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

/** In the other copies they would take a third more room. */
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

/** Of a row with listed, issuer_cik, owner_ciks, owner_titles and profile_ciks. To be joined as `copy`. */
export const COPIES = sql`
  arrayConcat(
    [('feed', toUInt64(0), '', if(listed, 0, 1)), ('issuer', issuer_cik, '', 0)],
    arrayMap(
      (cik, title) -> ('insider', cik, title, if(has(profile_ciks, cik), 0, 1)),
      owner_ciks, owner_titles
    )
  ) :: Array(Tuple(path String, subject UInt64, title String, deleted UInt8))`

// What rows made in this process leave out: the engine's own default for a Date32 would be 1900, and that of an enum its first.
const ABSENT: Record<string, string> = { filed_day: 'toDate32(0)', signalled: `'low'` }

/** `value` in the issuer's copy, and in the others what stands where there is nothing. */
export function ofIssuer(column: string, value: string): Sql {
  return new Sql(
    `
      if(
        copy.path = 'issuer', ${value},
        ${ABSENT[column] ?? `defaultValueOfTypeName(toTypeName(${value}))`}
      ) AS ${column}_`,
  )
}
