// Which quarters of the data sets are loaded, and which filings by them. A quarter's filings come by COPY: a million take
// seconds, where rows of JSON took minutes.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import type { LoadedSet, SetFiling, SetLedger } from '../../application/ports.ts'
import type { AccessionNumber, Cik } from '../../domain/identifiers.ts'
import { rows, transaction, type Connection, type Pool } from './pool.ts'

const COLUMNS = 'accession, form, issuer_cik, filed_at, owner_ciks, symbols, places'

export function openSetLedger(pool: Pool): SetLedger {
  return {
    sets: () => rows<LoadedSet>(pool, 'SELECT quarter, sha256, status, result FROM data_sets ORDER BY quarter'),
    begin: async (quarter, sha256, source) => {
      await rows(pool, `INSERT INTO data_sets (quarter, sha256, source, status) VALUES ($1, $2, $3, 'loading')
        ON CONFLICT (quarter) DO UPDATE SET sha256 = $2, source = $3, status = 'loading', started_at = now(), loaded_at = NULL`,
      [quarter, sha256, source])
    },
    replace: (quarter, lines, meanwhile) => transaction(pool, (connection) => replace(connection, quarter, lines, meanwhile)),
    finish: async (quarter, result) => {
      await rows(pool, `UPDATE data_sets SET status = 'loaded', result = $2, loaded_at = now() WHERE quarter = $1`, [quarter, result])
    },
  }
}

// Inside one transaction: a filing recorded meanwhile is projected after it, and then sees what its set has written.
async function replace<T>(
  connection: Connection, quarter: string, lines: AsyncIterable<string>, meanwhile: (known: AccessionNumber[]) => Promise<T>,
) {
  // A quarter of a million filings takes its time; what guards other statements does not apply.
  await connection.query('SET LOCAL statement_timeout = 0')
  await connection.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  await connection.query(`CREATE TEMPORARY TABLE incoming (accession text, form text, issuer_cik bigint, filed_at timestamptz,
    owner_ciks bigint[], symbols text[], places bigint[]) ON COMMIT DROP`)
  await pipeline(Readable.from(lines), connection.query(copyFrom(`COPY incoming (${COLUMNS}) FROM STDIN`)))
  const [before] = await rows<{ any: boolean }>(connection, 'SELECT EXISTS (SELECT FROM data_set_filings) AS any')
  const known = await rows<{ accession: AccessionNumber }>(connection, `SELECT accession FROM incoming
      WHERE accession IN (SELECT accession FROM filings WHERE status <> 'rejected')
    UNION SELECT accession FROM incoming JOIN data_set_filings o USING (accession) WHERE o.quarter <> $1`, [quarter])
  const gone = before!.any ? await rows<StoredFiling>(connection, `SELECT ${COLUMNS} FROM data_set_filings WHERE quarter = $1
    EXCEPT SELECT ${COLUMNS} FROM incoming`, [quarter]) : []
  const written = write(connection, quarter)
  const [done] = await Promise.all([meanwhile(known.map(({ accession }) => accession)), written])
  return { done, gone: gone.map(toSetFiling) }
}

async function write(connection: Connection, quarter: string): Promise<void> {
  await connection.query('DELETE FROM data_set_filings WHERE quarter = $1', [quarter])
  await connection.query(`INSERT INTO data_set_filings (${COLUMNS}, quarter) SELECT ${COLUMNS}, $1 FROM incoming
    ON CONFLICT (accession) DO NOTHING`, [quarter])
}

/** As columns or as JSON. */
export interface StoredFiling {
  accession: AccessionNumber; form: SetFiling['form']; issuer_cik: number; filed_at: Date | string; owner_ciks: (string | number)[]
  symbols: string[]; places: (string | number)[]
}

export function toSetFiling(row: StoredFiling): SetFiling {
  return {
    accession: row.accession,
    form: row.form,
    issuerCik: toCik(row.issuer_cik),
    ownerCiks: row.owner_ciks.map(toCik),
    symbols: row.symbols,
    filedAt: new Date(row.filed_at).getTime() / 1000,
    places: row.places.map(Number),
  }
}

const toCik = (number: string | number): Cik => String(number).padStart(10, '0')
