// Merging of what a backfill or a rebuild wrote in many parts. The engine does so too, within hours; until then each
// part that a page opens costs 0.1 times SELECT 1.
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'

/** Tables that answer queries, those asked most first. */
const TABLES = [
  'transaction_lists',
  'filing_lists',
  'directory',
  'signal_list',
  'signal_states',
  'trades',
  'signals',
  'filing_details',
]

/** Fewer rows are soon merged by the engine. */
const MIN_ROWS = 100_000

/**
 * Has the engine merge the parts of the lists as fits the work. Live filings are a small part each, of which pages then
 * open 3 on average instead of 6; a load writes large ones, which would be written more often. Tables of a cluster keep
 * what they were made with.
 */
export async function mergeAsFits(store: ClickHouse, work: 'live filings' | 'a load'): Promise<void> {
  const [lists] = await store.rows<{ engine: string }>(sql`
    SELECT engine
    FROM system.tables
    WHERE database = ${store.database} AND name = 'transaction_lists'`)
  if (store.cluster || lists?.engine !== 'ReplacingMergeTree') return
  const base = work === 'a load' ? 10 : 4
  await store.command(new Sql(`ALTER TABLE transaction_lists MODIFY SETTING merge_selector_base = ${base}`))
}

/**
 * Returns whether a large table lies in parts of which none has most of its rows, as after a load whose merging was cut
 * short. False for a cluster.
 */
export async function areUnmerged(store: ClickHouse): Promise<boolean> {
  if (store.cluster) return false
  const unmerged = await store.rows<{ table: string }>(sql`
    SELECT table
    FROM system.parts
    WHERE active AND database = ${store.database} AND table IN ${TABLES}
    GROUP BY table
    HAVING sum(rows) >= ${MIN_ROWS} AND max(rows) < sum(rows) * 0.8
    LIMIT 1`)
  return unmerged.length > 0
}

/**
 * Merges the tables that answer queries to one part each: 4 s for 180,000 trades. Rejects with the signal's reason when
 * it aborts. Nodes of a cluster merge when they find it best.
 */
export async function mergeParts(store: ClickHouse, signal: AbortSignal): Promise<void> {
  if (store.cluster) return
  for (const table of TABLES) {
    signal.throwIfAborted()
    await mergeTable(store, table, signal)
  }
  await mergeAsFits(store, 'live filings')
}

async function mergeTable(store: ClickHouse, table: string, signal: AbortSignal): Promise<void> {
  // An abort does not end a statement of the embedded engine; without merges this one ends at once.
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
