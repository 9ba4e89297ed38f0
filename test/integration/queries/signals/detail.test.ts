// The detail of a signal: invented signals beside transactions of filings on real stores, requested over HTTP, each
// answer checked against the contract.
import { assert } from 'chai'
import type { Evidence, Signal } from '../../../../src/domain/signals/signal.ts'
import { hasSignalsOfOtherRules } from '../../../../src/infrastructure/clickhouse/queries/signal.ts'
import { ClickHouseSignalStore } from '../../../../src/infrastructure/clickhouse/stores/signal-store.ts'
import { call } from '../../../support/http/contract-client.ts'
import { startExampleService, type ExampleService } from '../../../support/http/example-service.ts'
import type { FilingSpec } from '../../../support/filings/filing-builder.ts'
import { inventedSignal } from '../../../support/signals/invented-signal.ts'
import { testService, type TestService } from '../../../support/service/service.ts'
import { signalInserts } from '../../../../src/infrastructure/clickhouse/stores/signal-inserts.ts'

const accession = (number: number) => `0001999001-25-${String(number).padStart(6, '0')}`
const id = (number: number, place = 1) => `${accession(number)}-nd-${place}`
const person = (cik: number, roles: object = { isDirector: true }) => ({
  cik: String(cik).padStart(10, '0'),
  name: `SAMPLE ${cik}`,
  ...roles,
})
/** Day by day from 11 March 2025; the number is the day's. */
const filed = (number: number, spec: FilingSpec = {}): FilingSpec => ({
  accession: accession(number),
  acceptedAt: `202503${10 + number}120000`,
  owners: [person(number)],
  ...spec,
})
const CLUSTER = inventedSignal().signal.id

