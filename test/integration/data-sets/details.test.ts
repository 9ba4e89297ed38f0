// Details of a filing that is known only from a data set: equal to those from its document, as far as the data set has
// them.
import { assert } from 'chai'
import fc from 'fast-check'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TYPES } from '../../../src/container/tokens.ts'
import type { components } from '../../../src/contract.ts'
import type { Filing } from '../../../src/domain/filings/filing.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { readDocument } from '../../../src/infrastructure/edgar/documents/read-document.ts'
import { dataSetOf, type TableName } from '../../support/edgar/invented/data-set-files.ts'
import { cell, cents, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { arbitraryFiling } from '../../support/filings/arbitrary-filing.ts'
import { filingOf, submissionText, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { documentsFolder, haveRealFilings } from '../../support/filings/truth.ts'
import { testServices, type TestService } from '../../support/service/service.ts'

type Detail = components['schemas']['FilingDetail']
type Row = components['schemas']['FilingRow'] | components['schemas']['DerivativeRow']

const DAY = '2024-07-12'
const accession = (number: number) => `0001999001-24-${String(number).padStart(6, '0')}`
const filed = (number: number, spec: FilingSpec = {}): FilingSpec => ({
  accession: accession(number),
  acceptedAt: '20240715120000',
  ...spec,
  rows: (spec.rows ?? [{}]).map((row) => ({ date: DAY, ...row })),
})

describe('details from data sets', function () {
  this.timeout(120_000)
  const fresh = testServices()
  const answerOf = async (service: TestService, number: string): Promise<Detail> =>
    (await service.textQueries.filing(number))!
  const load = async (service: TestService, filings: Filing[]) => {
    const [result] = await loadSets(service, [['2024q3', dataSetOf(filings, { aff10b5One: true })]])
    assert.strictEqual(result!.rejected, 0, JSON.stringify(result!.loaded))
  }

  /** Loads the filings from a data set here and from their documents there, and compares all answers. */
  async function expectSameAnswers(filings: Filing[], documents: { path: string; text: string }[]): Promise<void> {
    const [here, there] = [await fresh(), await fresh()]
    await load(here, filings)
    await there.take(...documents)
    for (const filing of filings) {
      const [ofSet, ofDocument] = [await answerOf(here, filing.accession), await answerOf(there, filing.accession)]
      assert.deepInclude(ofSet, { source: 'data_set', complete: true, seenAt: null, schemaVersion: null })
      assert.deepEqual(asInSet(ofSet), asInSet(ofDocument), filing.accession)
      assert.sameDeepMembers(
        ofSet.signatures!,
        filing.signatures.map(({ name, date }) => ({
          name: cell('OWNER_SIGNATURE', 'OWNERSIGNATURENAME', name),
          date,
        })),
      )
      assert.notMatch(JSON.stringify(ofSet), /EXAMPLE STREET|SAMPLEVILLE|001-99999/)
    }
  }

  it('equal those of the documents, for all kinds of filings', async () => {
    const specs = fc.sample(arbitraryFiling, { numRuns: 100, seed: 20240716 }).map((spec, index): FilingSpec => ({
      ...spec,
      acceptedAt: null,
      filedAsOf: '20240715',
      accession: accession(index + 1),
      // An issuer for each, so that none says anything about another.
      issuer: { ...spec.issuer, cik: String(1_000_000 + index).padStart(10, '0') },
      owners: [...new Map(spec.owners!.map((owner) => [owner.cik, owner])).values()],
      derivativeRows: spec.derivativeRows!.map((row) => (row.kind === 'holding' ? { ...row, totalValue: null } : row)),
      footnotes: [...new Map((spec.footnotes ?? []).map((note) => [note.id, note])).values()],
    }))
    const documents = specs.map((spec) => ({ path: `${spec.accession}.txt`, text: submissionText(spec) }))

    await expectSameAnswers(
      specs.map((spec) => filingOf(spec)),
      documents,
    )
  })

  const unlessReal = haveRealFilings ? '' : ' (skipped: ../shared/filings is not here)'
  it(`are those of the documents, for the real ones${unlessReal}`, async function () {
    if (!haveRealFilings) this.skip()
    const documents = readdirSync(documentsFolder).map((path) => ({
      path,
      text: readFileSync(`${documentsFolder}/${path}`, 'utf8'),
    }))
    const filings = new Map<string, { filing: Filing; document: { path: string; text: string } }>()
    for (const document of documents) {
      const read = readDocument(Buffer.from(document.text), document.path)
      if (read.kind === 'filing' && !read.filing.accession.startsWith('local-'))
        filings.set(read.filing.accession, { filing: read.filing, document })
    }
    assert.isAbove(filings.size, 150)

    await expectSameAnswers(
      [...filings.values()].map(({ filing }) => filing),
      [...filings.values()].map(({ document }) => document),
    )
  })

  it('are replaced by the document, even if the quarter is loaded later', async () => {
    const service = await fresh()
    const [first, second] = [filed(1), filed(2, { issuer: { cik: '0001999002' } })]
    await load(service, [filingOf(first), filingOf(second)])
    await service.take(first)
    await load(service, [filingOf({ ...first, remarks: 'Again' }), filingOf({ ...second, remarks: 'Again' })])

    assert.deepInclude(await answerOf(service, accession(1)), { source: 'document', remarks: null })
    assert.deepInclude(await answerOf(service, accession(2)), { source: 'data_set', remarks: 'Again' })
    assert.deepEqual(await stored(service), [accession(2)])
  })

  it('are removed with a filing that the quarter no longer has, and move with it to another day', async () => {
    const service = await fresh()
    await load(service, [filingOf(filed(1)), filingOf(filed(2))])
    await load(service, [filingOf(filed(2, { acceptedAt: '20240716120000', remarks: 'A day later' }))])

    assert.isNull(await service.textQueries.filing(accession(1)))
    assert.deepInclude(await answerOf(service, accession(2)), { complete: true, remarks: 'A day later' })
    assert.deepEqual(await stored(service), [accession(2)])
  })

  it('are incomplete if a line was rejected, with the reason on record', async () => {
    const notes = [{ id: 'F1', text: 'One.' }]
    const tables = dataSetOf([
      filingOf(filed(1, { footnotes: notes })),
      filingOf(filed(2, { footnotes: notes, derivativeRows: [{ shares: '5' }] })),
      filingOf(filed(3, { footnotes: notes })),
    ])
    const damaged = {
      ...tables,
      DERIV_TRANS: tables.DERIV_TRANS.replaceAll('\t5.0\t', '\t5,0\t'),
      FOOTNOTES: `${tables.FOOTNOTES}${accession(1)}\tF1\tTwice.\n`,
      OWNER_SIGNATURE: `${tables.OWNER_SIGNATURE}${accession(9)}\t/s/ Nobody\t15-JUL-2024\n`,
    }
    const service = await fresh()
    const [{ loaded }] = (await loadSets(service, [['2024q3', damaged]])) as any

    assert.deepEqual(loaded[0].rejectedByFile, { DERIV_TRANS: 1, FOOTNOTES: 1, OWNER_SIGNATURE: 1 })
    const complete = await Promise.all(
      [1, 2, 3].map(async (number) => (await answerOf(service, accession(number))).complete),
    )
    assert.deepEqual(complete, [true, false, true])
    const rejects = await service.store.rows<{ file: string; reason: string; line: string }>(sql`
      SELECT file, reason, line FROM set_rejects ORDER BY file`)
    assert.match(rejects[0]!.reason, /^TRANS_SHARES is not an amount of up to 14 digits: "5,0"$/)
    assert.deepEqual(
      rejects.slice(1).map(({ reason, line }) => [reason, line]),
      [
        ['repeats this FOOTNOTE_ID', 'FOOTNOTE_ID F1'],
        ['SUBMISSION has no usable line with this accession number', 'OWNERSIGNATURENAME /s/ Nobody'],
      ],
    )
  })

  it('do not exist for a quarter that an earlier version loaded, or that lacks a file', async () => {
    const service = await fresh()
    await load(service, [filingOf(filed(1))])
    await service.store.command(sql`TRUNCATE TABLE filing_details`)
    assert.deepInclude(await answerOf(service, accession(1)), NO_DETAILS)
    assert.deepInclude(await loadAgain(service), { unchanged: ['2024q3'], loaded: [] })
    // As earlier versions left it: then it is loaded again.
    await service.pool.query(`UPDATE data_sets SET result = result #- '{lines,FOOTNOTES}'`)
    assert.lengthOf((await loadAgain(service)).loaded, 1)
    assert.deepInclude(await answerOf(service, accession(1)), { complete: true, derivative: [] })
    const folder = mkdtempSync(join(tmpdir(), 'test-details-'))
    const set = join(folder, '2024q3')
    mkdirSync(set)
    for (const [table, lines] of Object.entries(dataSetOf([filingOf(filed(1))])))
      if (table !== 'DERIV_TRANS') writeFileSync(join(set, `${table}.tsv`), lines)
    try {
      await service.container.get(TYPES.dataSets).take(folder)
    } finally {
      rmSync(folder, { recursive: true })
    }

    const { loaded } = await loadAgain(service)

    assert.deepInclude(loaded[0]!.lines, { SUBMISSION: 1, DERIV_TRANS: 0, OWNER_SIGNATURE: 0 })
    assert.deepInclude(await answerOf(service, accession(1)), NO_DETAILS)
    assert.deepInclude(await loadAgain(service), { unchanged: ['2024q3'], loaded: [] })
  })
})

const NO_DETAILS = { complete: false, derivative: null, footnotes: null, remarks: null }

/** As the command does: of a quarter that is kept already. */
const loadAgain = (service: TestService) => service.container.get(TYPES.loadQuarters)(['2024q3'], null, () => {})

async function stored(service: TestService): Promise<string[]> {
  const rows = await service.store.rows<{ accession: string }>(sql`SELECT accession FROM filing_details FINAL`)
  return rows.map((row) => row.accession)
}

/** The answer as far as a data set shows a filing: texts cut and on one line, amounts with two places, no order. */
function asInSet({ source: _, seenAt: __, schemaVersion: ___, signatures: ____, ...answer }: Detail) {
  const { filingDate: _____, filingDateBasis: ______, amends, amendedBy, ...rest } = answer
  const text = (table: TableName, column: string, typed: string | null) => cell(table, column, typed ?? '') || null
  return {
    ...rest,
    amends,
    amendedBy,
    issuer: {
      cik: rest.issuer.cik,
      name: text('SUBMISSION', 'ISSUERNAME', rest.issuer.name),
      tickerAsFiled: text('SUBMISSION', 'ISSUERTRADINGSYMBOL', rest.issuer.tickerAsFiled),
    },
    remarks: text('SUBMISSION', 'REMARKS', rest.remarks),
    owners: rest.owners
      .map(({ title: _______, ...owner }) => ({
        ...owner,
        name: text('REPORTINGOWNER', 'RPTOWNERNAME', owner.name),
        officerTitle: text('REPORTINGOWNER', 'RPTOWNER_TITLE', owner.officerTitle),
        otherText: text('REPORTINGOWNER', 'RPTOWNER_TXT', owner.otherText),
        isDirector: owner.isDirector ?? false,
        isOfficer: owner.isOfficer ?? false,
        isTenPercentOwner: owner.isTenPercentOwner ?? false,
        isOther: owner.isOther ?? false,
      }))
      .sort((a, b) => (a.cik < b.cik ? -1 : 1)),
    nonDerivative: rest.nonDerivative.map((row) => rowInSet('NONDERIV', row)).sort(),
    derivative: rest.derivative!.map((row) => rowInSet('DERIV', row)).sort(),
    footnotes: rest.footnotes!.map(({ id, text: note }) => `${id} ${cell('FOOTNOTES', 'FOOTNOTE_TXT', note)}`).sort(),
  }
}

/** As text, since rows have no order. */
function rowInSet(prefix: 'DERIV' | 'NONDERIV', row: Row): string {
  const { id: _, decision, footnotes, ...cells } = { id: null, decision: null, ...row }
  const table = `${prefix}_${row.kind === 'transaction' ? 'TRANS' : 'HOLDING'}` as TableName
  const shown = Object.entries({ ...cells, place: null }).map(([name, value]) => {
    const column = {
      securityTitle: 'SECURITY_TITLE',
      natureOfOwnership: 'NATURE_OF_OWNERSHIP',
      underlyingTitle: 'UNDLYNG_SEC_TITLE',
    }[name]
    if (column !== undefined) return [name, cell(table, column, (value as string | null) ?? '')]
    return [name, typeof value === 'number' ? cents(String(value)) : value]
  })
  const merged = new Map<string, Set<string>>()
  for (const [place, ids] of Object.entries(footnotes!))
    merged.set(placeInSet(place, table), new Set([...(merged.get(placeInSet(place, table)) ?? []), ...ids]))
  return JSON.stringify([
    shown.sort(),
    [...merged].map(([place, ids]) => [place, [...ids].sort()]).sort(),
    decision && [decision.status, decision.transactionType],
  ])
}

/** The coding has one column for all of its notes; the row itself has none, and a holding none for a price. */
function placeInSet(place: string, table: TableName): string {
  if (['transactionFormType', 'transactionCode', 'equitySwap'].includes(place)) return 'coding'
  return place === 'row' || (place === 'pricePerShare' && table.endsWith('_HOLDING')) ? 'securityTitle' : place
}
