// Metrics of deliveries: how many wait, for how long, how many are dead, and the outcomes of attempts.
import { Counter, Histogram, type Registry } from 'prom-client'
import type { Attempt } from '../../application/ports/alerts.ts'
import { deliveryCounts } from '../../infrastructure/postgres/alerts/delivery-counts.ts'
import type { Pool } from '../../infrastructure/postgres/pool.ts'
import { storeGauges } from './store-gauges.ts'

export interface DeliveryMetrics {
  attempted(attempt: Pick<Attempt, 'outcome' | 'milliseconds'>): void
  lost(entries: number): void
}

export function registerDeliveryMetrics(registry: Registry, pool: Pool): DeliveryMetrics {
  const gauge = storeGauges(registry, () => deliveryCounts(pool))
  gauge(
    'webhook_deliveries',
    'Deliveries that wait, those of them due and not yet published to the stream (unpublished), and dead ones.',
    ['state'],
    (states, counts) => {
      for (const state of ['waiting', 'unpublished', 'dead'] as const) states.set({ state }, counts[state])
    },
  )
  gauge('webhook_oldest_due_seconds', 'Seconds since the oldest due delivery became due.', [], (oldest, counts) =>
    oldest.set(counts.oldestDueSeconds),
  )
  gauge(
    'webhook_addresses',
    'Addresses whose last attempt failed (failing), and addresses that are disabled.',
    ['state'],
    (states, counts) => {
      states.set({ state: 'failing' }, counts.failingAddresses)
      states.set({ state: 'disabled' }, counts.disabledAddresses)
    },
  )
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    labelNames: ['outcome'],
    registers: [registry],
    help: 'Requests to receivers: taken (2xx), refused (any other status), unanswered.',
  })
  const seconds = new Histogram({
    name: 'webhook_attempt_seconds',
    help: 'Duration of requests to receivers.',
    registers: [registry],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  })
  const lost = new Counter({
    name: 'webhook_stream_entries_lost_total',
    registers: [registry],
    help: 'Entries deleted from the stream while a worker processed them; their deliveries are published again.',
  })
  return {
    attempted: ({ outcome, milliseconds }) => {
      attempts.inc({ outcome: outcomeOf(outcome) })
      seconds.observe(milliseconds / 1000)
    },
    lost: (entries) => lost.inc(entries),
  }
}

function outcomeOf(outcome: Attempt['outcome']): string {
  if (outcome.kind === 'failed') return 'unanswered'
  return outcome.status >= 200 && outcome.status < 300 ? 'taken' : 'refused'
}
