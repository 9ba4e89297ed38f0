// PostgreSQL's queries for month files: the position of the log of changes, which months are complete, when documents
// were received, and the documents themselves.
import type { ExportRecord, PackedFiling } from '../../../application/ports/exports.ts'
import type { AccessionNumber } from '../../../domain/shared/identifiers.ts'
import { rows, type Pool } from '../pool.ts'

/** Bytes of documents that are in memory at once; a single larger document comes alone. */
const BATCH_BYTES = 16 * 1024 * 1024

const DOCUMENTS = `SELECT accession, document, source, filed_basis AS "filedBasis",
    floor(extract(epoch FROM first_seen_at))::bigint AS "seenAt", extract(epoch FROM filed_at)::bigint AS "filedAt"
  FROM (
    SELECT *, sum(bytes) OVER (ORDER BY accession) AS taken
    FROM filings
    WHERE accession = ANY($1) AND accession > $2 AND status IN ('recorded', 'projected')) AS filings
  WHERE taken - bytes < $3
  ORDER BY accession`

// The daily index is compared on every day from the first one on, so what lies between two compared days is compared.
const isCompared = (since: string, end: string) =>
  `(SELECT coalesce(min(day) <= ${since} AND max(day) >= ${end}, false) FROM index_days)`

// A month is in UTC, so it has the filings of the evening before, and all of that day in data sets. On weekends nothing
// is filed.
const BEGIN = 'CASE WHEN extract(isodow FROM first - 1) > 5 THEN first ELSE first - 1 END'

// Days of loaded quarters need no comparing, but for notices, which data sets lack: of a month and the day before,
// those from `since` on and before `until` are left.
const isLoaded = (day: string) =>
  `EXISTS (SELECT FROM data_sets WHERE status = 'loaded' AND quarter = to_char(${day}, 'YYYY"q"Q'))`

// Every day has some, so one of which none were counted was compared before notices were followed.
const NOT_FOLLOWED = `forms IS NULL OR NOT forms ? '144'`

export class PostgresExportRecord implements ExportRecord {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async position(): Promise<string> {
    const [position] = await rows<{ last: number }>(this.#pool, 'SELECT last FROM change_position')
    return String(position!.last)
  }

  async wholeMonths(months: string[]): Promise<{ month: string; ofAllForms: boolean; ofNotices: boolean }[]> {
    return rows(
      this.#pool,
      `SELECT month, NOT EXISTS (
           SELECT FROM index_days
           WHERE (forms IS NULL OR other_known < other_listed) AND day >= since AND day < until) AS "ofAllForms",
         ${isCompared('begin', 'next')} AND NOT EXISTS (
           SELECT FROM index_days
           WHERE (${NOT_FOLLOWED} OR EXISTS (
               SELECT FROM jsonb_each(forms) AS form
               WHERE key LIKE '144%' AND (value ->> 'known')::integer < (value ->> 'listed')::integer))
             AND day >= begin AND day < next) AS "ofNotices"
       FROM (
         SELECT month, begin, next,
           CASE WHEN ${isLoaded('begin')} THEN first ELSE begin END AS since,
           CASE WHEN ${isLoaded('first')} THEN first ELSE next END AS until
         FROM (
           SELECT month, first, (first + interval '1 month')::date AS next, ${BEGIN} AS begin
           FROM (SELECT month, (month || '-01')::date AS first FROM unnest($1::text[]) AS month) AS named) AS dated
         ) AS requested
       WHERE since = until
         OR ${isCompared('since', 'until')}
           AND NOT EXISTS (SELECT FROM index_days WHERE known < listed AND day >= since AND day < until)`,
      [months],
    )
  }

  async seenAt(month: string): Promise<[accession: string, seenAt: number][]> {
    const documents = await rows<{ accession: string; seen: number }>(
      this.#pool,
      `SELECT accession, floor(extract(epoch FROM first_seen_at))::bigint AS seen
       FROM filings
       WHERE status IN ('recorded', 'projected')
         AND filed_at >= ($1 || '-01 00:00Z')::timestamptz
         AND filed_at < (($1 || '-01 00:00')::timestamp + interval '1 month') AT TIME ZONE 'UTC'
       ORDER BY accession`,
      [month],
    )
    return documents.map(({ accession, seen }) => [accession, seen])
  }

  async *documents(accessions: AccessionNumber[]): AsyncIterable<PackedFiling[]> {
    for (let after = ''; ;) {
      const batch = await rows<PackedFiling>(this.#pool, DOCUMENTS, [accessions, after, BATCH_BYTES])
      if (batch.length === 0) return
      yield batch
      after = batch.at(-1)!.accession
    }
  }
}
