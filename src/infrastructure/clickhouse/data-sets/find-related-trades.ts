// Finds the rows of a data set whose outcome depends on other rows: 4/As and what they can amend, rows that look like
// one event, prices far above an issuer's others. ClickHouse selects more rows than needed, by conditions that are fast
// to evaluate, and the domain decides. An issuer's rows of the data set are compared with its stored rows too.
import type { Slice } from '../../../application/ports/data-sets.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import { MONTHS_TOGETHER } from '../../../domain/trades/reconciliation/event-evidence.ts'
import type { CandidateTrade, RelatedTrades } from '../../../domain/trades/reconciliation/reconcile-subset.ts'
import { PRICE_LIMITS } from '../../../domain/trades/price-status.ts'
import { MARKET_CODES } from '../../../domain/trades/reconciliation/price-history.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { roleBits } from '../stores/roles.ts'
import { BULK } from './tsv-fields.ts'

const TRADES_PER_SLICE = 100_000
/** As the stores type it. */
const LARGEST_CIK = 2 ** 32 - 1
/** A hash of what rows of one event have in common, except the title. With a NULL in it, a hash would be NULL. */
const eventSql = (price: string): Sql =>
  new Sql(
    'cityHash64(issuer, trade_date, code, acquired_disposed, shares, ' +
      `ifNull(${price}, -1), ifNull(shares_after, -1))`,
  )
const EVENT = eventSql('price_filed')

/**
 * Returns ranges of issuers that cover all, each with about as many rows of the set and stored ones as fit in memory.
 * An issuer is in one range alone.
 */
export async function slices(store: ClickHouse, tradesPerSlice = TRADES_PER_SLICE): Promise<Slice[]> {
  const parts = await store.rows<{ from: number }>(sql`
    SELECT min(issuer) AS from
    FROM (
      SELECT
        issuer, intDiv(sum(sum(trades)) OVER (ORDER BY issuer ROWS UNBOUNDED PRECEDING) - 1, ${tradesPerSlice}) AS part
      FROM (
        SELECT issuer_cik AS issuer, count() AS trades
        FROM staged_trades
        GROUP BY issuer
        UNION ALL
        SELECT subject, count()
        FROM trades
        WHERE path = 'issuer' AND subject IN (SELECT issuer_cik FROM staged_trades)
        GROUP BY subject
      )
      GROUP BY issuer
    )
    GROUP BY part
    ORDER BY from
    ${BULK}`)
  const starts = [0, ...parts.slice(1).map(({ from }) => from)]
  return starts.map((from, index) => ({ from, to: (starts[index + 1] ?? LARGEST_CIK + 1) - 1 }))
}

/**
 * Returns rows of different filings that agree in everything that makes an event except the title, which the domain
 * compares.
 */
export async function equalRows(store: ClickHouse, slice: Slice): Promise<CandidateTrade[]> {
  const rows = candidateRowsSql(slice, {
    stored: sql`trade_date IN (SELECT DISTINCT toString(trade_date) FROM staged_trades)`,
  })
  const key = eventSql('price')
  return readCandidates(
    store,
    sql`
      SELECT ${RESULT}
      FROM (${rows})
      WHERE ${key} IN (
        SELECT ${key} AS key
        FROM (${rows})
        GROUP BY key
        HAVING min(accession) != max(accession) AND min(stored) = 0
      )`,
  )
}

/**
 * Returns all 4/As of issuers whose amendments this data set can change, and all rows of the 4/As' owners, since a 4/A
 * may amend any filing of its owners.
 */
export function amendableRows(store: ClickHouse, slice: Slice): Promise<CandidateTrade[]> {
  const rows = candidateRowsSql(slice, { issuers: affectedSql(slice) })
  return readCandidates(
    store,
    sql`
      SELECT ${RESULT}
      FROM (${rows}) AS t
      INNER JOIN (
        SELECT issuer, groupUniqArrayArray(owners) AS amending
        FROM (${rows})
        WHERE amendment
        GROUP BY issuer
      ) AS a ON t.issuer = a.issuer
      WHERE hasAny(owners, amending)`,
  )
}

