// The data sets that tests are made of look like those that the SEC publishes. That they say what the filings say, and
// that damage is where it is told, is held by test/integration/data-sets (details.test.ts and rejects.test.ts).
import { assert } from 'chai'
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { openPromise, type Entry } from 'yauzl'
import { arbitraryFiling } from '../../support/filings/arbitrary-filing.ts'
import {
  columnsOf,
  dataSetOf,
  eachTable,
  headerOf,
  TABLE_NAMES,
  writeDataSet,
  type TableName,
  type Tables,
} from '../../support/edgar/invented/data-set-files.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { filingOf } from '../../support/filings/filing-builder.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = fileURLToPath(new URL('../../../../shared/edgar/form345/', import.meta.url))
const present = existsSync(folder)
const unlessPresent = present ? '' : ' (skipped: ../shared/edgar/form345 is not here)'
/** Those of the eight that lie there. */
const REAL = present ? TABLE_NAMES.filter((table) => existsSync(`${folder}${table}.tsv`)) : []
const real = (table: TableName): string => readFileSync(`${folder}${table}.tsv`, 'utf8')

const lines = (text: string): string[] => text.slice(0, -1).split('\n').slice(1)

/** Lines as objects by column name. */
function rowsOf(text: string): Record<string, string>[] {
  const names = text.slice(0, text.indexOf('\n')).split('\t')
  return lines(text).map((line) => {
    const cells = line.split('\t')
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
  })
}

const SHAPES: [name: RegExp, cell: RegExp][] = [
  [/^ACCESSION_NUMBER$/, /^\d{10}-\d\d-\d{6}$/],
  [
    /DATE$|^PERIOD_OF_REPORT$|^DATE_OF_ORIG_SUB$/,
    /^([0-2]\d|3[01])-(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)-\d{4}$|^$/,
  ],
  [
    /^(TRANS_SHARES|TRANS_TOTAL_VALUE|.*_PRICE(PERSHARE)?|UNDLYNG_SEC_(SHARES|VALUE)|.*_FOLWNG_TRANS)$/,
    /^\d+\.\d\d?$|^$/,
  ],
  [/_SK$/, /^\d+$/],
  [/_FN$/, /^F\d+(, F\d+)*$|^$/],
  [
    /^(NO_SECURITIES_OWNED|NOT_SUBJECT_SEC16|FORM\d_.*_REPORTED|EQUITY_SWAP_INVOLVED|AFF10B5ONE)$/,
    /^(0|1|true|false)?$/,
  ],
  [/CIK$/, /^\d{10}$/],
  [/^DOCUMENT_TYPE$/, /^[345](\/A)?$/],
]

/** What of a text is not as in the SEC's files; the same is asked of theirs and of ours. */
function oddities(table: TableName, text: string): string[] {
  const names = text.slice(0, text.indexOf('\n')).split('\t')
  const columns = columnsOf(table, names.includes('AFF10B5ONE'))
  const shapes = names.map((name) => SHAPES.find(([which]) => which.test(name))?.[1])
  const odd = lines(text).flatMap((line) => {
    const cells = line.split('\t')
    if (cells.length !== names.length) return [`${cells.length} columns: ${line}`]
    return cells.flatMap((cell, index) => {
      const plain = cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
      const fits = (shapes[index]?.test(cell) ?? true) && [...plain].length <= columns[index]!.longest
      return fits ? [] : [`${names[index]}: ${cell}`]
    })
  })
  return [
    ...(names.join('\t') === columns.map(({ name }) => name).join('\t') ? [] : ['header']),
    ...(text.includes('\r') ? ['CR'] : []),
    ...(text.endsWith('\n') ? [] : ['no end']),
    ...odd,
  ]
}

async function unzipped(path: string): Promise<Record<string, string>> {
  const zip = await openPromise(path)
  const files: Record<string, string> = {}
  for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
    files[entry.fileName] = (await buffer(await zip.openReadStreamPromise(entry))).toString()
  }
  return files
}

const byName = (tables: Tables): Record<string, string> =>
  Object.fromEntries(TABLE_NAMES.map((table) => [`${table}.tsv`, tables[table]]))

/** All surrogate keys. */
function keysOf(tables: Tables): string[] {
  return TABLE_NAMES.flatMap((table) => rowsOf(tables[table]).flatMap((row) => row[`${table}_SK`] ?? []))
}

