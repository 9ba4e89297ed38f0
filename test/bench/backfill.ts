// Rows per second of loading a data set, beside a bare INSERT SELECT that joins the same files into the same tables: no
// checks, no names, no judging, no ledger, no rejects. ROWS=2000000. One JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContainer } from '../../src/container/container.ts'
import { TYPES } from '../../src/container/tokens.ts'
import { loadQuarter } from '../../src/application/data-sets/load-quarter.ts'
import { ClickHouse } from '../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../src/infrastructure/clickhouse/connection/migrate.ts'
import { Sql, sql } from '../../src/infrastructure/clickhouse/connection/sql.ts'
import { DataSetArchive } from '../../src/infrastructure/edgar/data-sets/archive.ts'
import { ensureStores } from '../../src/infrastructure/embedded/stores.ts'
import { migratePostgres } from '../../src/infrastructure/postgres/migrate.ts'
import { openPool } from '../../src/infrastructure/postgres/pool.ts'
import { writeInventedDataSet } from '../support/edgar/invented/data-set.ts'
import { printBench } from './measure.ts'

const ROWS = Number(process.env.ROWS ?? 2_000_000)
const QUARTER = '2024q3'

const folder = mkdtempSync(join(tmpdir(), 'bench-backfill-'))
const stores = await ensureStores({ dataDir: folder, databaseUrl: null, redisUrl: null })
const pool = openPool({ url: stores.databaseUrl, name: 'bench' })
const options = { path: join(folder, 'clickhouse'), database: 'bench', historyDir: join(folder, 'history') }
const store = await ClickHouse.open(options)
let peak = 0
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 20)
try {
  await migratePostgres(pool)
  await migrateClickHouse(store)
  await writeInventedDataSet({ folder: join(folder, 'history'), quarter: QUARTER, rows: ROWS, seed: 1 })
  const container = createContainer({ pool, analytics: { ...options, clickHouse: store } })
  const kept = new DataSetArchive(join(folder, 'history'))
  const timed = async (work: () => Promise<unknown>) => {
    const begun = performance.now()
    await work()
    return performance.now() - begun
  }
  const figures = { bare: 0, load: 0, withUnpacking: 0, peak: 0 }
  const begun = performance.now()
  await kept.open(QUARTER, async (set) => {
    const unpacking = performance.now() - begun
    const history = container.get(TYPES.dataSetContext)
    figures.bare = await timed(() => bare(set.files.NONDERIV_TRANS.path.replace(/[^/]+$/, '')))
    await store.command(sql`TRUNCATE TABLE trades`)
    await store.command(sql`TRUNCATE TABLE directory`)
    await history.sets.begin(set.quarter, set.sha256, set.source)
    peak = 0
    figures.load = await timed(() => loadQuarter(history, set, () => {}))
    figures.peak = peak
    figures.withUnpacking = figures.load + unpacking
  })
  const perSecond = (milliseconds: number) => ROWS / (milliseconds / 1000)
  printBench('backfill', {
    rows: ROWS,
    rowsPerSecond: {
      loaded: perSecond(figures.load),
      bare: perSecond(figures.bare),
      withUnpacking: perSecond(figures.withUnpacking),
    },
    ratios: { loadedToBare: figures.bare / figures.load },
    peakMiB: figures.peak / 2 ** 20,
  })
} finally {
  clearInterval(watch)
  await store.close()
  await pool.end()
  await stores.release()
  rmSync(folder, { recursive: true, force: true })
}

