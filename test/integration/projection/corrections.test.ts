// Corrections by the SEC's dissemination service: the content of a .corr file is in force, whatever comes before or
// after it.
import { assert } from 'chai'
import { disseminationText, ownershipXml, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const NOW = Date.UTC(2025, 2, 20)
const ACCESSION = '0001999009-25-000001'
const filed = (shares: string, spec: FilingSpec = {}): FilingSpec => ({
  accession: ACCESSION,
  rows: [{ shares, price: '10' }, { shares: '700' }],
  ...spec,
})
const corrected = (shares: string) => ({
  path: `pds/${ACCESSION}.corr`,
  text: disseminationText(filed(shares, { rows: [{ shares, price: '10' }] })),
})
const bare = { path: `${ACCESSION}.xml`, text: ownershipXml(filed('100')) }
const disseminated = { path: `${ACCESSION}.nc`, text: disseminationText(filed('100')) }

describe('a correction by the SEC', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService(() => NOW)
  })
  afterEach(() => service.close())

  const shown = async () =>
    (await service.queries.feed({ limit: 10 })).transactions.map(({ id, shares }) => `${id}: ${shares}`)
  const CORRECTED = [`${ACCESSION}-nd-1: 250`]

  for (const [name, document] of [
    ['bare document', bare],
    ['dissemination file', disseminated],
    ['full submission', filed('100')],
  ] as const) {
    it(`replaces the ${name} that came before`, async () => {
      await service.take(document)
      assert.lengthOf(await shown(), 2)
      const [recorded] = await service.take(corrected('250'))
      assert.strictEqual(recorded!.outcome, 'ingested')
      assert.deepEqual(await shown(), CORRECTED)
    })

    it(`is not replaced by the ${name} that comes later`, async () => {
      await service.take(corrected('250'))
      const [recorded] = await service.take(document)
      assert.strictEqual(recorded!.outcome, 'known')
      assert.deepEqual(await shown(), CORRECTED)
    })
  }

  it('is recognised by a tag in its header, whatever its name', async () => {
    const { text } = corrected('250')
    await service.take(filed('100'))
    await service.take({ path: `${ACCESSION}.nc`, text: text.replace('\n<TYPE>', '\n<CORRECTION>\n<TYPE>') })
    assert.deepEqual(await shown(), CORRECTED)
  })

  it('is replaced by a later one, and stays so when it comes again', async () => {
    await service.take(filed('100'), corrected('200'), corrected('250'))
    assert.deepEqual(await shown(), CORRECTED)
    const again = await service.take(corrected('200'), corrected('250'))
    assert.deepEqual(
      again.map(({ outcome }) => outcome),
      ['known', 'known'],
    )
    assert.deepEqual(await shown(), CORRECTED)
  })
})
