// Recording on a real PostgreSQL: once, whole, and with the reason where a document can't be read.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { backUp, restore } from '../../../src/infrastructure/postgres/backup.ts'
import { PostgresFilingLedger } from '../../../src/infrastructure/postgres/filings/filing-ledger.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { deletionText, disseminationText, ownershipXml, submissionText } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { stores } from '../../support/stores/stores.ts'

describe('the filing ledger', () => {
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const row = async (accession: string) =>
    (await service.pool.query('SELECT * FROM filings WHERE accession = $1', [accession])).rows[0]

  it('keeps who, when, whence and the document itself', async () => {
    const [recorded] = await service.record({ accession: '0001999001-25-000007', acceptedAt: '20250314163005' })
    assert.deepInclude(recorded, { outcome: 'ingested', accession: '0001999001-25-000007', transactions: 1 })
    const kept = await row('0001999001-25-000007')
    assert.deepInclude(kept, {
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
    assert.strictEqual(kept.accepted_at.toISOString(), '2025-03-14T20:30:05.000Z')
    assert.lengthOf(kept.sha256, 32)
    assert.strictEqual(
      String(gunzipSync(kept.document)),
      submissionText({ accession: '0001999001-25-000007', acceptedAt: '20250314163005' }),
    )
  })

  it('records once, also when asked many times at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => service.record({ accession: '0001999001-25-000007' })),
    )
    assert.deepEqual(
      outcomes
        .flat()
        .map((each) => each.outcome)
        .sort(),
      ['ingested', ...Array<string>(7).fill('known')],
    )
    assert.strictEqual((await service.pool.query('SELECT 1 FROM filings')).rowCount, 1)
  })

  for (const [what, more] of [
    [
      'a correction',
      { path: 'pds/1.corr', text: disseminationText({ accession: '0001999001-25-000007', rows: [{ shares: '7' }] }) },
    ],
    ['a deletion', { path: 'pds/1.nc', text: deletionText('0001999001-25-000007') }],
  ] as const) {
    it(`leaves a filing pending of which ${what} comes while it is projected`, async () => {
      await service.record({ accession: '0001999001-25-000007' })
      const ledger = service.container.get(TYPES.ledger)
      const { documents, version } = await ledger.pending(10)
      await service.record(more)
      await ledger.markProjected(documents, version, {})
      assert.strictEqual((await row('0001999001-25-000007')).pending, true)
      await service.project()
      assert.strictEqual((await row('0001999001-25-000007')).pending, false)
    })
  }

  it('knows after a restore whether more was recorded of a filing since it was read', async () => {
    const accessions = ['0001999001-25-000007', '0001999001-25-000008'] as const
    await service.record(...accessions.map((accession) => ({ accession })))
    const { documents, version } = await service.container.get(TYPES.ledger).pending(10)
    const text = disseminationText({ accession: accessions[0], rows: [{ shares: '7' }] })
    await service.record({ path: 'pds/1.corr', text })
    const folder = mkdtempSync(join(tmpdir(), 'test-revisions-'))
    const other = openPool({ url: (await stores()).databaseUrl, name: 'test', max: 2 })
    try {
      await backUp(service.pool, folder, () => {})
      await restore(other, folder, () => {})
      await new PostgresFilingLedger(other).markProjected(documents, version, {})
      const { rows } = await other.query('SELECT accession, pending FROM filings ORDER BY accession')
      assert.deepEqual(rows, [
        { accession: accessions[0], pending: true },
        { accession: accessions[1], pending: false },
      ])
    } finally {
      await other.end()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('keeps a document that can not be read, with the reason, and takes a later copy that can', async () => {
    const text = submissionText({ accession: '0001999001-25-000007' })
    const cut = text.slice(0, text.indexOf('</issuer>'))
    const [rejected] = await service.record({ path: '0001999001-25-000007.txt', text: cut })
    assert.strictEqual(rejected?.outcome, 'rejected')
    const kept = await row('0001999001-25-000007')
    assert.deepInclude(kept, { status: 'rejected', pending: false, reason: rejected?.reason })
    assert.strictEqual(String(gunzipSync(kept.document)), cut)
    const [taken] = await service.record({ path: 'again.txt', text })
    assert.strictEqual(taken?.outcome, 'ingested')
    assert.deepInclude(await row('0001999001-25-000007'), { status: 'recorded', pending: true, reason: null })
  })

  it('leaves what is no ownership document alone', async () => {
    const [passed] = await service.record({ path: 'notes.txt', text: 'Minutes of the annual meeting' })
    assert.deepInclude(passed, { outcome: 'not-ownership', accession: null })
    assert.strictEqual((await service.pool.query('SELECT 1 FROM filings')).rowCount, 0)
  })

  it('replaces the bare document by a full submission, whatever its file name was', async () => {
    const bare = ownershipXml()
    const [local] = await service.record({ path: 'downloads/form4.xml', text: bare })
    assert.match(local?.accession ?? '', /^local-[0-9a-f]{16}$/)
    const [full] = await service.record({ accession: '0001999001-25-000007' })
    assert.strictEqual(full?.outcome, 'ingested')
    assert.deepInclude(await row(local!.accession!), { status: 'replaced', replaced_by: '0001999001-25-000007' })
    const [again] = await service.record({ path: 'downloads/form4.xml', text: bare })
    assert.strictEqual(again?.outcome, 'known')
  })
})
