// Resolves symbols by filings: a symbol leads to the issuer of the newest filing that states it. Needed for symbols that
// the SEC's list lacks, such as those of delisted companies, and for all symbols as of an instant.
import type { Ticker } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'

/** Selects the issuers of the newest filings with these symbols, filed by `asOf` (seconds since 1970) if it is given. */
export function issuersOfSql(tickers: readonly Ticker[], asOf?: number): Sql {
  const known = asOf === undefined ? sql`` : sql` AND toUnixTimestamp(filed_at) <= ${asOf} AND NOT estimated`
  return sql`
    SELECT key AS ticker, argMax(issuer_cik, (filed_at, accession)) AS issuer
    FROM directory FINAL
    WHERE kind = 'symbol' AND key IN ${tickers}${known}
    GROUP BY key`
}

/** Returns the issuers that these symbols lead to, without symbols that lead to none. */
export async function issuersOfSymbols(
  store: ClickHouse,
  tickers: readonly Ticker[],
  asOf?: number,
): Promise<Map<Ticker, number>> {
  if (tickers.length === 0) return new Map()
  const rows = await store.rows<{ ticker: Ticker; issuer: number }>(issuersOfSql(tickers, asOf))
  return new Map(rows.map(({ ticker, issuer }) => [ticker, issuer]))
}
