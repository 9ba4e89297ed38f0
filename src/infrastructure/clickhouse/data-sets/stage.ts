// Stages a data set's files in ClickHouse, where each line is parsed and checked on its own. Files and columns have the
// SEC's names.
import type { DataSetFiles } from '../../../application/ports/data-sets.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { stageDetails } from './stage-details.ts'
import { BULK, Fields, firstOf, linesOf, quoted, rejectedLine, shapeProblem } from './tsv-fields.ts'

const STAGED = [
  'submissions',
  'owners',
  'rows',
  'titles',
  'pointed_titles',
  'chiefs',
  'symbols',
  'tickers',
  'times',
  'filings',
  'trades',
  'known',
  'withdrawn',
  'verdicts',
  'amendment_words',
  'row_facts',
  'suspect_shares',
  'details',
  'lines',
].map((name) => `staged_${name}`)

/** Truncates the tables that have rows; truncating an empty one takes as long. */
export async function emptyStaging(store: ClickHouse): Promise<void> {
  const filled = await store.rows<{ name: string }>(sql`
    SELECT name
    FROM system.tables
    WHERE database = ${store.database} AND name IN ${STAGED} AND (total_rows IS NULL OR total_rows > 0)`)
  for (const { name } of filled) await store.command(new Sql(`TRUNCATE TABLE ${name}`))
}

export async function stageFiles(store: ClickHouse, files: DataSetFiles): Promise<void> {
  const submissions = new Fields(files.SUBMISSION, [
    'ACCESSION_NUMBER',
    'FILING_DATE',
    'DOCUMENT_TYPE',
    'ISSUERCIK',
    'ISSUERNAME',
    'ISSUERTRADINGSYMBOL',
  ])
  const owners = new Fields(files.REPORTINGOWNER, [
    'ACCESSION_NUMBER',
    'RPTOWNERCIK',
    'RPTOWNERNAME',
    'RPTOWNER_RELATIONSHIP',
  ])
  const rows = new Fields(files.NONDERIV_TRANS, [
    'ACCESSION_NUMBER',
    'NONDERIV_TRANS_SK',
    'SECURITY_TITLE',
    'TRANS_DATE',
    'TRANS_CODE',
    'TRANS_SHARES',
    'TRANS_PRICEPERSHARE',
    'TRANS_ACQUIRED_DISP_CD',
  ])
  await store.command(stageSubmissionsSql(submissions, await linesOf(store, files.SUBMISSION)))
  await store.command(stageOwnersSql(owners, await linesOf(store, files.REPORTINGOWNER)))
  await store.command(stageRowsSql(rows, await linesOf(store, files.NONDERIV_TRANS)))
  await stageDetails(store, files)
}

function stageSubmissionsSql(fields: Fields, lines: Sql): Sql {
  const [form, cik, box] = [fields.text('DOCUMENT_TYPE'), fields.text('ISSUERCIK'), fields.text('AFF10B5ONE')]
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
  return sql`
    INSERT INTO staged_submissions
    SELECT
      ${fields.text('ACCESSION_NUMBER')} AS accession, upper(${form}) AS form,
      ${fields.date('FILING_DATE')} AS filed_day, ${fields.date('PERIOD_OF_REPORT')} AS period,
      ${fields.date('DATE_OF_ORIG_SUB')} AS original_date, toUInt64OrZero(${cik}) AS issuer_cik,
      ${fields.prose('ISSUERNAME')} AS company_name, ${fields.text('ISSUERTRADINGSYMBOL')} AS symbol,
      ${fields.prose('REMARKS')} AS remarks,
      multiIf(lower(${box}) IN ('1', 'true'), 'yes', lower(${box}) IN ('0', 'false'), 'no', 'unknown') AS plan,
      ${problem} AS problem, ${rejectedLine()} AS line, ${fields.content('SUBMISSION')} AS content
    FROM (SELECT splitByChar('\\t', line) AS f, line FROM ${lines})
    ${BULK}`
}

function stageOwnersSql(fields: Fields, lines: Sql): Sql {
  const [cik, relationship] = [fields.text('RPTOWNERCIK'), fields.text('RPTOWNER_RELATIONSHIP')]
  const roles = sql`arrayMap(role -> trimBoth(role), splitByChar(',', lower(${relationship})))`
  const bit = (role: string, value: number) => sql`if(has(${roles}, ${role}), ${value}, 0)`
  return sql`
    INSERT INTO staged_owners
    SELECT
      ${fields.text('ACCESSION_NUMBER')} AS accession, toUInt64OrZero(${cik}) AS cik,
      ${fields.prose('RPTOWNERNAME')} AS name,
      ${bit('director', 1)} + ${bit('officer', 2)} + ${bit('tenpercentowner', 4)} + ${bit('other', 8)} AS roles,
      ${fields.prose('RPTOWNER_TITLE')} AS title, ${fields.prose('RPTOWNER_TXT')} AS other_text,
      ${firstOf([shapeProblem(fields), cikProblem('RPTOWNERCIK', cik)])} AS problem,
      ${rejectedLine()} AS line, ${fields.content('REPORTINGOWNER')} AS content
    FROM (SELECT splitByChar('\\t', line) AS f, line FROM ${lines})
    ${BULK}`
}

function stageRowsSql(fields: Fields, lines: Sql): Sql {
  const sk = fields.text('NONDERIV_TRANS_SK')
  const either = (column: string, values: string[]) =>
    sql`if(${fields.text(column)} IN ${values}, ${fields.text(column)}, '')`
  const problem = firstOf([
    shapeProblem(fields),
    sql`if(toUInt32OrZero(${sk}) = 0, concat('NONDERIV_TRANS_SK is not a number: ', ${quoted(sk)}), '')`,
    fields.dateProblem('TRANS_DATE'),
    fields.amountProblem('TRANS_SHARES'),
    fields.amountProblem('TRANS_PRICEPERSHARE'),
    fields.amountProblem('SHRS_OWND_FOLWNG_TRANS'),
  ])
  return sql`
    INSERT INTO staged_rows
    SELECT
      ${fields.text('ACCESSION_NUMBER')} AS accession, toUInt32OrZero(${sk}) AS sk,
      ${fields.prose('SECURITY_TITLE')} AS title, ${fields.date('TRANS_DATE')} AS trade_date,
      ${fields.text('TRANS_CODE')} AS code,
      ${either('TRANS_ACQUIRED_DISP_CD', ['A', 'D'])} AS acquired_disposed,
      ${either('DIRECT_INDIRECT_OWNERSHIP', ['D', 'I'])} AS direct_indirect,
      ifNull(${fields.amount('TRANS_SHARES')}, 0) AS shares,
      ${fields.amount('TRANS_PRICEPERSHARE')} AS price,
      ${fields.amount('SHRS_OWND_FOLWNG_TRANS')} AS shares_after,
      ${fields.notes()} AS notes, ${problem} AS problem, ${rejectedLine()} AS line,
      ${fields.content('NONDERIV_TRANS')} AS content,
      ${fields.prose('NATURE_OF_OWNERSHIP')} AS nature,
      ${fields.notes(['TRANS_PRICEPERSHARE_FN'])} AS price_notes,
      ${fields.text('TRANS_FORM_TYPE')} AS form_type, ${fields.text('TRANS_TIMELINESS')} AS timeliness,
      ${fields.date('DEEMED_EXECUTION_DATE')} AS deemed_date
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
