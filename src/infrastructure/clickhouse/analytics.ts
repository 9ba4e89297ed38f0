// Writes what the projection decided and reads back what judging needs. Every write replaces by key: it may be repeated.
import type { Analytics, AnalyticsChange, DirectoryEntry, ListedCompany, TypedSymbols } from '../../application/ports.ts'
import type { Cik } from '../../domain/identifiers.ts'
import type { Trade } from '../../domain/trade.ts'
import type { ClickHouse, InsertRow } from './client.ts'
import { Sql, sql } from './sql.ts'
import { feedRow, goneRows, insiderRows, issuerRow, toTrade, TRADE_COLUMNS, type StoredTrade } from './trade-rows.ts'

// One insert is one part and one block up to here, so that it is there whole or not at all.
const ROWS_PER_INSERT = 20_000

export function openAnalytics(store: ClickHouse): Analytics {
  return {
    trades: (issuers) => trades(store, issuers),
    newestSymbols: (issuers, except) => newestSymbols(store, issuers, except),
    write: (change, version) => write(store, change, version),
    companies: () => companies(store),
    replaceCompanies: (companies) => replaceCompanies(store, companies),
    isEmpty: async () => (await store.rows(sql`SELECT 1 AS one FROM issuer_filings LIMIT 1`)).length === 0,
  }
}

async function trades(store: ClickHouse, issuers: Cik[]): Promise<Trade[]> {
  if (issuers.length === 0) return []
  const stored = await store.rows<StoredTrade>(sql`SELECT ${new Sql(TRADE_COLUMNS)} FROM issuer_trades FINAL
    WHERE issuer_cik IN ${issuers.map(Number)}`)
  return stored.map(toTrade)
}

async function newestSymbols(store: ClickHouse, issuers: Cik[], except: string[]): Promise<Map<Cik, TypedSymbols>> {
  if (issuers.length === 0) return new Map()
  const found = await store.rows<TypedSymbols & { cik: Cik }>(sql`
    SELECT leftPad(toString(issuer_cik), 10, '0') AS cik, issuer_filings.symbols AS symbols,
      toUnixTimestamp(filed_at) AS filedAt, accession
    FROM issuer_filings FINAL WHERE issuer_cik IN ${issuers.map(Number)} AND notEmpty(issuer_filings.symbols)
      AND ${except.length > 0 ? sql`accession NOT IN ${except}` : sql`1`}
    ORDER BY issuer_cik, filed_at DESC, accession DESC LIMIT 1 BY issuer_cik`)
  return new Map(found.map(({ cik, ...newest }) => [cik, newest]))
}

// issuer_trades last: what is already in it is known to stand in the other copies, so a run cut short before it finds
// the old state there, decides the same again and writes all of it again.
async function write(store: ClickHouse, change: AnalyticsChange, version: number): Promise<void> {
  const gone = change.goneTrades.map((trade) => goneRows(trade, version))
  const entries = [
    ...change.entries.map((entry) => directoryRows(entry, version, 0)),
    ...change.goneEntries.map((entry) => directoryRows(entry, version, 1)),
  ]
  await Promise.all([
    insert(store, 'feed', [...change.trades.map((trade) => feedRow(trade, version)), ...gone.map((rows) => rows.feed)]),
    insert(store, 'insider_trades', [
      ...change.trades.flatMap((trade) => insiderRows(trade, version)), ...gone.flatMap((rows) => rows.insiders),
    ]),
    insert(store, 'filing_owners', entries.flatMap((rows) => rows.owners)),
    insert(store, 'issuer_filings', entries.map((rows) => rows.issuer)),
    insert(store, 'symbol_filings', entries.flatMap((rows) => rows.symbols)),
  ])
  await insert(store, 'issuer_trades', [
    ...change.trades.map((trade) => issuerRow(trade, version)), ...gone.map((rows) => rows.issuer),
  ])
}

async function insert(store: ClickHouse, table: string, rows: InsertRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    await store.insert(table, rows.slice(from, from + ROWS_PER_INSERT))
  }
}

function directoryRows(entry: DirectoryEntry, version: number, deleted: 0 | 1) {
  const common = { filed_at: entry.filedAt, accession: entry.accession, issuer_cik: Number(entry.issuerCik), version, deleted }
  return {
    owners: entry.owners.map((owner) => ({ ...common, owner_cik: Number(owner.cik), name: owner.name })),
    issuer: {
      ...common,
      form: entry.form,
      company_name: entry.companyName,
      symbols: entry.symbols,
      sic: entry.sic ?? '',
      office: entry.office ?? '',
      sector: entry.sector,
    },
    symbols: entry.symbols.map((symbol) => ({ ...common, symbol })),
  }
}

function companies(store: ClickHouse): Promise<ListedCompany[]> {
  return store.rows<ListedCompany>(sql`SELECT ticker, leftPad(toString(issuer_cik), 10, '0') AS cik, name,
    nullIf(exchange, '') AS exchange FROM company_list ORDER BY place`)
}

async function replaceCompanies(store: ClickHouse, companies: ListedCompany[]): Promise<void> {
  await store.command(sql`DROP TABLE IF EXISTS company_list_next`)
  await store.command(sql`CREATE TABLE company_list_next AS company_list`)
  await insert(store, 'company_list_next', companies.map((company, place) => ({
    ticker: company.ticker, place, issuer_cik: Number(company.cik), name: company.name, exchange: company.exchange ?? '',
  })))
  await store.command(sql`EXCHANGE TABLES company_list_next AND company_list`)
  await store.command(sql`DROP TABLE company_list_next`)
}
