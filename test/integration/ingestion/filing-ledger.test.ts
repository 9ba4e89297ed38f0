// Recording on a real PostgreSQL: once, whole, and with the reason where a document can't be read.
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { ownershipXml, submissionText } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('ledger', () => {
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const row = async (accession: string) =>
    (await service.pool.query('SELECT * FROM filings WHERE accession = $1', [accession])).rows[0]

  it('keeps who, when, whence and the document itself', async () => {
    const [recorded] = await service.record({ accession: '0001999001-25-000007', acceptedAt: '20250314163005' })
    expect(recorded).to.deep.include({ outcome: 'ingested', accession: '0001999001-25-000007', transactions: 1 })
    const kept = await row('0001999001-25-000007')
    expect(kept).to.deep.include({
      status: 'recorded',
      pending: true,
      form: '4',
      kind: 'submission',
      issuer_cik: '0001999001',
      owner_ciks: ['0001999101'],
      source: '0001999001-25-000007.txt',
      filed_basis: 'accepted',
      transactions: 1,
    })
    expect(kept.accepted_at.toISOString()).to.equal('2025-03-14T20:30:05.000Z')
    expect(kept.sha256).to.have.length(32)
    expect(String(gunzipSync(kept.document))).to.equal(
      submissionText({ accession: '0001999001-25-000007', acceptedAt: '20250314163005' }),
    )
  })

  it('records once, also when asked many times at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => service.record({ accession: '0001999001-25-000007' })),
    )
    expect(
      outcomes
        .flat()
        .map((each) => each.outcome)
        .sort(),
    ).to.deep.equal(['ingested', ...Array<string>(7).fill('known')])
    expect((await service.pool.query('SELECT 1 FROM filings')).rowCount).to.equal(1)
  })

  it('keeps a document that can not be read, with the reason, and takes a later copy that can', async () => {
    const text = submissionText({ accession: '0001999001-25-000007' })
    const cut = text.slice(0, text.indexOf('</issuer>'))
    const [rejected] = await service.record({ path: '0001999001-25-000007.txt', text: cut })
    expect(rejected?.outcome).to.equal('rejected')
    const kept = await row('0001999001-25-000007')
    expect(kept).to.deep.include({ status: 'rejected', pending: false, reason: rejected?.reason })
    expect(String(gunzipSync(kept.document))).to.equal(cut)
    const [taken] = await service.record({ path: 'again.txt', text })
    expect(taken?.outcome).to.equal('ingested')
    expect(await row('0001999001-25-000007')).to.deep.include({ status: 'recorded', pending: true, reason: null })
  })

  it('leaves what is no ownership document alone', async () => {
    const [passed] = await service.record({ path: 'notes.txt', text: 'Minutes of the annual meeting' })
    expect(passed).to.deep.include({ outcome: 'not-ownership', accession: null })
    expect((await service.pool.query('SELECT 1 FROM filings')).rowCount).to.equal(0)
  })

  it('lets a full submission take the place of the bare document, under whatever name that came', async () => {
    const bare = ownershipXml()
    const [local] = await service.record({ path: 'downloads/form4.xml', text: bare })
    expect(local?.accession).to.match(/^local-[0-9a-f]{16}$/)
    const [full] = await service.record({ accession: '0001999001-25-000007' })
    expect(full?.outcome).to.equal('ingested')
    expect(await row(local!.accession!)).to.deep.include({ status: 'replaced', replaced_by: '0001999001-25-000007' })
    const [again] = await service.record({ path: 'downloads/form4.xml', text: bare })
    expect(again?.outcome).to.equal('known')
  })
})
