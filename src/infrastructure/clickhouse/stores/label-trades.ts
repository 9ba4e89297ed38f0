// SQL that writes the labels of signals, and the significance that follows from them, into trades: one statement
// reads the rows and inserts them again under a higher version.
import { cikNumber } from '../../../domain/shared/identifiers.ts'
import { Sql, sql } from '../connection/sql.ts'
import { packedSql } from './trade-rows.ts'
import type { MarkedTrade } from '../../../application/ports/analytics.ts'

const MARKS = ['signals', 'signalled', 'routine', 'significance', 'earlier'] as const
const EARLIER_TYPE = 'Array(Tuple(until UInt32, significance String, signals Array(String)))'
const MARK_TYPE = `Tuple(
  id String, signals Array(String), signalled String, routine Bool, significance String, earlier ${EARLIER_TYPE}
)`

/**
 * Returns the statements that write what is said of the trades, in this order: into the lists, then into `trades`, with
 * which labels are compared, so that a process killed between them writes both again. What is said goes in one
 * literal: as a list of expressions it took longer to parse than to run.
 */
export function markSql(marked: MarkedTrade[], version: number): [ofLists: Sql, ofTrades: Sql] {
  const marks = JSON.stringify(marked.map(({ id, ...trade }) => [id, ...MARKS.map((column) => trade[column])]))
  const rows = sql`SELECT arrayJoin(JSONExtract(${marks}, ${`Array(${MARK_TYPE})`})) AS mark, mark.id AS id`
  return [markTableSql('listed_trades', marked, rows, version), markTableSql('trades', marked, rows, version)]
}

function markTableSql(table: string, marked: MarkedTrade[], marks: Sql, version: number): Sql {
  const isMark = (column: string) => MARKS.some((mark) => mark === column)
  const whole = packedSql((column) => new Sql(isMark(column) ? `m.mark.${column}` : `t.${column}`))
  const times = [...new Set(marked.map(({ filedAt }) => filedAt))]
  return sql`
    INSERT INTO ${new Sql(table)}
    SELECT t.* REPLACE (
      ${new Sql(MARKS.map((column) => `m.mark.${column} AS ${column}`).join(', '))}, ${whole} AS whole,
      ${version} AS version
    )
    FROM (
      SELECT *
      FROM trades FINAL
      WHERE path = 'issuer'
        AND subject IN ${[...new Set(marked.map(({ issuerCik }) => cikNumber(issuerCik)))]}
        AND toUnixTimestamp(filed_at) IN ${times}
    ) AS t
    INNER JOIN (${marks}) AS m
      ON t.id = m.id
    SETTINGS max_execution_time = 0`
}
