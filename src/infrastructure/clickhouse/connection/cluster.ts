// Support for a ClickHouse cluster: replicas of one database with the engine Replicated. Keeper applies each change of
// tables on all replicas, and each table replicates its rows. Statements are the same as for one server; only the engines
// of tables and the settings of connections differ.
import type { ClickHouseSettings } from '@clickhouse/client'

/** Settings of every connection to a cluster. */
export const CLUSTER_SETTINGS = {
  // Keeps the rows of one insert in one block, which asynchronous inserts do not.
  async_insert: 0,
  // Rows replace by key, so writes may be repeated. Deduplication would drop a block that equals an earlier one, and so
  // lose rows that were removed in between.
  insert_deduplicate: 0,
  // A change of tables waits for the replicas that run. One that is away applies it when it is back. The client's types
  // lack this mode.
  distributed_ddl_task_timeout: '60',
  distributed_ddl_output_mode: 'throw_only_active' as string as 'throw',
  // CREATE TABLE ... AS copies the place in Keeper, which has the macro {uuid} and so is one of the new table's own.
  database_replicated_allow_replicated_engine_arguments: 1,
} as const satisfies ClickHouseSettings

/**
 * Settings of connections that write, whose reads must see everything written: trades are reconciled with the stored
 * ones, and rows are derived from rows. A read consults Keeper, and fails on a replica that lacks a block instead of
 * returning old rows. That holds only if blocks of a table are written one after the other (insert_quorum_parallel
 * 0): see `insertsInTurn`.
 */
export const EXACT_SETTINGS = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
  insert_quorum_timeout: 20_000,
  select_sequential_consistency: '1',
} as const satisfies ClickHouseSettings

const ENGINE = /^(CREATE TABLE (?:IF NOT EXISTS )?(\w+)\s.*\bENGINE = )(\w*MergeTree)\b/s

/**
 * Returns the statement that makes the same table on a cluster. Staging tables keep their engine: every replica has
 * them, and only the one that a data set is loaded through fills them.
 */
export function onCluster(statement: string): string {
  return statement.replace(ENGINE, (match: string, head: string, table: string, engine: string) =>
    table.startsWith('staged_') ? match : `${head}Replicated${engine}`,
  )
}

/** Returns the statement that adds this server to the replicas of the database. */
export const joinSql = (cluster: string, database: string): string =>
  `CREATE DATABASE IF NOT EXISTS ${database}
   ENGINE = Replicated('/clickhouse/${cluster}/databases/${database}', '{shard}', '{replica}')`

/** Runs statements on a server before its database is opened. */
interface Server {
  rows<T>(query: string): Promise<T[]>
  command(query: string): Promise<void>
}

/**
 * Makes the database, on a cluster this server's replica of it. Throws if the server has a database of the other kind,
 * or is in another shard than the other replicas: it would have other rows.
 */
export async function makeDatabase(server: Server, database: string, cluster: string | undefined): Promise<void> {
  const [existing] = await server.rows<{ engine: string }>(
    `SELECT engine FROM system.databases WHERE name = '${database}'`,
  )
  if (existing && (existing.engine === 'Replicated') !== (cluster !== undefined))
    throw new Error(
      cluster === undefined
        ? `the database ${database} of this server is that of a cluster: set CLICKHOUSE_CLUSTER`
        : `CLICKHOUSE_CLUSTER: this server has a database ${database} that is not replicated: drop it first`,
    )
  if (cluster === undefined) return server.command(`CREATE DATABASE IF NOT EXISTS ${database}`)
  // A replica is added once: later starts need neither Keeper nor another replica.
  if (!existing) {
    await server.command(joinSql(cluster, database))
    await server.command(`SYSTEM SYNC DATABASE REPLICA ${database}`)
  }
  const [servers] = await server.rows<{ shards: number }>(
    `SELECT max(shard_num) AS shards FROM system.clusters WHERE cluster = '${database}'`,
  )
  if (Number(servers?.shards) > 1)
    throw new Error(`CLICKHOUSE_CLUSTER: all servers of ${cluster} need the same value of the macro shard`)
}

type InTurn = <T>(table: string | undefined, insert: () => Promise<T>) => Promise<T>

/** Tables that a view brings together: an insert into one of them writes into the other. */
const FED_BY_VIEW = new Set(['placed_rows', 'transaction_lists'])

/** Returns a function that runs inserts into one table in the order they came, and those without a table at once. */
export function insertsInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return (table, insert) => {
    if (table === undefined) return insert()
    const queue = FED_BY_VIEW.has(table) ? 'transaction_lists' : table
    const result = (last.get(queue) ?? Promise.resolve()).then(insert, insert)
    last.set(
      queue,
      result.catch(() => {}),
    )
    return result
  }
}

/** Returns the table that a statement inserts into. */
export const insertsInto = (statement: string): string | undefined => /^\s*INSERT INTO (\w+)/.exec(statement)?.[1]
