// Merges the many parts that a backfill or a rebuild has written. ClickHouse merges them too, within hours; until then a
// page has to read from each of them.
import type { ClickHouse } from '../connection/client.ts'
import { Sql } from '../connection/sql.ts'

/** Tables that answer queries or make month files, the most used first. */
const TABLES = [
  'transaction_lists',
  'parties',
  'filing_lists',
  'directory',
  'signal_list',
  'signal_states',
  'trades',
  'transactions',
  'signals',
  'filing_details',
  'balances',
]

/**
 * Merges each of these tables into one part. Rejects with the signal's reason when it aborts. Does nothing on
 * a cluster, whose replicas merge on their own.
 */
export async function mergeParts(store: ClickHouse, signal: AbortSignal): Promise<void> {
  if (store.cluster) return
  for (const table of TABLES) {
    signal.throwIfAborted()
    await mergeTable(store, table, signal)
  }
}

async function mergeTable(store: ClickHouse, table: string, signal: AbortSignal): Promise<void> {
  // An abort does not end a statement of the embedded engine. When merges are stopped, OPTIMIZE ends at once.
  const merges = (verb: 'STOP' | 'START') => store.command(new Sql(`SYSTEM ${verb} MERGES ${table}`))
  let stopped: Promise<unknown> | undefined
  const stop = () => {
    stopped = merges('STOP').catch(() => {})
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    await store.forBulk.command(
      new Sql(`OPTIMIZE TABLE ${table} FINAL SETTINGS optimize_skip_merged_partitions = 1, max_execution_time = 0`),
    )
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    if (stopped) await stopped.then(() => merges('START')).catch(() => {})
  }
}
