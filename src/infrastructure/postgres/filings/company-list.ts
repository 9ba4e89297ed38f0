// The SEC's company list as last loaded. ClickHouse has a copy; this one is the record.
import type { CompanyList, ListedCompany } from '../../../application/ports/filings.ts'
import { rows, transaction, type Connection, type Pool } from '../pool.ts'

export function openCompanyList(pool: Pool): CompanyList {
  return {
    all: () => all(pool),
    replace: (companies, source, sha256) =>
      transaction(pool, (connection) => replace(connection, companies, source, sha256)),
  }
}

function all(db: Pool | Connection): Promise<ListedCompany[]> {
  return rows<ListedCompany>(db, 'SELECT ticker, cik, name, exchange FROM company_list ORDER BY place')
}

async function replace(
  connection: Connection,
  companies: ListedCompany[],
  source: string,
  sha256: Buffer,
): Promise<void> {
  await connection.query('LOCK TABLE company_list IN EXCLUSIVE MODE')
  await connection.query('DELETE FROM company_list')
  await connection.query(
    `INSERT INTO company_list (place, ticker, cik, name, exchange)
    SELECT place, ticker, cik, name, exchange FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    WITH ORDINALITY AS list (ticker, cik, name, exchange, place)`,
    [
      companies.map((c) => c.ticker),
      companies.map((c) => c.cik),
      companies.map((c) => c.name),
      companies.map((c) => c.exchange),
    ],
  )
  await connection.query('INSERT INTO company_list_loads (source, sha256, companies) VALUES ($1, $2, $3)', [
    source,
    sha256,
    companies.length,
  ])
}
