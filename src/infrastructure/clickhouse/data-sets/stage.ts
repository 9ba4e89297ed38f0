// Stages a data set's files in ClickHouse, where each line is typed and checked on its own. Files and columns have the
// SEC's names.
import { detailFiles } from '../../../application/data-sets/detail-files.ts'
import type { DataSetFile, DataSetFiles, DetailFile } from '../../../application/ports/data-sets.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { CONTENT, type ColumnKind } from './detail-columns.ts'
import { BULK, Fields, firstOf, linesOf, quoted, rejectedLine, shapeProblem } from './tsv-fields.ts'

type StagedFile = keyof typeof CONTENT
/** Files whose lines belong to a submission. */
export type LineFile = Exclude<StagedFile, 'SUBMISSION'>

/** How the lines of a file are told apart and checked. */
interface LineRules {
  /** The column that no two lines of a filing share; a signature may repeat. */
  key: string
  /** SQL for the key as it is stored. */
  keyOf: (text: Sql) => Sql
  /** SQL for why the key can't be read, or ''. */
  keyProblem: (text: Sql) => Sql
  required: readonly string[]
  /** Columns of which a text that can't be read has the line rejected. */
  checked: readonly string[]
  /** The longest line that is accepted, far longer than real ones. */
  maxBytes?: number
}

const MAX_LINE_BYTES = 65_536

function detail(file: DetailFile, key: string, pattern: string): LineRules {
  const columns = Object.entries<ColumnKind>(CONTENT[file])
  const ofKind = (...kinds: ColumnKind[]) => columns.flatMap(([name, kind]) => (kinds.includes(kind) ? [name] : []))
  return {
    key,
    keyOf: (text) => text,
    keyProblem: (text) => sql`if(match(${text}, ${pattern}), '', concat(${`${key} is malformed: `}, ${quoted(text)}))`,
    required: [key, ...columns.flatMap(([name, kind]) => (kind === 'note' ? [] : [name]))],
    checked: [...ofKind('date'), ...ofKind('amount')],
    maxBytes: MAX_LINE_BYTES,
  }
}

const surrogate = (file: DetailFile) => detail(file, `${file}_SK`, '^[0-9]{1,18}$')

const RULES: Readonly<Record<LineFile, LineRules>> = {
  REPORTINGOWNER: {
    key: 'RPTOWNERCIK',
    keyOf: (text) => sql`toString(toUInt64OrZero(${text}))`,
    keyProblem: (text) => cikProblem('RPTOWNERCIK', text),
    required: ['RPTOWNERCIK', 'RPTOWNERNAME', 'RPTOWNER_RELATIONSHIP'],
    checked: [],
  },
  NONDERIV_TRANS: {
    key: 'NONDERIV_TRANS_SK',
    keyOf: (text) => sql`toString(toUInt32OrZero(${text}))`,
    keyProblem: (text) =>
      sql`if(toUInt32OrZero(${text}) = 0, concat('NONDERIV_TRANS_SK is not a number: ', ${quoted(text)}), '')`,
    required: [
      ...['NONDERIV_TRANS_SK', 'SECURITY_TITLE', 'TRANS_DATE', 'TRANS_CODE', 'TRANS_SHARES', 'TRANS_PRICEPERSHARE'],
      'TRANS_ACQUIRED_DISP_CD',
    ],
    checked: ['TRANS_DATE', 'TRANS_SHARES', 'TRANS_PRICEPERSHARE', 'SHRS_OWND_FOLWNG_TRANS'],
  },
  DERIV_TRANS: surrogate('DERIV_TRANS'),
  DERIV_HOLDING: surrogate('DERIV_HOLDING'),
  NONDERIV_HOLDING: surrogate('NONDERIV_HOLDING'),
  FOOTNOTES: detail('FOOTNOTES', 'FOOTNOTE_ID', '^F[0-9]{1,4}$'),
  OWNER_SIGNATURE: detail('OWNER_SIGNATURE', 'OWNERSIGNATURENAME', ''),
}

/** The key columns by file. */
export const LINE_KEYS = Object.fromEntries(Object.entries(RULES).map(([file, { key }]) => [file, key])) as Readonly<
  Record<LineFile, string>
>

/** Tables in which a quarter's lines are until they are put together. */
const LINES = ['staged_lines', 'staged_submissions', 'staged_details']

/** Removes all lines. */
export const emptyLines = (store: ClickHouse): Promise<void> => truncateFilled(store, LINES)

/** Removes all lines and filings. */
export const emptyStaging = (store: ClickHouse): Promise<void> => truncateFilled(store, [...LINES, 'staged_filings'])

