// ClickHouse settings of connections and of statements with a deadline.
import type { ClickHouseSettings } from '@clickhouse/client'
import { timeLeft } from '../../deadline.ts'
import { CLUSTER_SETTINGS, EXACT_SETTINGS } from './cluster.ts'

// max_threads 1: pages read a few thousand rows, for which more threads only cost. An abort does not stop the embedded
// engine, the time limit does. Integers and decimals are returned as JSON numbers.
export const ENGINE_SETTINGS = {
  max_threads: 1,
  max_execution_time: 20,
  // What signals say of thousands of trades is one statement.
  max_query_size: '4194304',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_escape_forward_slashes: 0,
  // A null where none is allowed, or an unknown column, is a bug of ours and must not become a default.
  input_format_null_as_default: 0,
  input_format_skip_unknown_fields: 0,
  // Remembers which granules met a condition, wrongly at times with FINAL; our cursors make nearly every condition new.
  use_query_condition_cache: 0,
  use_skip_indexes_if_final: 0,
} as const

/**
 * Of statements that move few rows, all but those of history: the engine's threads that parse and format beside the one
 * that runs the statement take longer to wake than they save.
 */
export const FEW_ROWS = { input_format_parallel_parsing: 0, output_format_parallel_formatting: 0 } as const

// For a server: the status reports a statement that fails half way through its answer. Otherwise the error follows
// the rows sent so far, which look like a complete answer. Answers up to a mebibyte are kept in memory. Progress in
// headers would send the status first, and the client takes such a failed command for a success.
const BUFFERED_ANSWERS = { wait_end_of_query: 1, http_response_buffer_size: '1048576' } as const

/** Time limit of an API query, on a server and in the engine. */
const CALLERS_SECONDS = 4

/**
 * Returns the settings of the three kinds of connections to a server: live work, API queries, and history with
 * rebuilds.
 */
export function serverSettings(isCluster: boolean): Record<'work' | 'callers' | 'bulk', ClickHouseSettings> {
  const reading = { ...ENGINE_SETTINGS, ...BUFFERED_ANSWERS, ...(isCluster && CLUSTER_SETTINGS) }
  const writing = { ...reading, ...(isCluster && EXACT_SETTINGS) }
  const callers = { ...reading, ...FEW_ROWS, max_execution_time: CALLERS_SECONDS }
  return { work: { ...writing, ...FEW_ROWS }, callers, bulk: { ...writing, max_execution_time: 0 } }
}

/**
 * Returns the clause that limits a statement to the time left until the request's deadline. A limit of 0 would mean
 * none.
 */
export function limitClause(): string {
  const left = timeLeft()
  if (left === null) return ''
  return ` SETTINGS max_execution_time = ${Math.min(CALLERS_SECONDS, Math.max(left / 1000, 0.001)).toFixed(3)}`
}
