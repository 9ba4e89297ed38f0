// AnalyticsStore on ClickHouse: writes the trades and directory entries of projected filings, and reads them back for
// reconciliation. Each write replaces rows by key, so it can be repeated.
import type { Clock } from '../../../application/ports/system.ts'
import type { ListedCompany } from '../../../application/ports/filings.ts'
import { cikNumber, cikOf, type AccessionNumber, type Cik, type Ticker } from '../../../domain/shared/identifiers.ts'
import type { Trade } from '../../../domain/trades/trade.ts'
import type { ClickHouse } from '../connection/client.ts'
import { withdrawnBalancesSql } from './balances.ts'
import { relatedFilingsSql } from './change-inserts.ts'
import { isCurrent, isReadable } from './generation.ts'
import { Sql, sql, toCik } from '../connection/sql.ts'
import { refreshAllParties, refreshParties } from './parties.ts'
import { readTradeLines, readTrades } from './trade-rows.ts'
import type {
  AnalyticsStore,
  ChangeInserts,
  PartyRefresh,
  StoredIssuers,
  TableInserts,
  TypedSymbols,
  WithdrawnOfSet,
} from '../../../application/ports/analytics.ts'

/** Trades that a statement reads by their ids, few enough to be parsed in a turn of the event loop. */
const IDS_BATCH = 500

const NOTHING = new Uint8Array()

export class ClickHouseAnalyticsStore implements AnalyticsStore {
  readonly #store: ClickHouse
  readonly #clock: Clock
  readonly #refreshes: boolean

  /**
   * `refreshes`: each write renews the parties that it touches. A load of history or a rebuild renews all parties at
   * its end instead.
   */
  constructor(store: ClickHouse, clock: Clock = Date.now, refreshes = true) {
    this.#store = store
    this.#clock = clock
    this.#refreshes = refreshes
  }