/** Truncates the tables that have rows; truncating an empty one takes as long. */
async function truncateFilled(store: ClickHouse, tables: string[]): Promise<void> {
  const filled = await store.rows<{ name: string }>(sql`
    SELECT name
    FROM system.tables
    WHERE database = ${store.database} AND name IN ${tables} AND (total_rows IS NULL OR total_rows > 0)`)
  for (const { name } of filled) await store.command(new Sql(`TRUNCATE TABLE ${name}`))
}

/**
 * Stages the lines of all files. Where one of the files of details is missing, only those are staged that say something
 * of transactions.
 */
export async function stageLines(store: ClickHouse, files: DataSetFiles): Promise<void> {
  const { SUBMISSION, REPORTINGOWNER, NONDERIV_TRANS, FOOTNOTES, OWNER_SIGNATURE } = files
  const texts = { ...(FOOTNOTES && { FOOTNOTES }), ...(OWNER_SIGNATURE && { OWNER_SIGNATURE }) }
  const others = { REPORTINGOWNER, NONDERIV_TRANS, ...(detailFiles(files) ?? texts) }
  const statements = [
    { file: SUBMISSION, sqlOf: submissionsSql(SUBMISSION) },
    ...(Object.entries(others) as [LineFile, DataSetFile][]).map(([name, file]) => ({
      file,
      sqlOf: linesSql(name, file),
    })),
  ]
  for (const { file, sqlOf } of statements) if (file.lines > 0) await store.command(sqlOf(await linesOf(store, file)))
}

function submissionsSql(file: DataSetFile): (lines: Sql) => Sql {
  const required = ['ACCESSION_NUMBER', 'FILING_DATE', 'DOCUMENT_TYPE', 'ISSUERCIK', 'ISSUERNAME']
  const fields = new Fields(file, [...required, 'ISSUERTRADINGSYMBOL'])
  const [form, cik] = [fields.text('DOCUMENT_TYPE'), fields.text('ISSUERCIK')]
  const problem = firstOf([
    shapeProblem(fields),
    sql`
      if(
        upper(${form}) IN ('3', '3/A', '4', '4/A', '5', '5/A'),
        '',
        concat('DOCUMENT_TYPE is not Form 3, 4 or 5: ', ${quoted(form)})
      )`,
    cikProblem('ISSUERCIK', cik),
    fields.dateProblem('FILING_DATE'),
    fields.dateProblem('DATE_OF_ORIG_SUB'),
  ])
  return (lines) => sql`
    INSERT INTO staged_submissions
    SELECT
      ${fields.text('ACCESSION_NUMBER')} AS accession, upper(${form}) AS form,
      ${fields.date('FILING_DATE')} AS filed_day, toUInt64OrZero(${cik}) AS issuer_cik,
      ${fields.prose('ISSUERTRADINGSYMBOL')} AS symbol, ${fields.content('SUBMISSION')} AS content, ${problem} AS problem,
      ${rejectedLine()} AS rejected
    FROM (SELECT splitByChar('\\t', line) AS f, line FROM ${lines})
    ${BULK}`
}

function linesSql(name: LineFile, file: DataSetFile): (lines: Sql) => Sql {
  const { key, keyOf, keyProblem, required, checked, maxBytes } = RULES[name]
  const fields = new Fields(file, ['ACCESSION_NUMBER', ...required])
  const kinds: Readonly<Record<string, ColumnKind>> = CONTENT[name]
  const problem = firstOf([
    shapeProblem(fields),
    ...(maxBytes
      ? [sql`if(length(line) > ${maxBytes}, concat('is longer than ', toString(${maxBytes}), ' bytes'), '')`]
      : []),
    keyProblem(fields.text(key)),
    ...checked.map((column) => (kinds[column] === 'date' ? fields.dateProblem(column) : fields.amountProblem(column))),
  ])
  return (lines) => sql`
    INSERT INTO staged_details
    SELECT
      ${fields.text('ACCESSION_NUMBER')} AS accession, ${name} AS file, ${keyOf(fields.text(key))} AS key,
      ${fields.content(name)} AS content, ${problem} AS problem, ${rejectedLine()} AS rejected
    FROM (SELECT splitByChar('\\t', line) AS f, line FROM ${lines})
    ${BULK}`
}

function cikProblem(column: string, cik: Sql): Sql {
  return sql`
    if(
      match(${cik}, '^[0-9]{1,10}$') AND toUInt64OrZero(${cik}) > 0,
      '', concat(${column}, ' is not a CIK: ', ${quoted(cik)})
    )`
}
