// Signals by insider and sector over real stores: which filings count, with all owners of joint filings, now and as of
// an instant, and after a filing moves its company to another sector.
import { assert } from 'chai'
import type { FilingSpec } from '../../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const cik = (number: number) => String(number).padStart(10, '0')
const accession = (number: number) => `0001999001-25-${String(number).padStart(6, '0')}`
const owner = (number: number) => ({ cik: cik(number), name: `SAMPLE ${number}`, isDirector: true })
const ISSUER = { cik: '0001999001', name: 'Example Widgets Inc', tickerRaw: 'EXWI' }
/** Day by day from 11 March 2025; the number is the day's. */
const filed = (number: number, spec: FilingSpec = {}): FilingSpec => ({
  accession: accession(number),
  acceptedAt: `202503${10 + number}120000`,
  issuer: ISSUER,
  owners: [owner(number)],
  rows: [{ shares: '2000', price: '12.5', date: `2025-03-${10 + number}` }],
  ...spec,
})
const at = (number: number) => Date.UTC(2025, 2, 10 + number, 16) / 1000

describe('signals of insiders and of sectors', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const taken = async (...filings: FilingSpec[]) => {
    await service.take(...filings)
    await service.detectSignals()
  }
  const listed = async (insiders?: number[], asOf?: number) => {
    const given = { ...(insiders && { insiderCiks: insiders.map(cik) }), ...(asOf !== undefined && { asOf }) }
    return (await service.queries.signals({ ...given, limit: 100 })).signals.map(({ type }) => type).sort()
  }

  it('are those with evidence in their filings', async () => {
    await taken(
      // Filed together, and one person.
      filed(1, { owners: [owner(1), owner(11)] }),
      filed(2),
      // Under a plan, and so left out.
      filed(3, { aff10b5One: true }),
      filed(4),
      filed(5, {
        issuer: { cik: '0001999002', name: 'Example Gadgets Inc', tickerRaw: 'EXGD' },
        owners: [{ ...owner(5), isOfficer: true, officerTitle: 'CEO' }],
      }),
    )
    assert.deepEqual(await listed(), ['ceo_trade', 'cluster_buy'])
    for (const each of [1, 11, 2, 4]) assert.deepEqual(await listed([each]), ['cluster_buy'], String(each))
    assert.deepEqual(await listed([3]), [])
    assert.deepEqual(await listed([6]), [])
    assert.deepEqual(await listed([5]), ['ceo_trade'])
    assert.deepEqual(await listed([3, 5, 11]), ['ceo_trade', 'cluster_buy'])
  })

  it('as of an instant are those with evidence then', async () => {
    await taken(filed(1), filed(2), filed(3), filed(4))
    // Withdraws the purchase of the second: the others are a cluster still.
    await taken(
      filed(6, {
        formType: '4/A',
        dateOfOriginalSubmission: '2025-03-12',
        owners: [owner(2)],
        rows: [{ shares: '1', price: '12.5', date: '2025-03-12' }],
      }),
    )
    const of = (asOf?: number) => Promise.all([1, 2, 3, 4].map(async (each) => (await listed([each], asOf)).length))
    assert.deepEqual(await of(at(2)), [0, 0, 0, 0])
    assert.deepEqual(await of(at(3) - 1), [0, 0, 0, 0])
    assert.deepEqual(await of(at(3)), [1, 1, 1, 0])
    assert.deepEqual(await of(at(4)), [1, 1, 1, 1])
    assert.deepEqual(await of(at(6) - 1), [1, 1, 1, 1])
    assert.deepEqual(await of(at(6)), [1, 0, 1, 1])
    assert.deepEqual(await of(), [1, 0, 1, 1])
  })

  it('follow their company into another sector, with all earlier filings', async () => {
    const sic = (number: string) => ({ sic: `EXAMPLE [${number}]`, office: null })
    await taken(filed(1, sic('1311')), filed(2, sic('1311')), filed(3, sic('1311')))
    const count = async (...sectors: ('Energy' | 'Technology' | 'Unknown')[]) =>
      (await service.queries.signals({ sectors, limit: 100 })).signals.length
    const counts = () =>
      Promise.all([count('Energy'), count('Technology'), count('Unknown'), count('Energy', 'Unknown')])
    assert.deepEqual(await counts(), [1, 0, 0, 1])
    await service.take(filed(9, { ...sic('3674'), formType: '3', rows: [] }))
    assert.deepEqual(await counts(), [0, 1, 0, 0])
  })
})
