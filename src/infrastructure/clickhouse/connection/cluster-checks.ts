// Checks whether the service can use a cluster: its required configuration, and that all nodes have the same tables.
// Run before anything is created, so that a fault is one line and not a table on half of the nodes.
import { onCluster, type Cluster } from './cluster-ddl.ts'
import { Sql, sql } from './sql.ts'

interface ClusterNode {
  rows<T>(query: Sql): Promise<T[]>
  ddl(statement: Sql): Promise<void>
}

/** Creates the database on all nodes if this one has none. Throws what is wrong with the cluster's configuration. */
export async function makeClusterDatabase(node: ClusterNode, { name, database }: Cluster): Promise<void> {
  const shards = await node.rows<{ cluster: string; direct: number | string }>(sql`
    SELECT cluster, countIf(internal_replication = 0) AS direct
    FROM system.clusters
    GROUP BY cluster
    ORDER BY cluster`)
  const ours = shards.find(({ cluster }) => cluster === name)
  const known = shards.map(({ cluster }) => cluster).join(', ') || 'none'
  if (!ours) throw new Error(`CLICKHOUSE_CLUSTER: the server knows no cluster ${name}, but: ${known}`)
  if (Number(ours.direct) > 0)
    throw new Error(`the cluster ${name} needs <internal_replication>true</internal_replication> in every shard`)
  const macros = new Set(
    (await node.rows<{ macro: string }>(sql`SELECT macro FROM system.macros`)).map(({ macro }) => macro),
  )
  const missing = ['shard', 'replica'].filter((macro) => !macros.has(macro))
  if (missing.length > 0)
    throw new Error(`the servers of ${name} need the macros shard and replica; missing: ${missing.join(', ')}`)
  const there = await node.rows(sql`SELECT name FROM system.databases WHERE name = ${database}`)
  // Only if it is missing: every node takes part, and a service must start while one is away.
  if (there.length > 0) return
  for (const statement of onCluster(`CREATE DATABASE IF NOT EXISTS ${database}`, { name, database }))
    await node.ddl(new Sql(statement))
}

/** Returns whether this node has the database's tables. Throws if it has none and others have: it joined later. */
export async function hasTables(node: Pick<ClusterNode, 'rows'>, { name, database }: Cluster): Promise<boolean> {
  const migrations = (from: Sql) =>
    node.rows(sql`SELECT name FROM ${from} WHERE database = ${database} AND name = 'migrations' LIMIT 1`)
  if ((await migrations(sql`system.tables`)).length > 0) return true
  if ((await migrations(sql`clusterAllReplicas(${name}, system.tables)`)).length === 0) return false
  throw new Error(
    `this node of ${name} has no tables and others have: ` +
      'create them with the UUIDs of those nodes (docker/cluster/README.md)',
  )
}

/** Throws if a table is missing on some node, or differs there: its replicas would not find each other. */
export async function checkAlike(node: Pick<ClusterNode, 'rows'>, { name, database }: Cluster): Promise<void> {
  const different = await node.rows<{ name: string }>(sql`
    SELECT name
    FROM clusterAllReplicas(${name}, system.tables)
    WHERE database = ${database}
    GROUP BY name
    HAVING count() != (SELECT count() FROM clusterAllReplicas(${name}, system.one))
      OR uniqExactIf(uuid, startsWith(engine, 'Replicated')) > 1
    ORDER BY name`)
  if (different.length === 0) return
  const tables = different.map((table) => table.name).join(', ')
  throw new Error(`the nodes of ${name} do not have the same tables in ${database}: ${tables}`)
}
