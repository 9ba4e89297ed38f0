// Symbols as filings typed them: each leads to the issuer of the newest filing that typed it. Needed for those that the
// SEC's list lacks, such as symbols of delisted companies, and for all as of an instant.
import type { Ticker } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'

/** Finds the issuers of the newest filings with these symbols; of those filed by an instant in seconds, if given. */
export function issuersOfSql(tickers: readonly Ticker[], asOf?: number): Sql {
  const known = asOf === undefined ? sql`` : sql` AND toUnixTimestamp(filed_at) <= ${asOf} AND NOT estimated`
  return sql`
    SELECT key AS ticker, argMax(issuer_cik, (filed_at, accession)) AS issuer
    FROM directory FINAL
    WHERE kind = 'symbol' AND key IN ${tickers}${known}
    GROUP BY key`
}

/** Returns the issuers that these symbols lead to; those that lead to none are left out. */
export async function issuersOfSymbols(
  store: ClickHouse,
  tickers: readonly Ticker[],
  asOf?: number,
): Promise<Map<Ticker, number>> {
  if (tickers.length === 0) return new Map()
  const found = await store.rows<{ ticker: Ticker; issuer: number }>(issuersOfSql(tickers, asOf))
  return new Map(found.map(({ ticker, issuer }) => [ticker, issuer]))
}
