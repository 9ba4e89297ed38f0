// No document ends the recording or projection of others: whatever is wrong with one is that one's reason, and only a
// store that fails is thrown on.
import { assert } from 'chai'
import fc from 'fast-check'
import { ServiceError } from '../../../src/application/errors.ts'
import type { ReadDocument } from '../../../src/application/ports/filings.ts'
import { makeRecordFilings } from '../../../src/application/commands/record-filings.ts'
import { connectEdgar } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import type { Filing } from '../../../src/domain/filings/filing.ts'
import { PostgresFilingLedger } from '../../../src/infrastructure/postgres/filings/filing-ledger.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { arbitraryFiling } from '../../support/filings/arbitrary-filing.ts'
import { ownershipXml, submissionText } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const accession = (number: number) => `0001999001-25-${String(number).padStart(6, '0')}`
const good = (number: number) => {
  const text = submissionText({
    accession: accession(number),
    acceptedAt: '20250314163005',
    rows: [{ shares: String(number) }],
  })
  return { path: `${accession(number)}.txt`, bytes: Buffer.from(text) }
}
const altered = (number: number, from: string | RegExp, to: string) => ({
  path: `${accession(number)}.txt`,
  bytes: Buffer.from(
    good(number)
      .bytes.toString()
      .replace(from, () => to),
  ),
})

