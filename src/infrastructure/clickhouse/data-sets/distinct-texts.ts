// Names and titles of a staged data set, each distinct text once, for the domain to interpret.
import type {
  AmendmentTexts,
  DatedSubmission,
  OwnerText,
  PointedTitle,
  DataSetFile,
  DataSetStore,
} from '../../../application/ports/data-sets.ts'
import { MENTIONS_CHIEF } from '../../../domain/filings/ceo-cfo-title.ts'
import { AMENDMENT_WORDS_PATTERN } from '../../../domain/trades/reconciliation/amendment-words.ts'
import type { ClickHouse } from '../connection/client.ts'
import { toCik } from '../connection/domain-sql.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { BULK, Fields, linesOf } from './tsv-fields.ts'

export function ownerTexts(store: ClickHouse): Promise<OwnerText[]> {
  return store.rows<OwnerText>(sql`
    SELECT DISTINCT roles, title, other_text AS otherText
    FROM staged_owners
    WHERE problem = ''
    ${BULK}`)
}

/** Returns titles that could be a CEO's or CFO's, with the company. */
export function chiefTexts(store: ClickHouse): Promise<{ title: string; companyName: string }[]> {
  return store.rows(sql`
    SELECT DISTINCT o.title AS title, s.company_name AS companyName
    FROM (
      SELECT accession, title
      FROM staged_owners
      WHERE problem = ''
        AND bitAnd(roles, 2) != 0
        AND match(title, ${`(?i)${MENTIONS_CHIEF}`})
    ) AS o
    INNER JOIN (SELECT accession, company_name FROM staged_submissions WHERE problem = '') AS s
      ON o.accession = s.accession
    ${BULK}`)
}

/** Returns owners whose title refers to remarks or footnotes, such as `See Remarks`, with these texts. */
export async function pointedTitles(
  store: ClickHouse,
  titles: string[],
  footnotes: { file: DataSetFile; lines: Sql } | null,
): Promise<PointedTitle[]> {
  if (titles.length === 0) return []
  const owners = sql`
    SELECT accession, cik, roles, title, other_text
    FROM staged_owners
    WHERE problem = '' AND bitAnd(roles, 2) != 0 AND title IN ${titles}`
  const notes =
    footnotes === null
      ? sql`SELECT '' AS accession, [] :: Array(Tuple(id String, text String)) AS notes WHERE 0`
      : footnotesSql(footnotes.file, footnotes.lines, owners)
  return store.rows<PointedTitle>(sql`
    SELECT
      o.accession AS accession, ${toCik('o.cik')} AS cik, o.roles AS roles, o.title AS title,
      o.other_text AS otherText, s.company_name AS companyName, s.remarks AS remarks, n.notes AS footnotes
    FROM (${owners}) AS o
    INNER JOIN (SELECT accession, company_name, remarks FROM staged_submissions WHERE problem = '') AS s
      ON o.accession = s.accession
    LEFT JOIN (${notes}) AS n ON o.accession = n.accession
    ${BULK}`)
}

function footnotesSql(file: DataSetFile, lines: Sql, owners: Sql): Sql {
  const fields = new Fields(file, ['ACCESSION_NUMBER', 'FOOTNOTE_ID', 'FOOTNOTE_TXT'])
  return sql`
    SELECT
      ${fields.text('ACCESSION_NUMBER')} AS accession,
      arraySort(
        note -> (length(note.id), note.id),
        groupArray(
          (${fields.text('FOOTNOTE_ID')}, ${fields.prose('FOOTNOTE_TXT')}) :: Tuple(id String, text String)
        )
      ) AS notes
    FROM (
      SELECT splitByChar('\\t', line) AS f
      FROM ${lines}
      WHERE substring(line, 1, 20) IN (SELECT accession FROM (${owners}))
    )
    GROUP BY accession`
}

const UNDATED = sql`
  SELECT accession, period, original_date
  FROM staged_submissions
  WHERE problem = ''
    AND (
      filed_day < '1994'
      OR filed_day >= '2101'
      OR isNull(toDate32OrNull(filed_day))
      OR toString(toDate32OrNull(filed_day)) != filed_day
    )`

/** Returns filings without a usable filing date, with all other dates in their tables, for the domain to choose one. */
export async function undatedFilings(store: ClickHouse, signatures: DataSetFile | null): Promise<DatedSubmission[]> {
  const found = await store.rows<Omit<DatedSubmission, 'signed' | 'traded'>>(sql`
    SELECT accession, period, original_date AS originalDate
    FROM (${UNDATED})
    ORDER BY accession
    LIMIT 1 BY accession
    ${BULK}`)
  if (found.length === 0) return []
  const undated = sql`SELECT accession FROM (${UNDATED})`
  const signed = signatures ? await datesOf(store, await signatureDatesSql(store, signatures, undated)) : new Map()
  const traded = await datesOf(
    store,
    sql`
      SELECT accession, trade_date AS date
      FROM staged_rows
      WHERE problem = '' AND accession IN (${undated})`,
  )
  return found.map((filing) => ({
    ...filing,
    signed: signed.get(filing.accession) ?? [],
    traded: traded.get(filing.accession) ?? [],
  }))
}

