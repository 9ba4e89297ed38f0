// The same answers as an ordinary service would give them, for comparison: PostgreSQL with an index for each question,
// prepared statements and a pool, behind Express with a validator of requests. It keeps no answer, and does without
// what the product does for every request besides: log, metrics, ETag, rate limit. COPY_URL names the database that
// postgres-copy.ts filled; sends its port.
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import { middleware } from 'express-openapi-validator'
import pg from 'pg'
import { decodeCursor, encodeCursor } from '../../../src/infrastructure/page-cursor.ts'
import { loadDocument } from '../../../src/infrastructure/http/openapi/document.ts'

interface Row {
  at: number
  accession: string
  n: number
}

const pool = new pg.Pool({ connectionString: process.env.COPY_URL!, max: 10 })

const COLUMNS = `extract(epoch FROM filed_at)::int AS at, accession, n, id, ticker, company_name AS "companyName",
  insider_name AS "insiderName", insider_title AS "insiderTitle", type AS "transactionType", shares,
  price AS "pricePerShare", total_value::float8 AS "totalValue", significance, signals`
/** What cursors of the feed are bound to. */
const FEED = 'feed:'
const NEWEST_FIRST = 'filed_at DESC, accession DESC, n DESC'
const app = express()
  .disable('etag')
  .disable('x-powered-by')
  .use(middleware({ apiSpec: loadDocument().json as any, validateSecurity: false, validateApiSpec: false }))
  .get('/v1/feed', feed)
  .get('/v1/companies/:ticker', company)
const server = app.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
server.keepAliveTimeout = 65_000
process.on('disconnect', () => process.exit())

async function feed({ query }: Request, response: Response): Promise<void> {
  const { cursor, limit = 20 } = query as { cursor?: string; limit?: number | string }
  const after = cursor === undefined ? [] : decodeCursor(FEED, cursor, ['number', 'id', 'number'])
  const bound = after.length > 0 ? 'WHERE (filed_at, accession, n) < (to_timestamp($2), $3, $4)' : ''
  const found = await rows<Row>(
    `feed ${after.length}`,
    `SELECT ${COLUMNS} FROM transactions ${bound} ORDER BY ${NEWEST_FIRST} LIMIT $1`,
    [Number(limit) + 1, ...after],
  )
  const page = found.slice(0, Number(limit))
  const hasMore = found.length > page.length
  const { at, accession, n } = page.at(-1) ?? { at: 0, accession: '', n: 0 }
  const transactions = page.map(transaction)
  answer(response, { transactions, hasMore, ...(hasMore && { nextCursor: encodeCursor(FEED, [at, accession, n]) }) })
}

async function company({ params }: Request, response: Response): Promise<void> {
  const { ticker } = params as { ticker: string }
  const [found] = await rows<{ issuer: string; name: string; exchange: string; sector: string }>(
    'company',
    'SELECT issuer_cik AS issuer, name, exchange, sector FROM companies WHERE ticker = $1',
    [ticker],
  )
  if (!found) return void response.status(404).json({ success: false })
  const { issuer, ...named } = found
  const [[totals], recent, topInsiders] = await Promise.all([
    rows<{ totalBuys: number; totalSells: number }>(
      'totals',
      `SELECT count(*) FILTER (WHERE type = 'buy')::int AS "totalBuys",
        count(*) FILTER (WHERE type = 'sell')::int AS "totalSells" FROM transactions WHERE issuer_cik = $1`,
      [issuer],
    ),
    rows<Row>('recent', `SELECT ${COLUMNS} FROM transactions WHERE issuer_cik = $1 ORDER BY ${NEWEST_FIRST} LIMIT 20`, [
      issuer,
    ]),
    rows<object>(
      'insiders',
      `SELECT insider_cik AS cik, (array_agg(insider_name ORDER BY ${NEWEST_FIRST}))[1] AS name,
        (array_agg(insider_title ORDER BY ${NEWEST_FIRST}))[1] AS title,
        count(*) FILTER (WHERE type = 'buy')::int AS "totalBuys",
        count(*) FILTER (WHERE type = 'sell')::int AS "totalSells",
        coalesce(sum(total_value) FILTER (
          WHERE type IN ('buy', 'sell') AND price_status NOT IN ('suspect', 'foreign')), 0)::float8 AS "totalValue",
        max(trade_day)::text AS "lastTransactionDate"
      FROM transactions WHERE issuer_cik = $1 GROUP BY insider_cik
      ORDER BY "totalValue" DESC, "lastTransactionDate" DESC NULLS LAST, cik LIMIT 10`,
      [issuer],
    ),
  ])
  const { totalBuys, totalSells } = totals!
  const counts = { totalBuys, totalSells, netSentiment: totalBuys - totalSells }
  answer(response, { ticker, ...named, ...counts, recentTransactions: recent.map(transaction), topInsiders })
}

/** Under the contract's names, without what the row has beside them. */
function transaction({ at, accession: _accession, n: _n, ...row }: Row) {
  return { ...row, filingDate: new Date(at * 1_000).toISOString().replace('.000Z', 'Z') }
}

async function rows<T>(name: string, text: string, values: unknown[]): Promise<T[]> {
  return (await pool.query({ name, text, values })).rows as T[]
}

function answer(response: Response, data: object): void {
  response.json({ success: true, data })
}