/** Returns joint filings of these issuers of any form, staged and stored, without withdrawn ones. */
export async function jointFilings(store: ClickHouse, issuers: Cik[]): Promise<RelatedTrades['joint']> {
  if (issuers.length === 0) return []
  const numbers = issuers.map(cikNumber)
  const joint = await store.rows<{ issuer: number; filedAt: number; owners: number[] }>(sql`
    SELECT issuer_cik AS issuer, toUnixTimestamp(filed_at) AS filedAt, owner_ciks AS owners
    FROM staged_filings
    WHERE issuer_cik IN ${numbers} AND length(owner_ciks) > 1
      AND accession NOT IN (SELECT accession FROM staged_withdrawn)
    UNION ALL
    SELECT issuer_cik, toUnixTimestamp(filed_at), owner_ciks
    FROM directory FINAL
    WHERE kind = 'issuer' AND key IN ${issuers} AND length(owner_ciks) > 1 AND NOT withdrawn
    ${BULK}`)
  return joint.map(({ issuer, filedAt, owners }) => ({
    issuerCik: cikOf(issuer),
    filedAt,
    ownerCiks: owners.map(cikOf),
  }))
}

/**
 * Returns issuers whose trades must all be reconciled: those with a 4/A without rows that may withdraw its original,
 * and those with equal stored rows whose owners file jointly in the data set.
 */
export async function issuersToReconcile(store: ClickHouse, slice: Slice): Promise<Cik[]> {
  const mine = inSlice('issuer_cik', slice)
  const found = await store.rows<{ issuer: number }>(sql`
    SELECT DISTINCT issuer_cik AS issuer
    FROM staged_filings
    WHERE ${mine} AND notEmpty(amendment_words) AND good_rows = 0
    UNION DISTINCT
    SELECT issuer_cik
    FROM directory FINAL
    WHERE kind = 'issuer' AND ${mine} AND notEmpty(amendment_words)
      AND issuer_cik IN (SELECT issuer_cik FROM staged_trades WHERE ${mine})
      AND accession NOT IN (SELECT accession FROM trades WHERE path = 'issuer' AND amendment)
    UNION DISTINCT
    SELECT e.issuer
    FROM (
      SELECT subject AS issuer, groupUniqArrayArray(owner_ciks) AS owners
      FROM trades FINAL
      WHERE path = 'issuer'
        AND ${inSlice('subject', slice)}
        AND subject IN (SELECT issuer_cik FROM staged_filings WHERE ${mine} AND length(owner_ciks) > 1)
        AND filed_at >= (SELECT min(filed_at) FROM staged_filings)
        AND filed_at <= (SELECT addMonths(max(filed_at), ${MONTHS_TOGETHER}) + 86400 FROM staged_filings)
      GROUP BY issuer, ${EVENT}
      HAVING min(accession) != max(accession)
    ) AS e
    INNER JOIN (
      SELECT issuer_cik AS issuer, owner_ciks
      FROM staged_filings
      WHERE ${mine} AND length(owner_ciks) > 1
    ) AS j ON e.issuer = j.issuer
    WHERE length(arrayIntersect(owners, owner_ciks)) > 1
    ${BULK}`)
  return found.map(({ issuer }) => cikOf(issuer))
}

/**
 * Returns all rows of issuers with a price that is or may become suspect beside the others. The domain compares prices
 * with the median of the year; comparing with the lowest market price is simpler and finds at least these issuers.
 * Later ones have no bound: balances of the set can show a reverse split before any of them. It can also explain, or
 * explain earlier, prices of the year before it.
 */
