// The fetch queue: filings that a source has listed and that are still to be fetched.
import type { FetchQueue, WaitingFetch } from '../../../application/ports/filings.ts'
import type { AccessionNumber } from '../../../domain/shared/identifiers.ts'
import { rows, storableText, type Pool } from '../pool.ts'

type ListedFilings = Parameters<FetchQueue['add']>[0]

export class PostgresFetchQueue implements FetchQueue {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  // A rejected filing may be queued again: the source may have a complete document by now.
  async add(filings: ListedFilings, foundBy: WaitingFetch['foundBy']): Promise<AccessionNumber[]> {
    const added = await rows<{ accession: AccessionNumber }>(
      this.#pool,
      `INSERT INTO fetches (accession, form, path, found_by)
       SELECT listed.accession, listed.form, listed.path, $4
       FROM unnest($1::text[], $2::text[], $3::text[]) AS listed (accession, form, path)
       WHERE NOT EXISTS (
         SELECT 1 FROM filings
         WHERE filings.accession = listed.accession
           AND status <> 'rejected')
         AND NOT EXISTS (SELECT 1 FROM notices WHERE notices.accession = listed.accession)
       ON CONFLICT (accession) DO NOTHING
       RETURNING accession`,
      [
        filings.map((each) => each.accession),
        filings.map((each) => each.formType),
        filings.map((each) => each.path),
        foundBy,
      ],
    )
    return added.map((row) => row.accession)
  }

  due(limit: number, others: number): Promise<WaitingFetch[]> {
    const first = (not: '' | 'NOT ', most: string, order = '') =>
      `(SELECT accession, form AS "formType", path, found_by AS "foundBy", found_at AS "foundAt", attempts
        FROM fetches
        WHERE status = 'waiting'
          AND ${not}(form IN ('4', '4/A'))
          AND next_attempt_at <= now()
        ORDER BY ${order}found_by DESC, found_at
        LIMIT ${most})`
    return rows<WaitingFetch>(
      this.#pool,
      `${first('', '$1')} UNION ALL ${first('NOT ', '$2', "form IN ('144', '144/A'), ")}`,
      [limit, others],
    )
  }

  async settle(accession: AccessionNumber, status: 'recorded' | 'gone', problem: string | null): Promise<void> {
    await rows(this.#pool, 'UPDATE fetches SET status = $2, problem = $3, settled_at = now() WHERE accession = $1', [
      accession,
      status,
      problem === null ? null : storableText(problem),
    ])
  }

  async tryAgain(accession: AccessionNumber, problem: string, inSeconds: number): Promise<void> {
    await rows(
      this.#pool,
      `UPDATE fetches
       SET attempts = attempts + 1,
         problem = $2,
         next_attempt_at = now() + make_interval(secs => $3)
       WHERE accession = $1`,
      [accession, storableText(problem), inSeconds],
    )
  }

  async countWaiting(): Promise<number> {
    const [waiting] = await rows<{ n: number }>(
      this.#pool,
      `SELECT count(*) AS n FROM fetches WHERE status = 'waiting' AND attempts < 3`,
    )
    return waiting!.n
  }

  async recorded(accessions: AccessionNumber[]): Promise<AccessionNumber[]> {
    const recorded = await rows<{ accession: AccessionNumber }>(
      this.#pool,
      `SELECT accession FROM filings WHERE accession = ANY($1) AND status <> 'rejected'
       UNION ALL
       SELECT accession FROM notices WHERE accession = ANY($1)`,
      [accessions],
    )
    return recorded.map(({ accession }) => accession)
  }
}
