// SQL expressions for the fields of a data set's lines. Lines are read as text and split here. Read as TSV, a line that
// lacks a column would end the file, and rejected lines could not be stored unchanged.
import { createReadStream } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { DataSetFile } from '../../../application/ports/data-sets.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { CONTENT, type ColumnKind } from './detail-columns.ts'

/**
 * Settings of statements over whole quarters. Small blocks take less memory and are faster. The limit on hash tables is
 * far above what a quarter needs: it only guards against accidents.
 */
export const BULK = new Sql(`
  SETTINGS
    max_threads = ${Math.min(4, availableParallelism())},
    max_execution_time = 0, max_memory_usage = 1200000000, min_insert_block_size_rows = 65536,
    min_insert_block_size_bytes = 0, max_block_size = 32768, max_bytes_before_external_group_by = 150000000,
    max_bytes_before_external_sort = 150000000, join_use_nulls = 0`)

/**
 * Returns a FROM with one column, `line`, without the header. Bytes that are not UTF-8 and NULs, which neither a
 * statement nor PostgreSQL can hold, become U+FFFD. The embedded engine reads the file; a server is sent the lines.
 */
export async function linesOf(store: ClickHouse, file: DataSetFile): Promise<Sql> {
  const source = store.isEmbedded ? sql`file(${file.path}, 'LineAsString', 'line String')` : await upload(store, file)
  const header = file.columns.join('\t')
  return sql`
    (
      SELECT replaceAll(if(isValidUTF8(trimmed), trimmed, toValidUTF8(trimmed)), char(0), ${'\uFFFD'}) AS line
      FROM (SELECT trimRight(line, '\\r') AS trimmed FROM ${source} WHERE line != '')
      WHERE trimmed NOT IN ('', ${header}, ${`\uFEFF${header}`})
    )`
}

async function upload(store: ClickHouse, file: DataSetFile): Promise<Sql> {
  await store.command(sql`TRUNCATE TABLE staged_lines`)
  await store.insertStream('staged_lines', 'LineAsString', createReadStream(file.path))
  return sql`staged_lines`
}

/** Reads columns by the names in the header; an optional one that is missing is read as empty. */
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

  /** Returns SQL for the field's trimmed text, from the array `f` that the line was split into. */
  text(column: string): Sql {
    const index = this.#columns.indexOf(column)
    return index < 0 ? sql`''` : sql`trimBoth(f[${index + 1}])`
  }

  /**
   * Returns SQL for free text. The files quote only a field that holds a quote, `"the ""Plan"""`, so columns can be
   * split first.
   */
  prose(column: string): Sql {
    const text = this.text(column)
    return sql`
      if(
        startsWith(${text}, '"') AND match(${text}, '^"([^"]|"")*"$'),
        replaceAll(substring(${text}, 2, length(${text}) - 2), '""', '"'),
        ${text}
      )`
  }

  /** Returns SQL for the ids of footnotes in these columns, by default in all that hold them: `F2, F1`. */
  notes(columns = this.#columns.filter((column) => column.endsWith('_FN'))): Sql {
    const all = columns.filter((column) => this.#columns.includes(column)).map((column) => this.text(column).text)
    return all.length === 0
      ? sql`[]`
      : new Sql(`arrayDistinct(extractAll(concat(${all.join(", ',', ")}, ','), 'F[0-9]+'))`)
  }

  /** Returns SQL for `31-JUL-2024` as `2024-07-31`; any other text becomes empty. */
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

  /** Returns SQL for why the date can't be read, or ''. An empty date is accepted. */
  dateProblem(column: string): Sql {
    const text = this.text(column)
    return sql`
      if(
        ${text} = '' OR ${isDateSql(text)}, '',
        concat(${column}, ' is not a date such as 31-JUL-2024: ', ${quoted(text)})
      )`
  }

  /** Returns SQL for why the number can't be read, or ''. An empty number is accepted. */
  amountProblem(column: string): Sql {
    const text = this.text(column)
    return sql`
      if(
        ${text} = '' OR match(${text}, ${AMOUNT}), '',
        concat(${column}, ' is not an amount of up to 14 digits: ', ${quoted(text)})
      )`
  }

  /**
   * Returns SQL for what is stored of the line: a JSON object of its columns, as text, without those that are empty or
   * can't be read.
   */
  content(file: keyof typeof CONTENT): Sql {
    const columns = Object.entries<ColumnKind>(CONTENT[file]).filter(([name]) => this.#columns.includes(name))
    const cells = columns.map(([name, kind]) => sql`${name}, ${this.#cell(name, kind)}`.text)
    return new Sql(`toJSONString(mapFilter((name, cell) -> cell != '', map('file', '${file}', ${cells.join(', ')})))`)
  }

  #cell(column: string, kind: ColumnKind): Sql {
    const text = this.text(column)
    if (kind === 'amount') return sql`if(match(${text}, ${AMOUNT}), ${text}, '')`
    return kind === 'prose' ? this.prose(column) : kind === 'date' ? this.date(column) : text
  }

  amount(column: string): Sql {
    return sql`if(match(${this.text(column)}, ${AMOUNT}), toDecimal64OrNull(${this.text(column)}, 4), NULL)`
  }
}

/** Returns SQL for the first text that is not empty, or ''. */
export function firstOf(problems: Sql[]): Sql {
  const checks = problems.map((problem) => sql`${problem}`.text)
  return new Sql(`arrayFirst(why -> why != '', [${checks.join(', ')}])`)
}

/** Returns SQL for what is wrong with the line's columns or its accession number, or ''. */
export function shapeProblem(fields: Fields): Sql {
  const accession = fields.text('ACCESSION_NUMBER')
  return sql`
    multiIf(
      length(f) != ${fields.count},
      concat('has ', toString(length(f)), ' columns, not ', toString(${fields.count})),
      NOT match(${accession}, ${ACCESSION}),
      concat('ACCESSION_NUMBER is malformed: ', ${quoted(accession)}),
      ''
    )`
}

/** Returns SQL for the line if it has a problem, else ''. */
export function rejectedLine(): Sql {
  return sql`if(problem = '', '', substring(line, 1, 4000))`
}

export const quoted = (text: Sql): Sql => sql`concat('"', substringUTF8(${text}, 1, 40), '"')`

const ACCESSION = '^[0-9]{10}-[0-9]{2}-[0-9]{6}$'
/** EDGAR accepts amounts of 16 digits with 4 decimal places; the files round to 2 places. */
const AMOUNT = '^([0-9]{1,14}(\\.[0-9]{0,4})?|\\.[0-9]{1,4})$'
const MONTHS = new Sql(`['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']`)
const MONTH_NUMBERS = new Sql(`['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12']`)

function isDateSql(text: Sql): Sql {
  return sql`match(${text}, '(?i)^[0-9]{2}-(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)-[0-9]{4}$')`
}
