// New, changed, closed and unknown holdings: in details, by the filter, in history and in the events and changes that
// rules and filters choose by them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../../src/container/tokens.ts'
import { dataSetOf } from '../../../support/edgar/invented/data-set-files.ts'
import { loadSets } from '../../../support/edgar/invented/in-data-set.ts'
import { filingOf, type FilingSpec, type RowSpec } from '../../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const filed = (number: number, ...rows: RowSpec[]): FilingSpec => ({
  accession: `0001999001-20-00000${number}`,
  acceptedAt: `202006${String(number + 10)}163000`,
  filedAsOf: `202006${String(number + 10)}`,
  rows: rows.map((row) => ({ date: '2020-06-10', ...row })),
})
const sold = (shares: string, sharesAfter: string): RowSpec => ({
  ...{ code: 'S', acquiredDisposed: 'D', shares, sharesAfter },
})
const FILINGS = [
  filed(1, { shares: '100', sharesAfter: '100' }),
  filed(2, { shares: '100', sharesAfter: '200' }),
  filed(3, sold('50', '150')),
  filed(4, sold('150', '0')),
  filed(5, { shares: '100', sharesAfter: null }),
  // A line of its own: what the filer holds directly does not count.
  filed(6, { shares: '70', sharesAfter: '70', directIndirect: 'I', nature: 'By Trust' }),
  filed(7, { shares: '100', sharesAfter: '40' }),
]
const KINDS: Record<string, unknown[]> = {
  ...{ 1: ['new', null], 2: ['changed', 1], 3: ['changed', -0.25], 4: ['closed', -1] },
  ...{ 5: ['unknown', null], 6: ['new', null], 7: ['unknown', null] },
}

describe('changes of holdings', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService(() => Date.UTC(2020, 6, 1))
  })
  afterEach(() => service.close())

  const all = async (filter: object = {}) =>
    (await service.queries.feed({ ...filter, limit: 50, detail: true })).transactions
  const numberOf = (accession: string) => Number(accession.slice(-1))
  const kinds = async (): Promise<Record<string, unknown[]>> =>
    Object.fromEntries(
      (await all()).map(({ detail }) => [
        numberOf(detail!.accessionNumber),
        [detail!.holdingChangeKind, detail!.holdingChange],
      ]),
    )
  const found = async (filter: object) =>
    (await all(filter)).map(({ detail }) => numberOf(detail!.accessionNumber)).join('')

  it('are new, changed, closed or unknown, also after a rebuild', async () => {
    await service.take(...FILINGS)
    assert.deepEqual(await kinds(), KINDS)
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(await kinds(), KINDS)
  })

  it('are the same in history', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'test-holdings-'))
    try {
      await loadSets(service, [['2020q2', dataSetOf(FILINGS.map((spec) => filingOf(spec)))]])
      assert.deepEqual(await kinds(), KINDS)
      assert.strictEqual(await found({ holdingChange: { min: 0.1 } }), '621')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('that are new are found by a least change, and not by a greatest one', async () => {
    await service.take(...FILINGS)
    assert.strictEqual(await found({ holdingChange: { min: 0.1 } }), '621')
    assert.strictEqual(await found({ holdingChange: { min: 5 } }), '61')
    assert.strictEqual(await found({ holdingChange: { max: 5 } }), '432')
    assert.strictEqual(await found({ holdingChange: { min: -1, max: 5 } }), '432')
    assert.strictEqual(await found({ sort: 'holdingChange' }), '423')
    // As of an instant, the same.
    assert.strictEqual(await found({ holdingChange: { min: 0.1 }, asOf: Date.UTC(2020, 5, 13) / 1000 }), '21')
  })

  it('that are new pass the same filter of the log of changes', async () => {
    await service.take(...FILINGS)
    const { value } = await service.container
      .get(TYPES.changeQueries)
      .changes({ after: 'earliest', limit: 50, transactions: { holdingChange: { min: 5 } } })
    const numbers = value.changes.map((change) =>
      numberOf((change.data as { accessionNumber: string }).accessionNumber),
    )
    assert.deepEqual(numbers, [1, 6])
  })
})
