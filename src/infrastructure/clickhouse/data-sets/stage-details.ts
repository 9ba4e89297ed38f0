// Stages the files of a data set that only answers about single filings need: Table II, holdings, footnotes and
// signatures. Each line is staged as the JSON that is stored later.
import { detailFiles } from '../../../application/data-sets/detail-files.ts'
import type { DataSetFiles, DetailFile } from '../../../application/ports/data-sets.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { CONTENT, type ColumnKind } from './detail-columns.ts'
import { BULK, Fields, firstOf, linesOf, quoted, rejectedLine, shapeProblem } from './tsv-fields.ts'

interface DetailKey {
  column: string
  pattern: string
}

const surrogate = (file: string): DetailKey => ({ column: `${file}_SK`, pattern: '^[0-9]{1,18}$' })

/** What identifies a line within its filing; a signature may repeat. */
export const DETAIL_KEYS: Readonly<Record<DetailFile, DetailKey>> = {
  DERIV_TRANS: surrogate('DERIV_TRANS'),
  DERIV_HOLDING: surrogate('DERIV_HOLDING'),
  NONDERIV_HOLDING: surrogate('NONDERIV_HOLDING'),
  FOOTNOTES: { column: 'FOOTNOTE_ID', pattern: '^F[0-9]{1,4}$' },
  OWNER_SIGNATURE: { column: 'OWNERSIGNATURENAME', pattern: '' },
}

/** The longest line that is accepted, far longer than real ones. */
const MAX_LINE_BYTES = 65_536

/** Stages all five files, or none if one is missing. */
export async function stageDetails(store: ClickHouse, files: DataSetFiles): Promise<void> {
  for (const [name, file] of Object.entries(detailFiles(files) ?? {}) as [DetailFile, DataSetFiles['SUBMISSION']][]) {
    const required = Object.entries<ColumnKind>(CONTENT[name]).filter(([, kind]) => kind !== 'note')
    const key = DETAIL_KEYS[name]
    const fields = new Fields(file, ['ACCESSION_NUMBER', key.column, ...required.map(([column]) => column)])
    if (file.lines > 0) await store.command(stageSql(name, fields, await linesOf(store, file)))
  }
}

function stageSql(file: DetailFile, fields: Fields, lines: Sql): Sql {
  const key = DETAIL_KEYS[file]
  const keyText = fields.text(key.column)
  const typed = Object.entries<ColumnKind>(CONTENT[file])
  const problem = firstOf([
    shapeProblem(fields),
    sql`if(length(line) > ${MAX_LINE_BYTES}, concat('is longer than ', toString(${MAX_LINE_BYTES}), ' bytes'), '')`,
    sql`if(match(${keyText}, ${key.pattern}), '', concat(${`${key.column} is malformed: `}, ${quoted(keyText)}))`,
    ...typed.flatMap(([column, kind]) => (kind === 'date' ? [fields.dateProblem(column)] : [])),
    ...typed.flatMap(([column, kind]) => (kind === 'amount' ? [fields.amountProblem(column)] : [])),
  ])
  return sql`
    INSERT INTO staged_details
    SELECT
      ${fields.text('ACCESSION_NUMBER')} AS accession, ${file} AS file, ${keyText} AS key,
      ${fields.content(file)} AS content, ${problem} AS problem, ${rejectedLine()} AS rejected
    FROM (SELECT splitByChar('\\t', line) AS f, line FROM ${lines})
    ${BULK}`
}