describe('the detail of a signal', function () {
  this.timeout(60_000)
  let service: TestService
  let http: ExampleService
  let version = 0
  const write = (...signals: ReturnType<typeof inventedSignal>[]) =>
    new ClickHouseSignalStore(service.store).write(signalInserts({ signals, gone: [] }, (version += 1)))
  const ask = async (signal: string, query = '') =>
    (await call(http.url, 'GET', `/v1/signals/${signal}${query}`)).body.data

  beforeEach(async () => {
    service = await testService()
    http = await startExampleService({ queries: service.textQueries })
  })
  afterEach(async () => {
    await http.close()
    await service.close()
  })

  it('shows which transactions count and which do not, newest first as in the feed', async () => {
    const rows = Array.from({ length: 11 }, (_, index) => ({ shares: String(1000 + index) }))
    await service.take(
      filed(1, { rows }),
      filed(2),
      filed(3, { rows: [{ shares: '7' }, { shares: '8' }] }),
      filed(4, { issuer: { cik: '0001999002' } }),
    )
    const counted = [id(2), id(1, 2), id(1, 11), id(1, 10), id(3, 2)]
    await write(
      inventedSignal({
        counted,
        leftOut: [
          { id: id(1, 9), reason: 'plan' },
          { id: id(3, 1), reason: 'below_minimum' },
        ],
      }),
    )
    const found = await ask(CLUSTER)
    const feed = (await service.queries.feed({ limit: 100 })).transactions
    assert.deepEqual(
      found.counted,
      feed.filter((each) => counted.includes(each.id)),
    )
    assert.deepEqual(
      found.counted.map((each: { id: string }) => each.id),
      [id(3, 2), id(2), id(1, 11), id(1, 10), id(1, 2)],
    )
    assert.deepEqual(found.leftOut, [
      { transaction: feed.find((each) => each.id === id(3, 1)), reason: 'below_minimum' },
      { transaction: feed.find((each) => each.id === id(1, 9)), reason: 'plan' },
    ])
    assert.notProperty(found.counted[0], 'detail')
    const detailed = await ask(CLUSTER, '?detail=full')
    assert.strictEqual(detailed.counted[0].detail.accessionNumber, accession(3))
    assert.strictEqual(detailed.leftOut[0].transaction.detail.priceStatus, 'as_filed')
  })

  it("shows transactions that are superseded or another filing's duplicates too", async () => {
    const large = { isTenPercentOwner: true }
    await service.take(
      filed(1),
      filed(2, {
        formType: '4/A',
        dateOfOriginalSubmission: '2025-03-11',
        owners: [person(1)],
        rows: [{ price: '11' }],
      }),
      filed(3, { owners: [person(8, large)], rows: [{ shares: '55' }] }),
      filed(4, { owners: [person(9, large)], rows: [{ shares: '55' }] }),
    )
    assert.deepEqual(await service.listed(), [id(3), id(2)])
    await write(inventedSignal({ counted: [id(1)], leftOut: [{ id: id(4), reason: 'duplicate' }] }))
    const found = await ask(CLUSTER)
    assert.lengthOf(found.counted, 1)
    assert.deepInclude(found.counted[0], {
      id: id(1),
      insiderName: 'SAMPLE 1',
      pricePerShare: 10,
      filingDate: '2025-03-11T16:00:00Z',
    })
    assert.deepEqual(
      found.leftOut.map((each: any) => [each.transaction.id, each.reason]),
      [[id(4), 'duplicate']],
    )
  })

  it('shows amounts in dollars and times in UTC', async () => {
    const seconds = (text: string) => Date.parse(text) / 1000
    const insiders = [
      { cik: '0000000005', name: 'SAMPLE 5' },
      { cik: '0000000007', name: 'SAMPLE 7' },
    ]
    const persons = insiders.map((insider) => ({ ...insider, role: 'CFO', cents: 1 }))
    const grown = inventedSignal({
      severity: 'high',
      insiderCount: 4,
      totalCents: 9_007_199_254_740_991,
      persons,
      changedAt: seconds('2025-03-20T21:00:59Z'),
      evidence: { kind: 'cluster', officers: 2, chief: true },
      history: [
        {
          at: seconds('2025-03-14T20:30:05Z'),
          accession: accession(1),
          severity: 'medium',
          insiderCount: 3,
          totalCents: 12_345_678,
        },
        {
          at: seconds('2025-03-20T21:00:59Z'),
          accession: accession(2),
          severity: 'high',
          insiderCount: 4,
          totalCents: 10,
        },
      ],
    })
    await write(grown)
    const { signal, rule, counted, leftOut, ...rest } = await ask(CLUSTER)
    assert.deepEqual(rest, {
      status: 'holding',
      endedAt: null,
      changedAt: '2025-03-20T21:00:59Z',
      firstTradeDate: '2025-03-10',
      lastTradeDate: '2025-03-12',
      insiders,
      evidence: { kind: 'cluster', officers: 2, withCeoOrCfo: true },
      history: [
        {
          at: '2025-03-14T20:30:05Z',
          accessionNumber: accession(1),
          severity: 'medium',
          insiderCount: 3,
          totalValue: 123_456.78,
        },
        {
          at: '2025-03-20T21:00:59Z',
          accessionNumber: accession(2),
          severity: 'high',
          insiderCount: 4,
          totalValue: 0.1,
        },
      ],
    })
    assert.deepEqual([counted, leftOut], [[], []])
    assert.deepEqual(signal, (await service.queries.signals({ limit: 1 })).signals[0])
    assert.deepInclude(signal, { severity: 'high', insiderCount: 4, totalValue: 90_071_992_547_409.91 })
    assert.strictEqual(signal.detectedAt, '2025-03-14T20:30:05Z')
    assert.deepEqual([rule.madeBy, rule.version, rule.thresholds.persons], ['default', 'default', 3])
  })

  it('shows what each rule found', async () => {
    const found: [type: Signal['type'], evidence: Evidence, told: object][] = [
      [
        'unusual_size',
        { kind: 'own-mean', mean: 1_234_567, trades: 4, ratio: 5.4 },
        { kind: 'own_mean', meanValue: 12_345.67, earlierTrades: 4, ratio: 5.4 },
      ],
      [
        'unusual_size',
        { kind: 'percentile', percentile: 50, trades: 20 },
        { kind: 'percentile', percentileValue: 0.5, companyTrades: 20 },
      ],
      ['ceo_trade', { kind: 'ceo' }, { kind: 'ceo' }],
      [
        'reversal',
        { kind: 'reversal', against: 2, last: 10, opposite: 8 },
        { kind: 'reversal', oppositeTrades: 2, lastTrades: 10, lastOpposite: 8 },
      ],
    ]
    for (const [index, [type, evidence, told]] of found.entries()) {
      const signal = `${type}-1999001-5-2025-03-1${index}-buy`
      await write(inventedSignal({ id: signal, type, evidence, insiderCount: 1 }))
      assert.deepEqual((await ask(signal)).evidence, told, signal)
    }
  })

  it('is still found after the signal ended, unlike in the list', async () => {
    await write(inventedSignal())
    assert.lengthOf((await service.queries.signals({ limit: 5 })).signals, 1)
    await write(inventedSignal({ endedAt: Date.UTC(2025, 2, 20) / 1000, changedAt: Date.UTC(2025, 2, 20) / 1000 }))
    assert.deepEqual((await service.queries.signals({ limit: 5 })).signals, [])
    assert.deepInclude(await ask(CLUSTER), {
      status: 'ended',
      endedAt: '2025-03-20T00:00:00Z',
      changedAt: '2025-03-20T00:00:00Z',
    })
    await write(inventedSignal({ changedAt: Date.UTC(2025, 2, 21) / 1000 }))
    assert.deepInclude(await ask(CLUSTER), { status: 'holding', endedAt: null })
  })

  it('is found by its own id only', async () => {
    await write(inventedSignal())
    for (const other of [
      'cluster_sell-1999001-0001999001-25-000001-nd-1',
      'cluster_buy-0001999001-0001999001-25-000001-nd-1',
      'cluster_buy-1999002-0001999001-25-000001-nd-1',
      'cluster_buy-1999001-0001999001-25-000001-nd',
      'cluster_buy-9999999999-x',
    ]) {
      assert.strictEqual((await call(http.url, 'GET', `/v1/signals/${other}`)).body.error.code, 'unknown_signal', other)
    }
    await new ClickHouseSignalStore(service.store).write(
      signalInserts({ signals: [], gone: [inventedSignal().signal] }, (version += 1)),
    )
    assert.strictEqual(await service.queries.signal(CLUSTER), null)
  })

  it('has its transactions in order however many there are, and leaves out what is not stored', async () => {
    await service.take(filed(1), filed(2), filed(3))
    const unknown = (from: number) => Array.from({ length: 6_000 }, (_, index) => id(from + index))
    const leftOut = [...unknown(9_000), id(1)].map((each) => ({ id: each, reason: 'plan' as const }))
    await write(inventedSignal({ counted: [id(2), ...unknown(1_000), id(3)], leftOut }))
    const found = await ask(CLUSTER)
    assert.deepEqual(
      found.counted.map((each: { id: string }) => each.id),
      [id(3), id(2)],
    )
    assert.deepEqual(
      found.leftOut.map((each: any) => each.transaction.id),
      [id(1)],
    )
  })

  it('shows the rules that found it, and whether the present rules differ', async () => {
    assert.strictEqual(await hasSignalsOfOtherRules(service.store, 'default'), false)
    await write(inventedSignal(), inventedSignal({ id: 'cluster_buy-1999001-x' }, { rules: 'custom-12345678' }))
    assert.deepInclude((await ask('cluster_buy-1999001-x')).rule, { madeBy: 'custom-12345678', version: 'default' })
    assert.strictEqual(await hasSignalsOfOtherRules(service.store, 'default'), true)
    await write(inventedSignal({ id: 'cluster_buy-1999001-x', endedAt: 1 }))
    assert.strictEqual(await hasSignalsOfOtherRules(service.store, 'default'), false)
    assert.strictEqual(await hasSignalsOfOtherRules(service.store, 'custom-12345678'), true)
  })
})
