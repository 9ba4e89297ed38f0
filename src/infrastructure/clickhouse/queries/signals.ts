// Detected signals, newest first, then by id.
import type { components } from '../../../contract.ts'
import { madeFrom } from '../../../application/changes/dependence.ts'
import type { Queries, Severity, SignalType } from '../../../application/queries/queries.ts'
import type { ClickHouse } from '../connection/client.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { all, Sql, sql } from '../connection/sql.ts'
import { smallTable, throughWindow } from './time-window.ts'
import { TIMESTAMP } from './transaction-columns.ts'

type Signal = components['schemas']['Signal']

export const SIGNAL_COLUMNS = new Sql(`
  id, type, severity, ticker, company_name AS companyName, description, insider_count AS insiderCount,
  total_value AS totalValue,
  formatDateTime(detected_at, ${TIMESTAMP}) AS detectedAt`)

/** The copy in the order of the list. */
export const LISTED = new Sql(`path = 'list' AND subject = 0`)

interface SignalPlace {
  detectedAt: number
  id: string
}

export function signalsSql(ask: {
  type?: SignalType
  severity?: Severity
  after?: SignalPlace
  oldest: Date | null
  rows: number
}): Sql {
  const at = ask.after && new Date(ask.after.detectedAt * 1000)
  const where = all([
    LISTED,
    ask.oldest && sql`detected_at >= ${ask.oldest}`,
    at ? sql`detected_at <= ${at} AND (detected_at < ${at} OR id > ${ask.after!.id})` : null,
    ask.type ? sql`type = ${ask.type}` : null,
    ask.severity ? sql`severity = ${ask.severity}` : null,
  ])
  return sql`
    SELECT ${SIGNAL_COLUMNS}
    FROM signals FINAL
    WHERE ${where}
    ORDER BY path, subject, detected_at DESC, id
    LIMIT ${ask.rows}`
}

// Days searched first for a page: some 70 signals are detected a day, far fewer of one type or severity.
const DAYS = 2
const DAYS_OF_SOME = 16

export function signals(store: ClickHouse): Queries['signals'] {
  // The newest detection time seen; it only anchors a lower bound, so an old one is merely less selective.
  let newest: number | null = null
  const isSmall = smallTable(store, sql`signals`)
  return async ({ type, severity, cursor, limit }) => {
    const of = `signals:${type ?? ''}:${severity ?? ''}`
    const after = cursor === undefined ? undefined : toPlace(decodeCursor(of, cursor, ['number', 'id']))
    const anchor = (await isSmall()) ? null : (after?.detectedAt ?? newest)
    const found = await throughWindow(anchor, type || severity ? DAYS_OF_SOME : DAYS, limit + 1, (oldest) =>
      store.rows<Signal>(
        signalsSql({
          ...(type && { type }),
          ...(severity && { severity }),
          ...(after && { after }),
          oldest,
          rows: limit + 1,
        }),
      ),
    )
    if (!after && found[0]) newest = Math.max(newest ?? 0, Date.parse(found[0].detectedAt) / 1000)
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const dependence = { parts: ['signals'] } as const
    if (found.length <= limit || !last) return madeFrom({ signals: page, hasMore: false }, dependence)
    const nextCursor = encodeCursor(of, [Date.parse(last.detectedAt) / 1000, last.id])
    return madeFrom({ signals: page, hasMore: true, nextCursor }, dependence)
  }
}

function toPlace([detectedAt, id]: [number, string]): SignalPlace {
  return { detectedAt, id }
}
