// The month files against the API, field by field and both ways; the same bytes after a rebuild; a change in its month.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import type { ExportManifest } from '../../../src/application/ports/exports.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { cleanSymbols } from '../../../src/domain/filings/ticker-symbol.ts'
import { isRealDate } from '../../../src/domain/shared/calendar.ts'
import { accessionInPath } from '../../../src/domain/shared/identifiers.ts'
import { timestampOf } from '../../../src/domain/shared/new-york-time.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { readDocument } from '../../../src/infrastructure/edgar/documents/read-document.ts'
import { PostgresExportRecord } from '../../../src/infrastructure/postgres/queries/export-record.ts'
import { documentsFolder, haveRealFilings, truth } from '../../support/filings/truth.ts'
import { filesOf, manifestOf, rowsOf, shownRowsOf } from '../../support/service/month-files.ts'
import { metadataOf } from '../../support/service/tools/parquet.ts'
import { noticeSubmission } from '../../support/notices/notice-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { nightly } from '../../support/volume.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/filings')
type Row = Record<string, any>

const documentsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /\.(txt|xml|nc)$/.test(name))
    .map((name) => ({ path: name, text: readFileSync(join(folder, name), 'utf8') }))

describe('month files', function () {
  this.timeout(240_000)
  let service: TestService
  let now = Date.parse('2027-03-01T03:30:00Z')
  before(async () => {
    service = await testService(() => now)
    const folders = [FIXTURES, ...(haveRealFilings ? [documentsFolder] : [])]
    if (folders.length === 1) process.stdout.write('      without real filings: ../shared is missing\n')
    for (const folder of folders) await service.take(...documentsIn(folder))
    await service.detectSignals()
    await make()
  })
  after(() => service.close())

  const folder = () => service.container.get(TYPES.exportFolder)
  async function make() {
    let steps = 0
    const result = await service.container.get(TYPES.makeExports)(() => (steps += 1))
    return { ...result, steps }
  }
  const manifest = () => manifestOf(service)
  const bytesOf = (path: string) => readFileSync(folder().pathOf(path))
  async function feed(): Promise<any[]> {
    const transactions: any[] = []
    for (let cursor: string | undefined; ;) {
      const page = await service.queries.feed({ limit: 100, detail: true, ...(cursor && { cursor }) })
      transactions.push(...page.transactions)
      if (!page.hasMore) return transactions
      cursor = page.nextCursor
    }
  }

  it('name files that are there with the hash, the size and the rows that the manifest says', async () => {
    const { datasets } = await manifest()
    assert.deepEqual(
      datasets.map(({ name }) => name),
      [
        ...['transactions', 'transaction-versions', 'signals', 'filings', 'derivatives', 'holdings'],
        ...['balances', 'notices', 'symbols', 'companies'],
      ],
    )
    for (const { name, columns, files } of datasets) {
      if (name !== 'notices') assert.isNotEmpty(files, name)
      for (const { path, sha256, revision, bytes, rows, period } of files) {
        const found = bytesOf(path)
        assert.strictEqual(createHash('sha256').update(found).digest('hex'), sha256, path)
        assert.strictEqual(path, `${name}/${period}.${sha256.slice(0, 16)}.parquet`)
        assert.deepEqual([found.length, revision], [bytes, sha256.slice(0, 16)])
        // For a web server of another user.
        assert.strictEqual(statSync(folder().pathOf(path)).mode & 0o777, 0o644)
        const { num_rows, schema } = metadataOf(found)
        assert.strictEqual(Number(num_rows), rows, path)
        const names = schema.slice(1).map((element) => element.name)
        for (const column of columns) assert.include(names, column.name)
      }
    }
  })

  it('hold exactly the transactions of the feed, each field as the API gives it', async () => {
    const listed = await feed()
    const rows = await rowsOf(service, await filesOf(service, 'transactions'))
    assert.sameMembers(
      rows.map(({ id }) => id),
      listed.map(({ id }) => id),
    )
    // Decimals as texts by the engine, since the other reader makes floating-point numbers of them.
    const amounts = ['shares', 'pricePerShare', 'totalValue', 'sharesOwnedAfter', 'lowPrice', 'highPrice']
    const exact = new Map<string, Record<string, number | null>>()
    for (const { path } of await filesOf(service, 'transactions')) {
      const texts = sql`SELECT id, ${new Sql(amounts.map((name) => `toString(${name})`).join(', '))}
        FROM file(${folder().pathOf(path)})`
      for (const [id, ...found] of await service.store.arrays<(string | null)[]>(texts)) {
        const numbers = found.map((text, place) => [amounts[place]!, text === null ? null : Number(text)])
        exact.set(id!, Object.fromEntries(numbers))
      }
    }
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const { detail, ...transaction } of listed) {
      const { ownerCiks, roles, tradeDateAsFiled, tradeDate, ...row } = byId.get(transaction.id)!
      const isPriced = detail.priceStatus !== 'footnote_only'
      const { tradeDate: asFiled, coOwners, ...others } = detail
      assert.deepEqual(
        {
          ...{ ...row, ...exact.get(transaction.id) },
          filingDate: `${row.filingDate.toISOString().slice(0, 19)}Z`,
          previousBuyDate: row.previousBuyDate?.toISOString().slice(0, 10) ?? null,
        },
        {
          ...transaction,
          ...others,
          coOwners: coOwners.map(({ cik, name, title }: any) => `${cik} ${[name, title].filter(Boolean).join(', ')}`),
          pricePerShare: isPriced ? transaction.pricePerShare : null,
          totalValue: isPriced ? transaction.totalValue : null,
        },
        transaction.id,
      )
      assert.strictEqual(tradeDateAsFiled, asFiled)
      const day = tradeDate === null ? null : tradeDate.toISOString().slice(0, 10)
      assert.strictEqual(day, detail.tradeDateStatus === 'plausible' ? asFiled.slice(0, 10) : null, transaction.id)
      assert.include(ownerCiks, detail.insiderCik)
      assert.isTrue(roles.every((role: string) => /^[a-z_]+$/.test(role)))
    }
    const months = new Map((await filesOf(service, 'transactions')).map(({ period, rows: count }) => [period, count]))
    for (const [month, count] of months)
      assert.lengthOf(
        listed.filter(({ filingDate }) => filingDate.startsWith(month)),
        count,
      )
  })

  it('hold exactly the filings that the API lists', async () => {
    const listed: any[] = []
    for (let cursor: string | undefined; ;) {
      const found: any = await service.queries.filings({ limit: 100, ...(cursor && { cursor }) })
      const page = found.page.value
      listed.push(...page.filings)
      if (!page.hasMore) break
      cursor = page.nextCursor
    }
    const rows = await rowsOf(service, await filesOf(service, 'filings'))
    const seen = await service.pool.query('SELECT accession, first_seen_at AS at FROM filings')
    const seenAt = new Map(seen.rows.map(({ accession, at }) => [accession, Math.floor(Number(at) / 1000)]))
    assert.strictEqual(rows.length, listed.length)
    const byNumber = new Map(rows.map((row) => [row.accessionNumber, row]))
    for (const { owners, ticker: _, filingDateBasis: __, ...filing } of listed) {
      const { symbols: ___, seenAt: at, ownerCiks, ownerNames, ...row } = byNumber.get(filing.accessionNumber)!
      assert.deepEqual({ ...row, filingDate: `${row.filingDate.toISOString().slice(0, 19)}Z` }, filing)
      assert.deepEqual(
        ownerCiks.map((cik: string, place: number) => ({ cik, name: ownerNames[place] })),
        owners,
        filing.accessionNumber,
      )
      assert.strictEqual(at.getTime() / 1000, seenAt.get(filing.accessionNumber))
    }
  })

  it('hold all transactions of Table II and all holdings of real filings, each field as known', async function () {
    if (!haveRealFilings) this.skip()
    const known = truth()
    const invented = new Set(documentsIn(FIXTURES).map(({ path, text }) => numberOfFiling(path, text)))
    const isReal = (number: string) => !invented.has(number)
    const found = {
      derivatives: byFiling(await shownRowsOf(service, 'derivatives')),
      holdings: byFiling(await shownRowsOf(service, 'holdings')),
    }
    const recorded = await service.pool.query(
      `SELECT accession, extract(epoch FROM filed_at)::int AS at, filed_basis AS basis
       FROM filings WHERE status = 'projected'`,
    )
    const ledger = new Map(recorded.rows.filter((row) => isReal(row.accession)).map((row) => [row.accession, row]))
    const seen = new Set<string>()

    for (const { path, text } of documentsIn(documentsFolder)) {
      const number = numberOfFiling(path, text)
      const facts = ledger.get(number)
      // A bare document gives way to the submission that it was cut from.
      if (!facts) continue
      seen.add(number)
      const filing = known[path] as any
      const shared = {
        accessionNumber: number,
        form: filing.formType,
        source: 'document',
        filingDate: timestampOf(facts.at),
        filingDateBasis: facts.basis,
        issuerCik: filing.issuer.cik,
        companyName: filing.issuer.name,
        symbols: cleanSymbols(filing.issuer.tickerRaw),
        ownerCiks: filing.owners.map(({ cik }: Row) => cik),
        ownerNames: filing.owners.map(({ name }: Row) => name),
      }
      const transactions = filing.derivative.filter(({ kind }: Row) => kind.endsWith('Transaction'))
      assert.deepEqual(
        (found.derivatives.get(number) ?? []).map(withoutNotes),
        transactions.map((row: Row, index: number) => ({
          ...shared,
          place: index + 1,
          ...optionsOf(row),
          ...tradedOf(row),
          ...heldOf(row),
        })),
        path,
      )
      const held = (
        [
          ['non-derivative', filing.nonDerivative],
          ['derivative', filing.derivative],
        ] as const
      ).flatMap(([table, rows]) =>
        rows
          .filter(({ kind }: Row) => kind.endsWith('Holding'))
          .map((row: Row, index: number) => ({
            ...shared,
            table,
            place: index + 1,
            ...optionsOf(row),
            ...heldOf(row),
          })),
      )
      assert.deepEqual((found.holdings.get(number) ?? []).map(withoutNotes), held, path)
      for (const [place, row] of (found.derivatives.get(number) ?? []).entries()) {
        const notes = transactions[place]
        assert.strictEqual(row.footnoted.includes('exerciseDate'), notes.exerciseDateFn.length > 0, path)
        assert.strictEqual(row.footnoted.length > 0, notes.allFn.length > 0, path)
      }
    }
    assert.isAbove(seen.size, 150)
    assert.strictEqual(seen.size, ledger.size)
    for (const rows of Object.values(found))
      for (const number of rows.keys()) assert.strictEqual(seen.has(number), isReal(number), number)
  })

  it('hold each notice of a proposed sale, as the API gives it', async () => {
    const seller = { cik: '0001999101', name: '<b>Ada</b>' }
    await service.record(
      { path: '0001999201-26-000001.txt', text: noticeSubmission({ accession: '0001999201-26-000001', seller }) },
      {
        path: '0001999201-26-000002.txt',
        text: noticeSubmission({ accession: '0001999201-26-000002', lines: [{ units: null }, { marketValue: '5' }] }),
      },
    )
    await service.linkNotices()
    await service.container.get(TYPES.makeExports)(() => {})
    const { page } = await service.textQueries.notices({ limit: 10 })
    const rows = await rowsOf(service, await filesOf(service, 'notices'))
    assert.lengthOf(rows, 2)
    for (const [place, notice] of page.value.notices.entries()) {
      const { filingDate, windowEnd, saleDate, ...row } = rows[place]!
      assert.strictEqual(`${filingDate.toISOString().slice(0, 19)}Z`, notice.filingDate)
      assert.deepEqual(
        [windowEnd, saleDate].map((day: Date) => day.toISOString().slice(0, 10)),
        [notice.windowEnd, notice.saleDate],
      )
      assert.deepInclude(row, {
        accessionNumber: notice.accessionNumber,
        sellerName: notice.seller.name,
        relationships: notice.seller.relationships,
        units: notice.units,
        plausibleValue: notice.valueStatus === 'plausible' ? notice.marketValue : null,
        reportedUnits: notice.reportedUnits,
        sales: [],
        group: null,
      })
    }
  })

  it('hold each symbol that was filed and each issuer, as profiles have them', async () => {
    const [symbols, companies] = [
      await rowsOf(service, await filesOf(service, 'symbols')),
      await rowsOf(service, await filesOf(service, 'companies')),
    ]
    const filings = await rowsOf(service, await filesOf(service, 'filings'))
    assert.sameMembers(
      companies.map(({ issuerCik }) => issuerCik),
      [...new Set(filings.map(({ issuerCik }) => issuerCik))],
    )
    const typed = filings.flatMap((filing) => filing.symbols.map((symbol: string) => `${filing.issuerCik} ${symbol}`))
    assert.sameMembers(
      symbols.map(({ issuerCik, symbol }) => `${issuerCik} ${symbol}`),
      [...new Set(typed)],
    )
    for (const { issuerCik, symbol, filings: count } of symbols)
      assert.strictEqual(count, typed.filter((each) => each === `${issuerCik} ${symbol}`).length)
    for (const { issuerCik, sector, exchange, filings: count } of companies) {
      const profile = (await service.queries.company(`CIK${issuerCik}`))!
      assert.deepEqual({ sector, exchange }, { sector: profile.sector, exchange: profile.exchange }, issuerCik)
      assert.lengthOf(
        filings.filter((filing) => filing.issuerCik === issuerCik),
        count,
      )
    }
  })

  it('are read by the engine as well, with the types that the manifest says', async () => {
    const { datasets } = await manifest()
    const types: Record<string, string> = {
      string: 'Nullable(String)',
      boolean: 'Bool',
      int32: 'Int32',
      double: 'Nullable(Float64)',
      date: 'Nullable(Date32)',
      'timestamp(ms, UTC)': `Nullable(DateTime64(3, 'UTC'))`,
      'decimal(18,4)': 'Nullable(Decimal(18, 4))',
      'decimal(38,2)': 'Nullable(Decimal(38, 2))',
      'list<string>': 'Array(String)',
    }
    for (const { columns, files } of datasets) {
      const path = folder().pathOf(files[0]!.path)
      const described = await service.store.rows<{ name: string; type: string }>(sql`DESCRIBE file(${path})`)
      assert.deepEqual(
        described.map(({ name, type }) => [
          name,
          type.replace('Nullable(Bool)', 'Bool').replace('Nullable(Int32)', 'Int32'),
        ]),
        columns.map(({ name, type }) => [name, types[type]]),
      )
    }
  })

  it('are left as they are where nothing changed', async () => {
    const before = await manifest()
    now += 60_000
    const { changed, files, steps } = await make()
    assert.strictEqual(changed, 0)
    assert.isAbove(steps, files)
    assert.deepEqual((await manifest()).datasets, before.datasets)
    assert.deepEqual((await manifest()).retired, [])
  })

  it('are complete where the month is over and every day of it was compared with the daily index', async () => {
    const completeIn = async (dataset: 'transactions' | 'holdings' | 'notices' = 'transactions') => {
      await make()
      return (await filesOf(service, dataset)).filter(({ complete }) => complete).map(({ period }) => period)
    }
    const text = noticeSubmission({ accession: '0001999201-26-000003', acceptedAt: '20261110163005' })
    await service.record({ path: '0001999201-26-000003.txt', text })
    await service.linkNotices()
    assert.deepEqual(await completeIn(), [])
    await service.pool.query(
      `INSERT INTO index_days (day, listed, known)
       SELECT day::date, 3, 3 FROM generate_series('2026-10-30'::date, '2026-12-02'::date, interval '1 day') AS day`,
    )
    assert.deepEqual(await completeIn(), ['2026-11'])
    assert.notInclude(await completeIn('holdings'), '2026-11', 'Forms 3 and 5 were not compared')
    assert.deepEqual(await completeIn('notices'), [], 'Forms 144 were not compared')
    await service.pool.query(`UPDATE index_days SET other_listed = 1, other_known = 1, forms = '{}'`)
    assert.include(await completeIn('holdings'), '2026-11')
    assert.deepEqual(await completeIn('notices'), [], 'Forms 144 were not followed')
    await service.pool.query(`UPDATE index_days SET forms = '{"144": {"listed": 1, "known": 1}}'`)
    assert.deepEqual(await completeIn('notices'), ['2026-11'])
    await service.pool.query(`UPDATE index_days SET other_known = 0 WHERE day = '2026-11-30'`)
    assert.notInclude(await completeIn('holdings'), '2026-11', 'a Form 3 is missing')
    assert.deepEqual(await completeIn(), ['2026-11'])
    await service.pool.query(`UPDATE index_days SET known = 2 WHERE day = '2026-11-30'`)
    assert.deepEqual(await completeIn(), [])
    await service.pool.query('DELETE FROM index_days')
  })

  it('are complete only with the day before the month, whose late filings are in it by UTC', async () => {
    const record = new PostgresExportRecord(service.pool)
    const load = (quarter: string) =>
      service.pool.query(`INSERT INTO data_sets (quarter, sha256, source, status) VALUES ($1, '', '', 'loaded')`, [
        quarter,
      ])
    const compare = (from: string, to: string) =>
      service.pool.query(
        `INSERT INTO index_days (day, listed, known, other_listed, other_known, forms)
         SELECT day::date, 3, 3, 1, 1, '{"144": {"listed": 1, "known": 1}}'
         FROM generate_series($1::date, $2::date, interval '1 day') AS day`,
        [from, to],
      )
    const whole = async (month: string) => {
      const [found] = await record.wholeMonths([month])
      return found ? Object.values(found).slice(1) : null
    }
    try {
      // Of 31 December 2005, a Saturday, there is no filing.
      await load('2006q1')
      assert.deepEqual(await whole('2006-01'), [true, false])
      // 30 September 2024 was a Monday.
      await load('2024q4')
      assert.isNull(await whole('2024-10'))
      assert.deepEqual(await whole('2024-11'), [true, false])
      await compare('2024-09-30', '2024-10-01')
      assert.deepEqual(await whole('2024-10'), [true, false])
      await service.pool.query('UPDATE index_days SET other_known = 0')
      assert.deepEqual(await whole('2024-10'), [false, false])
      await service.pool.query('UPDATE index_days SET known = 2')
      assert.isNull(await whole('2024-10'))
      await load('2024q3')
      assert.deepEqual(await whole('2024-10'), [true, false])

      // 31 December 2024 was a Tuesday.
      await service.pool.query('DELETE FROM index_days')
      await compare('2025-01-01', '2025-03-03')
      assert.deepEqual(await whole('2025-01'), [true, false])
      await service.pool.query(`DELETE FROM data_sets WHERE quarter = '2024q4'`)
      assert.isNull(await whole('2025-01'))
      assert.deepEqual(await whole('2025-02'), [true, true])
      await compare('2024-12-31', '2024-12-31')
      assert.deepEqual(await whole('2025-01'), [true, true])
      await service.pool.query(`UPDATE index_days SET forms = '{}' WHERE day = '2024-12-31'`)
      assert.deepEqual(await whole('2025-01'), [true, false])
      await service.pool.query(`UPDATE index_days SET known = 2 WHERE day = '2024-12-31'`)
      assert.isNull(await whole('2025-01'))
    } finally {
      await service.pool.query('DELETE FROM index_days')
      await service.pool.query('DELETE FROM data_sets WHERE quarter IN ($1, $2, $3)', ['2006q1', '2024q3', '2024q4'])
    }
  })

  nightly('have the same bytes after a rebuild', async () => {
    const before = await manifest()
    await service.container.get(TYPES.rebuild)(() => {})
    const { changed } = await make()
    assert.strictEqual(changed, 0)
    const shas = ({ datasets }: ExportManifest) => datasets.flatMap(({ files }) => files.map(({ path }) => path))
    assert.deepEqual(shas(await manifest()), shas(before))
  })

  it('change in exactly the month of a row that changed, and keep what was there for 30 days', async () => {
    const before = await manifest()
    const month = '2026-11'
    const old = (await filesOf(service, 'transactions')).find(({ period }) => period === month)!
    const revised = readFileSync(join(FIXTURES, '0001999001-26-000001.txt'), 'utf8')
      .replaceAll('26-000001', '26-000077')
      .replace('<value>60000</value>', '<value>60100</value>')
    now += 60_000
    await service.take({ path: 'revised.txt', text: revised })
    await service.detectSignals()
    assert.isAbove((await make()).changed, 0)
    const after = await manifest()
    const ofFilings = after.datasets.filter(({ name }) => /^(transactions|transaction-versions|filings)$/.test(name))
    assert.lengthOf(ofFilings, 3)
    for (const { name, files } of ofFilings) {
      const changed = files.filter(
        ({ path }) => !before.datasets.some((each) => each.files.some((file) => file.path === path)),
      )
      assert.deepEqual(
        changed.map(({ period }) => period),
        [month],
        name,
      )
      assert.strictEqual(changed[0]!.changedAt, after.madeAt)
    }
    assert.include(
      after.retired.map(({ path }) => path),
      old.path,
    )
    assert.isTrue(existsSync(folder().pathOf(old.path)))
    now += 31 * 86_400_000
    await make()
    assert.isFalse(existsSync(folder().pathOf(old.path)))
    assert.deepEqual((await manifest()).retired, [])
  })

  it('are made again where one was removed, and what a killed run left is swept', async () => {
    const [file] = await filesOf(service, 'companies')
    const { rmSync, utimesSync, writeFileSync } = await import('node:fs')
    rmSync(folder().pathOf(file!.path))
    const left = ['transactions/2026-11.0123456789abcdef.parquet', `${file!.path}.1.part`, 'companies/notes.txt']
    for (const path of left) writeFileSync(folder().pathOf(path), 'x')
    // An earlier version named it; nobody has written it for two hours.
    const hoursAgo = Date.now() / 1_000 - 7_200
    utimesSync(folder().pathOf(left[1]!), hoursAgo, hoursAgo)
    assert.strictEqual((await make()).changed, 0)
    assert.isTrue(existsSync(folder().pathOf(file!.path)))
    assert.deepEqual(
      left.map((path) => existsSync(folder().pathOf(path))),
      [false, false, true],
    )
  })
})

