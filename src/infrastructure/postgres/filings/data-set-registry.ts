// The registry of the SEC's quarterly data sets: which quarters are loaded, and which filings came with them. Filings
// are written by COPY, since there may be a million.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import type { LoadedSet, DataSetFiling, DataSetRegistry } from '../../../application/ports/data-sets.ts'
import { cikOf, type AccessionNumber } from '../../../domain/shared/identifiers.ts'
import type { Quarter } from '../../../domain/shared/quarter.ts'
import { ENQUEUE_HISTORICAL, KEEP_HIGHEST } from './signal-queue.ts'
import { longTransaction, rows, type Connection, type Pool } from '../pool.ts'

const COLUMNS = 'accession, form, issuer_cik, filed_at, owner_ciks, symbols, places'

export class PostgresDataSetRegistry implements DataSetRegistry {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  sets(): Promise<LoadedSet[]> {
    return rows<LoadedSet>(this.#pool, 'SELECT quarter, sha256, status, result FROM data_sets ORDER BY quarter')
  }

  async begin(quarter: Quarter, sha256: string, source: string): Promise<void> {
    await rows(
      this.#pool,
      `INSERT INTO data_sets (quarter, sha256, source, status)
       VALUES ($1, $2, $3, 'loading')
       ON CONFLICT (quarter) DO UPDATE
         SET sha256 = $2, source = $3, status = 'loading', started_at = now(), loaded_at = NULL,
           result = CASE WHEN data_sets.sha256 = $2 AND data_sets.status = 'loading' THEN data_sets.result END`,
      [quarter, sha256, source],
    )
  }

  replace(
    quarter: Quarter,
    lines: AsyncIterable<string>,
  ): Promise<{ known: AccessionNumber[]; gone: DataSetFiling[]; writtenTo: number | null }> {
    return longTransaction(this.#pool, async (connection) => {
      await copyIncoming(connection, lines)
      const known = await knownOtherwise(connection, quarter)
      const gone = await recordRemoved(connection, quarter)
      await writeFilings(connection, quarter)
      return { known, gone, writtenTo: await writtenTo(connection, quarter) }
    })
  }

  async markWritten(quarters: Quarter[], upTo: number): Promise<void> {
    await rows(
      this.#pool,
      `UPDATE data_sets
       SET result = jsonb_build_object('writtenTo', $2::bigint)
       WHERE quarter = ANY($1)
         AND status = 'loading'`,
      [quarters, upTo],
    )
  }

  async forgetWritten(): Promise<void> {
    await rows(this.#pool, `UPDATE data_sets SET result = NULL WHERE status = 'loading'`)
  }

  async quartersOf(accessions: AccessionNumber[]): Promise<Map<AccessionNumber, Quarter>> {
    if (accessions.length === 0) return new Map()
    const found = await rows<{ accession: AccessionNumber; quarter: Quarter }>(
      this.#pool,
      `SELECT accession, quarter
       FROM data_set_filings AS of_set
       WHERE accession = ANY($1)
         AND NOT EXISTS (
           SELECT FROM filings WHERE filings.accession = of_set.accession AND status <> 'rejected')`,
      [accessions],
    )
    return new Map(found.map(({ accession, quarter }) => [accession, quarter]))
  }

  // A filing's own document may have replaced the data set's row and been retracted with it, so it is projected again.
  async finish(quarter: Quarter, result: unknown): Promise<void> {
    await longTransaction(this.#pool, async (connection) => {
      await rows(
        connection,
        `WITH gone AS (
           DELETE FROM data_set_gone
           WHERE quarter = $1
           RETURNING accession)
         UPDATE filings
         SET pending = true
         WHERE status = 'projected'
           AND accession IN (SELECT accession FROM gone)`,
        [quarter],
      )
      // The SEC may have withdrawn a filing while the rows were written.
      await rows(
        connection,
        `UPDATE withdrawals
         SET pending = true
         WHERE accession IN (SELECT accession FROM data_set_filings WHERE quarter = $1)`,
        [quarter],
      )
      await rows(
        connection,
        `UPDATE data_sets
         SET status = 'loaded', result = $2, owed = '{}', loaded_at = now()
         WHERE quarter = $1`,
        [quarter, result],
      )
    })
  }
}