async function datesOf(store: ClickHouse, dates: Sql): Promise<Map<string, string[]>> {
  const found = await store.rows<{
    accession: string
    dates: string[]
  }>(sql`
    SELECT accession, groupUniqArray(toString(date)) AS dates
    FROM (${dates})
    WHERE date != ''
    GROUP BY accession
    ${BULK}`)
  return new Map(found.map(({ accession, dates: own }) => [accession, own]))
}

async function signatureDatesSql(store: ClickHouse, file: DataSetFile, accessions: Sql): Promise<Sql> {
  const fields = new Fields(file, ['ACCESSION_NUMBER', 'OWNERSIGNATUREDATE'])
  return sql`
    SELECT ${fields.text('ACCESSION_NUMBER')} AS accession, ${fields.date('OWNERSIGNATUREDATE')} AS date
    FROM (SELECT splitByChar('\\t', line) AS f FROM ${await linesOf(store, file)})
    WHERE accession IN (${accessions})`
}

/** Returns 4/As whose remarks or footnotes may say what they do to the original, with these texts. */
export function amendmentTexts(
  store: ClickHouse,
  footnotes: { file: DataSetFile; lines: Sql } | null,
): Promise<AmendmentTexts[]> {
  const pattern = `(?i)${AMENDMENT_WORDS_PATTERN}`
  const amendments = sql`SELECT accession FROM staged_submissions WHERE problem = '' AND form = '4/A'`
  return store.rows<AmendmentTexts>(sql`
    SELECT s.accession AS accession, s.remarks AS remarks, n.texts AS footnotes
    FROM (
      SELECT accession, remarks
      FROM staged_submissions
      WHERE problem = '' AND form = '4/A'
      LIMIT 1 BY accession
    ) AS s
    LEFT JOIN (${amendingNotesSql(footnotes, pattern, amendments)}) AS n ON s.accession = n.accession
    WHERE match(remarks, ${pattern}) OR notEmpty(texts)
    ${BULK}`)
}

function amendingNotesSql(footnotes: { file: DataSetFile; lines: Sql } | null, pattern: string, amendments: Sql): Sql {
  if (footnotes === null) return sql`SELECT '' AS accession, [] :: Array(String) AS texts WHERE 0`
  const fields = new Fields(footnotes.file, ['ACCESSION_NUMBER', 'FOOTNOTE_TXT'])
  return sql`
    SELECT ${fields.text('ACCESSION_NUMBER')} AS accession, groupArray(${fields.prose('FOOTNOTE_TXT')}) AS texts
    FROM (
      SELECT splitByChar('\\t', line) AS f
      FROM ${footnotes.lines}
      WHERE substring(line, 1, 20) IN (${amendments}) AND match(line, ${pattern})
    )
    GROUP BY accession`
}

export function symbolTexts(store: ClickHouse): Promise<{ symbol: string }[]> {
  return store.rows(sql`SELECT DISTINCT symbol FROM staged_submissions WHERE problem = '' AND symbol != '' ${BULK}`)
}

/**
 * Returns each issuer's distinct symbols in the data set, with the newest filing that has them and is not stored
 * already.
 */
export function issuerSymbols(store: ClickHouse): ReturnType<DataSetStore['issuerSymbols']> {
  return store.rows(sql`
    SELECT
      ${toCik('issuer_cik')} AS issuerCik, symbols, if(length(symbols) > 1, titles, ['']) AS titles,
      toUnixTimestamp(newest.1) AS filedAt, newest.2 AS accession
    FROM (
      SELECT
        f.issuer_cik AS issuer_cik, f.symbols AS symbols, max((f.filed_at, f.accession)) AS newest,
        groupUniqArrayArray(t.titles) AS titles
      FROM staged_filings AS f
      LEFT JOIN (
        SELECT accession, groupUniqArray(title) AS titles
        FROM staged_trades
        WHERE accession IN (SELECT accession FROM staged_filings WHERE length(symbols) > 1)
        GROUP BY accession
      ) AS t ON f.accession = t.accession
      WHERE f.accession NOT IN (SELECT accession FROM staged_known)
      GROUP BY f.issuer_cik, f.symbols
    )
    ${BULK}`)
}
