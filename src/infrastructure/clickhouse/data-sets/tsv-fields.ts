// The lines of a data set's files as SQL sees them. Read as whole lines and split here, not as TSV: a line that lacks a
// column would break off the file, and what is rejected is kept as it came.
import { createReadStream } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { DataSetFile } from '../../../application/ports/data-sets.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'

/**
 * For statements over whole quarters. Small blocks: 65,536 rows took 0.9 GiB where 1,000,000 took 1.7, and were faster. The
 * hash tables of a quarter of 300,000 filings take some 300 MiB, so a gigabyte is a limit for accidents.
 */
export const BULK = new Sql(`
  SETTINGS
    max_threads = ${Math.min(4, availableParallelism())},
    max_execution_time = 0, max_memory_usage = 1200000000, min_insert_block_size_rows = 65536,
    min_insert_block_size_bytes = 0, max_block_size = 32768, max_bytes_before_external_group_by = 300000000,
    max_bytes_before_external_sort = 300000000, join_use_nulls = 0`)

/**
 * A FROM of one column, `line`, without the header. Bytes that are no UTF-8 and NULs, which neither a statement nor
 * PostgreSQL can hold, become U+FFFD. An engine in this process reads the file, a server is sent it.
 */
export async function linesOf(store: ClickHouse, file: DataSetFile): Promise<Sql> {
  const source = store.isEmbedded ? sql`file(${file.path}, 'LineAsString', 'line String')` : await sent(store, file)
  const header = file.columns.join('\t')
  return sql`
    (
      SELECT replaceAll(if(isValidUTF8(trimmed), trimmed, toValidUTF8(trimmed)), char(0), ${'\uFFFD'}) AS line
      FROM (SELECT trimRight(line, '\\r') AS trimmed FROM ${source} WHERE line != '')
      WHERE trimmed NOT IN ('', ${header}, ${`\uFEFF${header}`})
    )`
}

async function sent(store: ClickHouse, file: DataSetFile): Promise<Sql> {
  await store.command(sql`TRUNCATE TABLE staged_lines`)
  await store.insertStream('staged_lines', 'LineAsString', createReadStream(file.path))
  return sql`staged_lines`
}

/** Reads columns by the header's names; one that may be missing is read as empty. */
export class Fields {
  readonly #columns: string[]
  constructor(file: DataSetFile, required: string[]) {
    this.#columns = file.columns.map((column) => column.trim().toUpperCase())
    const missing = required.filter((column) => !this.#columns.includes(column))
    if (missing.length > 0)
      throw new Error(`${file.path} has no column ${missing.join(', ')}: is it a file of the data sets?`)
  }

  get count(): Sql {
    return sql`${this.#columns.length}`
  }

  /** The field's text, trimmed; of the array `f` that the line was split into. */
  text(column: string): Sql {
    const index = this.#columns.indexOf(column)
    return index < 0 ? sql`''` : sql`trimBoth(f[${index + 1}])`
  }

  /** Free text. The files quote a field that holds a quote, `"the ""Plan"""`, and no other, so columns can be split first. */
  prose(column: string): Sql {
    const text = this.text(column)
    return sql`
      if(
        startsWith(${text}, '"') AND match(${text}, '^"([^"]|"")*"$'),
        replaceAll(substring(${text}, 2, length(${text}) - 2), '""', '"'),
        ${text}
      )`
  }

  /** Ids of footnotes, of all columns that hold them: `F2, F1`. */
  notes(): Sql {
    const all = this.#columns.filter((column) => column.endsWith('_FN')).map((column) => this.text(column).text)
    return all.length === 0
      ? sql`[]`
      : new Sql(`arrayDistinct(extractAll(concat(${all.join(", ',', ")}, ','), 'F[0-9]+'))`)
  }

  /** `31-JUL-2024` as `2024-07-31`; what is no such text as ''. */
  date(column: string): Sql {
    const text = this.text(column)
    return sql`
      if(
        ${isDateSql(text)},
        concat(
          substring(${text}, 8, 4), '-',
          transform(upper(substring(${text}, 4, 3)), ${MONTHS}, ${MONTH_NUMBERS}, '00'),
          '-', substring(${text}, 1, 2)
        ),
        ''
      )`
  }

  /** Why the date can't be read, or ''. An empty one can. */
  dateProblem(column: string): Sql {
    const text = this.text(column)
    return sql`
      if(
        ${text} = '' OR ${isDateSql(text)}, '',
        concat(${column}, ' is no date as 31-JUL-2024: ', ${quoted(text)})
      )`
  }

  /** Why the number can't be read, or ''. An empty one can. */
  amountProblem(column: string): Sql {
    const text = this.text(column)
    return sql`
      if(
        ${text} = '' OR match(${text}, ${AMOUNT}), '',
        concat(${column}, ' is no amount of up to 14 digits: ', ${quoted(text)})
      )`
  }

  amount(column: string): Sql {
    return sql`if(match(${this.text(column)}, ${AMOUNT}), toDecimal64OrNull(${this.text(column)}, 4), NULL)`
  }
}

/** The first of the texts that is not empty, or ''. */
export function firstOf(problems: Sql[]): Sql {
  const checks = problems.map((problem) => sql`${problem}`.text)
  return new Sql(`arrayFirst(why -> why != '', [${checks.join(', ')}])`)
}

export const quoted = (text: Sql): Sql => sql`concat('"', substringUTF8(${text}, 1, 40), '"')`

export const ACCESSION = '^[0-9]{10}-[0-9]{2}-[0-9]{6}$'
/** EDGAR's own width is 16 digits with 4 places; the files round to 2. */
const AMOUNT = '^([0-9]{1,14}(\\.[0-9]{0,4})?|\\.[0-9]{1,4})$'
const MONTHS = new Sql(`['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']`)
const MONTH_NUMBERS = new Sql(`['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12']`)

function isDateSql(text: Sql): Sql {
  return sql`match(${text}, '(?i)^[0-9]{2}-(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)-[0-9]{4}$')`
}
