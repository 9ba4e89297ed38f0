// The registry of the SEC's quarterly data sets: which quarters are loaded, and which filings came with them. Filings
// are written by COPY, since there may be a million.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import type {
  LoadedSet,
  DataSetFiling,
  DataSetRegistry,
  WriteRows,
  WrittenRows,
} from '../../../application/ports/data-sets.ts'
import type { WithdrawnFilings } from '../../../domain/trades/reconciliation/related-filing.ts'
import { cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
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
         SET sha256 = $2, source = $3, status = 'loading', started_at = now(), loaded_at = NULL`,
      [quarter, sha256, source],
    )
  }

  // In one transaction: a filing recorded meanwhile is projected after it, and then sees what the data set has written.
  replace<T>(quarter: Quarter, lines: AsyncIterable<string>, meanwhile: WriteRows<T>): Promise<WrittenRows<T>> {
    return longTransaction(this.#pool, async (connection) => {
      await copyIncoming(connection, lines)
      const known = await knownOtherwise(connection, quarter)
      const gone = await recordRemoved(connection, quarter)
      const withdrawn = await withdrawnIncoming(connection)
      const written = writeFilings(connection, quarter)
      const [{ done, issuersToReconcile }] = await Promise.all([meanwhile(known, gone, withdrawn), written])
      return { done, issuersToReconcile: await addIssuers(connection, quarter, issuersToReconcile) }
    })
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

/** Returns the incoming filings that the SEC has withdrawn. */
async function withdrawnIncoming(connection: Connection): Promise<WithdrawnFilings> {
  const withdrawn = await rows<{ accession: AccessionNumber; received: number }>(
    connection,
    `SELECT accession, floor(extract(epoch FROM received_at))::bigint AS received
     FROM incoming JOIN withdrawals USING (accession)`,
  )
  return new Map(withdrawn.map(({ accession, received }) => [accession, received]))
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

/**
 * Records the issuers that have to be reconciled. Returns them with those of an interrupted load, and with the issuers
 * of withdrawn filings, which the data set still has.
 */
async function addIssuers(connection: Connection, quarter: Quarter, issuers: Cik[]): Promise<Cik[]> {
  const [all] = await rows<{ owed: string[] }>(
    connection,
    `UPDATE data_sets
     SET owed = ARRAY(
       SELECT unnest(owed || $2::bigint[])
       UNION
       SELECT issuer_cik FROM incoming JOIN withdrawals USING (accession))
     WHERE quarter = $1
     RETURNING owed`,
    [quarter, issuers.map(Number)],
  )
  return (all?.owed ?? issuers).map(cikOf)
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
