// Insider profile: a reporting owner by CIK over all companies, including joint filings with several owners.
import type { components } from '../../../contract.ts'
import { madeFrom } from '../../../application/changes/dependence.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { cikOf, parseCik } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { NEWEST_FIRST, transactionColumns, type Detail, type DetailFor } from './transaction-columns.ts'

type Schemas = components['schemas']

/** An insider is known if they are an owner in any stored filing, of any form. */
export function insiderNameSql(owner: number): Sql {
  return sql`
    SELECT name
    FROM directory FINAL
    WHERE kind = 'owner' AND key = ${cikOf(owner)}
    ORDER BY kind, key, filed_at DESC, accession DESC
    LIMIT 1`
}

export function insiderTitlesSql(owner: number): Sql {
  return sql`
    SELECT owner_title AS title
    FROM trades FINAL
    WHERE path = 'insider' AND subject = ${owner} AND owner_title != ''
    GROUP BY owner_title
    ORDER BY max((filed_at, accession)) DESC`
}

export function insiderCompaniesSql(owner: number): Sql {
  return sql`
    SELECT
      argMax(ticker, (filed_at, accession, n)) AS ticker,
      argMax(company_name, (filed_at, accession, n)) AS companyName,
      argMax(owner_title, (filed_at, accession, n)) AS title,
      countIf(type = 'buy') AS totalBuys, countIf(type = 'sell') AS totalSells,
      max(trade_day) AS lastTransactionDate
    FROM trades FINAL
    WHERE path = 'insider' AND subject = ${owner}
    GROUP BY issuer_cik
    ORDER BY max((filed_at, accession)) DESC`
}

export function recentOfInsiderSql(owner: number, detail?: Detail): Sql {
  return sql`
    SELECT ${transactionColumns(detail)}
    FROM trades FINAL
    WHERE path = 'insider' AND subject = ${owner}
    ORDER BY ${NEWEST_FIRST}
    LIMIT 20`
}

export function insider(store: ClickHouse, detailFor: DetailFor): Queries['insider'] {
  return async (asked, isDetailed) => {
    const cik = parseCik(asked)
    if (cik === null) return null
    const owner = Number(cik)
    const detail = await detailFor(isDetailed)
    const [[known], titles, companies, recentTransactions] = await Promise.all([
      store.rows<{ name: string }>(insiderNameSql(owner)),
      store.rows<{ title: string }>(insiderTitlesSql(owner)),
      store.rows<Schemas['InsiderCompany']>(insiderCompaniesSql(owner)),
      store.rows<Schemas['Transaction']>(recentOfInsiderSql(owner, detail)),
    ])
    if (!known) return null
    const sum = (of: 'totalBuys' | 'totalSells') => companies.reduce((total, company) => total + company[of], 0)
    const profile = {
      cik,
      name: known.name,
      titles: titles.map((row) => row.title),
      companies,
      stats: { totalBuys: sum('totalBuys'), totalSells: sum('totalSells') },
      recentTransactions,
    }
    return madeFrom(profile, { parts: [`insider:${cik}`] })
  }
}
