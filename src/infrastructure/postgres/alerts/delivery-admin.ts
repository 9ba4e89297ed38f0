// Operator access to deliveries: list, show, resend, replay, send a test.
import { DELIVERIES_CHANNEL } from './outbox.ts'
import { rows, type Pool } from '../pool.ts'

export interface DeliveryRecord {
  id: string
  event: string
  keyId: string
  /** Without its query, which may hold a secret of the receiver. */
  url: string
  status: 'waiting' | 'delivered' | 'dead'
  reason: string | null
  attempts: number
  createdAt: Date
  /** Null once settled. */
  nextAttemptAt: Date | null
  settledAt: Date | null
}

export interface AttemptRecord {
  number: number
  at: Date
  milliseconds: number
  status: number | null
  error: string | null
  /** The first 16 KiB of the answer, as text. */
  answer: string | null
}

interface AddressRecord {
  keyId: string
  url: string
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: string | null
  waiting: number
}

const URL_SHOWN = `regexp_replace(url, '\\?.*$', '?...')`
const COLUMNS = `deliveries.id, event_id AS event, key_id AS "keyId", ${URL_SHOWN} AS url, status, reason, attempts,
  deliveries.created_at AS "createdAt",
  CASE status WHEN 'waiting' THEN next_attempt_at END AS "nextAttemptAt",
  settled_at AS "settledAt"`

interface DeliveryFilter {
  status?: string | undefined
  keyId?: string | undefined
  since?: Date | undefined
  limit: number
}

/** Newest first. */
export function listDeliveries(pool: Pool, { status, keyId, since, limit }: DeliveryFilter): Promise<DeliveryRecord[]> {
  return rows(
    pool,
    `SELECT ${COLUMNS}
     FROM deliveries
     WHERE ($1::text IS NULL OR status = $1)
       AND ($2::text IS NULL OR key_id = $2)
       AND ($3::timestamptz IS NULL OR created_at >= $3)
     ORDER BY created_at DESC, id
     LIMIT $4`,
    [status, keyId, since, limit],
  )
}

type AttemptRow = Omit<AttemptRecord, 'at' | 'answer'> & { at: string; answer: string | null }

/**
 * Returns the delivery with its attempts, or null for an unknown id. One statement, so that an attempt settled
 * meanwhile shows in both or in neither.
 */
export async function showDelivery(
  pool: Pool,
  id: string,
): Promise<(DeliveryRecord & { data: string | null; attemptsMade: AttemptRecord[] }) | null> {
  const [found] = await rows<DeliveryRecord & { data: string | null; made: AttemptRow[] }>(
    pool,
    `SELECT ${COLUMNS}, data,
       (SELECT coalesce(
           json_agg(
             json_build_object(
               'number', number, 'at', at, 'milliseconds', milliseconds,
               'status', delivery_attempts.status, 'error', error, 'answer', encode(answer, 'base64'))
             ORDER BY number),
           '[]')
         FROM delivery_attempts
         WHERE delivery_id = deliveries.id) AS made
     FROM deliveries JOIN events ON events.id = event_id
     WHERE deliveries.id = $1`,
    [id],
  )
  if (!found) return null
  const { made, ...delivery } = found
  const attemptsMade = made.map(({ at, answer, ...attempt }) => ({
    ...attempt,
    at: new Date(at),
    answer: answer === null ? null : Buffer.from(answer, 'base64').toString('utf8'),
  }))
  return { ...delivery, attemptsMade }
}

// Restarts the retry schedule, with the first attempt at once, and re-enables disabled addresses.
const AGAIN = `again AS (
    UPDATE deliveries
    SET status = 'waiting',
      reason = NULL,
      attempts = 0,
      next_attempt_at = now(),
      published_at = NULL,
      lease = NULL,
      leased_until = NULL,
      settled_at = NULL
    FROM chosen
    WHERE deliveries.id = chosen.id
    RETURNING deliveries.id, key_id, url
  ), enabled AS (
    UPDATE endpoints
    SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
    FROM again
    WHERE endpoints.key_id = again.key_id
      AND endpoints.url = again.url
  )
  SELECT count(*) AS n, max(pg_notify('${DELIVERIES_CHANNEL}', '')::text) FROM again`

/** Sends a delivery again under the same id, even one that was delivered. Returns false for an unknown id. */
export async function resendDelivery(pool: Pool, id: string): Promise<boolean> {
  const [done] = await rows<{ n: number }>(pool, `WITH chosen AS (SELECT id FROM deliveries WHERE id = $1), ${AGAIN}`, [
    id,
  ])
  return done!.n > 0
}

/**
 * Sends again all deliveries dead since then whose address is still watched and whose key is valid. Returns how many.
 */
export async function replayDeliveries(pool: Pool, since: Date): Promise<number> {
  const [done] = await rows<{ n: number }>(
    pool,
    `WITH chosen AS (
       SELECT deliveries.id
       FROM deliveries
         JOIN api_keys ON api_keys.id = key_id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
       WHERE status = 'dead'
         AND settled_at >= $1
         AND EXISTS (
           SELECT FROM watchlist
           WHERE watchlist.key_id = deliveries.key_id
             AND webhook_url = url)
     ), ${AGAIN}`,
    [since],
  )
  return done!.n
}

/**
 * Sends a test event to all addresses of a key, or to the given one, which must be on its watchlist. Returns the ids of
 * the deliveries; none if the key has no such address.
 */
export async function sendTest(pool: Pool, keyId: string, url: string | null): Promise<string[]> {
  const made = await rows<{ id: string }>(
    pool,
    `WITH addresses AS (
       SELECT DISTINCT webhook_url
       FROM watchlist
         JOIN api_keys ON api_keys.id = key_id AND revoked_at IS NULL
       WHERE key_id = $1
         AND webhook_url IS NOT NULL
         AND ($2::text IS NULL OR webhook_url = $2)
     ), event AS (
       INSERT INTO events (id, type, issuer_cik, data)
       SELECT 'test/' || gen_random_uuid(), 'test', '', '{"message":"This is a test of your webhook address."}'
       WHERE EXISTS (SELECT FROM addresses)
       RETURNING id
     ), sent AS (
       INSERT INTO deliveries (id, event_id, key_id, url)
       SELECT 'evt_' || replace(gen_random_uuid()::text, '-', ''), event.id, $1, webhook_url
       FROM event, addresses
       RETURNING id
     )
     SELECT id, pg_notify('${DELIVERIES_CHANNEL}', '') FROM sent`,
    [keyId, url],
  )
  return made.map(({ id }) => id)
}

/** Lists addresses that are failing or disabled, those failing longest first. */
export function troubledAddresses(pool: Pool): Promise<AddressRecord[]> {
  return rows(
    pool,
    `SELECT
       key_id AS "keyId",
       ${URL_SHOWN} AS url,
       failing_since AS "failingSince",
       disabled_at AS "disabledAt",
       disabled_reason AS "disabledReason",
       (SELECT count(*)
         FROM deliveries
         WHERE status = 'waiting'
           AND deliveries.key_id = endpoints.key_id
           AND deliveries.url = endpoints.url) AS waiting
     FROM endpoints
     WHERE failing_since IS NOT NULL
       OR disabled_at IS NOT NULL
     ORDER BY failing_since NULLS FIRST, key_id, url`,
  )
}
