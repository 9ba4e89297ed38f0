// The dataset `transaction-versions`: every transaction of Table I of a Form 4 or 4/A, duplicates and superseded ones
// included, with each state in which it was shown, and since when; a file for each month of filing, in the feed's order.
// The states follow the rules of answers as of an instant (queries/shared/as-of.ts).
import { sql, type Sql } from '../connection/sql.ts'
import { column, columnsSql, filedIn, PARQUET, type Column, type Month } from './columns.ts'
import { sectorSql, TRANSACTION_COLUMNS } from './transactions.ts'

const instant = (seconds: string): string => `toDateTime(${seconds}, 'UTC')`
/** A state that an amendment ended. */
const SUPERSEDED = 'ended != 0 AND known_to = ended'

/** The columns of `transactions`, of which these are of the state. */
const SHOWN: Readonly<Record<string, Column>> = {
  significance: column('significance', 'string', 'state_significance', 'In this state: low, medium, high or critical.'),
  signals: column('signals', 'list<string>', 'state_signals', 'Labels of signals that it was part of in this state.'),
  priceStatus: column(
    'priceStatus',
    'string',
    'state_price_status',
    'In this state: as_filed, zero, footnote_only, suspect, foreign or other_unit.',
  ),
}

export const VERSION_COLUMNS: readonly Column[] = [
  ...TRANSACTION_COLUMNS.map((each) => SHOWN[each.name] ?? each),
  column(
    'knownFrom',
    'timestamp(ms, UTC)',
    `if(estimated, NULL, ${instant('known_from')})`,
    'The first second of this state; null where filingDate is only estimated and so may be too early.',
  ),
  column(
    'knownTo',
    'timestamp(ms, UTC)',
    `if(known_to = 0, NULL, ${instant('known_to')})`,
    'The first second after this state, when the next one begins or an amendment superseded it; null if it lasts.',
  ),
  column(
    'status',
    'string',
    `if(duplicate_of = '', 'listed', 'duplicate')`,
    'listed, or duplicate: it repeats another and was never listed.',
  ),
  column('duplicateOf', 'string', `nullIf(duplicate_of, '')`, 'The id of the transaction that it repeats, else null.'),
  column(
    'supersededBy',
    'string',
    `if(${SUPERSEDED}, superseded_by, NULL)`,
    'Accession number of the 4/A that ended this state, else null.',
  ),
]

/**
 * A state ends where the next one begins, and the last state with the amendment. The next one begins where the marks
 * change, or a suspect price is explained. A transaction that was superseded in the second of its own filing, or
 * before, has no duration. If its day is estimated, only its last state is of use.
 */
export const versionFileSql = (month: Month, sectors: ReadonlyMap<number, string>): Sql => sql`
  SELECT ${columnsSql(VERSION_COLUMNS)}
  FROM (
    SELECT
      *, ${sectorSql(sectors)} AS sector,
      toUnixTimestamp(filed_at) AS filed,
      toUnixTimestamp(suspect_until) AS explained,
      if(superseded_by = '', 0, greatest(toUnixTimestamp(superseded_at), filed)) AS ended,
      arrayDistinct(arraySort(arrayFilter(
        at -> at > filed AND (ended = 0 OR at < ended),
        arrayPushBack(arrayMap(each -> each.until, earlier), explained)
      ))) AS ends,
      arrayZip(arrayPushFront(ends, filed), arrayPushBack(ends, ended)) AS spans,
      arrayJoin(if(estimated, arraySlice(spans, -1), spans)) AS span,
      span.1 AS known_from, span.2 AS known_to,
      arrayFilter(each -> each.until > known_from, earlier)[1] AS then,
      arrayExists(each -> each.until > known_from, earlier) AS was_other,
      if(was_other, toString(then.significance), significance) AS state_significance,
      if(was_other, then.signals, signals) AS state_signals,
      if(explained > known_from, 'suspect', priceStatus) AS state_price_status
    FROM transactions FINAL
    WHERE ${filedIn(month)}
  )
  ORDER BY filed_at DESC, accession DESC, n DESC, known_from
  ${PARQUET}`
