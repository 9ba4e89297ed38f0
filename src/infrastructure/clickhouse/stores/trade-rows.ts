// Converts trades to rows of the table `trades` and back. The only file that names all columns of the table.
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import type { Trade, TradeKey, TradeOwner } from '../../../domain/trades/trade.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'
import { rowsOf } from '../connection/answer-shape.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { ownerBits } from './roles.ts'

/** How a field of a trade is stored: as it is, unless said otherwise. */
interface Conversion {
  toColumn?: (value: never) => unknown
  fromColumn?: (value: never) => unknown
  /** Selects the column; by default its name alone. */
  select?: (column: string) => string
}
type Stored = readonly [field: keyof Trade, conversion?: Conversion]

const CIK: Conversion = { toColumn: cikNumber, fromColumn: cikOf }
const CIKS: Conversion = {
  toColumn: (ciks: Cik[]) => ciks.map(cikNumber),
  fromColumn: (numbers: number[]) => numbers.map(cikOf),
}
const OR_EMPTY: Conversion = {
  toColumn: (text: string | null) => text ?? '',
  fromColumn: (text: string) => text || null,
}
/** As text, since reconciliation compares decimals exactly and JSON numbers would round them. */
const DECIMAL: Conversion = { select: (column) => `toString(${column})` }
const TIME: Conversion = { select: (column) => `toUnixTimestamp(${column})` }
/** Owners are read from several columns together. */
const ofOwners = (valueOf: (owner: TradeOwner) => unknown): Conversion => ({
  toColumn: (owners: TradeOwner[]) => owners.map(valueOf),
})

/** The columns that the rules of amendments, shared events and units of price need besides. */
const EVIDENCE_COLUMNS = {
  other_unit: ['otherUnit'],
  shares_status: ['sharesStatus'],
  holding: ['holding'],
  holder_names: ['holderNames'],
  period: ['period', OR_EMPTY],
  amendment_words: ['amendmentWords'],
} as const satisfies Record<string, Stored>

/**
 * The field of each column. Their order is that of the values in `whole`, which have no names: new ones come last, and
 * are missing in rows of earlier versions.
 */
const COLUMNS = {
  accession: ['accession'],
  n: ['place'],
  subject: ['issuerCik', CIK],
  id: ['id'],
  company_name: ['companyName'],
  amendment: ['amendment'],
  original_date: ['originalDate', OR_EMPTY],
  filed_day: ['filedDay'],
  filed_basis: ['filedBasis'],
  insider_cik: ['insiderCik', CIK],
  insider_name: ['insiderName'],
  insider_title: ['insiderTitle'],
  ceo: ['ceo'],
  cfo: ['cfo'],
  type: ['type'],
  code: ['code'],
  acquired_disposed: ['acquiredDisposed'],
  direct_indirect: ['directIndirect'],
  security_title: ['securityTitle'],
  trade_date: ['date'],
  trade_day: ['tradeDay'],
  foreign: ['foreign'],
  symbols: ['symbols'],
  plan: ['plan'],
  plan_source: ['planSource'],
  ambiguous: ['ambiguous'],
  ticker: ['ticker'],
  price_status: ['priceStatus'],
  listed: ['listed'],
  duplicate_of: ['duplicateOf'],
  superseded_by: ['supersededBy'],
  profile_ciks: ['profileCiks', CIKS],
  significance: ['significance'],
  signals: ['signals'],
  owner_ciks: ['ownerCiks', CIKS],
  owner_names: ['owners', ofOwners(({ name }) => name)],
  owner_titles: ['owners', ofOwners(({ title }) => title)],
  owner_roles: ['owners', ofOwners(ownerBits)],
  signalled: ['signalled'],
  routine: ['routine'],
  shares: ['shares', DECIMAL],
  price_filed: ['priceFiled', DECIMAL],
  shares_after: ['sharesAfter', DECIMAL],
  total_value: ['totalValue', DECIMAL],
  filed_at: ['filedAt', TIME],
  superseded_at: ['supersededAt', TIME],
  earlier: ['earlier'],
  ...EVIDENCE_COLUMNS,
  // Since 1.0.0.
  business_days: ['businessDays'],
  late: ['late'],
  average_price: ['averagePrice'],
  first_buy_years: ['firstBuyYears'],
  previous_buy: ['previousBuy'],
  low_price: ['lowPrice', DECIMAL],
  high_price: ['highPrice', DECIMAL],
  suspect_until: ['suspectUntil', TIME],
} as const satisfies Record<string, Stored>
type Field = (typeof COLUMNS)[keyof typeof COLUMNS][0]

const FIELDS = Object.entries<Stored>(COLUMNS).map(([column, [field, { toColumn, fromColumn, select } = {}]]) => ({
  column,
  field,
  toColumn: toColumn as ((value: unknown) => unknown) | undefined,
  fromColumn: fromColumn as ((value: unknown) => unknown) | undefined,
  selected: select?.(column) ?? column,
}))

/** All of a trade is in these columns. */
const READ_COLUMNS = FIELDS.map(({ column }) => column)
const placeOf = (column: keyof typeof COLUMNS): number => READ_COLUMNS.indexOf(column)
const SUBJECT = placeOf('subject')
const OWNER_NAMES = placeOf('owner_names')
const OWNER_TITLES = placeOf('owner_titles')
const OWNER_ROLES = placeOf('owner_roles')

