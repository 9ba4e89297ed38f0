// The columns of month files: the name as in the API, the type in Parquet, and the expression. Also the statement that
// writes a file, with settings under which equal rows give equal bytes.
import type { ExportColumn } from '../../../application/ports/exports.ts'
import type { FieldType } from '../../../application/queries/transactions/transaction-fields.ts'
import { Sql, sql } from '../connection/sql.ts'
import { MAX_SORTED, sortKey } from '../sort-key.ts'

/** Types as they are named to readers, and what the engine calls them. */
const TYPES = {
  string: 'Nullable(String)',
  boolean: 'Bool',
  int32: 'Int32',
  double: 'Nullable(Float64)',
  date: 'Nullable(Date32)',
  'timestamp(ms, UTC)': `Nullable(DateTime64(3, 'UTC'))`,
  'decimal(18,4)': 'Nullable(Decimal(18, 4))',
  'decimal(38,2)': 'Nullable(Decimal(38, 2))',
  'list<string>': 'Array(String)',
} as const satisfies Record<FieldType, string>

export interface Column extends ExportColumn {
  type: keyof typeof TYPES
  /** Of the type, or cast to it. */
  from: Sql
  /** May be null, which the engine's type does not say of itself. */
  isOptional?: boolean
}

/** Returns a column made from an expression. */
export const column = (name: string, type: Column['type'], from: string, description: string): Column => ({
  name,
  type,
  from: new Sql(from),
  description,
})

const typeOf = ({ type, isOptional = false }: Column): string =>
  isOptional && !TYPES[type].startsWith('Nullable') ? `Nullable(${TYPES[type]})` : TYPES[type]

/** Selects the columns in their order. An Enum would be written as one, which readers take for bytes. */
export function columnsSql(columns: readonly Column[]): Sql {
  return new Sql(columns.map((each) => `CAST(${each.from.text} AS ${typeOf(each)}) AS ${each.name}`).join(', '))
}

/**
 * One thread, one order and one size of row groups, so that the bytes depend on the rows alone. Rows are sorted even if
 * they are in order already, or groups would depend on the parts that rows are read from. A group is held in memory
 * before it is written.
 */
export const PARQUET = sql`
  SETTINGS max_threads = 1, max_execution_time = 0, max_block_size = 8192, max_bytes_before_external_sort = 100000000,
    optimize_read_in_order = 0, output_format_parquet_compression_method = 'zstd',
    output_format_parquet_row_group_size = 32768, output_format_parquet_row_group_size_bytes = 4294967296,
    output_format_parquet_parallel_encoding = 0,
    output_format_parquet_string_as_string = 1, output_format_parquet_write_page_index = 1,
    output_format_parquet_write_bloom_filter = 0, output_format_parquet_datetime_as_uint32 = 0,
    output_format_parquet_date_as_uint16 = 0
  FORMAT Parquet`

/** From the first second of a month to the first of the next. */
export interface Month {
  from: number
  until: number
}

export function monthOf(period: string): Month {
  const [year, month] = period.split('-').map(Number)
  return { from: Date.UTC(year!, month! - 1) / 1000, until: Date.UTC(year!, month) / 1000 }
}

/** The condition that a row of `transactions` or `directory` was filed in a month. */
export const filedIn = ({ from, until }: Month): Sql =>
  sql`filed_at >= ${new Date(from * 1000)} AND filed_at < ${new Date(until * 1000)}`

/** Selects the keys of a list of all, which begin with `f:`. */
export const keysOfMonth = ({ from, until }: Month): Sql =>
  sql`key >= ${`f:${sortKey(from)}`} AND key < ${`f:${sortKey(until)}`}`

/** The time in such a key. */
export const timeInKey = (key: string): string => `toDateTime(${numberInKey(key, 3)}, 'UTC')`

/** The time in a key of a list that has the newest first (../sort-key.ts). */
export const TIME_IN_KEY = `toDateTime(${MAX_SORTED} - ${numberInKey('key', 1)}, 'UTC')`

/** The number that a key has in eight hexadecimal digits from this place on. */
function numberInKey(key: string, place: number): string {
  return `reinterpretAsUInt32(reverse(unhex(substring(${key}, ${place}, 8))))`
}

/** Selects the months of such a list, each with a text that changes with the versions and the number of its rows. */
export const monthsOfListSql = (table: 'notices' | 'signal_states'): Sql => sql`
  SELECT
    formatDateTime(${new Sql(TIME_IN_KEY)}, '%Y-%m') AS period,
    concat(toString(max(version)), '-', toString(count())) AS source
  FROM ${new Sql(table)} FINAL
  GROUP BY period
  ORDER BY period
  SETTINGS max_execution_time = 0`

/** The address of a filing's index page at the SEC; null for a document that has no accession number. */
export const urlSql = (accession: string, issuer: string): string =>
  `if(startsWith(${accession}, 'local-'), NULL, concat('https://www.sec.gov/Archives/edgar/data/', toString(${issuer}),
    '/', replaceAll(${accession}, '-', ''), '/', ${accession}, '-index.htm'))`
