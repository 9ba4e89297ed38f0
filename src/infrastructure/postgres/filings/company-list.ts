// The SEC's company list as it was last loaded. ClickHouse has a copy, which is made from this one.
import type { CompanyList, ListedCompany } from '../../../application/ports/filings.ts'
import { rows, transaction, type Connection, type Pool } from '../pool.ts'

export class PostgresCompanyList implements CompanyList {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  all(): Promise<ListedCompany[]> {
    return rows<ListedCompany>(this.#pool, 'SELECT ticker, cik, name, exchange FROM company_list ORDER BY place')
  }

  replace(companies: ListedCompany[], source: string, sha256: Buffer): Promise<void> {
    return transaction(this.#pool, async (connection) => {
      await replaceRows(connection, companies)
      await connection.query('INSERT INTO company_list_loads (source, sha256, companies) VALUES ($1, $2, $3)', [
        source,
        sha256,
        companies.length,
      ])
    })
  }
}

async function replaceRows(connection: Connection, companies: ListedCompany[]): Promise<void> {
  await connection.query('LOCK TABLE company_list IN EXCLUSIVE MODE')
  await connection.query('DELETE FROM company_list')
  await connection.query(
    `INSERT INTO company_list (place, ticker, cik, name, exchange)
     SELECT place, ticker, cik, name, exchange
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
       WITH ORDINALITY AS list (ticker, cik, name, exchange, place)`,
    [
      companies.map((company) => company.ticker),
      companies.map((company) => company.cik),
      companies.map((company) => company.name),
      companies.map((company) => company.exchange),
    ],
  )
}
