// What ClickHouse is told of how to run statements: by connection, and of one that somebody waits for.
import type { ClickHouseSettings } from '@clickhouse/client'
import { timeLeft } from '../../deadline.ts'
import { CLUSTER_SETTINGS, EXACT_SETTINGS } from './cluster-ddl.ts'

// max_threads 1: pages read a few thousand rows, and threads only cost (20 % at p50). An abort does not stop the
// embedded engine, the time limit does. Whole numbers and decimals go out as JSON numbers.
export const ENGINE_SETTINGS = {
  max_threads: 1,
  max_execution_time: 20,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_escape_forward_slashes: 0,
  // A null where none may be, or a column that is not there, is a fault of ours and no default.
  input_format_null_as_default: 0,
  input_format_skip_unknown_fields: 0,
} as const

// Of a server: a statement that fails half way through its answer is told by its status. Else the fault stands behind
// the rows sent so far, which look like an answer. Up to a mebibyte it keeps an answer in memory. Progress in headers
// would send the status first, and the client takes such a failed command for done.
const WHOLE = { wait_end_of_query: 1, http_response_buffer_size: '1048576' } as const

/** Of a caller's question, on a server and in the engine. */
const CALLERS_SECONDS = 4

/** Of the three kinds of connections to a server: live work, questions of callers, history and rebuilds. */
export function serverSettings(isCluster: boolean): Record<'work' | 'callers' | 'bulk', ClickHouseSettings> {
  const reading = { ...ENGINE_SETTINGS, ...WHOLE, ...(isCluster && CLUSTER_SETTINGS) }
  const writing = { ...reading, ...(isCluster && EXACT_SETTINGS) }
  const callers = { ...reading, max_execution_time: CALLERS_SECONDS }
  return { work: writing, callers, bulk: { ...writing, max_execution_time: 0 } }
}

/** For a statement of a request: what is left until its deadline. A limit of 0 would be none. */
export function limitClause(): string {
  const left = timeLeft()
  if (left === null) return ''
  return ` SETTINGS max_execution_time = ${Math.min(CALLERS_SECONDS, Math.max(left / 1000, 0.001)).toFixed(3)}`
}
