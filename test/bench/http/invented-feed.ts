// Trades of the feed alone, made in the engine: 20 years of filings, two trades each.
import { encodeCursor } from '../../../src/infrastructure/page-cursor.ts'
import type { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'

const START = 1_163_000_000
const stepOf = (rows: number) => Math.floor((20 * 365 * 86_400) / (rows / 2))

/** As many rows as asked for, in one part. */
export async function fillFeed(store: ClickHouse, rows: number): Promise<void> {
  await store.command(sql`INSERT INTO incoming_trades (path, subject, filed_at, accession, n, id, issuer_cik, ticker, company_name, insider_name, insider_title,
    type, shares, price, total_value, significance, signals, ceo_cfo, price_status, listed, version, deleted)
    SELECT 'issuer' AS path, issuer_cik AS subject, toDateTime(${START} + intDiv(number, 2) * ${stepOf(rows)}, 'UTC') AS filed_at,
    concat(leftPad(toString(intDiv(number, 2)), 10, '0'), '-24-000001') AS accession, number % 2 + 1 AS n,
    concat(accession, '-nd-', toString(n)) AS id, number % 8000 + 1 AS issuer_cik, concat('T', toString(number % 8000)) AS ticker,
    concat('Example Company ', toString(number % 8000)) AS company_name, concat('Insider ', toString(number % 90000)) AS insider_name,
    ['Director', 'Chief Executive Officer', 'Chief Financial Officer, Director', 'Officer'][number % 4 + 1] AS insider_title,
    ['buy', 'sell', 'award', 'exercise', 'tax_withholding', 'other'][cityHash64(number) % 6 + 1] AS type,
    number % 100000 AS shares, (number % 50000) / 100 AS price, shares * price AS total_value,
    multiIf(cityHash64(number, 1) % 100 = 0, 'critical', cityHash64(number, 1) % 100 < 4, 'high', 'low') AS significance,
    [] AS signals, cityHash64(number, 2) % 20 = 0 AS ceo_cfo, 'as_filed' AS price_status, true AS listed, 1 AS version, 0 AS deleted
    FROM numbers(${rows}) SETTINGS max_execution_time = 0`)
  await store.command(sql`OPTIMIZE TABLE transaction_lists FINAL SETTINGS max_execution_time = 0`)
}

/** A place so deep in the feed, 0 newest to 1 oldest, give or take 500 filings. `of` is what the cursor is bound to. */
export function cursorAt(of: string, depth: number, rows: number): string {
  const filing = Math.floor((rows / 2) * (1 - depth) - Math.random() * 1000)
  return encodeCursor(of, [START + filing * stepOf(rows), `${String(filing).padStart(10, '0')}-24-000001`, 1])
}
