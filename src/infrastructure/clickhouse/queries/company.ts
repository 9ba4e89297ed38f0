// Company profile by symbol or CIK: who it is, what its insiders traded, and who traded most.
import type { components } from '../../../contract.ts'
import { madeFrom } from '../../../application/changes/dependence.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { cikNumber, cikOf, type Ticker } from '../../../domain/shared/identifiers.ts'
import { parseCompany } from '../../../domain/filings/ticker-symbol.ts'
import type { ClickHouse } from '../connection/client.ts'
import { toCik } from '../connection/domain-sql.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { NEWEST_FIRST, transactionColumns, type Detail, type DetailFor } from './transaction-columns.ts'

type Schemas = components['schemas']

/** Finds the issuer that has the symbol in the SEC's list now, else the issuer of the newest filing with it. */
export function issuerOfSql(ticker: string): Sql {
  return sql`
    SELECT issuer_cik AS issuer
    FROM (
      SELECT issuer_cik, 1 AS present
      FROM company_list
      WHERE ticker = ${ticker}
      LIMIT 1
      UNION ALL
      SELECT issuer_cik, 0 AS present
      FROM (
        SELECT issuer_cik
        FROM directory FINAL
        WHERE kind = 'symbol' AND key = ${ticker}
        ORDER BY kind, key, filed_at DESC, accession DESC
        LIMIT 1
      )
    )
    ORDER BY present DESC
    LIMIT 1`
}

export function listedAsSql(issuer: number): Sql {
  return sql`SELECT ticker, name, exchange FROM company_list WHERE issuer_cik = ${issuer} ORDER BY place`
}

/** Reads what the issuer's filings say of it, newest first, and the sector by the SIC that EDGAR gives for it. */
export function filedAsSql(issuer: number): Sql {
  return sql`
    SELECT
      argMax(directory.name, (filed_at, accession)) AS name,
      argMaxIf(directory.symbols, (filed_at, accession), notEmpty(directory.symbols)) AS symbols,
      argMaxIf(sector, (filed_at, accession), sector != 'Unknown' AND sic != '') AS sectorBySic,
      (
        SELECT anyIf(sector, sector != 'Unknown')
        FROM issuer_sectors FINAL
        WHERE issuer_cik = ${issuer}
      ) AS sectorByEdgar,
      argMaxIf(sector, (filed_at, accession), sector != 'Unknown') AS sectorByOffice
    FROM directory FINAL
    WHERE kind = 'issuer' AND key = ${cikOf(issuer)}
    GROUP BY key`
}

export function companyTotalsSql(issuer: number): Sql {
  return sql`
    SELECT countIf(type = 'buy') AS totalBuys, countIf(type = 'sell') AS totalSells
    FROM trades FINAL
    WHERE path = 'issuer' AND subject = ${issuer} AND listed`
}

export function recentOfCompanySql(issuer: number, detail?: Detail): Sql {
  return sql`
    SELECT ${transactionColumns(detail)}
    FROM trades FINAL
    WHERE path = 'issuer' AND subject = ${issuer} AND listed
    ORDER BY ${NEWEST_FIRST}
    LIMIT 20`
}

/** A joint filing counts for one person: the acting owner. Values leave out prices that can't be trusted. */
export function topInsidersSql(issuer: number): Sql {
  return sql`
    SELECT
      ${toCik('insider_cik')} AS cik,
      argMax(insider_name, (filed_at, accession, n)) AS name,
      argMax(insider_title, (filed_at, accession, n)) AS title,
      countIf(type = 'buy') AS totalBuys, countIf(type = 'sell') AS totalSells,
      sumIf(total_value, type IN ('buy', 'sell') AND price_status NOT IN ('suspect', 'foreign')) AS totalValue,
      max(trade_day) AS lastTransactionDate
    FROM trades FINAL
    WHERE path = 'issuer' AND subject = ${issuer} AND listed
    GROUP BY insider_cik
    ORDER BY totalValue DESC, lastTransactionDate DESC NULLS LAST, cik
    LIMIT 10`
}

interface Listing {
  ticker: string
  name: string
  exchange: string
}
interface FiledAs {
  name: string
  symbols: string[]
  sectorBySic: string
  sectorByEdgar: string
  sectorByOffice: string
}
type Totals = Pick<Schemas['CompanyProfile'], 'totalBuys' | 'totalSells'>

export function company(store: ClickHouse, detailFor: DetailFor): Queries['company'] {
  const issuerOf = async (ticker: Ticker): Promise<number | undefined> =>
    (await store.rows<{ issuer: number }>(issuerOfSql(ticker)))[0]?.issuer
  return async (asked, isDetailed) => {
    const named = parseCompany(asked)
    if (named === null) return null
    const issuer = named.cik === null ? await issuerOf(named.ticker) : cikNumber(named.cik)
    if (issuer === undefined) return null
    const detail = await detailFor(isDetailed)
    const [listings, [filed], [totals], recentTransactions, topInsiders] = await Promise.all([
      store.rows<Listing>(listedAsSql(issuer)),
      store.rows<FiledAs>(filedAsSql(issuer)),
      store.rows<Totals>(companyTotalsSql(issuer)),
      store.rows<Schemas['Transaction']>(recentOfCompanySql(issuer, detail)),
      store.rows<Schemas['TopInsider']>(topInsidersSql(issuer)),
    ])
    // A CIK can belong to a person.
    if (listings.length === 0 && !filed) return null
    const { totalBuys, totalSells } = totals!
    const listing = listings.find(({ ticker }) => ticker === named.ticker) ?? listings[0]
    const profile = {
      ticker: listing?.ticker ?? filedSymbol(filed?.symbols ?? [], named.ticker),
      name: listing?.name ?? filed?.name ?? '',
      exchange: listing?.exchange || 'Unknown',
      sector: filed?.sectorBySic || filed?.sectorByEdgar || filed?.sectorByOffice || 'Unknown',
      totalBuys,
      totalSells,
      netSentiment: totalBuys - totalSells,
      recentTransactions,
      topInsiders,
    }
    const symbol = named.cik === null ? [`symbol:${named.ticker}` as const] : []
    return madeFrom(profile, { parts: [`issuer:${cikOf(issuer)}`, ...symbol] })
  }
}

/**
 * Returns the symbol if the SEC's list has none: the requested one, unless the newest filing with symbols has only
 * others.
 */
function filedSymbol(typed: Ticker[], asked: Ticker | null): Ticker {
  return asked !== null && typed.includes(asked) ? asked : (typed[0] ?? asked ?? '')
}
