// DDL and settings of a ClickHouse cluster: the same migrations as for one server, rewritten for all nodes, and the
// settings that keep answers as exact as one server's. Tables are rewritten by name and not by marks in the SQL
// files: where each goes is listed here, and an unknown table or statement is an error instead of being passed on.
import type { ClickHouseSettings } from '@clickhouse/client'

export interface Cluster {
  /** As the servers' remote_servers has it. */
  name: string
  database: string
}

/**
 * `sharded`: `<name>_local` on the nodes of each shard, and under the plain name a Distributed table over them, used
 * by all queries and inserts. `everywhere`: complete on every node, as one replicated table of all nodes, so that a
 * query reads it locally. `apart`: a separate table on every node, filled only on the loader's node. `passing`: keeps
 * nothing; views on the node that is written to pass its rows on to the tables of the cluster.
 */
type Placement = 'sharded' | 'everywhere' | 'apart' | 'passing'

const PLACEMENTS: Readonly<Record<string, Placement>> = {
  trades: 'sharded',
  incoming_trades: 'passing',
  listed_trades: 'passing',
  incoming_directory: 'passing',
  transaction_lists: 'sharded',
  filing_lists: 'sharded',
  filing_details: 'sharded',
  directory: 'sharded',
  signals: 'sharded',
  signal_list: 'sharded',
  signal_states: 'sharded',
  // Some 10,000 rows; each company's page reads it twice.
  company_list: 'everywhere',
  search_terms: 'everywhere',
  market_periods: 'everywhere',
  market_changes: 'everywhere',
  market_sectors: 'everywhere',
  issuer_sectors: 'everywhere',
  // Few rows, and its partitions are dropped, which a Distributed table can't.
  set_rejects: 'everywhere',
  migrations: 'everywhere',
  store_identity: 'everywhere',
  generations: 'everywhere',
}
const APART = /^staged_[a-z_]+$/

// A filing belongs to one issuer, and its accession number is part of every key. So all versions and copies of a row,
// and its deletion, are on its issuer's shard, where FINAL, which each shard applies alone, sees them together.
const SHARDING_KEY = 'issuer_cik'

// By the table's UUID, not its name: a rebuild's table takes the name of another one, and the path stays. ON CLUSTER
// gives the table the same UUID on all nodes.
const SHARD_PATH = `'/clickhouse/tables/{uuid}/{shard}', '{replica}'`
// {replica} may be the same in two shards.
const COMMON_PATH = `'/clickhouse/tables/{uuid}/all', '{shard}-{replica}'`

/** Of every connection to a cluster. */
export const CLUSTER_SETTINGS = {
  // A write is there when it returns.
  distributed_foreground_insert: 1,
  // INSERT ... SELECT goes through this node, which sends each row where the sharding key says. By default a server may
  // let every shard write what it reads to itself.
  parallel_distributed_insert_select: '0',
  // A trade's copies go in one block; gathered with other inserts, they need not.
  async_insert: 0,
  // Every write can be repeated, since rows replace by key. Dropping a block because an equal one came before has no
  // use and would lose rows that were removed in between.
  insert_deduplicate: 0,
  // A query without GLOBAL fails instead of reading each shard's part of a list.
  distributed_product_mode: 'deny',
  // Without a shard there is no answer: a partial one would be wrong.
  skip_unavailable_shards: 0,
  // Of two replicas the one that is at most 10 s behind.
  max_replica_delay_for_distributed_queries: '10',
} as const satisfies ClickHouseSettings

/**
 * Settings of connections that write, whose reads must see everything written: trades are reconciled with the stored
 * ones, and rows are derived from rows. A read consults Keeper, and fails on a replica that lacks a block instead of
 * returning old rows. That holds only if blocks of a table are written one after the other (insert_quorum_parallel
 * 0): see `inTurn`.
 */
