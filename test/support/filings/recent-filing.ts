// Filings of one company shortly before noon in New York on 14 March 2025, the time of tests of alerts.
import type { FilingSpec } from './filing-builder.ts'

const HOUR = 3_600_000
/** Noon in New York, four hours behind UTC. */
export const NOW = Date.UTC(2025, 2, 14, 16)
export const ISSUER = '0001999001'

/** Describes a filing of that number, accepted so many hours before now. */
export function filedHoursAgo(number: number, hours: number, spec: FilingSpec = {}): FilingSpec {
  const newYork = new Date(NOW - hours * HOUR - 4 * HOUR)
  return {
    accession: `${ISSUER}-25-${String(number).padStart(6, '0')}`,
    acceptedAt: newYork.toISOString().replace(/\D/g, '').slice(0, 14),
    issuer: { cik: ISSUER, tickerRaw: 'EXWI' },
    rows: [{ shares: String(100 + number) }],
    ...spec,
  }
}
