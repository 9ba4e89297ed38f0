// First purchases in years, of filings that come one by one, of data sets and after a rebuild; the filters by what
// details say, and rules of alerts made of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { dataSetOf } from '../../support/edgar/invented/data-set-files.ts'
import { loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { filingOf, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const OWNERS = [
  { cik: '0000000005', name: 'SAMPLE 5', isDirector: true },
  { cik: '0000000006', name: 'SAMPLE 6', isTenPercentOwner: true },
]

/** A purchase by owner 5, filed on the next day. */
function bought(number: number, day: string, spec: FilingSpec = {}): FilingSpec {
  const filed = `${day.slice(0, 8)}${String(Number(day.slice(8)) + 1).padStart(2, '0')}`.replaceAll('-', '')
  return {
    accession: `0001999001-${day.slice(2, 4)}-${String(number).padStart(6, '0')}`,
    acceptedAt: `${filed}163000`,
    filedAsOf: filed,
    owners: [OWNERS[0]!],
    rows: [{ date: day, shares: String(100 + number) }],
    ...spec,
  }
}

const HISTORY = [
  bought(1, '2010-03-01', { rows: [{ date: '2010-03-01', code: 'S', acquiredDisposed: 'D' }] }),
  bought(2, '2014-04-01'),
  bought(3, '2014-05-01', { owners: [OWNERS[1]!] }),
  bought(4, '2020-06-01', { owners: OWNERS }),
]
const EXPECTED = [
  ['0001999001-14-000002', 4, null],
  ['0001999001-14-000003', 4, null],
  ['0001999001-20-000004', 6, '2014-05-01'],
]

describe('first purchases in years', function () {
  this.timeout(60_000)
  let service: TestService
  const folder = mkdtempSync(join(tmpdir(), 'test-first-buys-'))
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())
  after(() => rmSync(folder, { recursive: true, force: true }))

  const found = async (filter: object = { types: ['buy'] }) => {
    const { transactions } = await service.queries.feed({ ...filter, limit: 50, detail: true })
    return transactions
      .map(({ detail }) => [detail!.accessionNumber, detail!.firstBuyInYears, detail!.previousBuyDate])
      .reverse()
  }

  it('are known when a filing is projected, and stay when signals are detected, rebuilt or filed later', async () => {
    for (const spec of HISTORY) await service.take(spec)
    assert.deepEqual(await found(), EXPECTED)
    await service.detectSignals()
    assert.deepEqual(await found(), EXPECTED)
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(await found(), EXPECTED)
    // Bought before the last, filed after it: the last was the first in six years by what was known.
    await service.take(bought(5, '2020-05-28', { acceptedAt: '20201001120000', filedAsOf: '20201001' }))
    assert.deepEqual(await found(), [...EXPECTED, ['0001999001-20-000005', 0, '2020-06-01']])
  })

  it('do not depend on the order in which filings come', async () => {
    for (const spec of HISTORY.toReversed()) await service.take(spec)
    assert.deepEqual(await found(), EXPECTED)
  })

  it('of data sets are those of the filings, once signals were detected', async () => {
    const [first, ...others] = HISTORY
    await loadSets(service, [['2014q2', dataSetOf([filingOf(first), ...others.map((spec) => filingOf(spec))])]])
    await service.detectSignals()
    assert.deepEqual(await found(), EXPECTED)
  })

  it('are what the feed is filtered by, together with delays and changes of the holding', async () => {
    await service.take(
      ...HISTORY,
      bought(6, '2020-06-08', { acceptedAt: '20200612163000', filedAsOf: '20200612' }),
      bought(7, '2020-06-15', { rows: [{ date: '2020-06-15', shares: '500', sharesAfter: '1000' }] }),
    )
    const ids = async (filter: object) => (await found(filter)).map(([id]) => String(id).slice(-1)).join('')
    assert.deepEqual(
      [await ids({ firstBuyYears: 4 }), await ids({ firstBuyYears: 6 }), await ids({ firstBuyYears: 7 })],
      ['234', '4', ''],
    )
    assert.deepEqual([await ids({ late: true }), await ids({ late: false })], ['6', '12347'])
    assert.deepEqual(
      [await ids({ holdingChange: { min: 1 } }), await ids({ holdingChange: { max: -0.05 } })],
      ['7', '1'],
    )
    assert.strictEqual(await ids({ sort: 'holdingChange', companies: [{ ticker: 'EXWI', cik: null }] }), '1234' + '67')
    const company = await service.queries.company('EXWI', true)
    assert.deepEqual(company!.lateFilings, { count: 1, of: 6, share: 0.1667 })
    assert.isUndefined((await service.queries.company('EXWI'))!.lateFilings)
    assert.deepEqual((await service.queries.insider('6', true))!.lateFilings, { count: 0, of: 2, share: 0 })
  })
})
