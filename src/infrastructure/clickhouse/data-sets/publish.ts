// Writes staged rows into the tables that answer queries, by ranges of filings. Values that depend on the row alone are
// computed by SQL that is generated from the domain; decisions that depend on other rows are joined.
import type { SignificanceFloors } from '../../../domain/trades/significance.ts'
import { sectorOf } from '../../../domain/filings/sector.ts'
import type { ClickHouse } from '../connection/client.ts'
import {
  isEstimatedSql,
  priceStatusSql,
  significanceSql,
  toCik,
  totalValueSql,
  typeSql,
} from '../connection/domain-sql.ts'
import { Sql, sql } from '../connection/sql.ts'
import { balanceSteps } from './balances.ts'
import { detailStatements } from './filing-details.ts'
import { accessionRanges, inRange, twoAtATime, type AccessionRange } from './join-filings.ts'
import { EVIDENCE, READ_COLUMNS } from '../stores/trade-rows.ts'
import { BULK } from './tsv-fields.ts'

/** Two such ranges are written at a time; larger ones would only take more memory. */
const TRADES_BATCH = 12_500
const FILINGS_BATCH = 50_000

interface Publishing {
  version: number
  floors: SignificanceFloors
  /** Whether the data set has all of its files. */
  hasAllFiles: boolean
  /** Receives the number of rows written so far. */
  advance: (rows: number) => void
}

export async function writeStaged(
  store: ClickHouse,
  { version, floors, hasAllFiles, advance }: Publishing,
): Promise<void> {
  const filings = await accessionRanges(store, sql`staged_filings`, FILINGS_BATCH)
  const trades = await accessionRanges(store, sql`staged_trades`, TRADES_BATCH)
  let written = 0
  // Before the rows themselves, since afterwards nothing shows that they were superseded. If the load is killed in
  // between, the next one repeats this.
  await store.command(restoredRowsSql(version))
  await store.command(outdatedTotalsSql(version))
  await twoAtATime([
    ...filings.map((range) => () => store.command(directorySql(range, version))),
    ...trades.map((range) => async () => {
      await store.command(tradesSql(range, version, floors))
      advance((written += range.rows))
    }),
    ...(await detailStatements(store, version, hasAllFiles)).map((statement) => () => store.command(statement)),
    ...(await balanceSteps(store, version, hasAllFiles)),
  ])
}

/**
 * Removes rows from the lists of superseded rows that this data set no longer supersedes; the view behind
 * `incoming_trades` only adds to these lists. Old versions of rows may select too many, which does no harm.
 */
function restoredRowsSql(version: number): Sql {
  return sql`
    INSERT INTO transaction_lists (key, issuer_cik, version, deleted)
    SELECT
      concat(
        arrayJoin(arrayConcat(
          ['F', concat('C', ${toCik('issuer_cik')})], arrayMap(cik -> concat('I', ${toCik('cik')}), owner_ciks)
        )),
        ':', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession, ' ', leftPad(hex(n), 8, '0')
      ) AS key,
      issuer_cik, ${version}, 1
    FROM staged_trades
    WHERE (accession, n) IN (
        SELECT accession, n
        FROM trades
        WHERE path = 'issuer' AND superseded_by != ''
          AND subject IN (SELECT DISTINCT issuer_cik FROM staged_trades)
          AND filed_at >= (SELECT min(filed_at) FROM staged_trades)
          AND filed_at <= (SELECT max(filed_at) FROM staged_trades)
      )
      AND (accession, sk) NOT IN (SELECT accession, sk FROM staged_verdicts WHERE superseded_by != '')
    ${BULK}`
}

/** Removes the stored totals of all lists that get rows of the data set. */
function outdatedTotalsSql(version: number): Sql {
  return sql`
    INSERT INTO transaction_lists (key, issuer_cik, version, deleted)
    SELECT DISTINCT concat(list.1, ${toCik('list.2')}, '='), list.2, ${version}, 1
    FROM (
      SELECT arrayJoin(arrayPushFront(arrayMap(cik -> ('i', cik), owner_ciks), ('c', issuer_cik))) AS list
      FROM (
        SELECT issuer_cik, owner_ciks
        FROM staged_trades
        UNION ALL
        SELECT issuer_cik, owner_ciks
        FROM staged_filings
      )
    )
    ${BULK}`
}

const UNKNOWN = sql`accession NOT IN (SELECT accession FROM staged_known)`

