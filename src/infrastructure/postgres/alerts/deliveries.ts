// Webhook deliveries: publishing due ones, leasing them to workers, and recording results. Only the database's clock
// decides due times and leases. Writes need not survive a crash of the machine: a delivery whose result is lost is sent
// again under the same id.
import type {
  Deliveries,
  DisabledAddress,
  LeasedDelivery,
  FinishedAttempt,
  StreamItem,
} from '../../../application/ports/alerts.ts'
import { ADVISORY_LOCKS } from '../coordination/advisory-locks.ts'
import { rows, storableText, transaction, type Connection, type Pool } from '../pool.ts'
import {
  COUNT,
  DISABLE,
  HEALTHY,
  LEASE,
  MARK_PUBLISHED,
  MAY_TRY,
  PRUNE_DELIVERIES,
  PRUNE_ENDPOINTS,
  PRUNE_EVENTS,
  SETTLE,
  SWEEP,
  TRIALS,
  UNPUBLISH,
} from './deliveries-sql.ts'

/** Decrypts a key's webhook secret, as stored in `api_keys`. Throws if that fails. */
export type Decrypt = (keyId: string, sealed: Buffer) => string

export class PostgresDeliveries implements Deliveries {
  readonly #pool: Pool
  readonly #decrypt: Decrypt
  readonly #onUndecryptable: (keyId: string, error: Error) => void

  /**
   * Calls `onUndecryptable` for keys whose secret can't be decrypted; their deliveries are retried as their leases end.
   */
  constructor(pool: Pool, decrypt: Decrypt, onUndecryptable: (keyId: string, error: Error) => void = () => {}) {
    this.#pool = pool
    this.#decrypt = decrypt
    this.#onUndecryptable = onUndecryptable
  }

  publishDue(limit: number, publish: (items: StreamItem[]) => Promise<void>): Promise<number> {
    return transaction(this.#pool, async (connection) => {
      const due = await nextDue(connection, limit)
      if (due.length === 0) return 0
      await publish(due)
      await rows(connection, MARK_PUBLISHED, [due.map(({ deliveryId }) => deliveryId)])
      return due.length
    })
  }

  async sweep(seconds: number): Promise<number> {
    return (await rows(this.#pool, SWEEP, [seconds])).length
  }

  async lease(ids: string[], seconds: number): Promise<LeasedDelivery[]> {
    const taken = await rows<LeasedRow>(this.#pool, LEASE, [ids, seconds])
    const dataOf = new Map(taken.flatMap(({ eventId, data }) => (data === null ? [] : [[eventId, data] as const])))
    return taken.flatMap((row) => {
      try {
        return [toLeased(row, dataOf.get(row.eventId)!, this.#decrypt)]
      } catch (error) {
        this.#onUndecryptable(row.keyId, error as Error)
        return []
      }
    })
  }

  async recordAttempts(attempts: FinishedAttempt[]): Promise<DisabledAddress[]> {
    const disabling = attempts.flatMap(({ delivery: { id, keyId, url }, next }) =>
      next.kind === 'dead' && next.disable ? [{ id, keyId, url, reason: next.reason }] : [],
    )
    const values = [JSON.stringify(attempts.map(toRecord)), attempts.map(({ delivery }) => delivery.id)]
    if (disabling.length === 0) {
      await rows(this.#pool, SETTLE, values)
      return []
    }
    // In one transaction: nothing would disable the address later, once the attempt is settled.
    return transaction(this.#pool, async (connection) => {
      const settled = new Set((await rows<{ id: string }>(connection, SETTLE, values)).map(({ id }) => id))
      const addresses = disabling.filter(({ id }) => settled.has(id))
      return rows<DisabledAddress>(connection, DISABLE, [JSON.stringify(addresses)])
    })
  }

  async countAttempt(attempt: FinishedAttempt): Promise<void> {
    // Without what came from outside, which may be why it could not be recorded.
    const record = { ...toRecord(attempt), error: null, answer: null }
    await rows(this.#pool, COUNT, [JSON.stringify([record]), [attempt.delivery.id]])
  }

  async unpublish(ids: string[]): Promise<void> {
    await rows(this.#pool, UNPUBLISH, [ids])
  }

  async prune(before: Date): Promise<number> {
    const deliveries = await rows(this.#pool, PRUNE_DELIVERIES, [before])
    const events = await rows(this.#pool, PRUNE_EVENTS, [before])
    await rows(this.#pool, PRUNE_ENDPOINTS)
    return deliveries.length + events.length
  }
}

// Deliveries to failing addresses come first, but are at most half, so that neither kind delays the other.
async function nextDue(connection: Connection, limit: number): Promise<StreamItem[]> {
  const [turn] = await rows<{ mine: boolean }>(connection, MAY_TRY, [ADVISORY_LOCKS.trials])
  const trials = turn!.mine ? await rows<DueRow>(connection, TRIALS, [Math.ceil(limit / 2)]) : []
  return [...trials, ...(await rows<DueRow>(connection, HEALTHY, [limit - trials.length]))]
}

interface DueRow {
  deliveryId: string
  endpoint: string
}

interface LeasedRow extends Omit<LeasedDelivery, 'createdAt' | 'secrets' | 'failingSince' | 'data'> {
  eventId: string
  data: string | null
  createdAt: Date
  failingSince: Date | null
  secret: Buffer
  formerSecrets: Buffer[]
}

function toLeased(
  { secret, formerSecrets, createdAt, failingSince, eventId: _, ...row }: LeasedRow,
  data: string,
  decrypt: Decrypt,
): LeasedDelivery {
  return {
    ...row,
    data,
    createdAt: createdAt.getTime(),
    failingSince: failingSince && failingSince.getTime(),
    secrets: [secret, ...formerSecrets].map((each) => decrypt(row.keyId, each)),
  }
}

function toRecord({ delivery, attempt, next }: FinishedAttempt): Record<string, unknown> {
  const { outcome, at, milliseconds } = attempt
  return {
    id: delivery.id,
    lease: delivery.lease,
    at: at / 1000,
    milliseconds,
    answered: outcome.kind === 'answered' ? outcome.status : null,
    error: outcome.kind === 'failed' ? storableText(outcome.error) : null,
    answer: attempt.answer && attempt.answer.toString('base64'),
    status: next.kind === 'retry' ? 'waiting' : next.kind,
    reason: next.kind === 'dead' ? next.reason : null,
    seconds: next.kind === 'retry' ? Math.max(0, next.at - at - milliseconds) / 1000 : 0,
    holds: next.kind === 'retry' && next.holdsAddress,
  }
}