export function pricedRows(store: ClickHouse, slice: Slice): Promise<CandidateTrade[]> {
  const { timesMedian, highPrice, highValue } = PRICE_LIMITS
  const [times, high, value] = [timesMedian, highPrice, highValue].map(({ units }) => Number(units))
  // The factor 1.001 allows for rounding, since this is computed in floating point.
  const issuers = sql`
    SELECT issuer
    FROM (
      SELECT
        issuer, filed_day, code, price_status, suspect_until, toFloat64(assumeNotNull(price)) AS each,
        each * toFloat64(shares) AS worth
      FROM (${candidateRowsSql(slice, {})})
      WHERE price > 0
    ) AS p
    CROSS JOIN (SELECT min(filed_day) AS first FROM staged_trades) AS days
    GROUP BY issuer
    HAVING countIf(filed_day >= first AND (each > ${high!} OR worth > ${value!})) > 0
      OR countIf(
        filed_day >= addYears(first, -1) AND (price_status = 'suspect' OR toUnixTimestamp(suspect_until) != 0)
      ) > 0
      OR maxIf(each, filed_day >= first) * 1.001 > ${times!} * minIf(
        each, code IN ${MARKET_CODES} AND filed_day >= addYears(first, -1)
      )`
  return readCandidates(store, sql`SELECT ${RESULT} FROM (${candidateRowsSql(slice, {})}) WHERE issuer IN (${issuers})`)
}

/**
 * Selects issuers with a 4/A in the data set, or a stored 4/A that may amend a filing of the data set: it names a day
 * or period of the data set, or was filed up to two years later.
 */
function affectedSql(slice: Slice): Sql {
  const within = (day: string) => sql`(
    ${new Sql(day)} >= toString((SELECT addYears(min(filed_day), -1) FROM staged_trades))
    AND ${new Sql(day)} <= toString((SELECT max(filed_day) FROM staged_trades)))`
  return sql`
    SELECT issuer_cik
    FROM staged_trades
    WHERE amendment AND ${inSlice('issuer_cik', slice)}
    UNION DISTINCT
    SELECT subject
    FROM trades FINAL
    WHERE path = 'issuer'
      AND ${inSlice('subject', slice)}
      AND amendment
      AND (
        ${within('original_date')} OR ${within('period')} OR (
          filed_day >= (SELECT min(filed_day) FROM staged_trades)
          AND filed_day <= (SELECT addMonths(max(filed_day), 25) FROM staged_trades)))`
}

interface Limits {
  /** A condition on stored rows. */
  stored?: Sql
  /** A subquery of issuers. */
  issuers?: Sql
}

const inSlice = (column: string, { from, to }: Slice): Sql =>
  sql`${new Sql(column)} >= ${from} AND ${new Sql(column)} <= ${to}`

const isIn = (issuers: Sql | undefined, column: string): Sql =>
  issuers ? sql`${new Sql(column)} IN (${issuers})` : sql`1`

/**
 * Returns SQL for the data set's rows and the stored rows of the same issuers, with the same columns. ClickHouse reads
 * only those that the outer query names.
 */
function candidateRowsSql(slice: Slice, { stored, issuers }: Limits): Sql {
  const mine = sql`${inSlice('issuer_cik', slice)} AND ${isIn(issuers, 'issuer_cik')}`
  return sql`
    SELECT
      id, accession, n, sk, issuer_cik AS issuer, filed_at, filed_day, amendment,
      toString(original_date) AS original_date, owner_ciks AS owners, owner_names, owner_roles, period, amendment_words,
      toString(holding) AS holding, holder_names, toString(title) AS title,
      toString(trade_date) AS trade_date, toString(code) AS code,
      toString(acquired_disposed) AS acquired_disposed, toString(direct_indirect) AS direct_indirect, shares,
      price, shares_after, false AS foreign, other_unit, 0 AS stored, '' AS price_status,
      toDateTime(0, 'UTC') AS suspect_until, '' AS duplicate_of,
      '' AS superseded_by, toDateTime(0, 'UTC') AS superseded_at, false AS ambiguous, owner_ciks AS profile
    FROM staged_trades
    WHERE ${mine}
    UNION ALL
    SELECT
      id, accession, n, n AS sk, subject AS issuer, filed_at, filed_day, amendment, original_date,
      owner_ciks AS owners, owner_names, owner_roles, period, amendment_words, toString(holding) AS holding,
      holder_names, toString(security_title) AS title, trade_date, toString(code) AS code,
      toString(acquired_disposed) AS acquired_disposed, toString(direct_indirect) AS direct_indirect, shares,
      price_filed AS price, shares_after, foreign, other_unit, 1 AS stored, toString(price_status) AS price_status,
      suspect_until, duplicate_of, superseded_by, superseded_at, ambiguous, profile_ciks AS profile
    FROM trades FINAL
    WHERE path = 'issuer'
      AND ${inSlice('subject', slice)}
      AND subject IN (SELECT issuer_cik FROM staged_trades WHERE ${mine})
      AND ${stored ?? sql`1`}
      AND accession NOT IN (SELECT accession FROM staged_trades WHERE ${mine})`
}

