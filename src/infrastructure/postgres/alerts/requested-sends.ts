// Tests and repeated deliveries that holders of keys request, with a limit for each key. The key's row is locked
// meanwhile, so concurrent requests are counted one after the other and can't exceed the limit together.
import type { RequestedSends, SendResult } from '../../../application/commands/send-on-request.ts'
import { ServiceError } from '../../../application/errors.ts'
import type { Destination } from '../../../application/ports/alerts.ts'
import { rows, transaction, type Connection, type Pool } from '../pool.ts'
import { RESEND, SEND_TEST } from './delivery-commands.ts'
import { lockKey } from './addresses.ts'

const WINDOW = `interval '1 hour'`
const MAX_IN_WINDOW = 60

export class PostgresRequestedSends implements RequestedSends {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  resend(keyId: string, id: string): Promise<SendResult> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const [own] = await rows<{ watched: boolean; busy: boolean }>(
        connection,
        `SELECT
           EXISTS (
             SELECT FROM alert_addresses AS present
             WHERE present.key_id = $2
               AND present.url = deliveries.url
               AND present.format = deliveries.format) AS watched,
           status = 'waiting' AND (next_attempt_at <= now() OR leased_until > now()) AS busy
         FROM deliveries
         WHERE id = $1
           AND key_id = $2
         FOR UPDATE`,
        [id, keyId],
      )
      if (!own) return { refused: 'unknown' }
      if (!own.watched) return { refused: 'no-address' }
      // The delivery is being sent already; restarting it would send it twice.
      if (own.busy) return { id }
      const retryAfterSeconds = await takeFromQuota(connection, keyId)
      if (retryAfterSeconds !== null) return { retryAfterSeconds }
      await rows(connection, RESEND, [id])
      return { id }
    })
  }

  test(keyId: string, ticker: string): Promise<SendResult> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const [entry] = await rows<{ url: string | null }>(
        connection,
        'SELECT webhook_url AS url FROM watchlist WHERE key_id = $1 AND ticker = $2',
        [keyId, ticker],
      )
      if (!entry) return { refused: 'unknown' }
      if (entry.url === null) return { refused: 'no-address' }
      const retryAfterSeconds = await takeFromQuota(connection, keyId)
      if (retryAfterSeconds !== null) return { retryAfterSeconds }
      const [sent] = await rows<{ id: string }>(connection, SEND_TEST, [keyId, entry.url, ticker, 'standard', null])
      return { id: idOf(sent) }
    })
  }

  testRule(keyId: string, id: string): Promise<SendResult> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const [rule] = await rows<Destination & { name: string }>(
        connection,
        'SELECT name, url, format FROM alert_rules WHERE key_id = $1 AND id = $2',
        [keyId, id],
      )
      if (!rule) return { refused: 'unknown' }
      const retryAfterSeconds = await takeFromQuota(connection, keyId)
      if (retryAfterSeconds !== null) return { retryAfterSeconds }
      const matched = JSON.stringify([{ kind: 'alert', id, name: rule.name }])
      const [sent] = await rows<{ id: string }>(connection, SEND_TEST, [keyId, rule.url, null, rule.format, matched])
      return { id: idOf(sent) }
    })
  }
}

/** Returns the id of a test. None was sent if the key was revoked after the request's authentication, which throws. */
function idOf(sent: { id: string } | undefined): string {
  if (!sent) throw new ServiceError('invalid_api_key', 'This API key is no longer valid')
  return sent.id
}

/** Counts a request of a locked key. Returns null, or if it is one too many, the seconds until the next is allowed. */
async function takeFromQuota(connection: Connection, keyId: string): Promise<number | null> {
  const [recent] = await rows<{ n: number; wait: number | null }>(
    connection,
    `SELECT count(*) AS n, ceil(extract(epoch FROM min(at) + ${WINDOW} - clock_timestamp()))::integer AS wait
     FROM api_keys, unnest(requested_sends) AS at
     WHERE id = $1
       AND at > clock_timestamp() - ${WINDOW}`,
    [keyId],
  )
  if (recent!.n >= MAX_IN_WINDOW) return Math.max(1, recent!.wait ?? 1)
  await rows(
    connection,
    `UPDATE api_keys
     SET requested_sends = ARRAY(
       SELECT at
       FROM unnest(requested_sends) AS at
       WHERE at > clock_timestamp() - ${WINDOW}) || clock_timestamp()
     WHERE id = $1`,
    [keyId],
  )
  return null
}