/** Selects these columns as they are in `whole`. Each adds to the time before the first row is read. */
const TRADE_COLUMNS = FIELDS.map(({ selected }) => selected).join(', ')

const key = (trade: TradeKey): InsertRow => ({
  path: 'issuer',
  subject: cikNumber(trade.issuerCik),
  filed_at: trade.filedAt,
  accession: trade.accession,
  n: trade.place,
  issuer_cik: cikNumber(trade.issuerCik),
})

// Copied for each row and trade, so that all share one hidden class: V8 is slow with objects built name by name.
const EMPTY_ROW: InsertRow = Object.fromEntries(
  [...READ_COLUMNS, 'path', 'issuer_cik', 'price', 'ceo_cfo', 'whole', 'version', 'deleted'].map((name) => [
    name,
    null,
  ]),
)

/** Returns the row of a trade in `trades`. */
export function tradeRow(trade: Trade, version: number): InsertRow {
  const row = { ...EMPTY_ROW }
  for (const { column, field, toColumn } of FIELDS) row[column] = toColumn ? toColumn(trade[field]) : trade[field]
  row.path = 'issuer'
  row.issuer_cik = row.subject
  row.price = trade.priceFiled ?? '0'
  row.ceo_cfo = trade.ceo || trade.cfo
  row.whole = JSON.stringify(READ_COLUMNS.map((column) => row[column]))
  row.version = version
  row.deleted = 0
  return row
}

/** Returns the row that removes a trade. The views remove it from the lists of company and owners too. */
export const goneRow = (trade: TradeKey, version: number): InsertRow => ({
  ...key(trade),
  owner_ciks: trade.ownerCiks.map(cikNumber),
  owner_titles: trade.ownerCiks.map(() => ''),
  version,
  deleted: 1,
})

/** Of rows that lack a column. */
const EMPTY_TRADE = {
  ...(Object.fromEntries(FIELDS.map(({ field }) => [field, null])) as Record<Field, unknown>),
  averagePrice: false,
  suspectUntil: 0,
}

/** Returns the trade of these values: of `TRADE_COLUMNS`, or of `whole`. */
function toTrade(values: readonly unknown[]): Trade {
  const trade: Record<Field, unknown> = { ...EMPTY_TRADE }
  for (const [place, value] of values.entries()) {
    const { field, fromColumn } = FIELDS[place]!
    trade[field] = fromColumn ? fromColumn(value) : value
  }
  const [names, titles] = [values[OWNER_NAMES], values[OWNER_TITLES]] as [string[], string[]]
  const roles = values[OWNER_ROLES] as number[]
  trade.owners = (trade.ownerCiks as Cik[]).map((cik, index): TradeOwner => {
    const has = (bit: number) => (roles[index]! & bit) !== 0
    return {
      cik,
      name: names[index]!,
      title: titles[index]!,
      isDirector: has(1),
      isOfficer: has(2),
      isTenPercentOwner: has(4),
      isOther: has(8),
    }
  })
  // A field without a column does not compile here.
  return trade as Record<Field, never>
}

/** Reads trades from their column `whole`; of issuers with a trade that lacks it, from all columns. */
export async function readTrades(store: ClickHouse, condition: Sql, settings = sql``): Promise<Trade[]> {
  const select = (columns: string) => sql`
    SELECT ${new Sql(columns)}
    FROM trades FINAL
    WHERE path = 'issuer' AND ${condition}
    ${settings}`
  const rows = await store.rows<{ subject: number; whole: string }>(select('subject, whole'))
  const byColumn = new Set(rows.filter(({ whole }) => whole === '').map(({ subject }) => subject))
  const trades: Trade[] = []
  for await (const { subject, whole } of inSlices(rows)) {
    if (!byColumn.has(subject)) trades.push(toTrade(JSON.parse(whole) as unknown[]))
  }
  if (byColumn.size === 0) return trades
  const stored = await store.arrays<unknown[]>(select(TRADE_COLUMNS))
  for await (const values of inSlices(stored)) {
    if (byColumn.has(values[SUBJECT] as number)) trades.push(toTrade(values))
  }
  return trades
}

/** Reads trades for `parseTrades`. */
export const storedTrades = (store: ClickHouse, condition: Sql): Promise<Uint8Array> =>
  store.bytes(
    sql`
      SELECT ${new Sql(TRADE_COLUMNS)}
      FROM trades FINAL
      WHERE path = 'issuer' AND ${condition}`,
    'JSONCompactEachRow',
  )

export const parseTrades = (stored: Uint8Array): Trade[] => rowsOf<unknown[]>(stored, 'JSONCompactEachRow').map(toTrade)

/** The contract's Transaction of a trade and what `detail=full` adds, as expressions over its columns. */
export interface TradeTexts {
  transaction: Sql
  detail: Sql
}

/**
 * Reads these expressions from the table through which the lists are filled, so that they stand in one place. As columns
 * of `trades` they would slow down every statement.
 */
export async function readTradeTexts(store: ClickHouse): Promise<TradeTexts> {
  const columns = await store.rows<{ name: string; expression: string }>(sql`
    SELECT name, default_expression AS expression
    FROM system.columns
    WHERE database = currentDatabase() AND table = 'listed_trades' AND default_kind = 'ALIAS'`)
  const text = (name: keyof TradeTexts) => new Sql(columns.find((column) => column.name === name)!.expression)
  return { transaction: text('transaction'), detail: text('detail') }
}
