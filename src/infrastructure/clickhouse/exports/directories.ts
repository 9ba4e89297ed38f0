// The datasets `symbols` and `companies`, one file each: the symbols that filings state, by issuer and time, and the
// names and sectors of issuers.
import { sql, type Sql } from '../connection/sql.ts'
import { column, columnsSql, PARQUET, type Column } from './columns.ts'
import { sectorSql } from './transactions.ts'

const CIK = `leftPad(toString(issuer_cik), 10, '0')`

export const SYMBOL_COLUMNS: readonly Column[] = [
  column('issuerCik', 'string', CIK, 'Ten digits.'),
  column('symbol', 'string', 'key', 'As typed in filings, in canonical form.'),
  column('firstFiled', 'timestamp(ms, UTC)', 'first', 'Of the filings with this symbol.'),
  column('lastFiled', 'timestamp(ms, UTC)', 'last', 'Of the filings with this symbol.'),
  column('filings', 'int32', 'filings', 'How many have it.'),
]

export const symbolFileSql = sql`
  SELECT ${columnsSql(SYMBOL_COLUMNS)}
  FROM (
    SELECT issuer_cik, key, min(filed_at) AS first, max(filed_at) AS last, count() AS filings
    FROM directory FINAL
    WHERE kind = 'symbol' AND NOT withdrawn
    GROUP BY issuer_cik, key
  )
  ORDER BY issuer_cik, key
  ${PARQUET}`

export const COMPANY_COLUMNS: readonly Column[] = [
  column('issuerCik', 'string', CIK, 'Ten digits.'),
  column(
    'name',
    'string',
    `if(listed_name = '', newest_name, listed_name)`,
    "The SEC's present name, else as in the newest filing.",
  ),
  column('names', 'list<string>', 'filed_names', 'All names in filings, in the order of the alphabet.'),
  column('symbols', 'list<string>', 'tickers', "Present symbols, in the SEC's order; empty where it lists none."),
  column('exchange', 'string', `if(exchange = '', 'Unknown', exchange)`, 'Of the first of the symbols.'),
  column('sector', 'string', 'sector', 'The present sector.'),
  column('firstFiled', 'timestamp(ms, UTC)', 'first', 'The oldest filing.'),
  column('lastFiled', 'timestamp(ms, UTC)', 'last', 'The newest filing.'),
  column('filings', 'int32', 'filings', 'Of all forms.'),
]

export const companyFileSql = (sectors: ReadonlyMap<number, string>): Sql => sql`
  SELECT ${columnsSql(COMPANY_COLUMNS)}
  FROM (
    SELECT
      issuer_cik, argMax(toString(name), (filed_at, accession)) AS newest_name,
      arraySort(groupUniqArray(toString(name))) AS filed_names, min(filed_at) AS first, max(filed_at) AS last,
      count() AS filings, ${sectorSql(sectors)} AS sector
    FROM directory FINAL
    WHERE kind = 'issuer' AND NOT withdrawn
    GROUP BY issuer_cik
  ) AS filed
  LEFT JOIN (
    SELECT
      issuer_cik, arrayMap(each -> each.2, arraySort(groupArray((place, ticker)))) AS tickers,
      argMin(name, place) AS listed_name, argMin(toString(exchange), place) AS exchange
    FROM company_list
    GROUP BY issuer_cik
  ) AS listed USING issuer_cik
  ORDER BY issuer_cik
  ${PARQUET}`
