// A signal as the domain would make it, of our own invention. Everything has a default, so a test says what it is
// about.
import type { Signal } from '../../../src/domain/signals/signal.ts'
import type { ShownSignal } from '../../../src/application/ports/analytics.ts'

/** By default a cluster of purchases at the issuer that filings of tests have. */
export function inventedSignal(change: Partial<Signal> = {}, shown: Partial<ShownSignal> = {}): ShownSignal {
  const at = change.detectedAt ?? Date.UTC(2025, 2, 14, 20, 30, 5) / 1000
  const signal: Signal = {
    id: 'cluster_buy-1999001-0001999001-25-000001-nd-1',
    type: 'cluster_buy',
    direction: 'buy',
    issuerCik: '0001999001',
    severity: 'medium',
    detectedAt: at,
    changedAt: at,
    endedAt: null,
    insiderCount: 3,
    totalCents: 123_456_78,
    firstDay: '2025-03-10',
    lastDay: '2025-03-12',
    persons: [{ cik: '0000000005', name: 'SAMPLE 5', role: 'director', cents: 100 }],
    prices: [10, 10],
    counted: [],
    leftOut: [],
    evidence: { kind: 'cluster', officers: 1, chief: false },
    history: [{ at, accession: '0001999001-25-000001', severity: 'medium', insiderCount: 3, totalCents: 123_456_78 }],
    ...change,
  }
  return {
    signal,
    ticker: 'EXWI',
    companyName: 'Example Widgets Inc',
    rules: 'default',
    knownAt: at,
    states: [],
    insiders: { present: [], steps: [] },
    ...shown,
  }
}
