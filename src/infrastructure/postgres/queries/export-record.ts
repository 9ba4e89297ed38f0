// What the record says for the month files: the position of the log, which months are whole, and when documents came.
import type { ExportRecord } from '../../../application/ports/exports.ts'
import { rows, type Pool } from '../pool.ts'

export class PostgresExportRecord implements ExportRecord {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async position(): Promise<string> {
    const [found] = await rows<{ last: number }>(this.#pool, 'SELECT last FROM change_position')
    return String(found!.last)
  }

  // From the first day that the daily index was compared with on, every day is.
  async wholeMonths(months: string[]): Promise<string[]> {
    const found = await rows<{ month: string }>(
      this.#pool,
      `SELECT month
       FROM (SELECT month, (month || '-01')::date AS first FROM unnest($1::text[]) AS month) AS asked
       WHERE EXISTS (
           SELECT FROM data_sets WHERE status = 'loaded' AND quarter = to_char(first, 'YYYY"q"Q'))
         OR (SELECT min(day) <= first AND max(day) >= first + interval '1 month' FROM index_days)
           AND NOT EXISTS (
             SELECT FROM index_days
             WHERE known < listed AND day >= first AND day < first + interval '1 month')`,
      [months],
    )
    return found.map(({ month }) => month)
  }

  async seenAt(month: string): Promise<[accession: string, seenAt: number][]> {
    const found = await rows<{ accession: string; seen: number }>(
      this.#pool,
      `SELECT accession, floor(extract(epoch FROM first_seen_at))::bigint AS seen
       FROM filings
       WHERE status IN ('recorded', 'projected')
         AND filed_at >= ($1 || '-01 00:00Z')::timestamptz
         AND filed_at < (($1 || '-01 00:00')::timestamp + interval '1 month') AT TIME ZONE 'UTC'
       ORDER BY accession`,
      [month],
    )
    return found.map(({ accession, seen }) => [accession, seen])
  }
}
