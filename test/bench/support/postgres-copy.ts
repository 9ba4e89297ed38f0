// The rows of a running service, read over its API and copied into a PostgreSQL of their own, with the indexes that fit
// the questions of the mixed load.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { prepareDataDir } from '../../../src/infrastructure/embedded/data-dir.ts'
import { startPostgres, stopPostgres } from '../../../src/infrastructure/embedded/postgres/postgres.ts'
import { eightAtOnce, feedPages, read } from './measure.ts'

const SCHEMA = `
  CREATE TABLE transactions (
    filed_at timestamptz NOT NULL, accession text COLLATE "C" NOT NULL, n integer NOT NULL, id text NOT NULL,
    issuer_cik text NOT NULL, ticker text, company_name text, insider_cik text, insider_name text, insider_title text,
    type text, shares float8, price float8, total_value numeric(38, 2), significance text, signals text[],
    price_status text, trade_day date
  );
  CREATE TABLE companies (ticker text PRIMARY KEY, issuer_cik text, name text, exchange text, sector text)`
const INDEXES = `
  CREATE INDEX ON transactions (filed_at DESC, accession DESC, n DESC);
  CREATE INDEX ON transactions (issuer_cik, filed_at DESC, accession DESC, n DESC);
  VACUUM ANALYZE transactions;
  VACUUM ANALYZE companies`
const BATCH = 5_000

interface Listed {
  id: string
  ticker: string
  companyName: string
  insiderName: string
  insiderTitle: string
  transactionType: string
  shares: number
  pricePerShare: number
  totalValue: number
  filingDate: string
  significance: string
  signals: string[]
  detail: {
    accessionNumber: string
    issuerCik: string
    insiderCik: string
    priceStatus: string
    tradeDate: string
    tradeDateStatus: string
  }
}
interface Company {
  name: string
  exchange: string
  sector: string
}

export interface PostgresCopy {
  url: string
  transactions: number
  /** Symbols, those with the most transactions first. */
  tickers: string[]
  /** Files one more: the transactions of an earlier filing, now. */
  addFiling(): Promise<void>
  close(): Promise<void>
}

export async function copyToPostgres(address: string): Promise<PostgresCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'))
  // PostgreSQL runs as another user where we are root.
  chmodSync(folder, 0o711)
  const paths = prepareDataDir(join(folder, 'data'))
  const { url } = await startPostgres(paths, () => {})
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const close = async () => {
    await client.end()
    await stopPostgres(paths)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await client.query(SCHEMA)
    const { tickers, transactions } = await copyTransactions(address, client)
    await copyCompanies(address, client, tickers)
    for (const statement of INDEXES.split(';')) await client.query(statement)
    return { url, transactions, tickers: [...tickers.keys()], addFiling: () => addFiling(client), close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Issuer {
  cik: string
  transactions: number
}

/** Returns the symbols with the issuer that used each last, those of the most transactions first. */
async function copyTransactions(address: string, client: pg.Client) {
  const tickers = new Map<string, Issuer>()
  let [batch, transactions]: [object[], number] = [[], 0]
  const write = async () => {
    await client.query('INSERT INTO transactions SELECT * FROM json_populate_recordset(null::transactions, $1)', [
      JSON.stringify(batch),
    ])
    transactions += batch.length
    batch = []
  }
  for await (const row of rowsOf(address)) {
    const known = tickers.get(row.ticker) ?? { cik: row.detail.issuerCik, transactions: 0 }
    if (row.ticker) tickers.set(row.ticker, { ...known, transactions: known.transactions + 1 })
    batch.push(columnsOf(row))
    if (batch.length === BATCH) await write()
  }
  await write()
  const sorted = [...tickers].toSorted(([, a], [, b]) => b.transactions - a.transactions)
  return { tickers: new Map(sorted), transactions }
}

function columnsOf(row: Listed): object {
  const { detail } = row
  return {
    ...{ filed_at: row.filingDate, accession: detail.accessionNumber, n: Number(row.id.split('-').at(-1)), id: row.id },
    ...{ issuer_cik: detail.issuerCik, ticker: row.ticker, company_name: row.companyName },
    ...{ insider_cik: detail.insiderCik, insider_name: row.insiderName, insider_title: row.insiderTitle },
    ...{ type: row.transactionType, shares: row.shares, price: row.pricePerShare, total_value: row.totalValue },
    ...{ significance: row.significance, signals: row.signals, price_status: detail.priceStatus },
    trade_day: detail.tradeDateStatus === 'plausible' ? detail.tradeDate : null,
  }
}

async function copyCompanies(address: string, client: pg.Client, tickers: Map<string, Issuer>): Promise<void> {
  const companies: object[] = []
  await eightAtOnce([...tickers], async ([ticker, { cik }]) => {
    const { name, exchange, sector } = await read<Company>(`${address}/v1/companies/${ticker}`)
    companies.push({ ticker, issuer_cik: cik, name, exchange, sector })
  })
  await client.query('INSERT INTO companies SELECT * FROM json_populate_recordset(null::companies, $1)', [
    JSON.stringify(companies),
  ])
}

async function addFiling(client: pg.Client): Promise<void> {
  await client.query(`
    INSERT INTO transactions
    SELECT now(), '0009999999-26-' || lpad((random() * 999999)::int::text, 6, '0'), n, id, issuer_cik, ticker,
      company_name, insider_cik, insider_name, insider_title, type, shares, price, total_value, significance, signals,
      price_status, trade_day
    FROM transactions
    WHERE (filed_at, accession) = (SELECT filed_at, accession FROM transactions OFFSET floor(random() * 1000) LIMIT 1)`)
}

async function* rowsOf(address: string): AsyncGenerator<Listed> {
  for await (const { transactions } of feedPages<Listed>(address, '&detail=full')) yield* transactions
}
