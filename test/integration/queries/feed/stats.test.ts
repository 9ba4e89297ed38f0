// The past 24 hours: what counts at the edges and when clocks change, the order, and what is left out.
import { assert } from 'chai'
import { ClickHouseSignalStore } from '../../../../src/infrastructure/clickhouse/stores/signal-store.ts'
import type { Signal } from '../../../../src/domain/signals/signal.ts'
import type { Severity } from '../../../../src/domain/trades/significance.ts'
import type { FilingSpec } from '../../../support/filings/filing-builder.ts'
import { inventedSignal } from '../../../support/signals/invented-signal.ts'
import { testService, type TestService } from '../../../support/service/service.ts'
import { signalInserts } from '../../../../src/infrastructure/clickhouse/stores/signal-inserts.ts'

const DAY = 86_400_000
const filed = (number: number, acceptedAt: string, spec: FilingSpec = {}): FilingSpec => ({
  accession: `0001999001-25-${String(number).padStart(6, '0')}`,
  acceptedAt,
  owners: [{ cik: String(1_999_100 + number).padStart(10, '0'), name: `SAMPLE ${number}`, isDirector: true }],
  rows: [{ date: `${acceptedAt.slice(0, 4)}-${acceptedAt.slice(4, 6)}-01` }],
  ...spec,
})
const SALE = { code: 'S', acquiredDisposed: 'D' as const }

