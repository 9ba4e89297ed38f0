// Unusable parts of a data set are reported line by line and cost nothing else. A republished set, and a filing's own
// document, replace what a set said.
import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import {
  damaged,
  dataSetOf,
  TABLE_NAMES,
  writeDataSet,
  type Damage,
  type Fault,
  type Tables,
} from '../../support/edgar/invented/data-set-files.ts'
import { difference, linesOf, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import {
  documentsOf,
  inTwoQuarters,
  setsOf,
  tangledHistory,
  type ToldFiling,
} from '../../support/edgar/invented/related-trades.ts'
import { disseminationText, filingOf, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testServices, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

interface Reject {
  quarter: string
  file: string
  accession: string
  reason: string
  line: string
}

const REASONS: Record<Fault, (file: string) => RegExp> = {
  'missing columns': () => /^has \d+ columns, not \d+$/,
  'letters in a number': (file) =>
    new RegExp(`^${AMOUNTS[file] ?? 'TRANS_SHARES'} is not an amount of up to 14 digits: "12a4.0"$`),
  'impossible date': (file) =>
    new RegExp(`^${DATES[file] ?? 'TRANS_DATE'} is not a date such as 31-JUL-2024: "32-FOO-2020"$`),
  'unknown accession number': () => /^SUBMISSION has no usable line with this accession number$/,
  'empty issuer CIK': () => /^ISSUERCIK is not a CIK: ""$/,
  // Where its owners are damaged as well, there are two of that kind.
  'duplicate accession number': () => /^repeats this accession number$|^no reporting owner$/,
  'unknown document type': () => /^DOCUMENT_TYPE is not Form 3, 4 or 5: "4\/B"$/,
}

const DATES: Record<string, string> = { SUBMISSION: 'FILING_DATE', OWNER_SIGNATURE: 'OWNERSIGNATUREDATE' }

const AMOUNTS: Record<string, string> = {
  NONDERIV_HOLDING: 'SHRS_OWND_FOLWNG_TRANS',
  DERIV_HOLDING: 'SHRS_OWND_FOLWNG_TRANS',
}

/** Whether the first version is published once more after the second. */
const IS_BACK = volume('returns to an earlier version', 0, 1) === 1
/** Whether each file is loaded with odd bytes alone as well, besides all together. */
const IS_EACH_ALONE = volume('files with odd bytes alone', 0, 1) === 1
const SIZE = volume('filings of history published anew', 24, 120)
const QUARTERS = volume('quarters of history published anew', 2, 4)
const shapeOf = (history: ToldFiling[]) => (QUARTERS === 2 ? inTwoQuarters(history) : history)

describe('data sets with faults', function () {
  this.timeout(300_000)
  const fresh = testServices()

  const rejectsOf = (service: TestService) =>
    service.store.rows<Reject>(sql`SELECT * FROM set_rejects ORDER BY quarter, file, accession, reason, line`)
  const storedIds = async (service: TestService) =>
    (await service.store.rows<{ id: string }>(sql`SELECT id FROM trades FINAL`)).map(({ id }) => id).sort()
  const allIn = (seed: number, count: number) =>
    tangledHistory(seed, count).map((told): ToldFiling => ({ ...told, by: 'set' }))
  const oneSet = (history: ToldFiling[]): Tables => dataSetOf(history.map(({ spec }) => filingOf(spec)))

  it('stores filings of the smallest and the largest CIK', async () => {
    const service = await fresh()
    const filings = ['0000000001', '4294967296', '9999999999'].map((cik, place) =>
      filingOf({ accession: `0001999001-24-00000${place}`, acceptedAt: '20240715163000', issuer: { cik } }),
    )
    await loadSets(service, [['2024q3', dataSetOf(filings)]])
    assert.deepEqual(
      await storedIds(service),
      filings.map(({ accession }) => `${accession}-nd-1`),
    )
  })

  for (const [seed, share] of [
    [21, 0.03],
    [22, 0.3],
  ] as const) {
    it(`reports every damaged line with its reason, and stores all others (${share * 100} % damaged)`, async () => {
      const { tables, damage } = damaged(oneSet(allIn(seed, 300)), seed, share)
      const service = await fresh()
      const [
        {
          loaded: [result],
        },
      ] = (await loadSets(service, [['2024q3', tables]])) as any
      const rejects = await rejectsOf(service)
      for (const each of damage.filter(({ table }) => table in result.lines)) expectReject(rejects, each)
      const { filings, owners, rows, details } = result
      const used = { SUBMISSION: filings, REPORTINGOWNER: owners, NONDERIV_TRANS: rows, ...details }
      for (const file of TABLE_NAMES) {
        const rejected = result.rejectedByFile[file] ?? 0
        assert.strictEqual(used[file] + rejected, linesOf(tables, file).length, file)
        assert.strictEqual(rejected, rejects.filter((reject) => reject.file === file).length, file)
      }
      assert.deepEqual(await storedIds(service), usableIds(tables, damage))
      assert.isAtLeast(new Set(damage.map(({ fault }) => fault)).size, share > 0.1 ? 7 : 4)
    })
  }

  it('reads files with CR LF, empty lines, a byte order mark, odd bytes and no final line break', async () => {
    const tables = oneSet(allIn(23, 60))
    const dressed = Object.fromEntries(
      TABLE_NAMES.map((table) => [
        table,
        `\uFEFF${tables[table].replaceAll('\n', '\n\n\n').replace(/\n+$/, '')}`.replaceAll('\n', '\r\n'),
      ]),
    ) as Tables
    const [plain, other] = [await fresh(), await fresh()]
    await loadSets(plain, [['2024q3', tables]])
    const [{ rejected, loaded }] = (await loadSets(other, [['2024q3', dressed]])) as any
    assert.strictEqual(rejected, 0, JSON.stringify(loaded))
    assert.strictEqual(difference(await plain.dump(), await other.dump()), '')
    const odd = { ...tables, SUBMISSION: tables.SUBMISSION.replaceAll('Example Tangles Inc', 'Ex\0ample\tTangles Inc') }
    const [{ rejectedByFile }] = ((await loadSets(other, [['2024q3', odd]])) as any)[0].loaded
    assert.strictEqual(rejectedByFile.SUBMISSION, 60)
    assert.deepEqual(await storedIds(other), [])
  })

  it('accepts any bytes in any field, and loads the rest', async function () {
    this.timeout(300_000)
    const tables = oneSet(allIn(26, 20))
    const odd = [
      '\0',
      '\x1b[2J',
      '\u202e',
      '\u{1F600}'.repeat(300),
      '\\N',
      '\\',
      '"',
      '99999999999999999999',
      '31-DEC-9999',
      '-1',
      '',
    ]
    const service = await fresh()
    const withHostile = { ...tables }
    for (const table of TABLE_NAMES) {
      const [header, ...lines] = tables[table].replace(/\n$/, '').split('\n')
      const columns = header!.split('\t').length
      // Each field of the table with each of the texts, in a line of its own that an accession number tells apart.
      const hostile = Array.from({ length: columns }, (_, column) =>
        odd.map((text, index) => {
          const fields =
            lines[(column * odd.length + index) % lines.length]?.split('\t') ?? Array<string>(columns).fill('')
          fields[0] = `0001999002-24-${String(column * odd.length + index).padStart(6, '0')}`
          return fields.with(column, column === 0 ? text + fields[0] : text).join('\t')
        }),
      ).flat()
      withHostile[table] = [header, ...hostile, ...lines, ''].join('\n')
      if (!IS_EACH_ALONE) continue
      const result = (await loadSets(service, [['2024q3', { ...tables, [table]: withHostile[table] }]])) as any
      assert.lengthOf(result[0].loaded, 1, table)
    }
    const all = (await loadSets(service, [['2024q3', withHostile]])) as any
    assert.lengthOf(all[0].loaded, 1)
    const plain = await fresh()
    await loadSets(plain, [['2024q3', tables]])
    assert.includeMembers(await storedIds(service), await storedIds(plain))
  })

  it('loads a set without filings, and one without a transaction', async () => {
    const service = await fresh()
    const results = await loadSets(service, [
      ['2024q1', dataSetOf([])],
      ['2024q2', dataSetOf([filingOf({ formType: '3', rows: [] })])],
    ])
    assert.deepEqual(
      results.map(({ loaded: [set] }) => [set!.filings, set!.rows]),
      [
        [0, 0],
        [1, 0],
      ],
    )
    assert.deepEqual(await service.listed(), [])
  })

  it('refuses a file without a required column, names it, and changes nothing', async () => {
    const service = await fresh()
    const tables = oneSet(allIn(24, 20))
    const faulty = { ...tables, NONDERIV_TRANS: tables.NONDERIV_TRANS.replace('TRANS_SHARES', 'SHARES') }
    const refusal = await loadSets(service, [['2024q3', faulty]]).then(
      () => '',
      (error: Error) => error.message,
    )
    assert.match(refusal, /NONDERIV_TRANS\.tsv has no column TRANS_SHARES/)
    assert.deepEqual(await service.listed(), [])
    await loadSets(service, [['2024q3', tables]])
    assert.notDeepEqual(await service.listed(), [])
  })

  it("sets aside a stored zip that can't be read, so that it is fetched again", async () => {
    const { container } = await fresh()
    const [dataSets, load] = [container.get(TYPES.dataSets), container.get(TYPES.loadQuarters)]
    const path = await dataSets.pathOf('2024q3')
    writeFileSync(path, 'PK damaged on the way')
    const refusal = await load(['2024q3'], null, () => {}).then(
      () => '',
      (error: Error) => error.message,
    )
    assert.match(refusal, /^2024q3_form345\.zip: cut short: .*; download the quarter again from the SEC$/)
    const fetch = async (quarter: string) => {
      await writeDataSet(dirname(path), quarter, oneSet(allIn(25, 20)))
      return { kind: 'ok' as const, value: null }
    }
    assert.lengthOf((await load(['2024q3'], fetch, () => {})).loaded, 1)
  })

  /** First purchases of data sets follow with the signals. */
  const assertEqual = async (expected: TestService, service: TestService) => {
    for (const each of [expected, service]) await each.detectSignals()
    assert.strictEqual(difference(await expected.dump(), await service.dump()), '')
  }

  for (const seed of volume('seeds of history published anew', [31], [31, 32])) {
    it(`retracts what a quarter published again lacks or changed (${seed})`, async () => {
      const history = shapeOf(tangledHistory(seed, SIZE))
      const anew = history.flatMap((told, index): ToldFiling[] => (told.by !== 'set' ? [told] : changed(told, index)))
      const [service, expected] = [await fresh(), await fresh()]
      for (const version of [history, anew]) {
        await loadSets(service, setsOf(version))
        if (version === history) await service.take(...documentsOf(history))
      }
      // Symbols change with what is taken back, in trades of other sets as well.
      await expected.take(...documentsOf(anew))
      await loadSets(expected, setsOf(anew))
      await assertEqual(expected, service)
      assert.strictEqual(
        difference(
          { rejects: (await rejectsOf(expected)).map((each) => JSON.stringify(each)) },
          { rejects: (await rejectsOf(service)).map((each) => JSON.stringify(each)) },
        ),
        '',
      )
      if (!IS_BACK) return
      await loadSets(service, setsOf(history))
      await loadSets(expected, setsOf(history))
      await assertEqual(expected, service)
    })
  }

  describe("and a filing's own document", () => {
    const rows = [{ shares: '1' }, { shares: '2.3456' }]
    const spec: FilingSpec = { accession: '0001999001-24-000001', acceptedAt: '20240715163000', rows }
    const tables = dataSetOf([
      filingOf(spec),
      filingOf({ ...spec, accession: '0001999001-24-000002', rows: [{ shares: '3' }] }),
    ])
    const own = ['0001999001-24-000001-nd-2', '0001999001-24-000001-nd-1']

    it('that arrives later replaces its rows', async () => {
      const service = await fresh()
      await loadSets(service, [['2024q3', tables]])
      const listed = await service.listed()
      assert.lengthOf(listed, 3)
      assert.include(listed, '0001999001-24-000002-nd-1')
      await service.take(spec)
      assert.deepEqual(await service.listed(), ['0001999001-24-000002-nd-1', ...own])
      assert.strictEqual((await service.queries.insider('1999101'))!.stats.totalBuys, 3)
    })

    it('that arrived before is not changed', async () => {
      const service = await fresh()
      await service.take(spec)
      const before = await service.dump()
      const [
        {
          loaded: [result],
        },
      ] = (await loadSets(service, [['2024q3', tables]])) as any
      assert.deepInclude(result, { knownFilings: 1, transactions: 1, rows: 3 })
      assert.deepEqual(await service.listed(), ['0001999001-24-000002-nd-1', ...own])
      assert.includeMembers((await service.dump()).trades!, before.trades!)
    })

    it('of the same instant stays when the data set no longer has it', async () => {
      const service = await fresh()
      const document = { path: `${spec.accession}.nc`, text: disseminationText(spec) }
      await loadSets(service, [['2024q3', tables]])
      await service.take(document)
      await loadSets(service, [
        ['2024q3', dataSetOf([filingOf({ ...spec, accession: '0001999001-24-000002', rows: [{ shares: '3' }] })])],
      ])
      assert.deepEqual(await service.listed(), ['0001999001-24-000002-nd-1', ...own])
    })

    it("that can't be read leaves the data set's rows unchanged", async () => {
      const service = await fresh()
      await loadSets(service, [['2024q3', tables]])
      const listed = await service.listed()
      await service.take({
        path: `${spec.accession}.txt`,
        text: '<SEC-DOCUMENT>0001999001-24-000001.txt\n<ownershipDocument>',
      })
      assert.deepEqual(await service.listed(), listed)
      assert.strictEqual((await service.container.get(TYPES.ledger).counts()).rejected, 1)
    })
  })
})

function changed(told: ToldFiling, index: number): ToldFiling[] {
  const { spec } = told
  const [first, ...rows] = spec.rows!
  const another: Partial<FilingSpec>[] = [
    {},
    {},
    { rows },
    { owners: [{ cik: '0000000299', name: 'ANOTHER', isDirector: true }] },
    { acceptedAt: `${spec.acceptedAt!.slice(0, 6)}17120000` },
    { rows: [...spec.rows!, { ...first, shares: '77' }] },
    { issuer: { ...spec.issuer, tickerRaw: 'EVEN' } },
    { formType: '4' },
  ]
  return index % 9 === 8 ? [] : [{ ...told, spec: { ...spec, ...another[index % 9] } }]
}

function expectReject(rejects: Reject[], { table, key, fault }: Damage): void {
  const [accession, second] = key.split(' ')
  const unknown = fault === 'unknown accession number'
  const found = rejects.filter(
    (reject) =>
      reject.file === table &&
      reject.accession === (unknown ? '0009999999-99-999999' : accession) &&
      (second === undefined ||
        reject.line.includes(String(table === 'REPORTINGOWNER' && unknown ? Number(second) : second))),
  )
  const told = found.filter(({ reason }) => REASONS[fault](table).test(reason))
  assert.isAbove(told.length, 0, `${table} ${key} ${fault}`)
}

/** Ids of the rows that nothing is wrong with, in filings that nothing is wrong with. */
function usableIds(tables: Tables, damage: Damage[]): string[] {
  const bad = new Set(
    damage.filter(({ fault }) => fault !== 'duplicate accession number').map(({ table, key }) => `${table} ${key}`),
  )
  const owned = new Set(
    linesOf(tables, 'REPORTINGOWNER')
      .filter((line) => !bad.has(`REPORTINGOWNER ${line.ACCESSION_NUMBER} ${line.RPTOWNERCIK}`))
      .map((line) => line.ACCESSION_NUMBER),
  )
  const filings = new Set(
    linesOf(tables, 'SUBMISSION')
      .filter(
        ({ ACCESSION_NUMBER: accession, DOCUMENT_TYPE: form }) =>
          /^4(\/A)?$/.test(form ?? '') && owned.has(accession) && !bad.has(`SUBMISSION ${accession}`),
      )
      .map((line) => line.ACCESSION_NUMBER),
  )
  const rows = Map.groupBy(linesOf(tables, 'NONDERIV_TRANS'), (line) => line.ACCESSION_NUMBER!)
  return [...rows]
    .filter(([accession]) => filings.has(accession))
    .flatMap(([accession, lines]) =>
      lines
        .filter(({ NONDERIV_TRANS_SK: sk }) => !bad.has(`NONDERIV_TRANS ${accession} ${sk}`))
        .map(({ NONDERIV_TRANS_SK: sk }) => (lines.length === 1 ? `${accession}-nd-1` : `${accession}-ds-${sk}`)),
    )
    .sort()
}
