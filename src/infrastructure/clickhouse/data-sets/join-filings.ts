// Joins submissions and owners into one row per filing, records the lines that can't be joined, and counts the lines.
import type { DataSetCounts, DetailFile } from '../../../application/ports/data-sets.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, Sql } from '../connection/sql.ts'
import { businessDaysSql, delayAliases, lateSql } from './filing-delay.ts'
import { DETAIL_KEYS } from './stage-details.ts'
import { BULK } from './tsv-fields.ts'

/** Filings per statement; their hash tables are in memory. */
const FILINGS_BATCH = 100_000
const ROWS_BATCH = 200_000

export interface AccessionRange {
  from: string
  to: string
  rows: number
}

/**
 * Returns ranges of accession numbers that cover a staged table, each with at most `rows` rows unless one filing has
 * more.
 */
export async function accessionRanges(store: ClickHouse, table: Sql, rows: number): Promise<AccessionRange[]> {
  return store.rows<AccessionRange>(sql`
    SELECT min(accession) AS from, max(accession) AS to, sum(lines) AS rows
    FROM (
      SELECT
        accession, count() AS lines,
        intDiv(sum(count()) OVER (ORDER BY accession ROWS UNBOUNDED PRECEDING) - 1, ${rows}) AS page
      FROM ${table}
      GROUP BY accession
    )
    GROUP BY page
    ORDER BY from
    ${BULK}`)
}

export const inRange = ({ from, to }: Pick<AccessionRange, 'from' | 'to'>): Sql =>
  sql`accession >= ${from} AND accession <= ${to}`

export async function joinFilings(store: ClickHouse): Promise<void> {
  const ranges = await accessionRanges(store, sql`staged_submissions`, FILINGS_BATCH)
  await twoAtATime(ranges.map((range) => () => store.command(filingsSql(range))))
}

/**
 * Joins the filings of a range. Owners are sorted by CIK, since the files have no order. The acting owner is the first
 * officer, else the first director, else the first owner.
 */
function filingsSql(range: AccessionRange): Sql {
  const within = inRange(range)
  return sql`
    INSERT INTO staged_filings
    SELECT
      s.accession AS accession, form,
      if(
        t.accession != '', t.filed_at,
        toDateTime(concat(s.filed_day, ' 22:00:00'), 'America/New_York')
      ) AS filed_at,
      if(t.accession != '', t.filed_day, toDate32(s.filed_day)) AS filed_day,
      if(t.accession != '', t.filed_basis, 'filed-date') AS filed_basis,
      if(form = '4/A', original_date, '') AS original_date,
      issuer_cik, company_name, y.symbols AS symbols, plan, o.owners.cik AS owner_ciks,
      o.owners.name AS owner_names, o.owners.title AS owner_titles, o.owners.roles AS owner_roles,
      multiIf(
        arrayExists(role -> bitAnd(role, 2) != 0, owner_roles),
          arrayFirstIndex(role -> bitAnd(role, 2) != 0, owner_roles),
        arrayExists(role -> bitAnd(role, 1) != 0, owner_roles),
          arrayFirstIndex(role -> bitAnd(role, 1) != 0, owner_roles),
        1
      ) AS acting,
      o.pointed_ceo
      OR arrayExists(
        title -> (title, company_name) IN (SELECT title, company_name FROM staged_chiefs WHERE ceo),
        o.officer_titles
      ) AS ceo,
      ceo OR cfo AS ceo_cfo,
      o.pointed_cfo
      OR arrayExists(
        title -> (title, company_name) IN (SELECT title, company_name FROM staged_chiefs WHERE cfo),
        o.officer_titles
      ) AS cfo,
      c.row_count AS row_count, c.good_rows AS good_rows, period, w.words AS amendment_words
    FROM (SELECT * FROM staged_submissions WHERE ${within} AND problem = '' LIMIT 1 BY accession) AS s
    INNER JOIN (${ownersSql(range)}) AS o ON s.accession = o.accession
    LEFT JOIN (SELECT accession, filed_at, filed_day, filed_basis FROM staged_times) AS t
      ON s.accession = t.accession
    LEFT JOIN (SELECT symbol, symbols FROM staged_symbols) AS y ON s.symbol = y.symbol
    LEFT JOIN (SELECT accession, words FROM staged_amendment_words WHERE ${within}) AS w ON s.accession = w.accession
    LEFT JOIN (
      SELECT accession, uniqExact(sk) AS row_count, uniqExactIf(sk, problem = '') AS good_rows
      FROM staged_rows
      WHERE ${within}
      GROUP BY accession
    ) AS c ON s.accession = c.accession
    ${BULK}`
}