describe('the statistics of the past 24 hours', function () {
  this.timeout(60_000)
  let service: TestService
  let now = 0
  beforeEach(async () => {
    service = await testService(() => now)
  })
  afterEach(() => service.close())

  /** Numbers of the filings, by buys and sells, and the signals' ids. */
  const stats = async (at: string | number) => {
    now = typeof at === 'string' ? Date.parse(at) : at
    const { topBuys, topSells, topSignals } = await service.queries.feedStats()
    const number = ({ id }: { id: string }) => Number(id.slice(14, 20))
    return {
      buys: topBuys.map(number),
      sells: topSells.map(number),
      signals: topSignals.map((each) => each.id.split('-')[2]),
    }
  }
  const signal = (name: string, change: Partial<Signal>) =>
    inventedSignal({ id: `cluster_buy-1999001-${name}`, ...change })
  const write = (...signals: ReturnType<typeof inventedSignal>[]) =>
    new ClickHouseSignalStore(service.store).write(signalInserts({ signals, gone: [] }, 1))

  it('end now and begin later than 24 hours ago, to the millisecond', async () => {
    await service.take(filed(1, '20250611153000'))
    const accepted = Date.parse('2025-06-11T19:30:00Z')
    await write(signal('a', { detectedAt: accepted / 1000 }))
    const [within, without] = [
      { buys: [1], sells: [], signals: ['a'] },
      { buys: [], sells: [], signals: [] },
    ]
    assert.deepEqual(await stats(accepted - 1), without)
    assert.deepEqual(await stats(accepted), within)
    assert.deepEqual(await stats(accepted + DAY - 1), within)
    assert.deepEqual(await stats(accepted + DAY), without)
    assert.deepEqual(await stats(accepted + DAY + 999), without)
  })

  it('cover 24 elapsed hours when clocks in New York go forward', async () => {
    // 22:00 of the evening before: five hours behind UTC. A day later it is four.
    await service.take(filed(1, '20250308220000'))
    await write(signal('a', { detectedAt: Date.parse('2025-03-09T03:00:00Z') / 1000 }))
    assert.deepEqual(await stats('2025-03-09T02:59:59Z'), { buys: [], sells: [], signals: [] })
    // 22:30 in New York, by its clocks more than a day later.
    assert.deepEqual(await stats('2025-03-10T02:30:00Z'), { buys: [1], sells: [], signals: ['a'] })
    assert.deepEqual(await stats('2025-03-10T02:59:59Z'), { buys: [1], sells: [], signals: ['a'] })
    assert.deepEqual(await stats('2025-03-10T03:00:00Z'), { buys: [], sells: [], signals: [] })
  })

  it('cover 24 elapsed hours when clocks in New York go back', async () => {
    await service.take(filed(1, '20251101220000', { rows: [{ ...SALE, date: '2025-10-31' }] }))
    await write(signal('a', { detectedAt: Date.parse('2025-11-02T02:00:00Z') / 1000 }))
    assert.deepEqual(await stats('2025-11-03T01:59:59Z'), { buys: [], sells: [1], signals: ['a'] })
    // 21:30 in New York, by its clocks less than a day later.
    assert.deepEqual(await stats('2025-11-03T02:30:00Z'), { buys: [], sells: [], signals: [] })
  })

  it('have the 10 largest buys and sells by value, newest first among equals', async () => {
    const shares = [5, 9, 100, 7, 9, 30, 1, 2, 3, 4, 6, 8]
    await service.take(
      ...shares.flatMap((count, index) => {
        const at = `2025061115${String(10 + index)}00`
        return [
          filed(index + 1, at, { rows: [{ date: '2025-06-01', shares: String(count) }] }),
          filed(index + 51, at, { rows: [{ ...SALE, date: '2025-06-01', shares: String(count), price: '20.5' }] }),
        ]
      }),
    )
    const { buys, sells } = await stats('2025-06-12T00:00:00Z')
    assert.deepEqual(buys, [3, 6, 5, 2, 12, 4, 11, 1, 10, 9])
    assert.deepEqual(
      sells,
      buys.map((number) => number + 50),
    )
  })

  it('leave out prices that are not credible or foreign, other transactions, and what is not listed', async () => {
    const row = { date: '2025-06-01' }
    const foreign = { issuer: { tickerRaw: 'EXWI', foreignTickerRaw: 'EXW4' } }
    await service.take(
      filed(1, '20250611150000', {
        rows: [
          { ...row, price: '2000000' },
          { ...row, ...SALE, price: '1000000.01' },
        ],
      }),
      filed(2, '20250611150100', {
        ...foreign,
        rows: [
          { ...row, securityTitle: 'Common (EXW4)', price: '500' },
          { ...row, ...SALE, securityTitle: 'EXW4' },
        ],
      }),
      filed(3, '20250611150200', {
        rows: [
          { ...row, code: 'A', price: '99' },
          { ...row, acquiredDisposed: 'D', price: '99' },
        ],
      }),
      filed(4, '20250611150300'),
      filed(5, '20250611150400', {
        formType: '4/A',
        dateOfOriginalSubmission: '2025-06-11',
        rows: [{ ...row, shares: '90' }],
        owners: [{ cik: '0001999104', name: 'SAMPLE 4', isDirector: true }],
      }),
      filed(6, '20250611150500', { rows: [{ ...row, ...SALE }] }),
    )
    assert.deepEqual(await stats('2025-06-12T00:00:00Z'), { buys: [5], sells: [6], signals: [] })
  })

  it('have the 10 strongest signals by severity, then value, then newest first, without those that ended', async () => {
    const at = Date.parse('2025-06-11T12:00:00Z') / 1000
    const named = (name: string, severity: Severity, totalCents: number, detectedAt = at) =>
      signal(name, { severity, totalCents, detectedAt })
    await write(
      named('a', 'low', 9_000_000_00),
      named('b', 'critical', 1_00),
      named('c', 'high', 30_00),
      named('d', 'high', 100_00),
      named('e', 'medium', 5_00),
      named('f', 'medium', 5_00, at + 1),
      named('g', 'medium', 5_00),
      named('h', 'low', 2_00),
      named('i', 'low', 10_00),
      named('j', 'low', 1_00),
      named('k', 'low', 50),
      named('l', 'critical', 5_00, at - 86_400),
      signal('m', { severity: 'critical', totalCents: 9_00, detectedAt: at, endedAt: at + 60 }),
    )
    assert.deepEqual((await stats((at + 60) * 1000)).signals, ['b', 'd', 'c', 'f', 'e', 'g', 'a', 'i', 'h', 'j'])
  })
})
