// Metrics of ingestion: the lag behind EDGAR, the backlog, and how complete the newest days are. Read at each scrape.
import type { Registry } from 'prom-client'
import { isSilenceSuspicious } from '../../domain/shared/edgar-hours.ts'
import { backlog, ingestionLag } from '../../infrastructure/postgres/filings/ingestion-stats.ts'
import { sicCounts } from '../../infrastructure/postgres/filings/sic-list.ts'
import type { Pool } from '../../infrastructure/postgres/pool.ts'
import { storeGauges } from './store-gauges.ts'

/**
 * Registers the metrics, which are absent while PostgreSQL can't be read. `follows`: whether this process is configured
 * to follow EDGAR.
 */
export function registerIngestionMetrics(registry: Registry, pool: Pool, follows: boolean): void {
  const gauge = storeGauges(registry, async () => {
    const [lag, waiting, sics] = await Promise.all([ingestionLag(pool), backlog(pool), sicCounts(pool)])
    return { lag, waiting, sics }
  })
  gauge(
    'ingestion_lag_seconds',
    'Over the newest 500 live filings: from acceptance, and from first seen, to visible.',
    ['since', 'quantile'],
    (lags, { lag }) => {
      for (const [since, pair] of [
        ['accepted', lag.acceptedToVisible],
        ['seen', lag.seenToVisible],
      ] as const) {
        if (pair) lags.set({ since, quantile: '0.5' }, pair.p50)
        if (pair) lags.set({ since, quantile: '0.95' }, pair.p95)
      }
    },
  )
  gauge(
    'ingestion_backlog',
    'Documents by what they wait for (fetch, projection); rejected and gone ones are kept.',
    ['state'],
    (states, { waiting }) => {
      states.set({ state: 'fetch' }, waiting.waitingFetches)
      states.set({ state: 'projection' }, waiting.pending)
      states.set({ state: 'rejected' }, waiting.rejected)
      states.set({ state: 'gone' }, waiting.gone)
    },
  )
  gauge(
    'ingestion_day_filings',
    "Forms 4 and 4/A of a day in the SEC's daily index (listed), and of them here (known).",
    ['day', 'count'],
    (days, { waiting }) => {
      for (const { day, listed, known } of waiting.days) {
        days.set({ day, count: 'listed' }, listed)
        days.set({ day, count: 'known' }, known)
      }
    },
  )
  gauge(
    'ingestion_day_form_filings',
    "Filings of each form of a day in the SEC's daily index (listed), and of them here (known).",
    ['day', 'form', 'count'],
    (days, { waiting }) => {
      for (const { day, forms } of waiting.days) {
        for (const [form, { listed, known }] of Object.entries(forms ?? {})) {
          days.set({ day, form, count: 'listed' }, listed)
          days.set({ day, form, count: 'known' }, known)
        }
      }
    },
  )
  gauge(
    'issuers_without_sic',
    'Issuers whose filings show no SIC: EDGAR is to be asked (waiting), has it (found) or none.',
    ['state'],
    (states, { sics }) => {
      for (const state of ['waiting', 'found', 'none'] as const) states.set({ state }, sics[state])
    },
  )
  gauge(
    'ingestion_newest_accepted_timestamp_seconds',
    'Acceptance of the newest filing that came live.',
    [],
    (newest, { lag }) => {
      if (lag.newestAcceptedAt) newest.set(lag.newestAcceptedAt.getTime() / 1000)
    },
  )
  gauge(
    'ingestion_silent',
    '1 if EDGAR is followed and has been open for two hours without a filing.',
    [],
    (silent, { lag }) => {
      const last = lag.newestAcceptedAt && lag.newestAcceptedAt.getTime() / 1000
      silent.set(follows && isSilenceSuspicious(Date.now() / 1000, last) ? 1 : 0)
    },
  )
}