function directorySql(range: AccessionRange, version: number): Sql {
  return sql`
    INSERT INTO incoming_directory (
      kind, key, filed_at, accession, issuer_cik, name, form, symbols, owner_ciks, sector, version, deleted,
      estimated, original_date, period, amendment_words, withdrawn
    )
    SELECT
      entry.kind, entry.key, filed_at, accession, issuer_cik, entry.name, if(entry.kind = 'issuer', form, ''),
      if(entry.kind = 'issuer', symbols, []), if(entry.kind = 'issuer', owner_ciks, []),
      if(entry.kind = 'issuer', ${sectorOf(null, null).sector}, ''),
      ${version}, 0, ${isEstimatedSql}, if(entry.kind = 'issuer', original_date, ''),
      if(entry.kind = 'issuer', period, ''), if(entry.kind = 'issuer', amendment_words, []),
      accession IN (SELECT accession FROM staged_withdrawn)
    FROM staged_filings
    ARRAY JOIN arrayConcat(
      [('issuer', ${toCik('issuer_cik')}, company_name)],
      arrayMap((cik, name) -> ('owner', ${toCik('cik')}, name), owner_ciks, owner_names),
      arrayMap(symbol -> ('symbol', toString(symbol), ''), symbols)
    ) :: Array(Tuple(kind String, key String, name String)) AS entry
    WHERE ${inRange(range)} AND ${UNKNOWN}
    ${BULK}`
}

/** Expressions for columns that the staged row has under another name or not at all. */
function ownValues(): Record<string, string> {
  return {
    insider_name: 'owner_names[acting]',
    insider_title: 'owner_titles[acting]',
    insider_cik: 'owner_ciks[acting]',
    price: 'ifNull(price, 0)',
    price_filed: 'price',
    security_title: 'title',
  }
}

/** Columns left to their defaults, or written beside the others. */
const UNSET = [
  ...['subject', 'foreign', 'signals', 'signalled', 'routine', 'earlier'],
  ...['first_buy_years', 'previous_buy'],
]

function tradesSql(range: AccessionRange, version: number, floors: SignificanceFloors): Sql {
  const own = ownValues()
  const columns = ['issuer_cik', 'price', 'ceo_cfo', ...READ_COLUMNS.filter((column) => !UNSET.includes(column))]
  const values = columns.map((column) => `${own[column] ?? column} AS ${column}_`)
  return sql`
    INSERT INTO incoming_trades (path, subject, version, deleted, ${new Sql(columns.join(', '))})
    SELECT 'issuer', issuer_cik, ${version}, 0, ${new Sql(values.join(', '))}
    FROM (SELECT *, ${significanceSql(floors)} AS significance FROM (${stagedTradesSql(range)}))
    ${BULK}`
}

const FILING_COLUMNS = new Sql(
  [
    'filed_basis',
    'company_name',
    'symbols',
    'owner_names',
    'owner_titles',
    'owner_roles',
    'acting',
    'ceo',
    'ceo_cfo',
    'cfo',
  ]
    .map((column) => `f.${column} AS ${column}`)
    .join(', '),
)

const TRADE_COLUMNS = new Sql(
  [
    'accession',
    'n',
    'id',
    'issuer_cik',
    'filed_at',
    'filed_day',
    'amendment',
    'original_date',
    'owner_ciks',
    'title',
    'trade_date',
    'code',
    'acquired_disposed',
    'direct_indirect',
    'shares',
    'price',
    'shares_after',
    ...EVIDENCE,
    'plan',
    'plan_source',
    'business_days',
    'late',
    'average_price',
    'low_price',
    'high_price',
    'trade_day',
  ]
    .map((column) => `r.${column} AS ${column}`)
    .join(', '),
)

function stagedTradesSql(range: AccessionRange): Sql {
  const within = inRange(range)
  return sql`
    SELECT
      ${TRADE_COLUMNS}, ${FILING_COLUMNS}, ${typeSql()} AS type, ${totalValueSql} AS total_value,
      if(v.price_status = '', ${priceStatusSql()}, toString(v.price_status)) AS price_status,
      v.suspect_until AS suspect_until,
      v.duplicate_of AS duplicate_of, v.superseded_by AS superseded_by, v.superseded_at AS superseded_at,
      v.ambiguous AS ambiguous,
      v.duplicate_of = '' AND v.superseded_by = '' AS listed,
      if(v.reconciled, v.profile_ciks, r.owner_ciks) AS profile_ciks,
      t.ticker AS ticker
    FROM (SELECT * FROM staged_trades WHERE ${within}) AS r
    INNER JOIN (SELECT * FROM staged_filings WHERE ${within}) AS f ON r.accession = f.accession
    LEFT JOIN (SELECT *, true AS reconciled FROM staged_verdicts WHERE ${within}) AS v
      ON r.accession = v.accession AND r.sk = v.sk
    LEFT JOIN staged_tickers AS t
      ON r.issuer_cik = t.issuer_cik AND f.symbols = t.symbols AND if(length(f.symbols) > 1, r.title, '') = t.title`
}
