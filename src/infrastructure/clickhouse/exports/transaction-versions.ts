// The dataset `transaction-versions`: every transaction of Table I of a Form 4 or 4/A, duplicates and superseded ones
// included, with each state in which it was shown, and since when; a file for each month of filing, in the feed's order.
// The states follow the rules of answers as of an instant (queries/shared/as-of.ts). Listed transactions are read from
// the feed's list, which is in the order of time; only the others are read from `trades`, which is in that of issuers.
import { ESTIMATED_BASES } from '../../../domain/filings/acceptance-time.ts'
import { Sql, sql } from '../connection/sql.ts'
import type { TradeTexts } from '../stores/trade-rows.ts'
import { column, columnsSql, keysOfMonth, PARQUET, timeInKey, type Column, type Month } from './columns.ts'
import { DETAIL, sectorSql, tradeMonthsSql, TRANSACTION, TRANSACTION_COLUMNS } from './transactions.ts'

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

export const versionMonthsSql = (sectors: ReadonlyMap<number, string>): Sql =>
  tradeMonthsSql(sql`filed_at`, sql`trades WHERE path = 'issuer'`, sectors)

/**
 * A state ends where the next one begins, and the last state with the amendment. The next one begins where the marks
 * change, or a suspect price is explained. A transaction that was superseded in the second of its own filing, or
 * before, has no duration. If its day is estimated, only its last state is of use.
 */
export function versionFileSql(month: Month, sectors: ReadonlyMap<number, string>, texts: TradeTexts): Sql {
  const { from, until } = month
  const filed = sql`filed_at >= ${new Date(from * 1000)} AND filed_at < ${new Date(until * 1000)}`
  return sql`
    SELECT ${columnsSql(VERSION_COLUMNS)}
    FROM (
      SELECT
        *, JSONExtract(transaction_json, ${TRANSACTION}) AS t, JSONExtract(detail_json, ${DETAIL}) AS d,
        ${sectorSql(sectors)} AS sector,
        arrayDistinct(arraySort(arrayFilter(
          at -> at > filed AND (ended = 0 OR at < ended),
          arrayPushBack(arrayMap(each -> each.until, earlier), explained)
        ))) AS ends,
        arrayZip(arrayPushFront(ends, filed), arrayPushBack(ends, ended)) AS spans,
        arrayJoin(if(estimated, arraySlice(spans, -1), spans)) AS span,
        span.1 AS known_from, span.2 AS known_to,
        arrayFilter(each -> each.until > known_from, earlier)[1] AS then,
        arrayExists(each -> each.until > known_from, earlier) AS was_other,
        if(was_other, toString(then.significance), t.significance) AS state_significance,
        if(was_other, then.signals, t.signals) AS state_signals,
        if(explained > known_from, 'suspect', d.priceStatus) AS state_price_status
      FROM (${listedSql(keysOfMonth(month))} UNION ALL ${unlistedSql(filed, texts)})
    )
    ORDER BY key DESC, known_from
    ${PARQUET}`
}

/** Selects the transactions that the feed lists. */
const listedSql = (range: Sql): Sql => sql`
  SELECT
    key, shares, total_value, trade_day, issuer_cik, owner_ciks, earlier, '' AS duplicate_of, '' AS superseded_by,
    roles, transaction AS transaction_json, detail AS detail_json,
    toUnixTimestamp(${new Sql(timeInKey('key'))}) AS filed, estimated, toUInt32(0) AS ended,
    toUnixTimestamp(suspect_until) AS explained
  FROM (
    SELECT *, substring(key, 11, length(key) - 19) AS accession
    FROM transaction_lists FINAL
    WHERE ${range}
  ) AS listed
  LEFT JOIN (
    SELECT substring(key, 11) AS accession, any(owner_ciks) AS owner_ciks
    FROM filing_lists FINAL
    WHERE ${range}
    GROUP BY accession
  ) AS filing USING accession`

const UNLISTED = sql`(duplicate_of != '' OR superseded_by != '')`

/**
 * Selects the other transactions. Finds their keys first, by few columns, or FINAL would read all columns of all rows.
 */
const unlistedSql = (filed: Sql, { transaction, detail }: TradeTexts): Sql => sql`
  SELECT
    concat('f:', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession, ' ', leftPad(hex(n), 8, '0')) AS key,
    shares, total_value, trade_day, issuer_cik, owner_ciks, earlier, duplicate_of, superseded_by,
    arrayReduce(
      'groupBitOr', arrayPushBack(owner_roles, toUInt8(ceo * 16 + (cfo OR (ceo_cfo AND NOT ceo)) * 32))
    ) AS roles,
    ${transaction} AS transaction_json, ${detail} AS detail_json, toUnixTimestamp(filed_at) AS filed,
    filed_basis IN ${ESTIMATED_BASES} AS estimated,
    if(superseded_by = '', 0, greatest(toUnixTimestamp(superseded_at), toUnixTimestamp(filed_at))) AS ended,
    toUnixTimestamp(suspect_until) AS explained
  FROM trades FINAL
  WHERE path = 'issuer' AND ${filed} AND ${UNLISTED} AND (subject, filed_at, accession, n) IN (
    SELECT subject, filed_at, accession, n
    FROM trades
    WHERE path = 'issuer' AND ${filed} AND ${UNLISTED}
  )`