  async trades(issuers: Cik[], ids?: readonly string[]): Promise<Trade[]> {
    if (issuers.length === 0) return []
    const ofIssuers = sql`issuer_cik IN ${issuers.map(cikNumber)}`
    if (ids === undefined) return readTrades(this.#store, ofIssuers)
    const trades: Trade[] = []
    for (let from = 0; from < ids.length; from += IDS_BATCH) {
      const some = ids.slice(from, from + IDS_BATCH)
      trades.push(...(await readTrades(this.#store, sql`${ofIssuers} AND id IN ${some}`)))
    }
    return trades
  }

  async stored(issuers: Cik[], unlisted: Cik[], except: AccessionNumber[]): Promise<StoredIssuers> {
    if (issuers.length === 0) return { trades: NOTHING, related: NOTHING, symbols: new Map() }
    const [trades, related, symbols] = await Promise.all([
      readTradeLines(this.#store, sql`issuer_cik IN ${issuers.map(cikNumber)}`),
      this.#store.lines(relatedFilingsSql(issuers)),
      this.newestSymbols(unlisted, except),
    ])
    return { trades, related, symbols }
  }

  async newestSymbols(issuers: Cik[], except: string[]): Promise<Map<Cik, TypedSymbols>> {
    if (issuers.length === 0) return new Map()
    const found = await this.#store.rows<{
      cik: Cik
      newest: [filedAt: number, accession: string, symbols: string[]]
    }>(sql`
      SELECT key AS cik, max((toUnixTimestamp(filed_at), accession, directory.symbols)) AS newest
      FROM directory FINAL
      WHERE kind = 'issuer'
        AND key IN ${issuers}
        AND notEmpty(directory.symbols)
        AND NOT withdrawn
        AND ${except.length > 0 ? sql`accession NOT IN ${except}` : sql`1`}
      GROUP BY key`)
    return new Map(
      found.map(({ cik, newest: [filedAt, accession, symbols] }) => [cik, { symbols, filedAt, accession }]),
    )
  }

  // Without FINAL: a replaced row can only add a symbol that the issuer had.
  async typedSymbols(issuers: Cik[]): Promise<Map<Cik, Ticker[]>> {
    const found = await this.#store.rows<{ cik: Cik; typed: Ticker[] }>(sql`
      SELECT key AS cik, groupUniqArrayArray(directory.symbols) AS typed
      FROM directory
      WHERE kind = 'issuer' AND key IN ${issuers}
      GROUP BY key`)
    return new Map(found.map(({ cik, typed }) => [cik, typed]))
  }

  async lastIssuers(symbols: Ticker[]): Promise<Map<Ticker, Cik>> {
    if (symbols.length === 0) return new Map()
    const found = await this.#store.rows<{ symbol: Ticker; issuer: number }>(sql`
      SELECT key AS symbol, argMax(issuer_cik, (filed_at, accession)) AS issuer
      FROM directory FINAL
      WHERE kind = 'symbol' AND key IN ${symbols}
      GROUP BY key`)
    return new Map(found.map(({ symbol, issuer }) => [symbol, cikOf(issuer)]))
  }

  async write({ version, lists, withdrawn, ...rows }: ChangeInserts, shown?: () => void): Promise<void> {
    await this.#insert(rows.shown)
    shown?.()
    await allEnded([
      this.#insert(rows.beside),
      withdrawn.length > 0 ? this.#withdraw(withdrawn, version) : Promise.resolve(),
    ])
    if (this.#refreshes) await refreshParties(this.#store, new Set(lists), { version, now: this.#clock() })
    await this.#insert(rows.last)
  }

  async #withdraw(filings: WithdrawnOfSet[], version: number): Promise<void> {
    await this.#store.command(withdrawnSql(filings, version))
    await this.#store.command(withdrawnBalancesSql(filings, version))
  }

  async companies(): Promise<ListedCompany[]> {
    return this.#store.rows<ListedCompany>(sql`
      SELECT ticker, ${toCik('issuer_cik')} AS cik, name, nullIf(exchange, '') AS exchange
      FROM company_list
      ORDER BY place`)
  }

  async replaceCompanies(companies: ListedCompany[], refresh: PartyRefresh): Promise<void> {
    const store = this.#store
    await store.command(sql`DROP TABLE IF EXISTS company_list_next`)
    try {
      await store.command(sql`CREATE TABLE company_list_next AS company_list`)
      await store.insert(
        'company_list_next',
        companies.map((company, place) => ({
          ticker: company.ticker,
          place,
          issuer_cik: cikNumber(company.cik),
          name: company.name,
          exchange: company.exchange ?? '',
        })),
      )
      await store.command(sql`EXCHANGE TABLES company_list_next AND company_list`)
    } finally {
      await store.command(sql`DROP TABLE IF EXISTS company_list_next`)
    }
    await refreshAllParties(store, companies, { ...refresh, now: this.#clock() })
  }

  async refreshParties(refresh: PartyRefresh): Promise<void> {
    await refreshAllParties(this.#store, await this.companies(), { ...refresh, now: this.#clock() })
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#store.rows(sql`SELECT 1 AS one FROM directory LIMIT 1`)).length === 0
  }

  isCurrent(): Promise<boolean> {
    return isCurrent(this.#store)
  }

  isReadable(): Promise<boolean> {
    return isReadable(this.#store)
  }

  #insert(tables: TableInserts[]): Promise<void> {
    return allEnded(
      tables.map(async ({ table, inserts }) => {
        for (const rows of inserts) await this.#store.insertLines(table, rows)
      }),
    )
  }
}

/** Waits for all writes, even if one fails: no write may still run when the rows are read after the failure. */
async function allEnded(writes: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(writes)
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Writes the directory rows of filings again, as withdrawn. */
function withdrawnSql(filings: WithdrawnOfSet[], version: number): Sql {
  const keys = filings.flatMap(({ issuerCik, ownerCiks, symbols }) => [issuerCik, ...ownerCiks, ...symbols])
  return sql`
    INSERT INTO directory
    SELECT * REPLACE (true AS withdrawn, ${version} AS version)
    FROM directory FINAL
    WHERE kind IN ('issuer', 'owner', 'symbol') AND key IN ${[...new Set(keys)]}
      AND accession IN ${filings.map(({ accession }) => accession)}`
}