async function bare(files: string): Promise<void> {
  // In the other copies these columns are empty, as ours are.
  const ofIssuer = (value: string) => `if(c.1 = 'issuer', ${value}, defaultValueOfTypeName(toTypeName(${value})))`
  const settings = new Sql(`SETTINGS max_execution_time = 0, max_threads = 2, max_memory_usage = 3000000000,
    min_insert_block_size_rows = 65536, min_insert_block_size_bytes = 0, input_format_skip_unknown_fields = 1`)
  const read = (name: string, columns: string) =>
    `file('${files}${name}.tsv', 'TSVRawWithNames', '${columns
      .split(' ')
      .map((column) => `${column} String`)
      .join(', ')}')`
  const day = (text: string) => `toDate32(parseDateTime(${text}, '%d-%b-%Y'))`
  const filings = `SELECT s.ACCESSION_NUMBER AS accession, DOCUMENT_TYPE AS form, ${day('FILING_DATE')} AS filed_day,
      toDateTime(concat(toString(filed_day), ' 22:00:00'), 'America/New_York') AS filed_at, toUInt64(ISSUERCIK) AS issuer_cik,
      ISSUERNAME AS company_name, ISSUERTRADINGSYMBOL AS symbol, DATE_OF_ORIG_SUB AS original_date, owners
    FROM ${read('SUBMISSION', 'ACCESSION_NUMBER FILING_DATE DATE_OF_ORIG_SUB DOCUMENT_TYPE ISSUERCIK ISSUERNAME ISSUERTRADINGSYMBOL')} AS s
    INNER JOIN (SELECT ACCESSION_NUMBER, groupArray((toUInt64(RPTOWNERCIK), RPTOWNERNAME, RPTOWNER_TITLE)) AS owners
      FROM ${read('REPORTINGOWNER', 'ACCESSION_NUMBER RPTOWNERCIK RPTOWNERNAME RPTOWNER_TITLE')} GROUP BY ACCESSION_NUMBER) AS o
      ON s.ACCESSION_NUMBER = o.ACCESSION_NUMBER`
  await store.command(
    new Sql(`INSERT INTO directory (kind, key, filed_at, accession, issuer_cik, name, form, symbols, sector, version, deleted)
    SELECT e.1, e.2, filed_at, accession, issuer_cik, e.3, form, [symbol], 'Unknown', 1, 0 FROM (${filings})
    ARRAY JOIN arrayConcat([('issuer', leftPad(toString(issuer_cik), 10, '0'), company_name), ('symbol', symbol, '')],
      arrayMap(owner -> ('owner', leftPad(toString(owner.1), 10, '0'), owner.2), owners)) AS e ${settings.text}`),
  )
  await store.command(
    new Sql(`INSERT INTO trades (path, subject, filed_at, accession, n, id, issuer_cik, ticker, company_name, insider_name,
      insider_title, type, shares, price, total_value, significance, ceo_cfo, price_status, code, acquired_disposed, direct_indirect,
      trade_date, trade_day, shares_after, filed_basis, plan, owner_title, insider_cik, listed, profile_ciks, price_filed, security_title,
      symbols, amendment, original_date, filed_day, owner_ciks, owner_names, owner_titles, owner_roles, version, deleted)
    SELECT c.1, c.2, filed_at, accession, sk, concat(accession, '-ds-', toString(sk)), issuer_cik, symbol, company_name, owners[1].2,
      owners[1].3, 'buy', shares, price, round(toDecimal128(shares, 4) * price, 2), 'low', false, 'as_filed', code, ad, di, date,
      filed_day, after, 'filed-date', 'unknown', c.3, ${[
        'owners[1].1',
        'true',
        'arrayMap(owner -> owner.1, owners)',
        'price',
        'title',
        '[symbol]',
        `form = '4/A'`,
        'original_date',
        'filed_day',
        'arrayMap(owner -> owner.1, owners)',
        'arrayMap(owner -> owner.2, owners)',
        'arrayMap(owner -> owner.3, owners)',
        'arrayMap(owner -> 1, owners)',
      ]
        .map(ofIssuer)
        .join(', ')}, 1, 0
    FROM (SELECT f.*, toUInt32(NONDERIV_TRANS_SK) AS sk, SECURITY_TITLE AS title, TRANS_DATE AS date, TRANS_CODE AS code,
        toDecimal64OrZero(TRANS_SHARES, 4) AS shares, toDecimal64OrZero(TRANS_PRICEPERSHARE, 4) AS price, TRANS_ACQUIRED_DISP_CD AS ad,
        toDecimal64OrNull(SHRS_OWND_FOLWNG_TRANS, 4) AS after, DIRECT_INDIRECT_OWNERSHIP AS di
      FROM ${read('NONDERIV_TRANS', 'ACCESSION_NUMBER NONDERIV_TRANS_SK SECURITY_TITLE TRANS_DATE TRANS_CODE TRANS_SHARES TRANS_PRICEPERSHARE TRANS_ACQUIRED_DISP_CD SHRS_OWND_FOLWNG_TRANS DIRECT_INDIRECT_OWNERSHIP')} AS r
      INNER JOIN (${filings}) AS f ON r.ACCESSION_NUMBER = f.accession)
    ARRAY JOIN arrayConcat([('feed', toUInt64(0), ''), ('issuer', issuer_cik, '')],
      arrayMap(owner -> ('insider', owner.1, owner.3), owners)) AS c ${settings.text}`),
  )
}
