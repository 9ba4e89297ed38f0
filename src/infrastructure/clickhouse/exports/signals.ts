// The dataset `signals`: the states of every signal, also of those that have ended; a file for each month of detection,
// the newest first.
import { all, sql, type Sql } from '../connection/sql.ts'
import { keysWithin } from '../sort-key.ts'
import { column, columnsSql, monthsOfListSql, PARQUET, TIME_IN_KEY, type Column, type Month } from './columns.ts'

/** Returns a column of a state; null where it did not hold. */
const said = (name: string, from: string, description: string, type: Column['type'] = 'string'): Column => ({
  ...column(
    name,
    type,
    from === 'severity' ? `if(holds, toString(state.severity), NULL)` : `if(holds, state.${from}, NULL)`,
    `${description} Null where it did not hold.`.trim(),
  ),
  isOptional: true,
})

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
  said('severity', 'severity', 'low, medium, high or critical.'),
  said('ticker', 'ticker', 'The present one of the company; empty if none is known.'),
  said('companyName', 'company_name', 'As in the newest filing then.'),
  said('description', 'description', 'As in the API.'),
  said('insiderCount', 'insider_count', '', 'int32'),
  said('totalValue', 'total_value', 'Dollars.', 'decimal(38,2)'),
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
        span.1.since AS known_from, span.2 AS known_to, span.1 AS state, state.signal != '' AS holds
      FROM signal_states FINAL
      WHERE ${all(keysWithin({ from, before: until }))}
    )
    ORDER BY key, known_from
    ${PARQUET}`
}
