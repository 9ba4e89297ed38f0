// Positions and holders over real stores: from documents and from data sets, as of any instant, after corrections,
// withdrawals and rebuilds, and for companies with many filings.
import { assert } from 'chai'
import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { TYPES } from '../../../src/container/tokens.ts'
import type { Filing } from '../../../src/domain/filings/filing.ts'
import { evidenceOf, type Evidence } from '../../../src/domain/positions/evidence.ts'
import { addDays } from '../../../src/domain/shared/calendar.ts'
import { newYorkToUtc } from '../../../src/domain/shared/new-york-time.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { readDocument } from '../../../src/infrastructure/edgar/documents/read-document.ts'
import { LONGEST_TURN_MS, longestTurnMs } from '../../support/event-loop.ts'
import { dataSetOf, type TableName } from '../../support/edgar/invented/data-set-files.ts'
import { cell, cents, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { arbitraryFiling } from '../../support/filings/arbitrary-filing.ts'
import { row } from '../../support/filings/evidence.ts'
import { deletionText, filingOf, submissionText, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { documentsFolder, haveRealFilings } from '../../support/filings/truth.ts'
import { testServices, type TestService } from '../../support/service/service.ts'

const ADA = '0001999101'
const ISSUER = 'CIK1999001'

const accession = (number: number) => `0001999001-24-${String(number).padStart(6, '0')}`

/** A filing accepted at noon of a day of 2024. */
function filed(number: number, day: string, rows: string[], more: FilingSpec = {}): FilingSpec {
  const date = `2024-${day}`
  const own = rows.map((each) => row(each))
  return {
    accession: accession(number),
    acceptedAt: `${date.replaceAll('-', '')}120000`,
    periodOfReport: date,
    signatures: [{ date }],
    rows: own.map((each) => (each.kind === 'transaction' ? { ...each, date } : each)),
    ...more,
  }
}

const HISTORY: FilingSpec[] = [
  filed(1, '07-01', ['→10000', '→5000 I By Trust'], { formType: '3' }),
  filed(2, '07-10', ['S D 4000 →6000'], {
    derivativeRows: [
      {
        date: '2024-07-10',
        code: 'M',
        acquiredDisposed: 'D',
        shares: '1000',
        sharesAfter: '9000',
        conversionPrice: '5',
      },
    ],
  }),
  filed(3, '07-12', ['S D 100 →900000 I See footnote'], {
    owners: [2, 3].map((n) => ({ cik: `000199910${n}`, name: `SPECIMEN ${n}`, isTenPercentOwner: true })),
  }),
  filed(4, '08-01', ['→20 I By Spouse'], { formType: '5' }),
  filed(5, '08-02', [], {
    formType: '3',
    noSecuritiesOwned: true,
    owners: [{ cik: '0001999104', name: 'NOBODY NED' }],
  }),
]
const documentsOf = (specs: FilingSpec[]) =>
  specs.map((spec) => ({ path: `${spec.accession}.txt`, text: submissionText(spec) }))

describe('positions over stores', function () {
  this.timeout(120_000)
  const fresh = testServices()
  const NOW = Date.UTC(2024, 8, 1)
  const plain = (answer: unknown) =>
    JSON.parse(JSON.stringify(answer, (key, value) => (key === 'filingDate' ? '' : value)))
  const answersOf = async (service: TestService, asOf?: number) => ({
    holders: plain(await service.queries.holders(ISSUER, 10, asOf)),
    ada: plain(await service.queries.positions(ADA, asOf)),
    fund: plain(await service.queries.positions('0001999102', asOf)),
    ned: plain(await service.queries.positions('0001999104', asOf)),
  })

  it('are the same from documents, from a data set, from both, and after a rebuild', async () => {
    const [documents, set, both] = [await fresh(() => NOW), await fresh(() => NOW), await fresh(() => NOW)]
    await documents.take(...documentsOf(HISTORY))
    await loadSets(set, [['2024q3', dataSetOf(HISTORY.map((spec) => filingOf(spec)))]])
    await loadSets(both, [['2024q3', dataSetOf(HISTORY.map((spec) => filingOf(spec)))]])
    await both.take(...documentsOf(HISTORY.slice(1, 3)))
    const answers = await answersOf(documents)

    assert.deepEqual(await answersOf(set), answers)
    assert.deepEqual(await answersOf(both), answers)
    for (const service of [documents, both]) {
      await service.container.get(TYPES.rebuild)(() => {})
      assert.deepEqual(await answersOf(service), answers)
    }
    const { classes } = answers.holders
    assert.strictEqual(classes[0].total, 911_020)
    assert.deepEqual(
      classes[0].holders.map((each: any) => [each.owners.length, each.total, each.confidence, each.staleSince]),
      [
        [2, 900_000, 'medium', null],
        [1, 11_020, 'medium', '2024-07-10'],
      ],
    )
    const [ada] = answers.ada.companies
    assert.deepInclude(ada, {
      openedBefore: null,
      exitedSince: null,
      nothingOwned: null,
      companyName: 'Example Widgets Inc',
    })
    assert.deepInclude(ada.classes[0], { direct: 6_000, indirect: 5_020, total: 11_020 })
    assert.deepInclude(ada.derivatives[0], { units: 9_000, exercisePrice: 5, underlyingUnits: 900, status: 'exact' })
    assert.deepEqual(answers.fund.companies[0].classes[0].lines[0].sharedWith, [
      { cik: '0001999103', name: 'SPECIMEN 3' },
    ])
    assert.deepInclude(answers.ned.companies[0].nothingOwned, { confidence: 'high', accessionNumber: accession(5) })
  })

  it('have the same lines from a data set, which rounds amounts to two places', async () => {
    const history = [
      filed(1, '07-01', ['→4957.7751', '→11674.3449 I By Plan']),
      filed(2, '07-10', [
        ...['A A 10.1249 →4967.9', 'A A 314.9849 →11989.3298 I By Plan', 'A A 92.7351 →12082.0649 I By Plan'],
      ]),
      filed(3, '07-20', ['S D 0.0049 →4967.8951', 'A A 0.005 →12082.0699 I By Plan']),
    ]
    const [documents, set] = [await fresh(() => NOW), await fresh(() => NOW)]
    await documents.take(...documentsOf(history))
    await loadSets(set, [['2024q3', dataSetOf(history.map((spec) => filingOf(spec)))]])
    const linesOf = async (service: TestService) =>
      (await service.queries.positions(ADA))!.companies[0]!.classes[0]!.lines.map(
        ({ natureOfOwnership, units, status, gapUnits }) => [natureOfOwnership, units!.toFixed(1), status, gapUnits],
      )
    const lines = await linesOf(documents)

    assert.deepEqual(lines, [
      [null, '4967.9', 'exact', null],
      ['By Plan', '12082.1', 'exact', null],
    ])
    assert.deepEqual(await linesOf(set), lines)
  })

  it('as of an instant depend only on filings by then', async () => {
    const all = await fresh(() => NOW)
    await all.take(...documentsOf(HISTORY))
    for (const [index, day] of ['07-01', '07-10', '07-12', '08-01'].entries()) {
      const asOf = newYorkToUtc(`2024-${day}`, 12 * 3600)
      const some = await fresh(() => asOf * 1000)
      await some.take(...documentsOf(HISTORY.slice(0, index + 1)))
      const then = await answersOf(all, asOf)
      const { ned, fund, ...present } = await answersOf(some)
      assert.deepEqual({ holders: then.holders, ada: then.ada }, present)
      if (fund) assert.deepEqual(then.fund, fund)
      else assert.deepEqual(then.fund.companies, [])
      assert.isNull(ned)
    }
    const before = newYorkToUtc('2024-06-30', 0)
    const none = { cik: '0001999001', ticker: 'EXWI', name: 'Example Widgets Inc', complete: true, classes: [] }
    assert.deepEqual(await all.queries.holders(ISSUER, 10, before), none)
    assert.deepEqual(await all.queries.positions(ADA, before), {
      cik: ADA,
      name: 'SAMPLE ADA 1',
      complete: true,
      companies: [],
    })
    assert.isNull(await all.queries.holders('CIK1', 10, before))
    assert.isNull(await all.queries.positions('1', before))
    assert.isNull(await all.queries.holders('NONE', 10))
  })

  it('as of an instant read what others of a company reported, however many companies came since', async () => {
    const by = (cik: string) => ({ owners: [{ cik, name: `SAMPLE ${cik}` }] })
    const split = [
      filed(1, '03-02', ['P A 100 →1000']),
      filed(2, '03-02', ['P A 50 →500'], by('0001999102')),
      filed(3, '03-03', ['P A 70 →700'], by('0001999103')),
      filed(4, '06-10', ['S D 100 →4900'], by('0001999102')),
      filed(5, '06-11', ['P A 100 →7100'], by('0001999103')),
    ]
    const others = Array.from({ length: 20 }, (_, index) =>
      filed(index + 6, '07-01', ['→5'], {
        formType: '3',
        issuer: { cik: String(1_999_010 + index).padStart(10, '0'), name: `Sample ${index}`, tickerRaw: `SA${index}` },
      }),
    )
    const service = await fresh(() => NOW)
    const linesOf = async () => {
      const found = await service.queries.positions(ADA, newYorkToUtc('2024-06-30', 0))
      return found!.companies.flatMap(({ classes }) => classes.flatMap(({ lines }) => lines))
    }
    await service.take(...documentsOf(split))
    const before = await linesOf()
    assert.strictEqual(before[0]!.unitsAdjusted, 10_000)
    await service.take(...documentsOf(others))
    assert.deepEqual(await linesOf(), before)
  })

  it('have the symbol that the feed has, of a company that the list of the SEC lacks', async () => {
    const service = await fresh(() => NOW)
    const later = filed(2, '07-10', ['P A 5 →5'], {
      issuer: { tickerRaw: 'EXNW' },
      owners: [{ cik: '0001999102', name: 'SAMPLE BEN' }],
    })
    await service.take(...documentsOf([filed(1, '07-01', ['P A 7 →7']), later]))
    const { transactions } = await service.queries.feed({ limit: 2 })
    const shown = transactions.map(({ ticker }) => ticker)
    assert.deepEqual(shown, ['EXNW', 'EXNW'])
    assert.strictEqual((await service.queries.positions(ADA))!.companies[0]!.ticker, 'EXNW')
  })

  it('follow a document that is replaced by another copy', async () => {
    const service = await fresh(() => NOW)
    await service.take(...documentsOf(HISTORY.slice(0, 1)))
    const copy = submissionText({
      ...HISTORY[0]!,
      rows: [row('→7')],
      owners: [{ cik: '0001999109', name: 'OTHER ANN' }],
    })
    await service.take({ path: `${accession(1)}.corr`, text: copy })
    const rows = await service.store.rows<{ content: string }>(sql`SELECT content FROM balances FINAL`)
    assert.lengthOf(rows, 1)
  })

  it('lose a filing that the SEC withdraws, from the withdrawal on', async () => {
    let now = NOW
    for (const isOfSet of [false, true]) {
      now = NOW
      const service = await fresh(() => now)
      const specs = HISTORY.slice(0, 2)
      if (isOfSet) await loadSets(service, [['2024q3', dataSetOf(specs.map((spec) => filingOf(spec)))]])
      else await service.take(...documentsOf(specs))
      now += 86_400_000
      await service.take({ path: `${accession(2)}.nc`, text: deletionText(accession(2)) })
      const total = async (asOf?: number) => (await service.queries.holders(ISSUER, 10, asOf))!.classes[0]!.total
      assert.strictEqual(await total(), 15_000, `of a set: ${isOfSet}`)
      assert.strictEqual(await total(NOW / 1000), 11_000)
      await service.container.get(TYPES.rebuild)(() => {})
      assert.strictEqual(await total(), 15_000)
      assert.strictEqual(await total(NOW / 1000), 11_000)
    }
  })

  it('are removed with filings that a quarter no longer has', async () => {
    const service = await fresh(() => NOW)
    await loadSets(service, [['2024q3', dataSetOf(HISTORY.map((spec) => filingOf(spec)))]])
    await loadSets(service, [['2024q3', dataSetOf(HISTORY.slice(0, 1).map((spec) => filingOf(spec)))]])
    assert.strictEqual((await service.queries.holders(ISSUER, 10))!.classes[0]!.total, 15_000)
    assert.isNull(await service.queries.positions('0001999102'))
  })

  it('have the same evidence from a data set as from documents, for all kinds of filings', async () => {
    const arbitrary = fc.sample(arbitraryFiling, { numRuns: 80, seed: 20240717 }).map((spec, index): FilingSpec => ({
      ...spec,
      acceptedAt: null,
      filedAsOf: '20240715',
      accession: accession(index + 1),
      issuer: { ...spec.issuer, cik: String(1_000_000 + index).padStart(10, '0') },
      owners: [...new Map(spec.owners!.map((owner) => [owner.cik, owner])).values()],
      derivativeRows: spec.derivativeRows!.map((each) =>
        each.kind === 'holding' ? { ...each, totalValue: null } : each,
      ),
      footnotes: [...new Map((spec.footnotes ?? []).map((note) => [note.id, note])).values()],
    }))
    await expectEvidence(arbitrary.map((spec) => filingOf(spec)))
  })

  it(`have it for real filings${haveRealFilings ? '' : ' (skipped: ../shared/filings is not here)'}`, async function () {
    if (!haveRealFilings) this.skip()
    const filings = new Map<string, Filing>()
    for (const path of readdirSync(documentsFolder)) {
      const read = readDocument(readFileSync(`${documentsFolder}/${path}`), path)
      if (read.kind === 'filing' && !read.filing.accession.startsWith('local-'))
        filings.set(read.filing.accession, read.filing)
    }
    assert.isAbove(filings.size, 150)
    await expectEvidence([...filings.values()])
  })

  async function expectEvidence(filings: Filing[]): Promise<void> {
    const service = await fresh()
    await loadSets(service, [['2024q3', dataSetOf(filings, { aff10b5One: true })]])
    const rows = await service.store.rows<{ content: string; at: number }>(sql`
      SELECT content, toUnixTimestamp(filed_at) AS at FROM balances FINAL`)
    const found = new Map(
      rows.map(({ content }) => JSON.parse(content) as Evidence).map((each) => [each.accession, each]),
    )
    assert.strictEqual(found.size, filings.length)
    for (const filing of filings) {
      const { filedAt, filedDay, ...evidence } = found.get(filing.accession)!
      const { filedAt: _, filedDay: __, ...expected } = evidenceOf(shownIn(filing), { at: filedAt, day: filedDay })
      assert.deepEqual(unordered(evidence), unordered(expected), filing.accession)
    }
  }

  it('of a company with very many filings use the newest ones, and say so', async () => {
    const service = await fresh(() => Date.UTC(2026, 0, 1))
    const rows = Array.from({ length: 10_500 }, (_, index) => manyFilings(index))
    await service.store.insertBatches('balances', rows, 5_000)
    const holders = (await service.queries.holders(ISSUER, 5))!
    assert.isFalse(holders.complete)
    assert.strictEqual(holders.classes[0]!.holderCount, 40)
    // They take a second, during which other requests are answered.
    const ms = await longestTurnMs(() => service.textQueries.holders(ISSUER, 5))
    assert.isBelow(ms, LONGEST_TURN_MS)
  })
})

/** Filings of forty owners of one company, each with a sale and two other lines. */
function manyFilings(index: number) {
  const owner = `000199920${String(index % 40).padStart(2, '0')}`.slice(-10)
  const day = addDays('2001-01-02', Math.floor(index / 2))
  const balance = 1_000_000 - Math.floor(index / 40) * 10
  const filing = filingOf({
    accession: `0001999001-99-${String(index).padStart(6, '0')}`,
    periodOfReport: day,
    owners: [{ cik: owner, name: `SAMPLE ${owner}` }],
    rows: [row(`S D 10 →${balance}`, { date: day }), row('→5000 I By Trust'), row('→700 I By Spouse')],
  })
  const at = newYorkToUtc(day, 43_200)
  return {
    issuer_cik: 1_999_001,
    accession: filing.accession,
    filed_at: at,
    owner_ciks: [Number(owner)],
    content: JSON.stringify(evidenceOf(filing, { at, day })),
    version: 1,
    deleted: 0,
  }
}

/** A filing as far as a data set shows it: texts cut and on one line, amounts with two places, boxes that are there. */
function shownIn(filing: Filing): Filing {
  const text = (table: TableName, column: string, typed: string | null) => cell(table, column, typed ?? '') || null
  const shown = <Row extends Filing['nonDerivative'][number] | Filing['derivative'][number]>(
    kind: string,
    each: Row,
  ) => {
    const table = `${kind}_${each.kind === 'transaction' ? 'TRANS' : 'HOLDING'}` as TableName
    const isTrade = each.kind === 'transaction'
    return {
      ...each,
      securityTitle: cell(table, 'SECURITY_TITLE', each.securityTitle),
      nature: text(table, 'NATURE_OF_OWNERSHIP', each.nature),
      shares: cents(each.shares),
      price: isTrade ? cents(each.price) : null,
      sharesAfter: cents(each.sharesAfter),
      valueAfter: cents(each.valueAfter),
      ...('underlyingTitle' in each && {
        conversionPrice: cents(each.conversionPrice),
        underlyingTitle: text(table, 'UNDLYNG_SEC_TITLE', each.underlyingTitle),
        underlyingShares: cents(each.underlyingShares),
      }),
    }
  }
  return {
    ...filing,
    dateOfOriginalSubmission: filing.formType.endsWith('/A') ? filing.dateOfOriginalSubmission : null,
    issuer: {
      ...filing.issuer,
      name: cell('SUBMISSION', 'ISSUERNAME', filing.issuer.name),
      tickerRaw: cell('SUBMISSION', 'ISSUERTRADINGSYMBOL', filing.issuer.tickerRaw),
    },
    remarks: text('SUBMISSION', 'REMARKS', filing.remarks),
    owners: filing.owners.map((owner) => ({ ...owner, name: cell('REPORTINGOWNER', 'RPTOWNERNAME', owner.name) })),
    footnotes: filing.footnotes.map(({ id, text: note }) => ({ id, text: cell('FOOTNOTES', 'FOOTNOTE_TXT', note) })),
    nonDerivative: filing.nonDerivative.map((each) => shown('NONDERIV', each)),
    derivative: filing.derivative.map((each) => shown('DERIV', each)),
  }
}

/** Data sets have no order of rows. */
function unordered({ rows, ...evidence }: Omit<Evidence, 'filedAt' | 'filedDay'>) {
  const told = rows.map((each) => JSON.stringify(Object.entries(each).sort()))
  return { ...evidence, rows: told.sort() }
}
