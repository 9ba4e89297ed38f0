// Detected signals, newest first, then by id.
import type { components } from '../../../contract.ts'
import type { Queries, Severity, SignalType } from '../../../application/queries.ts'
import type { ClickHouse } from '../client.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { all, Sql, sql } from '../sql.ts'
import { TIMESTAMP } from './transaction-columns.ts'

type Signal = components['schemas']['Signal']

export const SIGNAL_COLUMNS = new Sql(`id, type, severity, ticker, company_name AS companyName, description,
  insider_count AS insiderCount, total_value AS totalValue, formatDateTime(detected_at, ${TIMESTAMP}) AS detectedAt`)

/** The copy in the order of the list. */
export const LISTED = new Sql(`path = 'list' AND subject = 0`)

export interface SignalPlace { detectedAt: number; id: string }

export function signalsSql(ask: { type?: SignalType; severity?: Severity; after?: SignalPlace; rows: number }): Sql {
  const at = ask.after && new Date(ask.after.detectedAt * 1000)
  const where = all([
    LISTED,
    at ? sql`detected_at <= ${at} AND (detected_at < ${at} OR id > ${ask.after!.id})` : null,
    ask.type ? sql`type = ${ask.type}` : null,
    ask.severity ? sql`severity = ${ask.severity}` : null,
  ])
  return sql`SELECT ${SIGNAL_COLUMNS} FROM signals FINAL WHERE ${where} ORDER BY path, subject, detected_at DESC, id LIMIT ${ask.rows}`
}

export function signals(store: ClickHouse): Queries['signals'] {
  return async ({ type, severity, cursor, limit }) => {
    const of = `signals:${type ?? ''}:${severity ?? ''}`
    const after = cursor === undefined ? undefined : toPlace(decodeCursor(of, cursor))
    const found = await store.rows<Signal>(
      signalsSql({ ...(type && { type }), ...(severity && { severity }), ...(after && { after }), rows: limit + 1 }))
    const page = found.slice(0, limit)
    const last = page.at(-1)
    if (found.length <= limit || !last) return { signals: page, hasMore: false }
    return { signals: page, hasMore: true, nextCursor: encodeCursor(of, [Date.parse(last.detectedAt) / 1000, last.id]) }
  }
}

function toPlace([detectedAt, id]: (string | number)[]): SignalPlace {
  return { detectedAt: Number(detectedAt), id: String(id) }
}
