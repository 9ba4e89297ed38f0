// Writes a filter of transactions as SQL conditions. domain/trades/transaction-filter.ts decides the same in TypeScript;
// a test holds both equal.
import type { FeedFilter } from '../../../../application/queries/transaction-requests.ts'
import { significancesFrom, type Bounds, type TransactionFilter } from '../../../../domain/trades/transaction-filter.ts'
import type { DecimalText } from '../../../../domain/shared/identifiers.ts'
import { all, any, Sql, sql } from '../../connection/sql.ts'
import { roleBits } from '../../stores/roles.ts'
import { credibleAt, significanceAt } from '../shared/as-of.ts'

/** Returns the condition of a named filter; as of an instant, in seconds, if one is given. */
export function namedFilterCondition(filter: FeedFilter, asOf?: number): Sql {
  switch (filter) {
    case 'buys':
      return sql`type = 'buy'`
    case 'sells':
      return sql`type = 'sell'`
    case 'high':
      return sql`${significanceAt(asOf)} IN ('high', 'critical')`
    case 'ceo_cfo':
      return sql`bitAnd(roles, 48) != 0`
  }
}

/** Returns the conditions, none for an empty filter; as of an instant, in seconds, if one is given. */
export function conditionsOf(filter: TransactionFilter, asOf?: number): Sql[] {
  const { types, codes, roles, ownership, plans, routine, minSignificance, value, shares, traded } = filter
  const { late, firstBuyYears, holdingChange } = filter
  return [
    types && sql`type IN ${types}`,
    codes && sql`code IN ${codes}`,
    roles && sql`bitAnd(roles, ${roleBits(roles)}) != 0`,
    ownership && sql`ownership = ${ownership}`,
    plans && sql`plan IN ${plans}`,
    routine === undefined ? undefined : routine ? sql`routine` : sql`NOT routine`,
    late === undefined ? undefined : late ? sql`late` : sql`late = false`,
    firstBuyYears === undefined ? undefined : sql`first_buy_years >= ${firstBuyYears}`,
    minSignificance && sql`${significanceAt(asOf)} IN ${significancesFrom(minSignificance)}`,
    ...(value ? [credibleAt(asOf), ...between(sql`total_value`, value, 2)] : []),
    ...(shares ? between(sql`shares`, shares, 4) : []),
    ...(holdingChange ? [changeWithin(holdingChange)] : []),
    ...(traded ? [sql`trade_day > toDate32(0)`] : []),
    traded?.min === undefined ? undefined : sql`trade_day >= toDate32(${traded.min})`,
    traded?.max === undefined ? undefined : sql`trade_day <= toDate32(${traded.max})`,
  ].filter((condition) => condition !== undefined)
}

/** A new holding is above every least change. */
function changeWithin(bounds: Bounds<number>): Sql {
  const within = all(between(sql`holding_change`, textsOf(bounds), 4))
  return bounds.max === undefined ? any([within, sql`new_holding`]) : within
}

/** Converts the bounds to the shortest texts, as ClickHouse writes the numbers of the column. */
const textsOf = ({ min, max }: Bounds<number>): Bounds<DecimalText> => ({
  ...(min !== undefined && { min: String(min) }),
  ...(max !== undefined && { max: String(max) }),
})

function between(column: Sql, { min, max }: Bounds<DecimalText>, places: number): Sql[] {
  const decimal = (amount: string) => sql`toDecimal128(${amount}, ${places})`
  return [
    ...(min === undefined ? [] : [sql`${column} >= ${decimal(min)}`]),
    ...(max === undefined ? [] : [sql`${column} <= ${decimal(max)}`]),
  ]
}
