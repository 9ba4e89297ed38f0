// The fetch queue: filings that a source has listed and that are still to be fetched.
import type { FetchQueue, WaitingFetch } from '../../../application/ports/filings.ts'
import type { AccessionNumber } from '../../../domain/shared/identifiers.ts'
import { rows, storableText, type Pool } from '../pool.ts'

type ListedFilings = Parameters<FetchQueue['add']>[0]

const IS_RECORDED = `(
  EXISTS (SELECT FROM filings WHERE filings.accession = listed.accession AND status <> 'rejected')
  OR EXISTS (SELECT FROM notices WHERE notices.accession = listed.accession))`

// A filing that the SEC has deleted is not missing.
const IS_MISSING = `NOT ${IS_RECORDED}
  AND NOT EXISTS (SELECT FROM withdrawals WHERE withdrawals.accession = listed.accession)`

export class PostgresFetchQueue implements FetchQueue {
  readonly #pool: Pool
  readonly #reader: number

  /** `reader` is the version of the reader of documents, by which filings that an older one rejected are found. */
  constructor(pool: Pool, reader: number) {
    this.#pool = pool
    this.#reader = reader
  }

  async add(filings: ListedFilings, foundBy: WaitingFetch['foundBy']): Promise<AccessionNumber[]> {
    const added = await rows<{ accession: AccessionNumber }>(
      this.#pool,
      `INSERT INTO fetches (accession, form, path, found_by)
       SELECT listed.accession, listed.form, listed.path, $4
       FROM unnest($1::text[], $2::text[], $3::text[]) AS listed (accession, form, path)
       WHERE NOT ${IS_RECORDED}
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

  // `found_at` stays, so a filing that was gone is settled again by the first answer that it is still not there.
  async addAgain(accessions: AccessionNumber[], when: 'now' | 'daily' | 'upgraded'): Promise<AccessionNumber[]> {
    const added = await rows<{ accession: AccessionNumber }>(
      this.#pool,
      `UPDATE fetches AS listed
       SET status = 'waiting', found_by = 'catch-up', attempts = 0, next_attempt_at = now(), settled_at = NULL
       WHERE accession = ANY($1)
         AND status <> 'waiting'
         AND ${IS_MISSING}
         AND ($2 = 'now'
           OR reader IS DISTINCT FROM $3
           OR ($2 = 'daily' AND settled_at < now() - interval '1 day'))
       RETURNING accession`,
      [accessions, when, this.#reader],
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
    await rows(
      this.#pool,
      'UPDATE fetches SET status = $2, problem = $3, settled_at = now(), reader = $4 WHERE accession = $1',
      [accession, status, problem === null ? null : storableText(problem), this.#reader],
    )
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

  async missing(accessions: AccessionNumber[]): Promise<AccessionNumber[]> {
    const missing = await rows<{ accession: AccessionNumber }>(
      this.#pool,
      `SELECT accession FROM unnest($1::text[]) AS listed (accession) WHERE ${IS_MISSING}`,
      [accessions],
    )
    return missing.map(({ accession }) => accession)
  }
}