function ownersSql(range: AccessionRange): Sql {
  const within = inRange(range)
  return sql`
    SELECT
      o.accession AS accession,
      arraySort(
        owner -> owner.cik,
        groupArray(
          (o.cik, o.name, if(p.accession != '', p.shown, t.shown), o.roles) :: Tuple(
            cik UInt64, name String, title String, roles UInt8
          )
        )
      ) AS owners,
      groupArrayIf(o.title, bitAnd(o.roles, 2) != 0 AND p.accession = '') AS officer_titles,
      max(p.ceo) AS pointed_ceo, max(p.cfo) AS pointed_cfo
    FROM (SELECT * FROM staged_owners WHERE ${within} AND problem = '' LIMIT 1 BY accession, cik) AS o
    LEFT JOIN (SELECT roles, title, other_text, shown FROM staged_titles) AS t
      ON o.roles = t.roles AND o.title = t.title AND o.other_text = t.other_text
    LEFT JOIN (SELECT accession, cik, shown, ceo, cfo FROM staged_pointed_titles WHERE ${within}) AS p
      ON o.accession = p.accession AND o.cik = p.cik
    GROUP BY o.accession`
}

/** Joins the transactions with what reconciliation needs of their filings. Requires `staged_known`. */
export async function joinTrades(store: ClickHouse): Promise<void> {
  const ranges = await accessionRanges(store, sql`staged_rows`, ROWS_BATCH)
  await twoAtATime(ranges.map((range) => () => store.command(joinedTradesSql(range))))
}

function joinedTradesSql(range: AccessionRange): Sql {
  const within = inRange(range)
  return sql`
    INSERT INTO staged_trades
    WITH ${delayAliases()}
    SELECT
      r.accession AS accession, if(row_count = 1, 1, r.sk) AS n, r.sk AS sk,
      concat(r.accession, if(row_count = 1, '-nd-', '-ds-'), toString(n)) AS id,
      issuer_cik, filed_at, filed_day, form = '4/A' AS amendment, original_date, owner_ciks,
      title, trade_date, code, acquired_disposed, direct_indirect, shares, price, shares_after, notes,
      owner_names, owner_roles, period, amendment_words,
      multiIf(t.accession != '', t.holding, direct_indirect = 'I', 'unnamed', 'direct') AS holding, holder_names,
      other_unit,
      if(
        (r.accession, r.sk) IN (SELECT accession, sk FROM staged_suspect_shares), 'suspect', 'as_filed'
      ) AS shares_status,
      if(t.accession != '', t.plan, f.box) AS plan,
      multiIf(t.accession != '', toString(t.plan_source), f.box != 'unknown', 'box', 'none') AS plan_source,
      ${businessDaysSql} AS business_days, ${lateSql} AS late, t.average_price, t.low_price, t.high_price,
      traded_on AS trade_day
    FROM (SELECT * FROM staged_rows WHERE ${within} AND problem = '' LIMIT 1 BY accession, sk) AS r
    INNER JOIN (
      SELECT
        accession, row_count, issuer_cik, filed_at, filed_day, filed_basis, form, original_date, owner_ciks, owner_names,
        owner_roles, period, amendment_words, staged_filings.plan AS box
      FROM staged_filings
      WHERE ${within} AND form IN ('4', '4/A') AND accession NOT IN (SELECT accession FROM staged_known)
    ) AS f ON r.accession = f.accession
    LEFT JOIN (SELECT * FROM staged_row_facts WHERE ${within}) AS t ON r.accession = t.accession AND r.sk = t.sk
    ${BULK}`
}

/** Runs the steps two at a time, because ClickHouse uses one thread to write an insert, and two cores are required. */
export async function twoAtATime(steps: (() => Promise<void>)[]): Promise<void> {
  const left = [...steps]
  const next = async (): Promise<void> => {
    for (let step = left.shift(); step; step = left.shift()) await step()
  }
  await Promise.all([next(), next()])
}

const NO_SUBMISSION = 'SUBMISSION has no usable line with this accession number'

type Used = Pick<DataSetCounts, 'filings' | 'owners' | 'rows' | 'transactions' | 'knownFilings' | 'details'>

/**
 * Records the lines of each file that could not be used, with reasons, replacing those of an earlier run of the
 * quarter.
 */
