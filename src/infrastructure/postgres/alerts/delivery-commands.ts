// The operator's commands on deliveries: resend, replay, send a test.
import { rows, type Pool } from '../pool.ts'
import { DELIVERIES_CHANNEL } from './outbox.ts'

/** Restarts the retry schedule of a delivery, with the first attempt at once. */
export const RESTARTED = `status = 'waiting',
      reason = NULL,
      attempts = 0,
      next_attempt_at = now(),
      published_at = NULL,
      lease = NULL,
      leased_until = NULL,
      settled_at = NULL`

/** CTEs that restart the deliveries in `chosen` and enable their addresses, and the end of the statement. */
const AGAIN = `again AS (
    UPDATE deliveries
    SET ${RESTARTED}
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

/** Sends the delivery `$1` again. */
export const RESEND = `WITH chosen AS (SELECT id FROM deliveries WHERE id = $1), ${AGAIN}`

/**
 * Sends a test to the addresses of the key `$1`, or only to the URL `$2` or the format `$4` where these are not null. The
 * deliveries have the ticker `$3` and name the rules or entries in `$5` as matching.
 */
export const SEND_TEST = `WITH addresses AS (
    SELECT DISTINCT url, format
    FROM alert_addresses
      JOIN api_keys ON api_keys.id = key_id AND revoked_at IS NULL
    WHERE key_id = $1
      AND ($2::text IS NULL OR url = $2)
      AND ($4::text IS NULL OR format = $4)
  ), event AS (
    INSERT INTO events (id, type, issuer_cik, data)
    SELECT 'test/' || gen_random_uuid(), 'test', '', '{"message":"This is a test of your webhook address."}'
    WHERE EXISTS (SELECT FROM addresses)
    RETURNING id
  ), sent AS (
    INSERT INTO deliveries (id, event_id, key_id, url, format, ticker, matched)
    SELECT 'evt_' || replace(gen_random_uuid()::text, '-', ''), event.id, $1, url, format, $3::text, $5::jsonb
    FROM event, addresses
    RETURNING id
  )
  SELECT id, pg_notify('${DELIVERIES_CHANNEL}', '') FROM sent`

export class PostgresDeliveryCommands {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Sends a delivery again under the same id, even one that was delivered. Returns false for an unknown id. */
  async resend(id: string): Promise<boolean> {
    const [done] = await rows<{ n: number }>(this.#pool, RESEND, [id])
    return done!.n > 0
  }

  /**
   * Sends again all deliveries dead since then whose address is still one of the key and whose key is valid. Returns
   * how many.
   */
  async replay(since: Date): Promise<number> {
    const [done] = await rows<{ n: number }>(
      this.#pool,
      `WITH chosen AS (
         SELECT deliveries.id
         FROM deliveries
           JOIN api_keys ON api_keys.id = key_id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
         WHERE status = 'dead'
           AND settled_at >= $1
           AND EXISTS (
             SELECT FROM alert_addresses AS present
             WHERE present.key_id = deliveries.key_id
               AND present.url = deliveries.url
               AND present.format = deliveries.format)
       ), ${AGAIN}`,
      [since],
    )
    return done!.n
  }

  /**
   * Sends a test event to all addresses of a key, or to the given one, which must be one of them. Returns the ids of
   * the deliveries; none if the key has no such address.
   */
  async sendTest(keyId: string, url: string | null): Promise<string[]> {
    const deliveries = await rows<{ id: string }>(this.#pool, SEND_TEST, [keyId, url, null, null, null])
    return deliveries.map(({ id }) => id)
  }
}
