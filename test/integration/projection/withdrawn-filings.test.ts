// Filings that the SEC has deleted: their rows are gone from the receipt of its record on, whatever comes before or
// after it, and the filing itself stays readable.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { dataSetOf, type Tables } from '../../support/edgar/invented/data-set-files.ts'
import { loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { deletionText, filingOf, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const NOW = Date.UTC(2025, 2, 20)
const LATER = NOW + 3_600_000
const [GONE, KEPT] = ['0001999009-25-000001', '0001999009-25-000002']
const OWNER = '0001999101'
const filed = (accession: string, spec: FilingSpec = {}): FilingSpec => ({
  accession,
  acceptedAt: '20250318163000',
  owners: [{ cik: OWNER, isDirector: true }],
  rows: [{ shares: accession === GONE ? '1000' : '2000', price: '100' }],
  ...spec,
})
const deletion = (accession = GONE) => ({ path: `pds/${accession}.nc`, text: deletionText(accession) })
const keptRows = [`${KEPT}-nd-1`]

describe('a filing that the SEC has deleted', function () {
  this.timeout(120_000)
  let now = NOW
  const services: TestService[] = []
  const fresh = async () => {
    services.push(await testService(() => now))
    return services.at(-1)!
  }
  beforeEach(() => {
    now = NOW
  })
  afterEach(async () => {
    for (const service of services.splice(0)) await service.close()
  })

  /** Receives the record an hour after everything else. */
  const deleted = async (service: TestService) => {
    now = LATER
    return service.take(deletion())
  }
  const rebuilt = async (service: TestService) => {
    await service.container.get(TYPES.rebuild)(() => {})
  }
  const totals = async (service: TestService) => {
    const { totalBuys, totalBuyValue } = (await service.queries.insider(OWNER))!.stats as any
    return [totalBuys, totalBuyValue]
  }
  const listedAt = async (service: TestService, asOf: number) =>
    (await service.queries.feed({ limit: 10, asOf: asOf / 1000 })).transactions.map(({ id }) => id).sort()

  it('is shown no more, and what is shown instead is as if it had never been filed', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    assert.lengthOf(await service.listed(), 2)
    const [recorded] = await deleted(service)
    assert.deepInclude(recorded, { outcome: 'ingested', accession: GONE, reason: null })
    const alone = await fresh()
    await alone.take(filed(KEPT))
    assert.deepEqual(await service.listed(), keptRows)
    assert.deepEqual(await totals(service), await totals(alone))
    assert.isNotNull((await totals(alone))[0])
  })

  it('never comes to be shown where the deletion came first', async () => {
    const service = await fresh()
    await service.take(deletion())
    now = LATER
    await service.take(filed(GONE), filed(KEPT))
    await service.detectSignals()
    assert.deepEqual(await service.listed(), keptRows)
    assert.deepEqual(await listedAt(service, LATER), keptRows)
  })

  it('is deleted once', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    await deleted(service)
    const before = await service.dump()
    now = LATER + 60_000
    const again = await service.take(deletion(), deletion())
    assert.deepEqual(
      again.map(({ outcome }) => outcome),
      ['known', 'known'],
    )
    assert.deepEqual(await service.dump(), before)
  })

  it('stays so after a rebuild, a copy of its document and its correction', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    await deleted(service)
    await service.detectSignals()
    const before = await service.dump()
    await rebuilt(service)
    assert.deepEqual(await service.dump(), before)
    await service.take(filed(GONE))
    assert.deepEqual(await service.listed(), keptRows)
  })

  it('is in answers as of the time before its deletion', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    await deleted(service)
    for (const _ of ['as projected', 'as rebuilt']) {
      assert.deepEqual(await listedAt(service, LATER - 1000), [`${GONE}-nd-1`, ...keptRows])
      assert.deepEqual(await listedAt(service, LATER), keptRows)
      await rebuilt(service)
    }
  })

  it('is reported as removed', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    const [{ last } = { last: 0 }] = await rows<{ last: number }>(service.pool, 'SELECT last FROM change_position')
    await deleted(service)
    const reported = await rows<{ type: string; data: any }>(
      service.pool,
      'SELECT type, data FROM changes WHERE seq > $1 AND type IS NOT NULL ORDER BY seq',
      [last],
    )
    assert.deepEqual(
      reported.map(({ type, data }) => [type, (typeof data === 'string' ? JSON.parse(data) : data).removed]),
      [['transaction.changed', [`${GONE}-nd-1`]]],
    )
  })

  it('can be read, and says that it is withdrawn', async () => {
    const service = await fresh()
    await service.take(filed(GONE))
    assert.isNull((await service.queries.filing(GONE))!.withdrawnAt)
    await deleted(service)
    const { withdrawnAt, amendedBy, nonDerivative } = (await service.queries.filing(GONE))!
    assert.strictEqual(withdrawnAt, '2025-03-20T01:00:00Z')
    assert.deepEqual(amendedBy, [])
    assert.deepInclude(nonDerivative[0]!.decision, { status: 'withdrawn', supersededBy: null, supersededAt: null })
  })

  it('ends the signal that it made', async () => {
    const service = await fresh()
    const buy = (number: number) =>
      filed(`0001999009-25-00000${number}`, { owners: [{ cik: `000199910${number}`, isDirector: true }] })
    await service.take(buy(1), buy(2), buy(3))
    await service.detectSignals()
    const signals = async () => (await service.queries.signals({ limit: 10 })).signals.map(({ type }) => type)
    assert.deepEqual(await signals(), ['cluster_buy'])
    await deleted(service)
    await service.detectSignals()
    assert.deepEqual(await signals(), [])
  })

  it('no longer changes its original if it was an amendment', async () => {
    const service = await fresh()
    const original = filed(KEPT)
    await service.take(
      original,
      filed(GONE, {
        formType: '4/A',
        acceptedAt: '20250319163000',
        dateOfOriginalSubmission: '2025-03-18',
        rows: [{ shares: '2500', price: '100' }],
      }),
    )
    assert.deepEqual(await service.listed(), [`${GONE}-nd-1`])
    await deleted(service)
    assert.deepEqual(await service.listed(), keptRows)
    assert.deepEqual((await service.queries.filing(GONE))!.amends, [])
  })

  describe('and that a data set has', () => {
    const tables: Tables = dataSetOf([filed(GONE), filed(KEPT)].map((spec) => filingOf(spec)))

    it('goes when the deletion comes later, and stays gone', async () => {
      const service = await fresh()
      await loadSets(service, [['2025q1', tables]])
      assert.lengthOf(await service.listed(), 2)
      await deleted(service)
      await service.detectSignals()
      assert.deepEqual(await service.listed(), keptRows)
      assert.strictEqual((await service.queries.filing(GONE))!.withdrawnAt, '2025-03-20T01:00:00Z')
      const before = await service.dump()
      await rebuilt(service)
      assert.deepEqual(await service.listed(), keptRows)
      assert.deepEqual((await service.dump()).trades, before.trades)
      await loadSets(service, [['2025q1', tables]])
      assert.deepEqual(await service.listed(), keptRows)
    })

    it('is not shown when the deletion came before', async () => {
      const service = await fresh()
      await service.take(deletion())
      await loadSets(service, [['2025q1', tables]])
      assert.deepEqual(await service.listed(), keptRows)
      await service.take(filed(GONE))
      assert.deepEqual(await service.listed(), keptRows)
    })
  })

  describe('is not deleted by a record that', () => {
    const text = deletionText(GONE)
    const document = '<DOCUMENT>\n<TYPE>4\n</DOCUMENT>\n</SUBMISSION>'
    const cases: [string, string, 'rejected' | 'not-ownership', string][] = [
      ['names none', text.replace(/<ACC.*\n/, ''), 'rejected', 'deletion: no ACCESSION-NUMBER'],
      ['is cut off', text.replace('</SUBMISSION>', ''), 'rejected', 'submission: truncated: no </SUBMISSION>'],
      [
        'has a document',
        text.replace('</SUBMISSION>', document),
        'rejected',
        'deletion: a DOCUMENT, where none is allowed',
      ],
      [
        'is a correction too',
        text.replace('<DELETION>', '<CORRECTION>\n<DELETION>'),
        'rejected',
        'deletion: a CORRECTION as well',
      ],
      ['is of another form', text.replace('<TYPE>4', '<TYPE>8-K'), 'not-ownership', 'deletion of a form 8-K'],
    ]
    for (const [name, record, outcome, reason] of cases) {
      it(name, async () => {
        const service = await fresh()
        await service.take(filed(GONE))
        const [recorded] = await service.take({ path: 'pds/deleted.nc', text: record })
        assert.deepInclude(recorded, { outcome, reason })
        assert.deepEqual(await service.listed(), [`${GONE}-nd-1`])
      })
    }
  })
})
