// The least that loading a data set can be: bare INSERT SELECTs that join the files into the same tables. No checks, no
// names, nothing decided about a row, no ledger, no rejects, no signals.
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { Sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { createTables } from '../../../src/infrastructure/clickhouse/create-tables.ts'
import { timed } from './measure.ts'

/** Opens an empty store. `load` loads the files of a folder, which ends with a slash, and returns the seconds. */
export async function openBare(
  path: string,
): Promise<{ load(files: string): Promise<number>; close(): Promise<void> }> {
  const store = await ClickHouse.open({ path, database: 'bench' })
  await createTables(store)
  return { load: (files) => timed(() => loadBare(store, files)), close: () => store.close() }
}

/** Loads the files of the folder into the tables of transactions and filings. */
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
    new Sql(`INSERT INTO directory (kind, key, filed_at, accession, issuer_cik, name, form, symbols, sector, version,
      deleted)
    SELECT e.1, e.2, filed_at, accession, issuer_cik, e.3, form, [symbol], 'Unknown', 1, 0 FROM (${filings})
    ARRAY JOIN arrayConcat([('issuer', leftPad(toString(issuer_cik), 10, '0'), company_name), ('symbol', symbol, '')],
      arrayMap(owner -> ('owner', leftPad(toString(owner.1), 10, '0'), owner.2), owners)) AS e ${settings.text}`),
  )
  await store.command(
    new Sql(`INSERT INTO filing_lists (key, issuer_cik, form, name, symbols, owner_ciks, version, deleted)
    SELECT concat(list, ':', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession), issuer_cik, form,
      company_name, [symbol], arrayMap(owner -> owner.1, owners), 1, 0 FROM (${filings})
    ARRAY JOIN arrayConcat(['f', concat('c', leftPad(toString(issuer_cik), 10, '0'))],
      arrayMap(owner -> concat('i', leftPad(toString(owner.1), 10, '0')), owners)) AS list ${settings.text}`),
  )
  const joined = `SELECT f.*, toUInt32(NONDERIV_TRANS_SK) AS sk, concat(accession, '-ds-', NONDERIV_TRANS_SK) AS id,
        SECURITY_TITLE AS title, TRANS_DATE AS date, TRANS_CODE AS code,
        toDecimal64OrZero(TRANS_SHARES, 4) AS shares, toDecimal64OrZero(TRANS_PRICEPERSHARE, 4) AS price,
        round(toDecimal128(shares, 4) * price, 2) AS value, TRANS_ACQUIRED_DISP_CD AS ad,
        toDecimal64OrNull(SHRS_OWND_FOLWNG_TRANS, 4) AS after, DIRECT_INDIRECT_OWNERSHIP AS di,
        arrayMap(owner -> leftPad(toString(owner.1), 10, '0'), owners) AS ciks
      FROM ${trades} AS r
      INNER JOIN (${filings}) AS f ON r.ACCESSION_NUMBER = f.accession`
  const transaction = `toJSONString(map('id', id, 'ticker', symbol, 'companyName', company_name, 'insiderName',
      owners[1].2, 'insiderTitle', owners[1].3, 'shares', toString(shares), 'pricePerShare', toString(price),
      'totalValue', toString(value), 'filingDate', toString(filed_at)))`
  const detail = `toJSONString(map('accessionNumber', accession, 'transactionCode', code, 'acquiredDisposed', ad,
      'ownership', di, 'tradeDate', date, 'sharesOwnedAfter', toString(after), 'issuerCik', toString(issuer_cik),
      'insiderCik', ciks[1], 'form', form, 'securityTitle', title))`
  await store.command(
    new Sql(`INSERT INTO transaction_lists (key, issuer_cik, transaction, detail, side_cik, side_name, side_title,
      ticker, type, code, total_value, shares, significance, trade_day, version, deleted)
    SELECT concat(list, ':', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession, ' ', leftPad(hex(sk), 8, '0')),
      issuer_cik, ${transaction}, ${detail}, owners[1].1, owners[1].2, owners[1].3, symbol, 'buy', code, value, shares,
      'low', filed_day, 1, 0 FROM (${joined})
    ARRAY JOIN arrayConcat(['f', concat('c', leftPad(toString(issuer_cik), 10, '0'))],
      arrayMap(cik -> concat('i', cik), ciks)) AS list ${settings.text}`),
  )
  await store.command(
    new Sql(`INSERT INTO transactions (filed_at, accession, n, issuer_cik, listed, id, ticker, companyName, insiderName,
      insiderTitle, transactionType, shares, pricePerShare, totalValue, filingDate, significance, accessionNumber,
      transactionCode, acquiredDisposed, ownership, tradeDate, tradeDateAsFiled, sharesOwnedAfter, issuerCik,
      insiderCik, form, securityTitle, ownerCiks, version, deleted)
    SELECT filed_at, accession, sk, issuer_cik, true, id, symbol, company_name, owners[1].2, owners[1].3, 'buy', shares,
      price, value, filed_at, 'low', accession, code, ad, di, filed_day, date, after, toString(issuer_cik), ciks[1],
      form, title, ciks, 1, 0 FROM (${joined}) ${settings.text}`),
  )
  await store.command(
    new Sql(`INSERT INTO trades (issuer_cik, filed_at, accession, n, id, ticker, code, acquired_disposed, filed_basis,
      whole, version, deleted)
    SELECT issuer_cik, filed_at, accession, sk, id, symbol, code, ad, 'filed-date',
      concat(${transaction}, ${detail}), 1, 0 FROM (${joined}) ${settings.text}`),
  )
}