/** Returns up to which issuer an interrupted load of the same lines has written; null if it had not begun to. */
async function writtenTo(connection: Connection, quarter: Quarter): Promise<number | null> {
  const [set] = await rows<{ written: number | null }>(
    connection,
    `SELECT (result->>'writtenTo')::bigint AS written
     FROM data_sets
     WHERE quarter = $1
       AND status = 'loading'`,
    [quarter],
  )
  return set?.written ?? null
}

async function copyIncoming(connection: Connection, lines: AsyncIterable<string>): Promise<void> {
  await connection.query(
    `CREATE TEMPORARY TABLE incoming (
       accession text,
       form text,
       issuer_cik bigint,
       filed_at timestamptz,
       owner_ciks bigint[],
       symbols text[],
       places bigint[]
     ) ON COMMIT DROP`,
  )
  await pipeline(Readable.from(lines), connection.query(copyFrom(`COPY incoming (${COLUMNS}) FROM STDIN`)))
}

/** Returns the incoming filings that are known from their own document or from another quarter. */
async function knownOtherwise(connection: Connection, quarter: Quarter): Promise<AccessionNumber[]> {
  const known = await rows<{ accession: AccessionNumber }>(
    connection,
    `SELECT accession
     FROM incoming
     WHERE accession IN (SELECT accession FROM filings WHERE status <> 'rejected')
     UNION
     SELECT accession
     FROM incoming JOIN data_set_filings o USING (accession)
     WHERE o.quarter <> $1`,
    [quarter],
  )
  return known.map(({ accession }) => accession)
}

/**
 * Records the filings of the quarter that its new data set lacks or has changed. Returns them, with those that an
 * interrupted load recorded.
 */
async function recordRemoved(connection: Connection, quarter: Quarter): Promise<DataSetFiling[]> {
  const [before] = await rows<{ any: boolean }>(connection, 'SELECT EXISTS (SELECT FROM data_set_filings) AS any')
  if (before!.any) {
    await rows(
      connection,
      `INSERT INTO data_set_gone (${COLUMNS}, quarter)
       SELECT ${COLUMNS}, $1
       FROM (
         SELECT ${COLUMNS} FROM data_set_filings WHERE quarter = $1
         EXCEPT
         SELECT ${COLUMNS} FROM incoming) AS gone`,
      [quarter],
    )
  }
  const gone = await rows<StoredFiling>(connection, `SELECT ${COLUMNS} FROM data_set_gone WHERE quarter = $1`, [
    quarter,
  ])
  return gone.map(toDataSetFiling)
}

async function writeFilings(connection: Connection, quarter: Quarter): Promise<void> {
  await connection.query('DELETE FROM data_set_filings WHERE quarter = $1', [quarter])
  await connection.query(
    `INSERT INTO data_set_filings (${COLUMNS}, quarter)
     SELECT ${COLUMNS}, $1 FROM incoming
     ON CONFLICT (accession) DO NOTHING`,
    [quarter],
  )
  await connection.query(
    `${ENQUEUE_HISTORICAL}
     SELECT true, issuer, nextval('projection_version')
     FROM (
       SELECT DISTINCT lpad(issuer_cik::text, 10, '0') AS issuer
       FROM (
         SELECT issuer_cik FROM incoming
         UNION
         SELECT issuer_cik FROM data_set_gone WHERE quarter = $1) AS touched) AS issuers
     ${KEEP_HIGHEST}`,
    [quarter],
  )
}

/** A row of `data_set_filings`, read as columns or as JSON. */
export interface StoredFiling {
  accession: AccessionNumber
  form: DataSetFiling['form']
  issuer_cik: number
  filed_at: Date | string
  owner_ciks: (string | number)[]
  symbols: string[]
  places: (string | number)[]
}

export function toDataSetFiling(row: StoredFiling): DataSetFiling {
  return {
    accession: row.accession,
    form: row.form,
    issuerCik: cikOf(row.issuer_cik),
    ownerCiks: row.owner_ciks.map(cikOf),
    symbols: row.symbols,
    filedAt: new Date(row.filed_at).getTime() / 1000,
    places: row.places.map(Number),
  }
}
