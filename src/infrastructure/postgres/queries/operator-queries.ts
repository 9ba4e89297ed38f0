// The operator's queries: API keys, deliveries with their attempts, and addresses that fail.
import { DELIVERIES_CHANNEL } from '../alerts/outbox.ts'
import { isListenedTo } from '../coordination/notifications.ts'
import { rows, type Pool } from '../pool.ts'

/** An address without its query, which may hold a secret of the receiver. */
const URL_SHOWN = `regexp_replace(url, '\\?.*$', '?...')`

/** Columns of a `DeliveryRecord`. */
const DELIVERY_COLUMNS = `deliveries.id,
  event_id AS event,
  key_id AS "keyId",
  ${URL_SHOWN} AS url,
  status,
  reason,
  attempts,
  deliveries.created_at AS "createdAt",
  CASE status WHEN 'waiting' THEN next_attempt_at END AS "nextAttemptAt",
  settled_at AS "settledAt"`

type AttemptRow = Omit<AttemptRecord, 'at' | 'answer'> & { at: string; answer: string | null }

/** A key without its secrets. Times are null if it has not happened. */
export interface KeyRecord {
  id: string
  name: string
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
}

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

/** A delivery with every attempt; `data` is the event's, as JSON. */
interface OperatorDelivery extends DeliveryRecord {
  data: string | null
  attemptsMade: AttemptRecord[]
}

interface AddressRecord {
  keyId: string
  url: string
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: string | null
  waiting: number
}

interface DeliveryFilter {
  status?: string | undefined
  keyId?: string | undefined
  since?: Date | undefined
  limit: number
}

export class PostgresOperatorQueries {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** All keys, newest first, without hashes and secrets. */
  apiKeys(): Promise<KeyRecord[]> {
    return rows(
      this.#pool,
      `SELECT id, name, created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
         last_used_at AS "lastUsedAt"
       FROM api_keys
       ORDER BY created_at DESC, id`,
    )
  }

  /** Deliveries by status, key and time, newest first. */
  deliveries({ status, keyId, since, limit }: DeliveryFilter): Promise<DeliveryRecord[]> {
    return rows(
      this.#pool,
      `SELECT ${DELIVERY_COLUMNS}
       FROM deliveries
       WHERE ($1::text IS NULL OR status = $1)
         AND ($2::text IS NULL OR key_id = $2)
         AND ($3::timestamptz IS NULL OR created_at >= $3)
       ORDER BY created_at DESC, id
       LIMIT $4`,
      [status, keyId, since, limit],
    )
  }

  /**
   * Returns a delivery with its data and attempts; null for an unknown id. One statement, so that an attempt settled
   * meanwhile shows in both or in neither.
   */
  async delivery(id: string): Promise<OperatorDelivery | null> {
    const [row] = await rows<DeliveryRecord & { data: string | null; attempted: AttemptRow[] }>(
      this.#pool,
      `SELECT ${DELIVERY_COLUMNS}, data,
         (SELECT coalesce(
             json_agg(
               json_build_object(
                 'number', number, 'at', at, 'milliseconds', milliseconds,
                 'status', delivery_attempts.status, 'error', error, 'answer', encode(answer, 'base64'))
               ORDER BY number),
             '[]')
           FROM delivery_attempts
           WHERE delivery_id = deliveries.id) AS attempted
       FROM deliveries JOIN events ON events.id = event_id
       WHERE deliveries.id = $1`,
      [id],
    )
    if (!row) return null
    const { attempted, ...delivery } = row
    const attemptsMade = attempted.map(({ at, answer, ...attempt }) => ({
      ...attempt,
      at: new Date(at),
      answer: answer === null ? null : Buffer.from(answer, 'base64').toString('utf8'),
    }))
    return { ...delivery, attemptsMade }
  }

  /** Addresses that are failing or disabled; those failing longest come first. */
  troubledAddresses(): Promise<AddressRecord[]> {
    return rows(
      this.#pool,
      `SELECT key_id AS "keyId", ${URL_SHOWN} AS url, failing_since AS "failingSince", disabled_at AS "disabledAt",
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

  /** Returns whether any process on any machine delivers now. */
  isDelivering(): Promise<boolean> {
    return isListenedTo(this.#pool, DELIVERIES_CHANNEL)
  }
}
