// Filings whose day of filing is not known (bare documents) count at present, but in no answer as of an instant: their
// rows are left out, and so are the signals that need them.
import { assert } from 'chai'
import { ownershipXml, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('filings of an unknown day', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const purchase = (person: number, day: string): FilingSpec => ({
    accession: `0001999001-25-${String(person).padStart(6, '0')}`,
    acceptedAt: `${day.replaceAll('-', '')}120000`,
    owners: [{ cik: `000000000${person}`, name: `SAMPLE ${'ABCDEFG'[person]}`, isDirector: true }],
    rows: [{ shares: '10000', price: '12', date: day }],
    periodOfReport: day,
    signatures: [{ name: '/s/ Sample', date: day }],
  })
  const bare = (person: number, day: string) => {
    const { accession, acceptedAt: _, ...spec } = purchase(person, day)
    return { path: `${accession}.xml`, text: ownershipXml(spec) }
  }
  const asOf = Date.UTC(2025, 3, 30) / 1000
  const signals = async (at?: number) =>
    (await service.queries.signals({ limit: 10, ...(at !== undefined && { asOf: at }) })).signals.map(
      ({ type, insiderCount, detectedAt }) => `${type} ${insiderCount} ${detectedAt.slice(0, 10)}`,
    )
  const rows = async (at?: number) =>
    Object.fromEntries(
      (await service.queries.feed({ limit: 50, ...(at !== undefined && { asOf: at }) })).transactions.map((row) => [
        row.id.slice(17, 20),
        row.signals.length,
      ]),
    )

  it('complete a cluster at present and none as of an instant', async () => {
    await service.take(purchase(1, '2025-03-10'), purchase(2, '2025-03-11'), bare(3, '2025-03-12'))
    await service.detectSignals()

    assert.deepEqual(await signals(), ['cluster_buy 3 2025-03-13'])
    assert.deepEqual(await signals(asOf), [])
    assert.deepEqual(await rows(), { '001': 1, '002': 1, '003': 1 })
    assert.deepEqual(await rows(asOf), { '001': 0, '002': 0 })
  })

  it('leave the cluster that the others make, as of an instant', async () => {
    await service.take(
      bare(1, '2025-03-10'),
      purchase(2, '2025-03-11'),
      purchase(3, '2025-03-12'),
      purchase(4, '2025-03-13'),
    )
    await service.detectSignals()

    assert.deepEqual(await signals(), ['cluster_buy 4 2025-03-12'])
    assert.deepEqual(await signals(asOf), ['cluster_buy 3 2025-03-13'])
    assert.deepEqual(await signals(Date.UTC(2025, 2, 13, 12) / 1000), [])

    const before = await service.dump()
    await service.detectSignals()
    assert.deepEqual(await service.dump(), before)
  })

  it('change nothing as of an instant when their own document with its header comes', async () => {
    await service.take(purchase(1, '2025-03-10'), purchase(2, '2025-03-11'), bare(3, '2025-03-12'))
    await service.detectSignals()
    await service.take(purchase(3, '2025-03-12'))
    await service.detectSignals()

    assert.deepEqual(await signals(), ['cluster_buy 3 2025-03-12'])
    assert.deepEqual(await signals(asOf), ['cluster_buy 3 2025-03-12'])
    assert.deepEqual(await rows(asOf), { '001': 1, '002': 1, '003': 1 })
  })
})
