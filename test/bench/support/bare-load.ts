// The least that loading a data set can be: a bare INSERT SELECT that joins the files into the same tables. No checks,
// no names, nothing decided about a row, no ledger, no rejects, no signals.
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { Sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { timed } from './measure.ts'

/** Opens an empty store. `load` loads the files of a folder, which ends with a slash, and returns the seconds. */
export async function openBare(
  path: string,
): Promise<{ load(files: string): Promise<number>; close(): Promise<void> }> {
  const store = await ClickHouse.open({ path, database: 'bench' })
  await migrateClickHouse(store)
  return { load: (files) => timed(() => loadBare(store, files)), close: () => store.close() }
}

/** Loads the files of the folder into `trades` and `directory`. */
async function loadBare(store: ClickHouse, files: string): Promise<void> {
  const settings = new Sql(`SETTINGS max_execution_time = 0, max_threads = 2, max_memory_usage = 3000000000,
    min_insert_block_size_rows = 65536, min_insert_block_size_bytes = 0, max_block_size = 32768,
    input_format_skip_unknown_fields = 1`)
  const read = (name: string, columns: string) =>
    `file('${files}${name}.tsv', 'TSVRawWithNames', '${columns
      .split(' ')
      .map((column) => `${column} String`)
      .join(', ')}')`
  const day = (text: string) => `toDate32(parseDateTime(${text}, '%d-%b-%Y'))`
  const submissions = read(
    'SUBMISSION',
    'ACCESSION_NUMBER FILING_DATE DATE_OF_ORIG_SUB DOCUMENT_TYPE ISSUERCIK ISSUERNAME ISSUERTRADINGSYMBOL',
  )
  const owners = read('REPORTINGOWNER', 'ACCESSION_NUMBER RPTOWNERCIK RPTOWNERNAME RPTOWNER_TITLE')
  const trades = read(
    'NONDERIV_TRANS',
    'ACCESSION_NUMBER NONDERIV_TRANS_SK SECURITY_TITLE TRANS_DATE TRANS_CODE TRANS_SHARES TRANS_PRICEPERSHARE ' +
      'TRANS_ACQUIRED_DISP_CD SHRS_OWND_FOLWNG_TRANS DIRECT_INDIRECT_OWNERSHIP',
  )
  const filings = `SELECT s.ACCESSION_NUMBER AS accession, DOCUMENT_TYPE AS form, ${day('FILING_DATE')} AS filed_day,
      toDateTime(concat(toString(filed_day), ' 22:00:00'), 'America/New_York') AS filed_at,
      toUInt64(ISSUERCIK) AS issuer_cik, ISSUERNAME AS company_name, ISSUERTRADINGSYMBOL AS symbol,
      DATE_OF_ORIG_SUB AS original_date, owners
    FROM ${submissions} AS s
    INNER JOIN (SELECT ACCESSION_NUMBER, groupArray((toUInt64(RPTOWNERCIK), RPTOWNERNAME, RPTOWNER_TITLE)) AS owners
      FROM ${owners} GROUP BY ACCESSION_NUMBER) AS o ON s.ACCESSION_NUMBER = o.ACCESSION_NUMBER`
  await store.command(
    new Sql(`INSERT INTO incoming_directory (kind, key, filed_at, accession, issuer_cik, name, form, symbols, sector,
      version, deleted)
    SELECT e.1, e.2, filed_at, accession, issuer_cik, e.3, form, [symbol], 'Unknown', 1, 0 FROM (${filings})
    ARRAY JOIN arrayConcat([('issuer', leftPad(toString(issuer_cik), 10, '0'), company_name), ('symbol', symbol, '')],
      arrayMap(owner -> ('owner', leftPad(toString(owner.1), 10, '0'), owner.2), owners)) AS e ${settings.text}`),
  )
  await store.command(
    new Sql(`INSERT INTO incoming_trades (path, subject, filed_at, accession, n, id, issuer_cik, ticker, company_name,
      insider_name, insider_title, type, shares, price, total_value, significance, ceo_cfo, price_status, code,
      acquired_disposed, direct_indirect, trade_date, trade_day, shares_after, filed_basis, plan, insider_cik, listed,
      profile_ciks, price_filed, security_title, symbols, amendment, original_date, filed_day, owner_ciks, owner_names,
      owner_titles, owner_roles, version, deleted)
    SELECT 'issuer', issuer_cik, filed_at, accession, sk, concat(accession, '-ds-', toString(sk)), issuer_cik, symbol,
      company_name, owners[1].2, owners[1].3, 'buy', shares, price, round(toDecimal128(shares, 4) * price, 2), 'low',
      false, 'as_filed', code, ad, di, date, filed_day, after, 'filed-date', 'unknown', owners[1].1, true,
      arrayMap(owner -> owner.1, owners), price, title, [symbol], form = '4/A', original_date, filed_day,
      arrayMap(owner -> owner.1, owners), arrayMap(owner -> owner.2, owners), arrayMap(owner -> owner.3, owners),
      arrayMap(owner -> 1, owners), 1, 0
    FROM (SELECT f.*, toUInt32(NONDERIV_TRANS_SK) AS sk, SECURITY_TITLE AS title, TRANS_DATE AS date,
        TRANS_CODE AS code, toDecimal64OrZero(TRANS_SHARES, 4) AS shares,
        toDecimal64OrZero(TRANS_PRICEPERSHARE, 4) AS price, TRANS_ACQUIRED_DISP_CD AS ad,
        toDecimal64OrNull(SHRS_OWND_FOLWNG_TRANS, 4) AS after, DIRECT_INDIRECT_OWNERSHIP AS di
      FROM ${trades} AS r
      INNER JOIN (${filings}) AS f ON r.ACCESSION_NUMBER = f.accession) ${settings.text}`),
  )
}
