// Queries of a key's own deliveries, newest first. They show only the host of an address, and the beginning of a
// receiver's answer, with invisible characters escaped.
import type { WebhookBody } from '../../../application/alerts/webhook-body.ts'
import type { LeasedDelivery, Match } from '../../../application/ports/alerts.ts'
import type {
  DeliveryDetail,
  DeliveryPage,
  DeliveryListRequest,
  ShownDelivery,
} from '../../../application/queries/key-queries.ts'
import { decodeCursor, digestOf, encodeCursor } from '../../page-cursor.ts'
import { printable } from '../../printable.ts'
import { rows, type Connection, type Pool } from '../pool.ts'

const MAX_ATTEMPTS = 50
const MAX_ANSWER = 1_000

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

const ATTEMPT = `'number', attempt.number,
  'at', ${time('attempt.at')},
  'milliseconds', round(attempt.milliseconds),
  'status', attempt.status,
  'error', attempt.error`

// Reads the symbols of signals and notices from the event's data, which is short.
const COLUMNS = `deliveries.id,
  type AS event,
  coalesce(
    ticker,
    CASE
      WHEN type LIKE 'signal.%' THEN data::json #>> '{signal,ticker}'
      WHEN type LIKE 'notice.%' THEN data::json #>> '{notice,ticker}'
    END
  ) AS ticker,
  url,
  format,
  matched,
  status,
  reason,
  attempts,
  ${time('deliveries.created_at')} AS "createdAt",
  CASE status WHEN 'waiting' THEN ${time('next_attempt_at')} END AS "nextAttemptAt",
  ${time('settled_at')} AS "settledAt",
  (SELECT json_build_object(${ATTEMPT})
   FROM delivery_attempts AS attempt
   WHERE delivery_id = deliveries.id
   ORDER BY number DESC
   LIMIT 1) AS "lastAttempt"`

// The deliveries about a company, found by its events: these are few, while the key may have many deliveries.
// Materialized, or the planner would go through all deliveries of the key in their order. Tests have no issuer.
const ABOUT = `WITH about AS MATERIALIZED (
    SELECT deliveries.id
    FROM events JOIN deliveries ON event_id = events.id
    WHERE issuer_cik = ANY($7::text[])
      AND key_id = $1
    UNION ALL
    SELECT deliveries.id
    FROM events JOIN deliveries ON event_id = events.id
    WHERE issuer_cik = ''
      AND key_id = $1
      AND ticker = $6
  )`

type Row = Omit<ShownDelivery, 'host' | 'alertId'> & Pick<LeasedDelivery, 'url' | 'matched'>

/** Returns a page of the key's deliveries. Throws `invalid_cursor`. */
export async function listKeyDeliveries(
  pool: Pool,
  keyId: string,
  request: DeliveryListRequest,
): Promise<DeliveryPage> {
  const { status = null, about = null, alertId, cursor, limit } = request
  const rule = alertId === undefined ? null : JSON.stringify([{ id: alertId }])
  const scope = `deliveries:${digestOf([keyId, status, about, ...(rule === null ? [] : [rule])])}`
  const [place, id] = cursor === undefined ? [null, null] : decodeCursor(scope, cursor, ['instant', 'id'])
  const deliveries = await rows<Row & { place: number }>(
    pool,
    `${about ? ABOUT : ''}
     SELECT ${COLUMNS}, (extract(epoch FROM deliveries.created_at) * 1000000)::bigint AS place
     FROM ${about ? 'about JOIN deliveries USING (id)' : 'deliveries'} JOIN events ON events.id = event_id
     WHERE key_id = $1
       AND ($2::text IS NULL OR status = $2)
       ${rule === null ? '' : `AND matched @> ${about ? '$8' : '$6'}::jsonb`}
       AND ($3::bigint IS NULL
         OR (deliveries.created_at, deliveries.id) < ('epoch'::timestamptz + $3 * interval '1 microsecond', $4::text))
     ORDER BY deliveries.created_at DESC, deliveries.id DESC
     LIMIT $5`,
    [
      keyId,
      status,
      place,
      id,
      limit + 1,
      ...(about ? [about.ticker, about.issuers] : []),
      ...(rule === null ? [] : [rule]),
    ],
  )
  const page = deliveries.slice(0, limit)
  const last = page.at(-1)
  const hasMore = deliveries.length > limit
  return {
    deliveries: page.map(({ place: _, ...row }) => toShown(row)),
    hasMore,
    ...(hasMore && { nextCursor: encodeCursor(scope, [last!.place, last!.id]) }),
  }
}

type AttemptRow = Omit<DeliveryDetail['attemptsMade'][number], 'answer'> & { answer: string | null }
interface DetailRow extends Row {
  data: string | null
  issuerCik: string
  raisedAt: Date
  eventTicker: string | null
  attempted: AttemptRow[]
}

/** Returns a delivery of the key with its body and newest attempts; null for an unknown id and another key's. */
export async function showKeyDelivery(
  db: Pool | Connection,
  keyId: string,
  id: string,
  bodyOf: WebhookBody,
): Promise<DeliveryDetail | null> {
  const [delivery] = await rows<DetailRow>(
    db,
    `SELECT ${COLUMNS}, data, issuer_cik AS "issuerCik", events.created_at AS "raisedAt", ticker AS "eventTicker",
       (SELECT coalesce(
           json_agg(json_build_object(${ATTEMPT}, 'answer', encode(answer, 'base64')) ORDER BY number DESC), '[]')
        FROM (
          SELECT *
          FROM delivery_attempts
          WHERE delivery_id = deliveries.id
          ORDER BY number DESC
          LIMIT ${MAX_ATTEMPTS}) AS attempt) AS attempted
     FROM deliveries JOIN events ON events.id = event_id
     WHERE deliveries.id = $1
       AND key_id = $2`,
    [id, keyId],
  )
  if (!delivery) return null
  const { data, issuerCik, raisedAt, eventTicker, attempted, ...row } = delivery
  const { format, matched, event: eventType } = row
  const createdAt = raisedAt.getTime()
  const sent = { id, eventType, createdAt, ticker: eventTicker, data: data ?? 'null', format, matched, issuerCik }
  return {
    ...toShown(row),
    body: bodyOf(sent),
    attemptsMade: attempted.map(({ answer, ...attempt }) => ({
      ...attempt,
      answer: answer === null ? null : beginningOf(Buffer.from(answer, 'base64')),
    })),
  }
}

function toShown({ url, matched, ...row }: Row): ShownDelivery {
  const { id, event, ticker, ...rest } = row
  return { id, event, ticker, alertId: ruleIn(matched), host: new URL(url).host, ...rest }
}

const ruleIn = (matched: Match[] | null): string | null =>
  matched?.flatMap((match) => (match.kind === 'alert' ? [match.id] : []))[0] ?? null

/** Cuts the answer before it escapes characters, so that no escape is cut through. */
const beginningOf = (answer: Buffer): string =>
  printable([...answer.subarray(0, 4 * MAX_ANSWER).toString('utf8')].slice(0, MAX_ANSWER).join(''))