export async function keepRejects(store: ClickHouse, quarter: string): Promise<void> {
  await store.command(sql`ALTER TABLE set_rejects DROP PARTITION ${quarter}`)
  await store.command(sql`
    INSERT INTO set_rejects
    SELECT ${quarter}, 'SUBMISSION', accession, problem, line
    FROM staged_submissions
    WHERE problem != ''
    UNION ALL
    SELECT ${quarter}, 'REPORTINGOWNER', accession, problem, line
    FROM staged_owners
    WHERE problem != ''
    UNION ALL
    SELECT ${quarter}, 'NONDERIV_TRANS', accession, problem, line
    FROM staged_rows
    WHERE problem != ''
    UNION ALL
    SELECT ${quarter}, file, accession, problem, line
    FROM staged_details
    WHERE problem != ''
    ${BULK}`)
  const used = await usedOf(store)
  const good = async (table: string) =>
    (
      await store.rows<{ lines: number }>(sql`
      SELECT countIf(problem = '') AS lines
      FROM ${new Sql(table)}
      ${BULK}`)
    )[0]!.lines
  // Valid lines that were still not used are looked up only if the counts show that there are any.
  if ((await good('staged_submissions')) !== used.filings) await store.command(unusedFilingsSql(quarter))
  if ((await good('staged_owners')) !== used.owners)
    await store.command(
      unusedSql(quarter, { file: 'REPORTINGOWNER', table: 'staged_owners', key: 'cik', name: 'RPTOWNERCIK' }),
    )
  if ((await good('staged_rows')) !== used.rows)
    await store.command(
      unusedSql(quarter, { file: 'NONDERIV_TRANS', table: 'staged_rows', key: 'sk', name: 'NONDERIV_TRANS_SK' }),
    )
  if ((await good('staged_details')) !== sum(Object.values(used.details)))
    await store.command(unusedDetailsSql(quarter))
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

function unusedFilingsSql(quarter: string): Sql {
  return sql`
    INSERT INTO set_rejects
    SELECT ${quarter}, 'SUBMISSION', accession, 'no reporting owner', ''
    FROM staged_submissions
    WHERE problem = '' AND accession NOT IN (SELECT accession FROM staged_filings)
    UNION ALL
    SELECT ${quarter}, 'SUBMISSION', accession, 'repeats this accession number', ''
    FROM (
      SELECT accession, arrayJoin(range(count() - 1))
      FROM staged_submissions
      WHERE problem = '' AND accession IN (SELECT accession FROM staged_filings)
      GROUP BY accession
    )
    ${BULK}`
}

/** Selects the lines of a file that were not used; `name` is the column of the file that has the key. */
function unusedSql(
  quarter: string,
  { file, table, key, name }: Record<'file' | 'table' | 'key' | 'name', string>,
): Sql {
  const [rows, number] = [new Sql(table), sql`concat(${`${name} `}, toString(${new Sql(key)}))`]
  return sql`
    INSERT INTO set_rejects
    SELECT ${quarter}, ${file}, accession, ${NO_SUBMISSION}, ${number}
    FROM ${rows}
    WHERE problem = '' AND accession NOT IN (SELECT accession FROM staged_filings)
    UNION ALL
    SELECT ${quarter}, ${file}, accession, ${`repeats this ${name}`}, ${number}
    FROM (
      SELECT accession, ${new Sql(key)}, arrayJoin(range(count() - 1))
      FROM ${rows}
      WHERE problem = '' AND accession IN (SELECT accession FROM staged_filings)
      GROUP BY accession, ${new Sql(key)}
    )
    ${BULK}`
}

/** Selects the unused lines: those without a filing, and repeated ones, except signatures, which may repeat. */
function unusedDetailsSql(quarter: string): Sql {
  const keys = Object.entries(DETAIL_KEYS)
  const names = new Sql(`[${keys.map(([, { column }]) => `'${column}'`).join(', ')}]`)
  const name = sql`transform(toString(file), [${new Sql(keys.map(([file]) => `'${file}'`).join(', '))}], ${names}, '')`
  return sql`
    INSERT INTO set_rejects
    SELECT ${quarter}, file, accession, ${NO_SUBMISSION}, concat(${name}, ' ', key)
    FROM staged_details
    WHERE problem = '' AND accession NOT IN (SELECT accession FROM staged_filings)
    UNION ALL
    SELECT ${quarter}, file, accession, concat('repeats this ', ${name}), concat(${name}, ' ', key)
    FROM (
      SELECT accession, file, key, arrayJoin(range(count() - 1))
      FROM staged_details
      WHERE problem = '' AND file != 'OWNER_SIGNATURE' AND accession IN (SELECT accession FROM staged_filings)
      GROUP BY accession, file, key
    )
    ${BULK}`
}

async function usedOf(store: ClickHouse): Promise<Used> {
  const [used] = await store.rows<Omit<Used, 'details'>>(sql`
      SELECT
        count() AS filings, sum(length(owner_ciks)) AS owners, sum(good_rows) AS rows,
        sumIf(good_rows, form IN ('4', '4/A') AND NOT known) AS transactions,
        countIf(known) AS knownFilings
      FROM (SELECT *, accession IN (SELECT accession FROM staged_known) AS known FROM staged_filings)
      ${BULK}`)
  const details = await store.rows<{ file: DetailFile; lines: number }>(sql`
      SELECT file, if(file = 'OWNER_SIGNATURE', count(), uniqExact(accession, key)) AS lines
      FROM staged_details
      WHERE problem = '' AND accession IN (SELECT accession FROM staged_filings)
      GROUP BY file
      ${BULK}`)
  const none = Object.keys(DETAIL_KEYS).map((file) => [file, 0])
  return { ...used!, details: Object.fromEntries([...none, ...details.map(({ file, lines }) => [file, lines])]) }
}

/** Returns how many lines of each file were used and rejected. */
export async function setCounts(store: ClickHouse, quarter: string): Promise<DataSetCounts> {
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
  return {
    ...(await usedOf(store)),
    rejected,
    rejectedByFile: Object.fromEntries(byFile.map(({ file, lines }) => [file, lines])),
  }
}