export const EXACT_SETTINGS = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
  insert_quorum_timeout: 20_000,
  select_sequential_consistency: '1',
  // Reads where it wrote. Queries of the API go to replicas at random.
  load_balancing: 'in_order',
} as const satisfies ClickHouseSettings

/** Settings of statements that run on every node: a minute for a slow node, an error if one is away. */
export const DDL_SETTINGS = {
  max_execution_time: 0,
  distributed_ddl_task_timeout: '60',
  distributed_ddl_output_mode: 'throw',
} as const satisfies ClickHouseSettings

const CREATE = new RegExp(
  [
    String.raw`^CREATE TABLE IF NOT EXISTS (\w+) (\(.*\))\s+ENGINE = (Replacing)?MergeTree(?:\(([\w, ]+)\))?`,
    String.raw`(\s+(?:PARTITION|ORDER) BY\s.*)$`,
  ].join(''),
  's',
)
const CREATE_PASSING = /^CREATE TABLE IF NOT EXISTS (\w+) AS (\w+) ENGINE = Null$/
const ALTER = /^ALTER TABLE (\w+) ((?:ADD|DROP|MODIFY) COLUMN IF (?:NOT )?EXISTS [^;]+)$/s
const ALTER_SETTING = /^ALTER TABLE (\w+) (MODIFY SETTING \w+ = \d+)$/
const VIEW = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+) TO (\w+) AS\s(.*)\bFROM (\w+)\n(.*)$/s
const DROP_TABLE = /^DROP TABLE IF EXISTS (\w+)$/
const DROP_VIEW = /^DROP VIEW IF EXISTS (\w+)$/
const EXCHANGE = /^EXCHANGE TABLES (\w+)\.(\w+) AND (\w+)\.(\w+)$/
const CREATE_DATABASE = /^CREATE DATABASE IF NOT EXISTS (\w+)$/
const DROP_DATABASE = /^DROP DATABASE IF EXISTS (\w+) SYNC$/

/** Returns the statements that do on all nodes what this one does on a server. Throws on an unknown statement. */
export function onCluster(statement: string, cluster: Cluster): string[] {
  const here = `ON CLUSTER '${cluster.name}'`
  let match = CREATE.exec(statement)
  if (match) return createTable(match, cluster, here)
  match = CREATE_PASSING.exec(statement)
  if (match) {
    const [passing, like] = [`${cluster.database}.${match[1]}`, `${cluster.database}.${stored(match[2]!)}`]
    return [`CREATE TABLE IF NOT EXISTS ${passing} ${here} AS ${like} ENGINE = Null`]
  }
  match = ALTER.exec(statement)
  if (match) return alterTable(match[1]!, match[2]!, cluster, here)
  match = ALTER_SETTING.exec(statement)
  // A Distributed table has none of these settings.
  if (match) return [`ALTER TABLE ${cluster.database}.${stored(match[1]!)} ${here} ${match[2]}`]
  match = VIEW.exec(statement)
  if (match) return [createView(match, cluster, here)]
  match = DROP_TABLE.exec(statement)
  if (match && placementOf(match[1]!) === 'apart')
    return [`DROP TABLE IF EXISTS ${cluster.database}.${match[1]} ${here} SYNC`]
  match = DROP_VIEW.exec(statement)
  if (match) return [`DROP VIEW IF EXISTS ${cluster.database}.${match[1]} ${here} SYNC`]
  match = EXCHANGE.exec(statement)
  if (match) {
    const [, ours, table, theirs, other] = match
    if (table !== other) throw new Error(`tables of different names are not exchanged on a cluster: ${statement}`)
    const name = stored(table!)
    return [`EXCHANGE TABLES ${ours}.${name} AND ${theirs}.${name} ${here}`]
  }
  // Atomic: its tables have UUIDs and can be exchanged.
  match = CREATE_DATABASE.exec(statement)
  if (match) return [`CREATE DATABASE IF NOT EXISTS ${match[1]} ${here} ENGINE = Atomic`]
  match = DROP_DATABASE.exec(statement)
  if (match) return [`DROP DATABASE IF EXISTS ${match[1]} ${here} SYNC`]
  throw new Error(`unsupported statement on a cluster: ${statement.slice(0, 200)}`)
}

