// The dataset `signals`: the states of every signal, also of those that have ended; a file for each month of detection,
// the newest first.
import { all, sql, type Sql } from '../connection/sql.ts'
import { keysWithin } from '../sort-key.ts'
import { column, columnsSql, monthsOfListSql, PARQUET, TIME_IN_KEY, type Column, type Month } from './columns.ts'

/** Returns a column of the text of a state; null where it did not hold, of which there is none. */
const said = (name: string, description: string): Column =>
  column(
    name,
    'string',
    `if(holds, JSONExtractString(signal, '${name}'), NULL)`,
    `${description} Null where it did not hold.`,
  )

export const SIGNAL_COLUMNS: readonly Column[] = [
  column('id', 'string', 'substring(key, 10)', 'As in the API.'),
  column('type', 'string', 'toString(type)', 'As in the API.'),
  column('issuerCik', 'string', `leftPad(toString(issuer_cik), 10, '0')`, 'Ten digits.'),
  column('detectedAt', 'timestamp(ms, UTC)', TIME_IN_KEY, 'Acceptance of the filing that completed the rule.'),
  column('knownFrom', 'timestamp(ms, UTC)', `toDateTime(known_from, 'UTC')`, 'The first second of this state.'),
  column(
    'knownTo',
    'timestamp(ms, UTC)',
    `if(known_to = 0, NULL, toDateTime(known_to, 'UTC'))`,
    'The first second of the next state; null if this one lasts.',
  ),
  column('holds', 'boolean', 'holds', 'Whether the rule held in this state, so that the API listed the signal.'),
  said('severity', 'low, medium, high or critical.'),
  said('ticker', 'The present one of the company; empty if none is known.'),
  said('companyName', 'As in the newest filing then.'),
  said('description', 'As in the API.'),
  {
    ...column(
      'insiderCount',
      'int32',
      `if(holds, JSONExtractInt(signal, 'insiderCount'), NULL)`,
      'Null where it did not hold.',
    ),
    isOptional: true,
  },
  column(
    'totalValue',
    'decimal(38,2)',
    `toDecimal128OrNull(JSONExtractRaw(signal, 'totalValue'), 2)`,
    'Dollars. Null where it did not hold.',
  ),
]

export const signalMonthsSql = monthsOfListSql('signal_states')

export function signalFileSql({ from, until }: Month): Sql {
  return sql`
    SELECT ${columnsSql(SIGNAL_COLUMNS)}
    FROM (
      SELECT
        key, type, issuer_cik,
        arrayJoin(arrayZip(
          states, arrayPushBack(arrayPopFront(arrayMap(each -> each.since, states)), toUInt32(0))
        )) AS span,
        span.1.since AS known_from, span.2 AS known_to, span.1.signal AS signal, signal != '' AS holds
      FROM signal_states FINAL
      WHERE ${all(keysWithin({ from, before: until }))}
    )
    ORDER BY key, known_from
    ${PARQUET}`
}
