// What the sources have shown: filings to fetch, how far each source was read, how complete each day is.
import type { FetchQueue, SourceProgress, WaitingFetch } from '../../../application/ports/filings.ts'
import { rows, storableText, type Pool } from '../pool.ts'

export function openFetchQueue(pool: Pool): FetchQueue {
  return {
    // A rejected filing may be fetched once more by a source: what it has now may be whole.
    add: async (filings, foundBy) =>
      (
        await rows<{ accession: string }>(
          pool,
          `
      INSERT INTO fetches (accession, form, path, found_by)
      SELECT listed.accession, listed.form, listed.path, $4 FROM unnest($1::text[], $2::text[], $3::text[])
        AS listed (accession, form, path)
      WHERE NOT EXISTS (SELECT 1 FROM filings WHERE filings.accession = listed.accession AND status <> 'rejected')
      ON CONFLICT (accession) DO NOTHING RETURNING accession`,
          [
            filings.map((each) => each.accession),
            filings.map((each) => each.formType),
            filings.map((each) => each.path),
            foundBy,
          ],
        )
      ).map((row) => row.accession),
    due: (limit) =>
      rows<WaitingFetch>(
        pool,
        `SELECT accession, form AS "formType", path, found_by AS "foundBy",
      found_at AS "foundAt", attempts FROM fetches WHERE status = 'waiting' AND next_attempt_at <= now()
      ORDER BY found_by DESC, found_at LIMIT $1`,
        [limit],
      ),
    settle: async (accession, status, problem) => {
      await rows(pool, 'UPDATE fetches SET status = $2, problem = $3, settled_at = now() WHERE accession = $1', [
        accession,
        status,
        problem === null ? null : storableText(problem),
      ])
    },
    tryAgain: async (accession, problem, inSeconds) => {
      await rows(
        pool,
        `UPDATE fetches SET attempts = attempts + 1, problem = $2,
        next_attempt_at = now() + make_interval(secs => $3) WHERE accession = $1`,
        [accession, storableText(problem), inSeconds],
      )
    },
    countWaiting: async () =>
      (
        await rows<{ n: number }>(pool, `SELECT count(*) AS n FROM fetches WHERE status = 'waiting' AND attempts < 3`)
      )[0]!.n,
    countRecorded: async (accessions) =>
      (
        await rows<{ n: number }>(
          pool,
          `SELECT count(*) AS n FROM filings WHERE accession = ANY($1) AND status <> 'rejected'`,
          [accessions],
        )
      )[0]!.n,
  }
}

export function openSourceProgress(pool: Pool): SourceProgress {
  return {
    position: async (source) =>
      (await rows<{ position: string }>(pool, 'SELECT position FROM source_positions WHERE source = $1', [source]))[0]
        ?.position ?? null,
    move: async (source, position) => {
      await rows(
        pool,
        `INSERT INTO source_positions (source, position) VALUES ($1, $2)
        ON CONFLICT (source) DO UPDATE SET position = $2, moved_at = now()`,
        [source, position],
      )
    },
    checked: async (day, listed, known) => {
      await rows(
        pool,
        `INSERT INTO index_days (day, listed, known) VALUES ($1, $2, $3)
        ON CONFLICT (day) DO UPDATE SET listed = $2, known = $3, checked_at = now()`,
        [day, listed, known],
      )
    },
    incomplete: async (since) =>
      (
        await rows<{ day: string }>(
          pool,
          'SELECT day::text FROM index_days WHERE day >= $1 AND known < listed ORDER BY day',
          [since],
        )
      ).map((row) => row.day),
  }
}
