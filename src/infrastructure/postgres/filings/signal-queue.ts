// Issuers whose signals may be others now. On disk, so that a process killed between projecting and judging leaves nothing unjudged.
import { eventsJson, MARK_AS_RAISED, RAISED, raising } from '../alerts/outbox.ts'
import { rows, type Pool } from '../pool.ts'
import type { SignalQueue } from '../../../application/ports/analytics.ts'

export function openSignalQueue(pool: Pool): SignalQueue {
  return {
    next: (limit) =>
      rows(
        pool,
        'SELECT issuer_cik AS "issuerCik", version, silent AS historical FROM signal_queue ORDER BY silent, version LIMIT $1',
        [limit],
      ),
    requeueQuietly: async (issuers, version) => {
      await rows(pool, `${ADD_HISTORICAL} SELECT true, issuer, $2 FROM unnest($1::text[]) AS issuer ${HIGHER}`, [
        issuers,
        version,
      ])
    },
    waiting: async (upTo) =>
      (
        await rows<{ issuers: number; version: number }>(
          pool,
          `SELECT count(*) AS issuers,
      coalesce(max(version), 0) AS version FROM signal_queue WHERE version <= coalesce($1, version)`,
          [upTo ?? null],
        )
      )[0]!,
    done: async (issuers, events) => {
      const drop = `DELETE FROM signal_queue USING unnest($1::text[], $2::bigint[]) AS judged (issuer, upto)
        WHERE signal_queue.issuer_cik = issuer AND version <= upto`
      const judged = [issuers.map(({ issuerCik }) => issuerCik), issuers.map(({ version }) => version)]
      if (events.length === 0) await rows(pool, drop, judged)
      else await rows(pool, `WITH dropped AS (${drop}), ${raising('$3')} ${RAISED}`, [...judged, eventsJson(events)])
    },
    markAsRaised: async (events) => {
      if (events.length > 0) await rows(pool, MARK_AS_RAISED, [eventsJson(events)])
    },
  }
}

/** Before and after a SELECT of issuers and a version, for those who add in a statement of their own. */
export const ADD = 'INSERT INTO signal_queue (issuer_cik, version)'
export const ADD_HISTORICAL = 'INSERT INTO signal_queue (silent, issuer_cik, version)'
export const HIGHER = `ON CONFLICT (issuer_cik) DO UPDATE SET version = greatest(signal_queue.version, excluded.version),
  silent = signal_queue.silent AND excluded.silent`
