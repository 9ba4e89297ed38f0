// Detected signals, newest first, then by id.
import type { components } from '../../../contract.ts'
import { madeFrom } from '../../../application/changes/dependence.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { Queries, Severity, SignalType } from '../../../application/queries/queries.ts'
import type { ClickHouse } from '../connection/client.ts'
import { decodeCursor, encodeCursor } from './shared/cursor.ts'
import { all, sql, type Sql } from '../connection/sql.ts'
import { BLOCK_ROWS } from './shared/transaction-list.ts'

type SignalPage = components['schemas']['SignalPage']

interface SignalPlace {
  detectedAt: number
  id: string
}

/** Returns what keys of signals detected at this time, in seconds, begin with: the newest sort first. */
export const keyAt = (detectedAt: number): string =>
  (0xffff_ffff - detectedAt).toString(16).toUpperCase().padStart(8, '0')

export const detectedAtOf = (key: string): number => 0xffff_ffff - Number.parseInt(key.slice(0, 8), 16)

export function signalsSql(ask: { type?: SignalType; severity?: Severity; after?: SignalPlace; rows: number }): Sql {
  const where = all([
    ask.after ? sql`key > ${`${keyAt(ask.after.detectedAt)} ${ask.after.id}`}` : null,
    ask.type ? sql`type = ${ask.type}` : null,
    ask.severity ? sql`severity = ${ask.severity}` : null,
  ])
  return sql`
    SELECT key, signal
    FROM signal_list FINAL
    WHERE ${where}
    ORDER BY key
    LIMIT ${ask.rows}`
}

export function signals(store: ClickHouse): Queries['signals'] {
  return async ({ type, severity, cursor, limit }) => {
    const of = `signals:${type ?? ''}:${severity ?? ''}`
    const after = cursor === undefined ? undefined : toPlace(decodeCursor(of, cursor, ['number', 'id']))
    const asked = { ...(type && { type }), ...(severity && { severity }), ...(after && { after }), rows: limit + 1 }
    const found = await store.texts(signalsSql(asked), BLOCK_ROWS)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const page = JsonText.object<SignalPage>({
      signals: JsonText.list(shown.map(([, signal]) => signal!)),
      hasMore: last !== undefined,
      ...(last && { nextCursor: encodeCursor(of, [detectedAtOf(last[0]!), last[0]!.slice(9)]) }),
    })
    return madeFrom(page, { parts: ['signals'] })
  }
}

function toPlace([detectedAt, id]: [number, string]): SignalPlace {
  return { detectedAt, id }
}
