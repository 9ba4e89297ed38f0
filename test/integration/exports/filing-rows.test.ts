// The datasets `derivatives` and `holdings`: every row of every filing, from documents and from data sets, field by
// field; the same bytes for the same rows; a change in its month.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import fc from 'fast-check'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { ExportFiles } from '../../../src/infrastructure/exports/folder.ts'
import { PostgresExportRecord } from '../../../src/infrastructure/postgres/queries/export-record.ts'
import { dataSetOf, type TableName } from '../../support/edgar/invented/data-set-files.ts'
import { cell, cents, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { arbitraryFiling } from '../../support/filings/arbitrary-filing.ts'
import { filingOf, submissionText, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { filesOf, makeMonthFiles, shownRowsOf } from '../../support/service/month-files.ts'
import { testServices, type TestService } from '../../support/service/service.ts'

type Row = Record<string, any>

const DATASETS = ['derivatives', 'holdings'] as const
const accession = (number: number) => `0001999001-24-${String(number).padStart(6, '0')}`
const AMOUNTS = [
  ...['conversionPrice', 'underlyingShares', 'underlyingValue', 'shares', 'pricePerShare', 'totalValue'],
  ...['sharesOwnedAfter', 'valueOwnedAfter'],
]

describe('month files of Table II and of holdings', function () {
  this.timeout(240_000)
  const open = testServices()
  const fresh = () => open(() => Date.parse('2027-03-01T03:30:00Z'))

  it('have all balances that positions are made from', async () => {
    const service = await fresh()
    const footnotes = [{ id: 'F1', text: 'The reporting person disclaims beneficial ownership of these shares.' }]
    const held = { kind: 'holding', code: null, date: null, dateRaw: null, shares: null, price: null } as const
    await service.take({
      accession: accession(1),
      acceptedAt: '20240715120000',
      periodOfReport: '2024-07-12',
      footnotes,
      notSubjectToSection16: true,
      rows: [
        {
          ...held,
          securityTitle: 'Common',
          sharesAfter: '700',
          directIndirect: 'I',
          nature: 'By Wife',
          footnotes: { nature: ['F1'] },
        },
        {
          date: '2024-07-13',
          securityTitle: 'Common Shares',
          code: 'S',
          acquiredDisposed: 'D',
          shares: '5',
          sharesAfter: '95',
        },
      ],
      derivativeRows: [{ date: '2024-07-13', sharesAfter: '9', conversionPrice: '2.5', expirationDate: '2031-01-02' }],
    })
    await makeMonthFiles(service)
    const found = await shownRowsOf(service, 'balances')
    const shown = found.map((each) => [
      ...[each.place, each.table, each.kind, each.balanceDate, each.securityTitle, each.securityClass],
      ...[each.transactionCode, each.acquiredDisposed, each.shares, each.sharesOwnedAfter, each.ownership, each.heldBy],
      ...[each.conversionPrice, each.expirationDate, each.disclaimed, each.exit],
    ])
    assert.deepEqual(shown, [
      ...[
        [
          'non-derivative',
          'transaction',
          '2024-07-13',
          'Common Shares',
          'commonstock',
          'S',
          'D',
          5,
          95,
          'direct',
          null,
        ],
        [
          'non-derivative',
          'holding',
          '2024-07-12',
          'Common',
          'commonstock',
          null,
          null,
          null,
          700,
          'indirect',
          'SPOUSE',
        ],
      ].map((each, index) => [index + 1, ...each, null, null, index === 1, true]),
      [
        ...[
          3,
          'derivative',
          'transaction',
          '2024-07-13',
          'Stock Option (right to buy)',
          'stockoptionrighttobuy',
          'A',
          'A',
        ],
        ...[100, 9, 'direct', null, 2.5, '2031-01-02', false, true],
      ],
    ])
  })

  it('have amounts to the last place, and no date that cannot be', async () => {
    const service = await fresh()
    const amounts = ['99999999999999.9999', '.5', '0.00', '7.', '1.00005', null, '100000000000000']
    const expected = ['99999999999999.9999', '0.5', '0', '7', '1.0001', null, null]
    const days = ['1899-12-31', '1900-01-01', '2299-12-31', '2300-01-01', '0023-03-23', '9999-12-31', null]
    await service.take({
      accession: accession(1),
      acceptedAt: '20240715120000',
      rows: [],
      derivativeRows: amounts.map((each, index) => ({
        ...{ date: index === 0 ? '2025-07-12' : '2024-07-12', shares: each, conversionPrice: each },
        expirationDate: days[index] ?? null,
      })),
    })
    await makeMonthFiles(service)
    const [file] = await filesOf(service, 'derivatives')
    const path = service.container.get(TYPES.exportFolder).pathOf(file!.path)

    const found = await service.store.rows<Row>(sql`
      SELECT toString(shares) AS shares, toString(conversionPrice) AS conversion, toString(expirationDate) AS day,
        expirationDateAsFiled AS typed, toString(tradeDate) AS traded, tradeDateAsFiled AS tradedTyped
      FROM file(${path})
      ORDER BY place`)

    assert.deepEqual(
      found.map(({ shares }) => shares),
      expected,
    )
    assert.deepEqual(
      found.map(({ conversion }) => conversion),
      expected,
    )
    assert.deepEqual(
      found.map(({ day }) => day),
      [null, '1900-01-01', '2299-12-31', null, null, null, null],
    )
    assert.deepEqual(
      found.map(({ typed }) => typed),
      days,
    )
    // After the day of filing.
    assert.deepEqual([found[0]!.traded, found[0]!.tradedTyped], [null, '2025-07-12'])
    assert.deepEqual([found[1]!.traded, found[1]!.tradedTyped], ['2024-07-12', '2024-07-12'])
  })

  it('have the same rows of a data set as of its documents, as far as it shows them', async () => {
    const specs = fc.sample(arbitraryFiling, { numRuns: 100, seed: 20240717 }).map((spec, index): FilingSpec => ({
      ...spec,
      acceptedAt: null,
      filedAsOf: '20240715',
      accession: accession(index + 1),
      owners: [...new Map(spec.owners!.map((owner) => [owner.cik, owner])).values()],
      derivativeRows: spec.derivativeRows!.map((row) => (row.kind === 'holding' ? { ...row, totalValue: null } : row)),
      footnotes: [...new Map((spec.footnotes ?? []).map((note) => [note.id, note])).values()],
    }))
    const [here, there] = [await fresh(), await fresh()]
    await loadSets(here, [
      [
        '2024q3',
        dataSetOf(
          specs.map((spec) => filingOf(spec)),
          { aff10b5One: true },
        ),
      ],
    ])
    await there.take(...specs)
    await makeMonthFiles(here)
    await makeMonthFiles(there)

    for (const dataset of DATASETS) {
      const [ofSet, ofDocuments] = [await shownRowsOf(here, dataset), await shownRowsOf(there, dataset)]
      assert.isAbove(ofSet.length, 50, dataset)
      assert.isTrue(ofSet.every(({ source, place }) => source === 'data_set' && place === null))
      assert.isTrue(ofDocuments.every(({ source, place }) => source === 'document' && place >= 1))
      assert.deepEqual(ofSet.map(inSet(dataset)).sort(), ofDocuments.map(inSet(dataset)).sort(), dataset)
      assert.notMatch(JSON.stringify(ofSet), /EXAMPLE STREET|SAMPLEVILLE|001-99999/)
    }
  })

  it('have the same bytes each time, and change in exactly the month of what came', async () => {
    const service = await fresh()
    const of = (number: number, acceptedAt: string, spec: FilingSpec = {}): FilingSpec => ({
      accession: accession(number),
      acceptedAt,
      derivativeRows: [{ shares: '5' }, { kind: 'holding', sharesAfter: '9' }],
      ...spec,
    })
    await service.take(of(1, '20240715120000'), of(2, '20240815120000'), of(3, '20240816120000'))
    // At 22:00 in New York on the last day, which is in August in UTC.
    const late = of(4, '20240731120000', { issuer: { cik: '0001999004' } })
    await loadSets(service, [['2024q3', dataSetOf([filingOf(late)])]])
    await makeMonthFiles(service)
    const before = await pathsOf(service)
    assert.lengthOf(before, 4)
    // Named by their hashes; into another folder all are made again.
    const other = new ExportFiles(mkdtempSync(join(tmpdir(), 'test-exports-')))
    await service.container.get(TYPES.makeExports)(() => {}, other)
    const paths = (await other.manifest())!.datasets.flatMap(({ files }) => files.map(({ path }) => path))
    rmSync(other.path, { recursive: true })
    assert.includeMembers(paths, before)
    await makeMonthFiles(service)
    assert.deepEqual(await pathsOf(service), before)

    // The document was accepted in July.
    await service.take(late)
    await makeMonthFiles(service)
    assert.deepEqual(
      (await shownRowsOf(service, 'derivatives')).map(({ accessionNumber, source: from }) => [accessionNumber, from]),
      [4, 1, 3, 2].map((number) => [accession(number), 'document']),
    )
    const between = await pathsOf(service)
    assert.isTrue(before.every((path) => !between.includes(path)))

    await service.take(of(5, '20240820120000', { formType: '4/A', derivativeRows: [{ shares: '6' }] }))
    await makeMonthFiles(service)
    const after = await pathsOf(service)
    // An amendment without holdings.
    assert.deepEqual(
      after.filter((path) => !between.includes(path)).map((path) => path.slice(0, 'derivatives/2024-08'.length)),
      ['derivatives/2024-08'],
    )
    await service.container.get(TYPES.rebuild)(() => {})
    await makeMonthFiles(service)
    assert.deepEqual(await pathsOf(service), after)
  })

  it('follow a quarter that is loaded again, and are not complete where its details are missing', async () => {
    const service = await fresh()
    const spec: FilingSpec = {
      accession: accession(1),
      acceptedAt: '20240715120000',
      derivativeRows: [{ shares: '5' }],
    }
    const load = (each: FilingSpec) => loadSets(service, [['2024q3', dataSetOf([filingOf(each)])]])
    const sharesOf = async () => (await shownRowsOf(service, 'derivatives')).map(({ shares }) => shares)
    await load(spec)
    await makeMonthFiles(service)
    assert.deepEqual(await sharesOf(), [5])
    assert.isTrue((await filesOf(service, 'derivatives'))[0]!.complete)

    await load({ ...spec, derivativeRows: [{ shares: '6' }, { shares: '7' }] })
    await makeMonthFiles(service)
    assert.sameMembers(await sharesOf(), [6, 7])

    await service.store.command(sql`TRUNCATE TABLE filing_details`)
    await makeMonthFiles(service)
    assert.deepEqual(await sharesOf(), [])
    for (const dataset of DATASETS) {
      const [{ rows, complete, leftOut }] = (await filesOf(service, dataset)) as [any]
      assert.deepEqual({ rows, complete, leftOut }, { rows: 0, complete: false, leftOut: 1 })
    }
    // It stays so where the file is left as it is.
    await makeMonthFiles(service)
    assert.isFalse((await filesOf(service, 'holdings'))[0]!.complete)
    assert.isTrue((await filesOf(service, 'filings'))[0]!.complete)
  })

  it('are read from few documents at a time, where these are large', async () => {
    const service = await fresh()
    const numbers = [1, 2, 3, 4].map(accession)
    const exhibit = `<DOCUMENT>\n<TYPE>EX-99\n<TEXT>\n${'x'.repeat(9_000_000)}\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>`
    await service.record(
      ...numbers.map((number, index) => ({
        path: `${number}.txt`,
        text: submissionText({ accession: number }).replace('</SEC-DOCUMENT>', index < 3 ? exhibit : '</SEC-DOCUMENT>'),
      })),
    )

    const batches: string[][] = []
    for await (const batch of new PostgresExportRecord(service.pool).documents([...numbers, accession(9)]))
      batches.push(batch.map((document) => document.accession))

    assert.deepEqual(batches, [numbers.slice(0, 2), numbers.slice(2)])
  })
})

const order = (a: string[], b: string[]) => (a[0]! < b[0]! ? -1 : 1)

const pathsOf = async (service: TestService) =>
  (await Promise.all(DATASETS.map((dataset) => filesOf(service, dataset)))).flat().map(({ path }) => path)

/** Returns a row as far as a data set shows it, as text: texts cut, amounts with two places, no order. */
const inSet = (dataset: (typeof DATASETS)[number]) => (row: Row) => {
  const kind = dataset === 'derivatives' ? 'TRANS' : 'HOLDING'
  const table = `${row.table === 'non-derivative' ? 'NONDERIV' : 'DERIV'}_${kind}` as TableName
  const text = (column: string, value: string | null, of: TableName = table) => cell(of, column, value ?? '') || null
  const owners = row.ownerCiks.map((cik: string, place: number) => [
    cik,
    text('RPTOWNERNAME', row.ownerNames[place], 'REPORTINGOWNER'),
  ])
  const { ownerCiks: _, ownerNames: __, source: ___, place: ____, symbols: _____, ...cells } = row
  return JSON.stringify(
    Object.entries({
      ...cells,
      ...Object.fromEntries(AMOUNTS.map((name) => [name, cents(row[name] == null ? null : String(row[name]))])),
      owners: owners.sort(order),
      companyName: text('ISSUERNAME', row.companyName, 'SUBMISSION'),
      securityTitle: text('SECURITY_TITLE', row.securityTitle),
      natureOfOwnership: text('NATURE_OF_OWNERSHIP', row.natureOfOwnership),
      underlyingTitle: row.underlyingTitle && text('UNDLYNG_SEC_TITLE', row.underlyingTitle, 'DERIV_TRANS'),
      footnoted: [...new Set(row.footnoted.map((name: string) => noteInSet(name, kind)))].sort(),
    }).sort(order as any),
  )
}

/** The coding has one column for all of its notes; the row itself has none, and a holding none for a price. */
function noteInSet(name: string, kind: string): string {
  if (['transactionFormType', 'transactionCode', 'equitySwap'].includes(name)) return 'coding'
  return name === 'row' || (name === 'pricePerShare' && kind === 'HOLDING') ? 'securityTitle' : name
}