const RESULT = new Sql(`
    id, accession, n AS place, sk AS setKey, issuer, toUnixTimestamp(filed_at) AS filedAt, filed_day AS filedDay,
    amendment, original_date AS originalDate, owners, owner_names AS ownerNames, owner_roles AS ownerRoles, period,
    amendment_words AS amendmentWords, holding, holder_names AS holderNames, title AS securityTitle,
    trade_date AS date, code, acquired_disposed AS acquiredDisposed, direct_indirect AS directIndirect,
    toString(shares) AS sharesText, toString(price) AS priceText, toString(shares_after) AS afterText, foreign,
    other_unit AS otherUnit, stored, price_status AS priceStatus,
    toUnixTimestamp(suspect_until) AS suspectUntil, duplicate_of AS duplicateOf,
    superseded_by AS supersededBy, toUnixTimestamp(superseded_at) AS supersededAt, ambiguous, profile`)

type Stored = NonNullable<CandidateTrade['stored']>

/** Fields of a candidate that the columns have in another form. */
type Converted =
  | ('issuerCik' | 'ownerCiks' | 'tenPercentOwner' | 'groupHint' | 'insidersOnly')
  | ('originalDate' | 'period' | 'shares' | 'priceFiled' | 'sharesAfter' | 'stored')

interface CandidateRow extends Omit<CandidateTrade, Converted>, Omit<Stored, 'profileCiks'> {
  issuer: number
  originalDate: string
  owners: number[]
  ownerRoles: number[]
  period: string
  sharesText: string
  priceText: string | null
  afterText: string | null
  stored: 0 | 1
  profile: number[]
}

async function readCandidates(store: ClickHouse, query: Sql): Promise<CandidateTrade[]> {
  const candidates: CandidateTrade[] = []
  for await (const row of inSlices(await store.rows<CandidateRow>(sql`${query} ${BULK}`))) {
    candidates.push(candidate(row))
  }
  return candidates
}

const INSIDER = roleBits(['director', 'officer'])
const TEN_PERCENT = roleBits(['ten_percent_owner'])
const GROUP = roleBits(['ten_percent_owner', 'other'])

function candidate(row: CandidateRow): CandidateTrade {
  const { issuer, owners, ownerRoles, sharesText, priceText, afterText, stored, ...facts } = row
  const { priceStatus, suspectUntil, duplicateOf, supersededBy, supersededAt, ambiguous, profile, ...own } = facts
  const decided = {
    ...{ priceStatus, suspectUntil, duplicateOf, supersededBy, supersededAt, ambiguous },
    profileCiks: profile.map(cikOf),
  }
  return {
    ...own,
    issuerCik: cikOf(issuer),
    originalDate: row.originalDate || null,
    ownerCiks: owners.map(cikOf),
    tenPercentOwner: ownerRoles.some((role) => (role & TEN_PERCENT) !== 0),
    groupHint: ownerRoles.some((role) => (role & GROUP) !== 0),
    insidersOnly: ownerRoles.every((role) => (role & INSIDER) !== 0),
    period: row.period || null,
    shares: sharesText,
    priceFiled: priceText,
    sharesAfter: afterText,
    stored: stored === 0 ? null : decided,
  }
}