describe(`data sets as the SEC has them${unlessPresent}`, () => {
  before(function () {
    if (!present) this.skip()
    assert.isAtLeast(REAL.length, 5)
  })

  it('have the headers and shapes that ours have', () => {
    for (const table of REAL) assert.deepEqual([table, ...oddities(table, real(table)).slice(0, 5)], [table])
  })

  it('have the columns and limits of their metadata, but for the contacts and a name', () => {
    const { tables } = JSON.parse(readFileSync(`${folder}FORM_345_metadata.json`, 'utf8')) as {
      tables: {
        url: string
        tableSchema: { columns: { name: string; datatype: { base: string; maxLength?: number } }[] }
      }[]
    }
    assert.lengthOf(tables, 8)
    for (const {
      url,
      tableSchema: { columns },
    } of tables) {
      const theirs = columns
        .filter(({ name }) => !/^CONTACT_|^NOTIFICATION_/.test(name))
        .map(({ name, datatype }) => ({
          name: name.replace('EQUITY_SWAP_INVOLVED_FN', 'EQUITY_SWAP_TRANS_CD_FN'),
          longest: datatype.base === 'string' ? datatype.maxLength! : Infinity,
        }))
      assert.deepEqual(columnsOf(basename(url, '.tsv') as TableName, false), theirs)
    }
  })

  it('write text that holds quotes in quotes, each twice', () => {
    const cells = REAL.flatMap((table) => lines(real(table)).flatMap((line) => line.split('\t'))).filter((cell) =>
      cell.includes('"'),
    )
    assert.isAbove(cells.length, 300)
    assert.deepEqual(
      cells.filter((cell) => !/^"([^"]|"")*"$/.test(cell)),
      [],
    )
  })
})

describe('data sets of filings', () => {
  it('name the forms that rows belong to on Form 5 only', () => {
    const reported = (formType: '3' | '4' | '5') => {
      const text = dataSetOf([filingOf({ formType, rows: [{ kind: 'holding', formType: '3' }] })]).SUBMISSION
      return rowsOf(text).map((row) => [row.FORM3_HOLDINGS_REPORTED, row.FORM4_TRANS_REPORTED])
    }
    assert.deepEqual(
      [...reported('3'), ...reported('4'), ...reported('5')],
      [
        ['', ''],
        ['', ''],
        ['1', '0'],
      ],
    )
  })

  it('take the day of acceptance where the header has no other, and none of a bare document', () => {
    const filed = [filingOf({ filedAsOf: null, acceptedAt: '20250401221500' }), filingOf({}, 'bare')].map(
      (each) => rowsOf(dataSetOf([each]).SUBMISSION)[0]!.FILING_DATE,
    )
    assert.deepEqual(filed, ['01-APR-2025', ''])
  })

  it('have the shape of the real ones whatever was filed, and a line for each thing filed', () => {
    const some = fc.array(
      arbitraryFiling.map((spec) => filingOf({ ...spec, filedAsOf: '20250314' })),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(some, fc.integer(), fc.boolean(), (filings, seed, aff10b5One) => {
        const made = dataSetOf(filings, { seed, aff10b5One })
        for (const table of TABLE_NAMES) assert.deepEqual([table, ...oddities(table, made[table])], [table])
        const count = (of: (each: (typeof filings)[number]) => unknown[]) => filings.flatMap(of).length
        assert.deepEqual(
          eachTable((table) => lines(made[table]).length),
          {
            SUBMISSION: filings.length,
            REPORTINGOWNER: count((each) => each.owners),
            FOOTNOTES: count((each) => each.footnotes),
            OWNER_SIGNATURE: count((each) => each.signatures),
            NONDERIV_TRANS: count((each) => each.nonDerivative.filter(({ kind }) => kind === 'transaction')),
            NONDERIV_HOLDING: count((each) => each.nonDerivative.filter(({ kind }) => kind === 'holding')),
            DERIV_TRANS: count((each) => each.derivative.filter(({ kind }) => kind === 'transaction')),
            DERIV_HOLDING: count((each) => each.derivative.filter(({ kind }) => kind === 'holding')),
          },
        )
      }),
    )
  })

  it('double quotes where that is wanted', () => {
    const remarks = (quotes: 'plain' | 'doubled', text: string) =>
      rowsOf(dataSetOf([filingOf({ remarks: text })], { quotes }).SUBMISSION)[0]!.REMARKS
    assert.strictEqual(remarks('plain', 'a "group"'), 'a "group"')
    assert.strictEqual(remarks('doubled', 'a "group"'), '"a ""group"""')
    assert.strictEqual(remarks('doubled', 'a group'), 'a group')
  })

  const many = Array.from({ length: 40 }, (_, index) =>
    filingOf({
      accession: `0001999001-25-${String(index).padStart(6, '0')}`,
      derivativeRows: [{}],
      rows: Array.from({ length: 4 }, (_, place) => ({ shares: String(place + 1) })),
    }),
  )

  it('hide the order of rows, and are the same for the same seed', () => {
    const first = dataSetOf(many, { seed: 5 })
    const rows = rowsOf(first.NONDERIV_TRANS)
    const keys = keysOf(first)
    assert.lengthOf(keys, 200)
    assert.lengthOf(new Set(keys), 200)
    const orders = new Set(
      many.map(({ accession }) =>
        rows
          .filter((row) => row.ACCESSION_NUMBER === accession)
          .sort((a, b) => Number(a.NONDERIV_TRANS_SK) - Number(b.NONDERIV_TRANS_SK))
          .map((row) => row.TRANS_SHARES)
          .join(' '),
      ),
    )
    assert.isAbove(orders.size, 3)
    assert.notInclude([...orders], '1.0 2.0 3.0 4.0')
    assert.notDeepEqual(
      rowsOf(first.SUBMISSION).map((row) => row.ACCESSION_NUMBER),
      many.map(({ accession }) => accession),
    )
    assert.deepEqual(dataSetOf(many, { seed: 5 }), first)
    assert.notDeepEqual(dataSetOf(many, { seed: 6 }), first)
  })
})