function numberOfFiling(path: string, text: string): string {
  const read = readDocument(Buffer.from(text), path)
  return accessionInPath(path) ?? (read.kind === 'filing' ? read.filing.accession : '')
}

function byFiling(rows: Row[]): Map<string, Row[]> {
  return Map.groupBy(rows, ({ accessionNumber }) => accessionNumber)
}

function withoutNotes({ footnoted: _, url, ...row }: Row): Row {
  const expected = row.accessionNumber.startsWith('local-') ? null : new RegExp(`/${row.accessionNumber}-index.htm$`)
  if (expected === null) assert.isNull(url)
  else assert.match(url, expected)
  return row
}

const numberOf = (text: string | null | undefined) => (text === null || text === undefined ? null : Number(text))
const dayOf = (date: string | null | undefined) =>
  date && isRealDate(date) && date >= '1900' && date < '2300' ? date : null

function optionsOf(row: Row): Row {
  return {
    conversionPrice: numberOf(row.conversionPrice),
    exerciseDate: dayOf(row.exerciseDate),
    exerciseDateAsFiled: row.exerciseDate ?? null,
    expirationDate: dayOf(row.expirationDate),
    expirationDateAsFiled: row.expirationDate ?? null,
    underlyingTitle: row.underlyingTitle ?? null,
    underlyingShares: numberOf(row.underlyingShares),
    underlyingValue: numberOf(row.underlyingValue),
  }
}

function tradedOf(row: Row): Row {
  return {
    tradeDate: row.date,
    tradeDateAsFiled: row.date,
    deemedExecutionDate: row.deemedExecutionDate,
    deemedExecutionDateAsFiled: row.deemedExecutionDate,
    transactionCode: row.code,
    equitySwap: row.equitySwap,
    timeliness: row.timeliness,
    shares: numberOf(row.shares),
    pricePerShare: numberOf(row.price),
    totalValue: numberOf(row.totalValue),
    acquiredDisposed: row.ad,
  }
}

function heldOf(row: Row): Row {
  return {
    securityTitle: row.securityTitle,
    transactionFormType: row.formType,
    sharesOwnedAfter: numberOf(row.sharesAfter),
    valueOwnedAfter: numberOf(row.valueAfter),
    ownership: row.directIndirect === 'D' ? 'direct' : 'indirect',
    natureOfOwnership: row.nature,
  }
}
