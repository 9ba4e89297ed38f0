// The signal queue: issuers whose signals have to be detected again. It is persisted, so that a process killed between
// projecting filings and detecting signals loses nothing.
import type { RaisedEvent } from '../../../application/ports/alerts.ts'
import type { Cik } from '../../../domain/shared/identifiers.ts'
import type { Outcome } from '../../../application/ports/changes.ts'
import { eventsJson, MARK_AS_RAISED } from '../alerts/outbox.ts'
import { withOutcome } from '../changes/log-statement.ts'
import { rows, type Pool } from '../pool.ts'
import type { SignalQueue } from '../../../application/ports/analytics.ts'

interface QueuedIssuer {
  issuerCik: Cik
  version: number
}

export class PostgresSignalQueue implements SignalQueue {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  // Issuers that a data set queued come in the order of CIKs, as ClickHouse stores trades: neighbours are read together.
  next(limit: number): Promise<(QueuedIssuer & { historical: boolean })[]> {
    return rows(
      this.#pool,
      `SELECT issuer_cik AS "issuerCik", version, silent AS historical
       FROM signal_queue
       ORDER BY silent, CASE WHEN NOT silent THEN version END, issuer_cik
       LIMIT $1`,
      [limit],
    )
  }

  historical(issuers: Cik[]): Promise<QueuedIssuer[]> {
    return rows(
      this.#pool,
      `SELECT issuer_cik AS "issuerCik", version
       FROM signal_queue
       WHERE silent
         AND issuer_cik = ANY($1)`,
      [issuers],
    )
  }

  async requeueQuietly(issuers: Cik[], version: number): Promise<void> {
    await rows(
      this.#pool,
      `${ENQUEUE_HISTORICAL}
       SELECT true, issuer, $2 FROM unnest($1::text[]) AS issuer
       ${KEEP_HIGHEST}`,
      [issuers, version],
    )
  }

  async waiting(upTo?: number): Promise<{ issuers: number; version: number }> {
    const [waiting] = await rows<{ issuers: number; version: number }>(
      this.#pool,
      `SELECT count(*) AS issuers, coalesce(max(version), 0) AS version
       FROM signal_queue
       WHERE version <= coalesce($1, version)`,
      [upTo ?? null],
    )
    return waiting!
  }

  async done(issuers: QueuedIssuer[], outcome: Outcome): Promise<void> {
    await dropTaken(this.#pool, 'signal_queue', issuers, outcome)
  }

  async markAsRaised(events: RaisedEvent[]): Promise<void> {
    if (events.length > 0) await rows(this.#pool, MARK_AS_RAISED, [eventsJson(events)])
  }
}

/**
 * Removes issuers from a queue, except those that something was added for since they were taken, and writes the outcome
 * of the work on them.
 */
export async function dropTaken(
  pool: Pool,
  queue: 'signal_queue' | 'notice_queue',
  issuers: QueuedIssuer[],
  outcome: Outcome,
): Promise<void> {
  const drop = {
    name: `drop from ${queue}`,
    text: `WITH dropped AS (
      DELETE FROM ${queue}
      USING unnest($1::text[], $2::bigint[]) AS taken (issuer, upto)
      WHERE issuer_cik = issuer
        AND version <= upto)`,
  }
  const taken = [issuers.map(({ issuerCik }) => issuerCik), issuers.map(({ version }) => version)]
  const { statement, values } = withOutcome(drop, taken, outcome)
  await rows(pool, statement, values)
}

/** Parts before and after a SELECT of issuers and a version, for statements that add to the queue. */
export const ENQUEUE = 'INSERT INTO signal_queue (issuer_cik, version)'
export const ENQUEUE_HISTORICAL = 'INSERT INTO signal_queue (silent, issuer_cik, version)'
export const KEEP_HIGHEST = `ON CONFLICT (issuer_cik) DO UPDATE
  SET version = greatest(signal_queue.version, excluded.version),
    silent = signal_queue.silent AND excluded.silent`
