// The one way to PostgreSQL: time limits on everything, and driver errors turned into `unavailable`.
import pg from 'pg'
import { ServiceError } from '../../application/errors.ts'

// bigint columns here count rows and versions, far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export type Pool = pg.Pool
export type Connection = pg.PoolClient
type Row = pg.QueryResultRow

export interface PoolOptions {
  url: string
  /** Shown in pg_stat_activity. */
  name: string
  max?: number
  onError?: (error: Error) => void
}

export function openPool({ url, name, max = 8, onError }: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    lock_timeout: 30_000,
  })
  // An idle connection that the server closes raises 'error' on the pool; without a listener the process ends.
  pool.on('error', (error) => onError?.(error))
  return pool
}

export async function rows<T extends Row>(db: Pool | Connection, text: string, values: unknown[] = []): Promise<T[]> {
  try {
    return (await db.query<T>(text, values)).rows
  } catch (error) {
    throw translated(error)
  }
}

/** Runs `work` in one transaction on one connection; a failure rolls back and is thrown on. */
export async function transaction<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await pool.connect().catch((error) => Promise.reject(translated(error)))
  let broken: Error | undefined
  // A connection cut while checked out reports on itself as well as through the query.
  const onError = (error: Error) => { broken = error }
  connection.on('error', onError)
  try {
    await connection.query('BEGIN')
    const result = await work(connection)
    await connection.query('COMMIT')
    return result
  } catch (error) {
    await connection.query('ROLLBACK').catch((failure: Error) => { broken ??= failure })
    throw translated(error)
  } finally {
    connection.removeListener('error', onError)
    connection.release(broken ?? false)
  }
}

// 08 connection, 53 resources, 57P administrator or crash; 55P03 and 57014 are our own time limits.
const PASSING = /^(08|53|57P|55P03|57014)/

function translated(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const code = (error as { code?: string }).code
  const lost = code === undefined ? /timeout|terminated|ended|connect/i.test(error.message) : /^E[A-Z]+$/.test(code)
  if (!lost && !(code !== undefined && PASSING.test(code))) return error
  return new ServiceError('unavailable', 'PostgreSQL does not answer', undefined, { cause: error })
}
