// Ingestion in /metrics: how far behind EDGAR, what waits, how complete the newest days are. Read when asked for.
import { Gauge, type Registry } from 'prom-client'
import { isSilenceSuspicious } from '../domain/edgar-hours.ts'
import { backlog, ingestionLag, type Backlog, type IngestionLag } from '../infrastructure/postgres/ingestion-lag.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'

export function registerIngestionMetrics(registry: Registry, pool: Pool, follows: boolean): void {
  const read = oncePerScrape(() => Promise.all([ingestionLag(pool), backlog(pool)]))
  const gauge = (name: string, help: string, labelNames: string[], set: (gauge: Gauge, lag: IngestionLag, held: Backlog) => void) =>
    new Gauge({
      name, help, labelNames, registers: [registry],
      async collect() {
        // PostgreSQL away: the figures are left out, the scrape goes on.
        const [lag, held] = await read().catch(() => [null, null] as const)
        this.reset()
        if (lag && held) set(this, lag, held)
      },
    })
  gauge('ingestion_lag_seconds', 'Over the newest 500 live filings: from acceptance, and from first seen, to visible.',
    ['since', 'quantile'], (lags, lag) => {
      for (const [since, pair] of [['accepted', lag.acceptedToVisible], ['seen', lag.seenToVisible]] as const) {
        if (pair) lags.set({ since, quantile: '0.5' }, pair.p50)
        if (pair) lags.set({ since, quantile: '0.95' }, pair.p95)
      }
    })
  gauge('ingestion_backlog', 'Documents by what they wait for (fetch, projection); rejected and gone ones are kept.', ['state'],
    (states, _lag, held) => {
      states.set({ state: 'fetch' }, held.waitingFetches)
      states.set({ state: 'projection' }, held.pending)
      states.set({ state: 'rejected' }, held.rejected)
      states.set({ state: 'gone' }, held.gone)
    })
  gauge('ingestion_day_filings', 'Forms 4 and 4/A of a day in the SEC\'s daily index (listed), and of them here (known).',
    ['day', 'count'], (days, _lag, held) => {
      for (const { day, listed, known } of held.days) {
        days.set({ day, count: 'listed' }, listed)
        days.set({ day, count: 'known' }, known)
      }
    })
  gauge('ingestion_newest_accepted_timestamp_seconds', 'Acceptance of the newest filing that came live.', [], (newest, lag) => {
    if (lag.newestAcceptedAt) newest.set(lag.newestAcceptedAt.getTime() / 1000)
  })
  gauge('ingestion_silent', '1 where EDGAR is followed and has been open for two hours without a filing seen.', [], (silent, lag) => {
    const last = lag.newestAcceptedAt && lag.newestAcceptedAt.getTime() / 1000
    silent.set(follows && isSilenceSuspicious(Date.now() / 1000, last) ? 1 : 0)
  })
}

/** The gauges of one scrape share one reading. */
export function oncePerScrape<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null
  return () => {
    current ??= read().finally(() => setImmediate(() => { current = null }))
    return current
  }
}
