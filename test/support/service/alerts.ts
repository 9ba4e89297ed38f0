// Rows that deliveries need, put there by SQL: keys, events, the outbox. A sealed secret is its own clear text here.
import type { Pool } from '../../../src/infrastructure/postgres/pool.ts'
import type { Decrypt } from '../../../src/infrastructure/postgres/alerts/deliveries.ts'

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export const clearUnseal: Decrypt = (_, sealed) => sealed.toString()

export async function addKey(pool: Pool, id: string): Promise<void> {
  await pool.query(`INSERT INTO api_keys (id, name, secret_hash, webhook_secret) VALUES ($1, $1, '\\x00', $2)`, [
    id,
    Buffer.from(WEBHOOK_SECRET),
  ])
}

export interface DeliveryRow {
  url: string
  keyId?: string
  /** Seconds from now. */
  dueIn?: number
  ticker?: string
}

let made = 0

/**
 * One event of its own for each; the ids in their order. All in one transaction, which tells the relay as the service
 * does.
 */
export async function addDeliveries(pool: Pool, deliveries: DeliveryRow[]): Promise<string[]> {
  const records = deliveries.map(({ url, keyId = 'k1', dueIn = 0, ticker = null as string | null }) => {
    made += 1
    return {
      id: `evt_${process.pid}_${made}`,
      url,
      key_id: keyId,
      due_in: dueIn,
      ticker,
      data: `{"companyName":"Example ${made}"}`,
    }
  })
  await pool.query(
    `WITH news AS (SELECT * FROM jsonb_to_recordset($1::jsonb)
      AS news (id text, url text, key_id text, due_in float8, ticker text, data text)),
    raised AS (INSERT INTO events (id, type, issuer_cik, created_at, data)
      SELECT 'of/' || id, 'transaction.created', '0000000001', '2026-11-20T14:03:02.5Z', data FROM news),
    fanned AS (INSERT INTO deliveries (id, event_id, key_id, url, ticker, next_attempt_at)
      SELECT id, 'of/' || id, key_id, url, ticker, now() + make_interval(secs => due_in) FROM news RETURNING 1)
    SELECT pg_notify('deliveries', '') WHERE EXISTS (SELECT FROM fanned)`,
    [JSON.stringify(records)],
  )
  return records.map(({ id }) => id)
}

export interface DeliveryState {
  id: string
  url: string
  status: string
  reason: string | null
  attempts: number
  is_published: boolean
  is_leased: boolean
  /** Seconds from now. */
  due_in: number
}

/** In the order they were added. */
export async function deliveryStates(pool: Pool, ids: string[]): Promise<DeliveryState[]> {
  return (
    await pool.query<DeliveryState>(
      `SELECT id, url, status, reason, attempts, published_at IS NOT NULL AS is_published,
      coalesce(leased_until > now(), false) AS is_leased, extract(epoch FROM next_attempt_at - now())::float8 AS due_in
    FROM deliveries WHERE id = ANY($1) ORDER BY array_position($1, id)`,
      [ids],
    )
  ).rows
}

/** Resolves once `check` holds; rejects after `milliseconds` with what was seen last. */
export async function until(
  check: () => boolean | Promise<boolean>,
  seen: () => unknown,
  milliseconds = 30_000,
): Promise<void> {
  for (const end = performance.now() + milliseconds; !(await check());) {
    if (performance.now() > end) throw new Error(`still not so: ${JSON.stringify(seen())}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
}