function createTable(match: RegExpExecArray, { name, database }: Cluster, here: string): string[] {
  const [table, columns, kind, args, rest] = match.slice(1).map((part) => part ?? '') as [
    string,
    string,
    string,
    string,
    string,
  ]
  const create = (as: string, engine: string) =>
    `CREATE TABLE IF NOT EXISTS ${database}.${as} ${here} ${columns} ENGINE = ${engine}${rest}`
  const replicated = (path: string) => `Replicated${kind}MergeTree(${args ? `${path}, ${args}` : path})`
  const place = placementOf(table)
  if (place === 'apart') return [create(table, `${kind}MergeTree${args ? `(${args})` : ''}`)]
  if (place === 'everywhere') return [create(table, replicated(COMMON_PATH))]
  if (!new RegExp(`^\\s*${SHARDING_KEY}\\s`, 'm').test(columns))
    throw new Error(`${table} has no column ${SHARDING_KEY}`)
  const local = stored(table)
  const distributed = `Distributed('${name}', '${database}', '${local}', intHash64(${SHARDING_KEY}))`
  return [
    create(local, replicated(SHARD_PATH)),
    `CREATE TABLE IF NOT EXISTS ${database}.${table} ${here} AS ${database}.${local} ENGINE = ${distributed}`,
  ]
}

/** Where the rows come in, to the tables of the whole cluster. */
function createView(match: RegExpExecArray, { database }: Cluster, here: string): string {
  const [, view, to, columns, from, rest] = match as unknown as string[]
  if (placementOf(from!) !== 'passing')
    throw new Error(`the view ${view} reads ${from}, which is not one that passes rows on`)
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${view} ${here} TO ${database}.${to} AS
${columns}FROM ${database}.${from}
${rest}`
}

function alterTable(table: string, change: string, { database }: Cluster, here: string): string[] {
  const place = placementOf(table)
  // A replicated table propagates the change; issued on every shard, it would be applied once for each.
  if (place === 'everywhere') return [`ALTER TABLE ${database}.${table} ${change}`]
  if (place !== 'sharded') return [`ALTER TABLE ${database}.${table} ${here} ${change}`]
  // The rows first: no query can ask for a column that is not there yet.
  return [
    `ALTER TABLE ${database}.${stored(table)} ${here} ${change}`,
    `ALTER TABLE ${database}.${table} ${here} ${change}`,
  ]
}

/** Returns the name of the table that holds the rows on a node. */
const stored = (table: string): string => (placementOf(table) === 'sharded' ? `${table}_local` : table)

function placementOf(table: string): Placement {
  const place = PLACEMENTS[table] ?? (APART.test(table) ? 'apart' : undefined)
  if (!place) throw new Error(`unknown placement of the table ${table} on a cluster: add it to PLACEMENTS`)
  return place
}

type Turn = <T>(table: string | undefined, insert: () => Promise<T>) => Promise<T>

/** Tables whose rows some inserts bring together, through views. */
const TOGETHER = new Set([
  ...['trades', 'incoming_trades', 'listed_trades', 'directory', 'incoming_directory'],
  ...['transaction_lists', 'filing_lists'],
])

/** Serializes inserts into one table in the order they came; runs those without a table at once. */
export function inTurn(): Turn {
  const last = new Map<string, Promise<unknown>>()
  return (table, insert) => {
    if (table === undefined) return insert()
    const of = TOGETHER.has(table) ? 'transaction_lists' : table
    const turn = (last.get(of) ?? Promise.resolve()).then(insert, insert)
    last.set(
      of,
      turn.catch(() => {}),
    )
    return turn
  }
}

/** Returns the table that a statement inserts into. */
export const insertsInto = (statement: string): string | undefined => /^\s*INSERT INTO (\w+)/.exec(statement)?.[1]
