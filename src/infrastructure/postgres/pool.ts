// Connections to PostgreSQL: a pool with time limits on everything, and driver errors turned into `unavailable`.
import pg from 'pg'
import { ServiceError } from '../../application/errors.ts'
import { inTime, isLate, timeLeft } from '../deadline.ts'
import { Client } from './client.ts'

// bigint columns here count rows and versions, far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export type Pool = pg.Pool
export type Connection = pg.ClientBase
type Row = pg.QueryResultRow

// Milliseconds. The server ends a statement at `statement_timeout`; `query_timeout` is the client's own limit, for a
// server that hangs or a connection that was cut silently, and closes the connection.
const LIMITS = {
  /** For background work, with no caller waiting. */
  work: { connectionTimeoutMillis: 5_000, statement_timeout: 60_000, lock_timeout: 30_000, query_timeout: 65_000 },
  /** For the delivery of webhooks: batches of a few hundred rows. */
  delivery: { connectionTimeoutMillis: 5_000, statement_timeout: 10_000, lock_timeout: 10_000, query_timeout: 12_000 },
  /** For requests, which have a deadline besides: no statement runs beyond that. */
  callers: { connectionTimeoutMillis: 2_000, statement_timeout: 2_000, lock_timeout: 2_000, query_timeout: 2_500 },
} as const

const LONG_STATEMENT_MS = 3_600_000

interface PoolOptions {
  url: string
  /** Shown in pg_stat_activity. */
  name: string
  max?: number
  /** Defaults to `work`. */
  limits?: keyof typeof LIMITS
  onError?: (error: Error) => void
}

export function openPool({ url, name, max = 8, limits = 'work', onError }: PoolOptions): Pool {
  const pool = new pg.Pool({
    Client,
    connectionString: url,
    application_name: name,
    max,
    keepAlive: true,
    idleTimeoutMillis: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    ...LIMITS[limits],
  })
  // An idle connection that the server closes raises 'error' on the pool; without a listener the process ends.
  pool.on('error', (error) => onError?.(error))
  return pool
}

/**
 * A statement that each connection prepares once, under this name: for those of every filing, which PostgreSQL
 * otherwise parses and plans each time. The same name always stands for the same text.
 */
export interface Prepared {
  name: string
  text: string
}

/** Runs one statement and returns its rows. Throws ServiceError `unavailable` while PostgreSQL cannot be reached. */
export async function rows<T extends Row>(
  db: Pool | Connection,
  statement: string | Prepared,
  values: unknown[] = [],
): Promise<T[]> {
  try {
    if (db instanceof pg.Pool)
      return await withConnection(db, (connection) => runQuery<T>(connection, statement, values))
    return await runQuery<T>(db, statement, values)
  } catch (error) {
    throw translateError(error)
  }
}

/**
 * Runs `work` in one transaction on one connection; rolls back and rethrows on failure. `lock` is an advisory lock that
 * the transaction takes first.
 */
export async function transaction<T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
  lock?: number,
): Promise<T> {
  try {
    return await withConnection(
      pool,
      async (connection) => {
        await runQuery(connection, lock === undefined ? 'BEGIN' : `BEGIN; SELECT pg_advisory_xact_lock(${lock})`)
        const result = await work(connection)
        await runQuery(connection, 'COMMIT')
        return result
      },
      'ROLLBACK',
    )
  } catch (error) {
    throw translateError(error)
  }
}

/** Starts no statement after the request's deadline and waits for no result beyond it. */
async function runQuery<T extends Row>(
  connection: Connection,
  statement: string | Prepared,
  values: unknown[] = [],
): Promise<T[]> {
  const left = timeLeft()
  const query = { ...(typeof statement === 'string' ? { text: statement } : statement), values }
  if (left === null) return (await connection.query<T>(query)).rows
  // The driver has this option, its types do not.
  const limited = { ...query, query_timeout: Math.ceil(Math.min(left, LIMITS.callers.query_timeout)) }
  return (await connection.query<T>(limited)).rows
}

/** Runs `work` on a connection of the pool; a failure is followed by the statement `undo`, or closes the connection. */
async function withConnection<T>(pool: Pool, work: (connection: Connection) => Promise<T>, undo?: string): Promise<T> {
  const connection = await connect(pool)
  let broken: Error | undefined
  // A connection cut while checked out reports on itself as well as through the query.
  const onError = (error: Error) => {
    broken = error
  }
  connection.on('error', onError)
  try {
    return await work(connection)
  } catch (error) {
    // A connection that does not answer would not answer `undo` either, and after a deadline there is no time for it;
    // closing the connection rolls back as well.
    if (isClientTimeout(error) || isLate()) broken ??= error as Error
    else if (undo)
      await connection.query(undo).catch((failure: Error) => {
        broken ??= failure
      })
    throw error
  } finally {
    connection.removeListener('error', onError)
    connection.release(broken ?? false)
  }
}

async function connect(pool: Pool): Promise<pg.PoolClient> {
  timeLeft()
  const connecting = pool.connect()
  try {
    return await inTime(connecting)
  } catch (error) {
    // The pool may still hand over the connection later; it is released unused.
    connecting.then(
      (connection) => connection.release(),
      () => {},
    )
    throw error
  }
}

/**
 * Runs `work` like `transaction`, for work that takes minutes, such as loading a quarter's data set: on a dedicated
 * connection with long limits for statements, and none for idle time.
 */
export async function longTransaction<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = new Client({
    ...pool.options,
    statement_timeout: LONG_STATEMENT_MS,
    // The driver would keep its timer after a COPY has ended.
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  })
  // Without a listener a lost connection would end the process.
  connection.on('error', () => {})
  try {
    await connection.connect()
    await connection.query('BEGIN')
    const result = await work(connection)
    await connection.query('COMMIT')
    return result
  } catch (error) {
    throw translateError(error)
  } finally {
    // Closing rolls back what is not committed, even in the middle of a COPY, where ROLLBACK would wait for its end.
    // Not awaited: a connection that was cut never confirms the end.
    void connection.end().catch(() => {})
  }
}

/** Returns whether the client's own time limit passed, for this statement or one whose error was translated. */
function isClientTimeout(error: unknown): boolean {
  const { message, cause } = error as Error
  return message === 'Query read timeout' || (cause instanceof Error && isClientTimeout(cause))
}

// SQLSTATE classes 21 and 22 data, 23 constraints, 54 limits: the statement's values are at fault, not the server.
const VALUE_ERRORS = /^(21|22|23|54)/

/** Returns whether a statement failed because of its values, so that it would fail again with the same ones. */
export function isValueError(error: unknown): boolean {
  return VALUE_ERRORS.test(((error as { code?: unknown } | null)?.code as string) ?? '')
}

/** Returns text as PostgreSQL can store it: each NUL and each lone surrogate is replaced with U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

// SQLSTATE 08 connection, 53 resources, 57P administrator or crash; 55P03 and 57014 are our own time limits.
const TRANSIENT = /^(08|40001|40P01|53|57P|55P03|57014)/
// Errors of a connection, as opposed to those of files, such as a backup's.
const CONNECTION_LOST = /^E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_|ADDRNOT)/

/** Returns ServiceError `unavailable` for an error that may pass, such as a lost connection, and others as they are. */
export function translateError(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  const lost =
    code === undefined
      ? /timeout|terminated|ended|connect/i.test(error.message)
      : CONNECTION_LOST.test(code) || syscall === 'connect'
  if (!lost && !(code !== undefined && TRANSIENT.test(code))) return error
  return new ServiceError('unavailable', 'PostgreSQL does not answer', undefined, { cause: error })
}
