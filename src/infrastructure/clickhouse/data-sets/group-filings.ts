// Puts the staged lines of each filing together, records the lines that can't be used, and counts them.
import { detailFiles } from '../../../application/data-sets/detail-files.ts'
import type { DataSetCounts, DataSetFiles, DetailFile } from '../../../application/ports/data-sets.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, Sql } from '../connection/sql.ts'
import { accessionRanges, inRange, type AccessionRange } from './accession-ranges.ts'
import { LINE_KEYS, type LineFile } from './stage.ts'
import { BULK } from './tsv-fields.ts'

/** Filings per statement; their texts are in memory at once. */
const FILINGS_BATCH = 8_000

/** Groups the lines of a quarter. */
export async function groupFilings(store: ClickHouse, quarter: string, files: DataSetFiles): Promise<void> {
  const left = await accessionRanges(store, sql`staged_submissions`, FILINGS_BATCH)
  // Two at a time, because ClickHouse uses one thread to write an insert, and two cores are required.
  const lane = async (): Promise<void> => {
    for (let range = left.shift(); range; range = left.shift())
      await store.command(groupSql(quarter, detailFiles(files) !== null, range))
  }
  await Promise.all([lane(), lane()])
}

/** The order of a filing's lines. Owners are in the order of their CIKs, since the files have no order. */
const PLACES: Readonly<Record<LineFile, number>> = {
  REPORTINGOWNER: 1,
  NONDERIV_TRANS: 2,
  NONDERIV_HOLDING: 3,
  DERIV_TRANS: 4,
  DERIV_HOLDING: 5,
  FOOTNOTES: 6,
  OWNER_SIGNATURE: 7,
}

/** Of lines with the same key one is taken. A filing is complete if no line with its accession number was rejected. */
function groupSql(quarter: string, hasDetails: boolean, range: AccessionRange): Sql {
  const within = inRange(range)
  const good = (file: LineFile) => sql`file = ${file} AND problem = ''`
  return sql`
    INSERT INTO staged_filings
    SELECT
      ${quarter}, issuer_cik, s.accession, form, filed_day, symbol, owner_ciks, row_count, places,
      ${hasDetails ? 1 : 0}, bad = 0 AND row_count = length(places), 1 + length(lines),
      concat(s.content, ',', arrayStringConcat(lines, ','))
    FROM (
      SELECT accession, form, filed_day, issuer_cik, symbol, content
      FROM staged_submissions
      WHERE ${within} AND problem = ''
      LIMIT 1 BY accession
    ) AS s
    INNER JOIN (
      SELECT
        accession,
        arraySort(groupArrayIf(toUInt64OrZero(key), ${good('REPORTINGOWNER')})) AS owner_ciks,
        uniqExactIf(key, file = 'NONDERIV_TRANS') AS row_count,
        arraySort(groupArrayIf(toUInt32OrZero(key), ${good('NONDERIV_TRANS')})) AS places,
        countIf(problem != '') AS bad,
        arrayMap(
          line -> line.4,
          arraySort(groupArrayIf((place, length(key), key, content), problem = ''))
        ) AS lines
      FROM (
        SELECT
          accession, file, key, content, problem,
          transform(file, ${arrayOf(Object.keys(PLACES))}, ${arrayOf(Object.values(PLACES))}, 0) AS place
        FROM (
          SELECT accession, toString(staged_details.file) AS file, key, content, problem
          FROM staged_details
          WHERE ${within} AND staged_details.file != 'OWNER_SIGNATURE'
          LIMIT 1 BY accession, file, key, problem
          UNION ALL
          SELECT accession, toString(staged_details.file), key, content, problem
          FROM staged_details
          WHERE ${within} AND staged_details.file = 'OWNER_SIGNATURE'
        )
      )
      GROUP BY accession
      HAVING notEmpty(owner_ciks)
    ) AS o ON s.accession = o.accession
    ${BULK}`
}

const arrayOf = (values: readonly (string | number)[]): Sql =>
  new Sql(`[${values.map((value) => sql`${value}`.text).join(', ')}]`)

/** Selects the lines of files of which each line is to be used or rejected. */
function countedSql(files: DataSetFiles): Sql {
  const counted = ['REPORTINGOWNER', 'NONDERIV_TRANS', ...Object.keys(detailFiles(files) ?? {})]
  return sql`file IN ${counted}`
}

const NO_SUBMISSION = 'SUBMISSION has no usable line with this accession number'

/**
 * Records the lines of each file that could not be used, with reasons, replacing those of an earlier run of the
 * quarter.
 */