describe('a hostile document among others', function () {
  this.timeout(120_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const record = (read: ReadDocument, ledger = service.container.get(TYPES.ledger)) =>
    makeRecordFilings(read, ledger, service.container.get(TYPES.noticeLedger), Date.now)
  const read: ReadDocument = (bytes, path) => service.container.get(TYPES.readDocument)(bytes, path)
  const stored = async () =>
    (
      await service.pool.query<{ accession: string; status: string; reason: string | null }>(
        'SELECT accession, status, reason FROM filings ORDER BY accession',
      )
    ).rows

  it('with a stamp of any year is taken in by its other dates', async () => {
    const stamps = ['99991231235959', '00000101000000', '00010101000000', '19931231235959', '21010101000000']
    const recorded = await service.container.get(TYPES.recordFilings)([
      good(1),
      ...stamps.map((stamp, index) => altered(index + 2, '20250314163005', stamp)),
      good(9),
    ])
    assert.deepEqual(
      recorded.map(({ outcome }) => outcome),
      Array(7).fill('ingested'),
    )
    await service.project()
    const { rows } = await service.pool.query('SELECT accepted_at, filed_basis, status FROM filings ORDER BY accession')
    assert.deepInclude(rows[0], { filed_basis: 'accepted', status: 'projected' })
    for (const row of rows.slice(1, -1))
      assert.deepInclude(row, { accepted_at: null, status: 'projected', filed_basis: 'filed-date' })
  })

  it('is rejected with its reason where the database can not hold it, or its reader throws', async () => {
    const faults: Record<number, (filing: Filing) => void> = {
      2: (filing) => {
        filing.periodOfReport = 'a NUL \0'
      },
      3: (filing) => {
        filing.periodOfReport = 'half a pair \ud83d'
      },
      4: (filing) => {
        filing.owners[0]!.cik = '\0'
      },
      5: () => {
        throw new RangeError('any fault of a reader')
      },
      6: (filing) => {
        filing.owners = null as never
      },
      7: (filing) => {
        filing.kind = 'unheard of' as never
      },
    }
    const faulty: ReadDocument = async (bytes, path) => {
      const reading = await read(bytes, path)
      if (reading.kind === 'filing') faults[Number(reading.filing.accession.slice(-6))]?.(reading.filing)
      return reading
    }
    const recorded = await record(faulty)([1, 2, 3, 4, 5, 6, 7, 8].map(good))
    assert.deepEqual(
      recorded.map(({ outcome }) => outcome),
      ['ingested', ...Array<string>(6).fill('rejected'), 'ingested'],
    )
    for (const { reason, transactions } of recorded.slice(1, 7)) {
      assert.match(reason!, /^could not be (recorded|read|understood): /)
      assert.strictEqual(transactions, 0)
    }
    assert.deepEqual(
      (await stored()).map(({ status }) => status),
      recorded.map(({ outcome }) => (outcome === 'ingested' ? 'recorded' : outcome)),
    )
    await service.project()
    assert.deepEqual(
      await service.listed(),
      [8, 1].map((number) => `${accession(number)}-nd-1`),
    )
  })

  it('has a path and a reason of any text', async () => {
    const path = 'a NUL \0, half a pair \ud83d, a newline\n'
    const cut = Buffer.from(
      ownershipXml({ issuer: { name: '\u{1F600}'.repeat(400) } }).replace('issuerName>', `${'\u{1F600}'.repeat(400)}>`),
    )
    const [recorded, well] = await service.container.get(TYPES.recordFilings)([{ path, bytes: cut }, good(1)])
    assert.deepInclude(recorded, { outcome: 'rejected' })
    assert.deepInclude(well, { outcome: 'ingested' })
    await service.container.get(TYPES.ledger).markRejected(accession(1), path)
    assert.deepInclude(
      (await stored()).map(({ reason }) => reason),
      'a NUL \ufffd, half a pair \ufffd, a newline\n',
    )
  })

  it('whose stored bytes are damaged is rejected when it is to be projected or read again', async () => {
    await service.container.get(TYPES.recordFilings)([1, 2, 3].map(good))
    await service.pool.query(`UPDATE filings SET document = 'not gzip' WHERE accession = $1`, [accession(2)])
    await service.project()
    assert.deepEqual(await stored(), [
      { accession: accession(1), status: 'projected', reason: null },
      {
        accession: accession(2),
        status: 'rejected',
        reason: 'the stored document is damaged: incorrect header check',
      },
      { accession: accession(3), status: 'projected', reason: null },
    ])
    await service.pool.query(`UPDATE filings SET status = 'projected' WHERE accession = $1`, [accession(2)])
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(
      (await stored()).map(({ status }) => status),
      ['projected', 'rejected', 'projected'],
    )
  })

  it('takes nothing from a store that fails: that ends the recording, and rejects none', async () => {
    const away = openPool({ url: 'postgres://127.0.0.1:1/none', name: 'test', max: 1 })
    const unavailable = await record(read, new PostgresFilingLedger(away))([good(1)]).catch((error: unknown) => error)
    assert.instanceOf(unavailable, ServiceError)
    await away.end()
    await service.pool.query('ALTER TABLE filings RENAME TO elsewhere')
    const missing = await record(read)([good(1), good(2)]).catch((error: Error) => error)
    assert.instanceOf(missing, Error)
    assert.include(missing.message, 'does not exist')
    await service.pool.query('ALTER TABLE elsewhere RENAME TO filings')
    assert.deepEqual(await stored(), [])
  })

  it('shown by EDGAR is settled with its reason, and those around it are fetched', async () => {
    const shown = [
      good(1),
      altered(2, '20250314163005', '99991231235959'),
      altered(3, '</ownershipDocument>', '\0'),
      good(4),
    ]
    const filings = shown.map((_, index) => ({
      accession: accession(index + 1),
      formType: '4',
      path: `edgar/data/1/${accession(index + 1)}.txt`,
    }))
    connectEdgar(
      service.container,
      {
        currentFeed: async () => ({ kind: 'ok', value: { filings: [], entries: 0, unreadable: 0 } }),
        dailyIndex: async () => ({ kind: 'missing', reason: 'none' }),
        sicOf: async () => ({ kind: 'missing', reason: 'none' }),
        companyList: async () => ({ kind: 'unchanged' }),
        dataSet: async () => ({ kind: 'missing', reason: 'none' }),
        submission: async (filing) => ({
          kind: 'ok',
          value: shown[filings.findIndex((each) => each.accession === filing.accession)]!.bytes,
        }),
      },
      null,
    )
    const list = service.container.get(TYPES.fetchQueue)
    await list.add(filings, 'live')
    const problems: string[] = []
    const report = {
      found: () => {},
      recorded: () => {},
      problem: (what: string, reason: string) => void problems.push(`${what}: ${reason}`),
    }
    await service.container.get(TYPES.followEdgar).fetch(new AbortController().signal, report, true)
    assert.deepEqual(problems, [])
    assert.deepEqual(
      (await stored()).map(({ status }) => status),
      ['recorded', 'recorded', 'rejected', 'recorded'],
    )
    // What is said of a filing may hold what its document does.
    await list.settle(accession(1), 'recorded', 'form \0\ud83d')
    await list.tryAgain(accession(2), 'form \0\ud83d', 1)
  })

  it('of any bytes and fields leaves the others as they are, through recording, projection and a rebuild', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 600 }),
      fc.constantFrom(
        '\0',
        '\ud83d',
        '\u202e',
        '9'.repeat(400),
        '-1',
        '1e999',
        '0000-00-00',
        '9999-12-31',
        '0001-01-01',
        'NaN',
      ),
    )
    const stamp = fc.stringMatching(/^\d{14}$/)
    const fields = [
      'CONFORMED SUBMISSION TYPE:',
      'ACCESSION NUMBER:',
      '<ACCEPTANCE-DATETIME>',
      'FILED AS OF DATE:',
      '<TYPE>',
      'STANDARD INDUSTRIAL CLASSIFICATION:',
      'CENTRAL INDEX KEY:',
      '<documentType>',
      '<periodOfReport>',
      '<issuerCik>',
      '<issuerName>',
      '<issuerTradingSymbol>',
      '<rptOwnerCik>',
      '<rptOwnerName>',
      '<officerTitle>',
      '<value>',
      '<remarks>',
      '<signatureDate>',
      'id="',
    ]
    const filing = fc
      .tuple(arbitraryFiling, stamp)
      .map(([spec, at]) => submissionText({ ...spec, acceptedAt: at, filedAsOf: at.slice(0, 8) }))
    const withField = fc
      .tuple(filing, fc.constantFrom(...fields), text)
      .map(([whole, field, value]) => whole.replace(field, () => field + value))
    const damagedBytes = fc
      .tuple(filing, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }))
      .map(([whole, changes]) => {
        const bytes = Buffer.from(whole)
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        return bytes
      })
    const bytes = fc.oneof(
      damagedBytes,
      withField.map((each) => Buffer.from(each)),
      filing.map((each) => Buffer.from(each)),
      fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each)),
      fc
        .uint8Array({ maxLength: 300 })
        .map((each) => Buffer.concat([Buffer.from('<SEC-DOCUMENT>'), each, Buffer.from('</SEC-DOCUMENT>')])),
    )
    const document = fc.record({ path: fc.oneof(text, fc.constant('form4.xml')), bytes })
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 12 }), async (documents) => {
        const own = good((number += 1))
        const at = documents.length >> 1
        const recorded = await service.container.get(TYPES.recordFilings)(documents.toSpliced(at, 0, own))
        assert.lengthOf(recorded, documents.length + 1)
        assert.deepInclude(recorded[at], { outcome: 'ingested', accession: accession(number), transactions: 1 })
        for (const { outcome, reason } of recorded) {
          if (outcome === 'rejected' || outcome === 'not-ownership') {
            assert.typeOf(reason, 'string')
            assert.notStrictEqual(reason, '')
          }
        }
      }),
      { numRuns: 60 },
    )
    await service.project()
    const {
      rows: [left],
    } = await service.pool.query(
      'SELECT count(*) FILTER (WHERE pending)::int AS pending, count(*)::int AS all FROM filings',
    )
    assert.propertyVal(left, 'pending', 0)
    assert.isAbove(left!.all, number)
    const reasons = (await stored()).flatMap(({ reason }) => reason ?? [])
    assert.deepEqual(
      reasons.filter((reason) => /could not be (recorded|read|understood|projected)/.test(reason)),
      [],
    )
    const own = Array.from({ length: number }, (_, index) => `${accession(index + 1)}-nd-1`)
    assert.includeMembers(await service.listed(), own)
    await service.container.get(TYPES.rebuild)(() => {})
    assert.includeMembers(await service.listed(), own)
  })
})