describe('data sets in files', () => {
  const at = temporaryFolder()

  it('are zips of the eight texts, the same bytes each time', async () => {
    const tables = dataSetOf([filingOf(), filingOf({ accession: '0001999001-25-000002', remarks: 'Ünïcödé' })])
    const path = await writeDataSet(at(), '2025q1', tables)
    assert.strictEqual(path, at('2025q1_form345.zip'))
    assert.deepEqual(await unzipped(path), byName(tables))
    const bytes = readFileSync(path)
    await writeDataSet(at(), '2025q1', tables)
    assert.isTrue(readFileSync(path).equals(bytes))
  })
  it('hold as many invented rows as wanted, in the shape of the real ones, all of filings that are there', async () => {
    const wanted = { folder: at(), quarter: '2025q1', rows: 5_000, seed: 3, issuers: 100, unpacked: true }
    const { path, counts } = await writeInventedDataSet(wanted)
    assert.sameMembers(readdirSync(at()), ['2025q1_form345', '2025q1_form345.zip'])
    const tables = eachTable((table) => readFileSync(at('2025q1_form345', `${table}.tsv`), 'utf8'))
    assert.deepEqual(await unzipped(path), byName(tables))
    assert.deepEqual(
      eachTable((table) => lines(tables[table]).length),
      counts,
    )
    assert.strictEqual(counts.NONDERIV_TRANS, 5_000)
    assert.strictEqual(headerOf('SUBMISSION', true), tables.SUBMISSION.slice(0, tables.SUBMISSION.indexOf('\n')))
    const filings = new Set(rowsOf(tables.SUBMISSION).map((row) => row.ACCESSION_NUMBER))
    assert.strictEqual(filings.size, counts.SUBMISSION)
    const notes = new Set(rowsOf(tables.FOOTNOTES).map((row) => `${row.ACCESSION_NUMBER} ${row.FOOTNOTE_ID}`))
    for (const table of TABLE_NAMES) {
      assert.deepEqual([table, ...oddities(table, tables[table])], [table])
      assert.isAbove(counts[table], 10)
      const strays = rowsOf(tables[table]).filter(
        (row) =>
          !filings.has(row.ACCESSION_NUMBER) ||
          Object.entries(row).some(
            ([name, cell]) => name.endsWith('_FN') && cell !== '' && !notes.has(`${row.ACCESSION_NUMBER} ${cell}`),
          ),
      )
      assert.deepEqual(strays, [])
    }
    const keys = keysOf(tables)
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it('hold a mix of filings as real ones do', async () => {
    const wanted = { folder: at(), quarter: '2024q3', rows: 20_000, seed: 1, issuers: 300 }
    const files = await unzipped((await writeInventedDataSet(wanted)).path)
    assert.deepEqual(readdirSync(at()), ['2024q3_form345.zip'])
    const [filings, owners, trades] = [
      rowsOf(files['SUBMISSION.tsv']!),
      rowsOf(files['REPORTINGOWNER.tsv']!),
      rowsOf(files['NONDERIV_TRANS.tsv']!),
    ]
    const share = (part: number, whole: { length: number }) => (100 * part) / whole.length
    const near = (found: number, percent: number) => assert.closeTo(found, percent, percent / 4)
    const forms = Object.groupBy(filings, (row) => row.DOCUMENT_TYPE!)
    for (const [form, percent] of [
      ['4/A', 3],
      ['5', 2],
      ['3', 5],
    ] as const) {
      near(share(forms[form]!.length, filings), percent)
    }
    const codes = Object.groupBy(trades, (row) => row.TRANS_CODE!)
    for (const [code, percent] of Object.entries({ S: 34, A: 32, F: 27, P: 22, M: 20, G: 4 })) {
      near(share(codes[code]!.length, trades), percent / 1.39)
    }
    const ownersOf = Object.groupBy(owners, (row) => row.ACCESSION_NUMBER!)
    near(share(Object.values(ownersOf).filter((each) => each!.length > 1).length, filings), 4)
    near(share(owners.filter((row) => /^see remarks/i.test(row.RPTOWNER_TITLE!)).length, filings), 3)
    assert.closeTo(trades.length / filings.length, 1.8, 0.1)
    assert.lengthOf(new Set(filings.map((row) => row.FILING_DATE)), 64)
    const whose = (row: Record<string, string>, day: string | undefined) =>
      [row.ISSUERCIK, day, ...ownersOf[row.ACCESSION_NUMBER!]!.map((owner) => owner.RPTOWNERCIK).sort()].join(' ')
    const originals = new Set(forms['4']!.map((row) => whose(row, row.FILING_DATE)))
    const without = forms['4/A']!.filter((row) => !originals.has(whose(row, row.DATE_OF_ORIG_SUB)))
    assert.deepEqual(without, [])
  })

  it('are the same bytes for the same seed, and others for another seed or quarter', async () => {
    const digest = async (quarter: string, seed: number) => {
      const { path } = await writeInventedDataSet({ folder: at(), quarter, rows: 500, seed, issuers: 50 })
      return createHash('sha256').update(readFileSync(path)).digest('hex')
    }
    const first = await digest('2019q4', 1)
    assert.strictEqual(await digest('2019q4', 1), first)
    assert.lengthOf(new Set([first, await digest('2019q4', 2), await digest('2020q1', 1)]), 3)
  })

  it('have as many amendments, large issuers and filings of two quarters as are wanted', async () => {
    const wanted = { folder: at(), rows: 6_000, seed: 1, issuers: 200, amendments: 10, repeated: 0.05 }
    const largest = { issuers: 4, share: 0.4 }
    const first = await writeInventedDataSet({ ...wanted, largest, quarter: '2024q2' })
    const second = await writeInventedDataSet({ ...wanted, largest, quarter: '2024q3', again: first.repeated })
    const [before, after] = [await unzipped(first.path), await unzipped(second.path)]
    const filings = rowsOf(before['SUBMISSION.tsv']!)
    const accessions = (rows: Record<string, string>[]) => new Set(rows.map((row) => row.ACCESSION_NUMBER!))

    const amended = filings.filter((row) => row.DOCUMENT_TYPE === '4/A').length
    assert.closeTo(amended / filings.length, 0.1, 0.02)
    const perIssuer = Object.values(Object.groupBy(filings, (row) => row.ISSUERCIK!)).map((each) => each!.length)
    const four = perIssuer.toSorted((a, b) => b - a).slice(0, 4)
    for (const count of four) assert.closeTo(count / filings.length, 0.1, 0.02)
    const both = accessions(filings).intersection(accessions(rowsOf(after['SUBMISSION.tsv']!)))
    assert.closeTo(both.size / filings.length, 0.05, 0.02)
    for (const table of TABLE_NAMES) {
      const again = lines(after[`${table}.tsv`]!).filter((line) => both.has(line.slice(0, line.indexOf('\t'))))
      const told = lines(before[`${table}.tsv`]!).filter((line) => both.has(line.slice(0, line.indexOf('\t'))))
      assert.sameMembers(again, told)
    }
    assert.strictEqual(second.counts.NONDERIV_TRANS, 6_000 + first.repeated.NONDERIV_TRANS.length)
  })

  it('are filed between the days that are asked for', async () => {
    const { path } = await writeInventedDataSet({
      folder: at(),
      quarter: '2024q3',
      rows: 200,
      seed: 1,
      from: '2024-08-03',
      to: '2024-08-06',
    })
    const days = new Set(rowsOf((await unzipped(path))['SUBMISSION.tsv']!).map((row) => row.FILING_DATE))
    assert.sameMembers([...days], ['05-AUG-2024', '06-AUG-2024'])
  })
})