export async function keepRejects(store: ClickHouse, quarter: string, files: DataSetFiles): Promise<void> {
  await store.command(sql`ALTER TABLE set_rejects DROP PARTITION ${quarter}`)
  await store.command(sql`
    INSERT INTO set_rejects
    SELECT ${quarter}, 'SUBMISSION', accession, problem, line
    FROM staged_submissions
    WHERE problem != ''
    UNION ALL
    SELECT ${quarter}, file, accession, problem, line
    FROM staged_details
    WHERE problem != '' AND ${countedSql(files)}
    ${BULK}`)
  const { filings, owners, rows, details } = await usedOf(store, quarter, files)
  const good = async (table: string, condition = sql`1`) => {
    const [{ lines } = { lines: 0 }] = await store.rows<{ lines: number }>(sql`
      SELECT countIf(problem = '') AS lines
      FROM ${new Sql(table)}
      WHERE ${condition}
      ${BULK}`)
    return lines
  }
  // Valid lines that were still not used are looked up only if the counts show that there are any.
  if ((await good('staged_submissions')) !== filings) await store.command(unusedFilingsSql(quarter))
  const used = owners + rows + Object.values(details).reduce((sum, lines) => sum + lines, 0)
  if ((await good('staged_details', countedSql(files))) !== used) await store.command(unusedLinesSql(quarter, files))
}

const grouped = (quarter: string): Sql => sql`SELECT accession FROM staged_filings WHERE quarter = ${quarter}`

function unusedFilingsSql(quarter: string): Sql {
  return sql`
    INSERT INTO set_rejects
    SELECT ${quarter}, 'SUBMISSION', accession, 'no reporting owner', ''
    FROM staged_submissions
    WHERE problem = '' AND accession NOT IN (${grouped(quarter)})
    UNION ALL
    SELECT ${quarter}, 'SUBMISSION', accession, 'repeats this accession number', ''
    FROM (
      SELECT accession, arrayJoin(range(count() - 1))
      FROM staged_submissions
      WHERE problem = '' AND accession IN (${grouped(quarter)})
      GROUP BY accession
    )
    ${BULK}`
}

/** Selects the unused lines: those without a filing, and repeated ones, except signatures, which may repeat. */
function unusedLinesSql(quarter: string, files: DataSetFiles): Sql {
  const name = sql`
    transform(toString(file), ${arrayOf(Object.keys(LINE_KEYS))}, ${arrayOf(Object.values(LINE_KEYS))}, '')`
  return sql`
    INSERT INTO set_rejects
    SELECT ${quarter}, file, accession, ${NO_SUBMISSION}, concat(${name}, ' ', key)
    FROM staged_details
    WHERE problem = '' AND ${countedSql(files)} AND accession NOT IN (${grouped(quarter)})
    UNION ALL
    SELECT ${quarter}, file, accession, concat('repeats this ', ${name}), concat(${name}, ' ', key)
    FROM (
      SELECT accession, file, key, arrayJoin(range(count() - 1))
      FROM staged_details
      WHERE problem = '' AND ${countedSql(files)} AND file != 'OWNER_SIGNATURE' AND accession IN (${grouped(quarter)})
      GROUP BY accession, file, key
    )
    ${BULK}`
}

type Used = Pick<DataSetCounts, 'filings' | 'owners' | 'rows' | 'transactions' | 'details'>

async function usedOf(store: ClickHouse, quarter: string, files: DataSetFiles): Promise<Used> {
  const [used] = await store.rows<Omit<Used, 'details'>>(sql`
    SELECT
      count() AS filings, sum(length(owner_ciks)) AS owners, sum(length(places)) AS rows,
      sumIf(length(places), form IN ('4', '4/A')) AS transactions
    FROM staged_filings
    WHERE quarter = ${quarter}
    ${BULK}`)
  const names = Object.keys(detailFiles(files) ?? {})
  const lines = await store.rows<{ file: DetailFile; lines: number }>(sql`
    SELECT file, if(file = 'OWNER_SIGNATURE', count(), uniqExact(accession, key)) AS lines
    FROM staged_details
    WHERE problem = '' AND file IN ${['', ...names]} AND accession IN (${grouped(quarter)})
    GROUP BY file
    ${BULK}`)
  const none = DETAILS.map((file) => [file, 0])
  return { ...used!, details: Object.fromEntries([...none, ...lines.map(({ file, lines: count }) => [file, count])]) }
}

const DETAILS: readonly DetailFile[] = [
  'DERIV_TRANS',
  'DERIV_HOLDING',
  'NONDERIV_HOLDING',
  'FOOTNOTES',
  'OWNER_SIGNATURE',
]

/** Returns how many lines of each file were used and rejected; no filing counts as known. */
export async function setCounts(store: ClickHouse, quarter: string, files: DataSetFiles): Promise<DataSetCounts> {
  const rejected = await store.rows<{ file: string; reason: string; lines: number; example: string }>(sql`
    SELECT
      file, replaceRegexpOne(reason, ': ".*$', '') AS reason, count() AS lines,
      any(set_rejects.accession) AS example
    FROM set_rejects
    WHERE quarter = ${quarter}
    GROUP BY file, reason
    ORDER BY lines DESC, file, reason
    LIMIT 50`)
  const byFile = await store.rows<{ file: string; lines: number }>(sql`
    SELECT file, count() AS lines
    FROM set_rejects
    WHERE quarter = ${quarter}
    GROUP BY file`)
  const { details, ...used } = await usedOf(store, quarter, files)
  return {
    ...used,
    knownFilings: 0,
    details,
    rejected,
    rejectedByFile: Object.fromEntries(byFile.map(({ file, lines }) => [file, lines])),
  }
}
