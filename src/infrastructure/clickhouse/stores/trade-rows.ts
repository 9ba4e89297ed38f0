// Converts trades to rows of the table `trades` and back. The only file that names all columns of the table.
import { cikNumber, cikOf } from '../../../domain/shared/identifiers.ts'
import type { Trade, TradeKey, TradeOwner } from '../../../domain/trades/trade.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { ownerBits } from './roles.ts'

const key = (trade: TradeKey): InsertRow => ({
  path: 'issuer',
  subject: cikNumber(trade.issuerCik),
  filed_at: trade.filedAt,
  accession: trade.accession,
  n: trade.place,
  issuer_cik: cikNumber(trade.issuerCik),
})

/** Returns the row of a trade in `trades`. */
export function tradeRow(trade: Trade, version: number): InsertRow {
  const row = {
    ...key(trade),
    id: trade.id,
    ticker: trade.ticker,
    company_name: trade.companyName,
    insider_name: trade.insiderName,
    insider_title: trade.insiderTitle,
    type: trade.type,
    shares: trade.shares,
    price: trade.priceFiled ?? '0',
    total_value: trade.totalValue,
    significance: trade.significance,
    signals: trade.signals,
    ceo: trade.ceo,
    ceo_cfo: trade.ceo || trade.cfo,
    cfo: trade.cfo,
    price_status: trade.priceStatus,
    code: trade.code,
    acquired_disposed: trade.acquiredDisposed,
    direct_indirect: trade.directIndirect,
    trade_date: trade.date,
    trade_day: trade.tradeDay,
    shares_after: trade.sharesAfter,
    filed_basis: trade.filedBasis,
    plan: trade.plan,
    plan_source: trade.planSource,
    ambiguous: trade.ambiguous,
    insider_cik: cikNumber(trade.insiderCik),
    security_title: trade.securityTitle,
    amendment: trade.amendment,
    listed: trade.listed,
    duplicate_of: trade.duplicateOf,
    superseded_by: trade.supersededBy,
    superseded_at: trade.supersededAt,
    profile_ciks: trade.profileCiks.map(cikNumber),
    price_filed: trade.priceFiled,
    foreign: trade.foreign,
    other_unit: trade.otherUnit,
    shares_status: trade.sharesStatus,
    holding: trade.holding,
    holder_names: trade.holderNames,
    period: trade.period ?? '',
    amendment_words: trade.amendmentWords,
    symbols: trade.symbols,
    original_date: trade.originalDate ?? '',
    filed_day: trade.filedDay,
    owner_ciks: trade.owners.map((owner) => cikNumber(owner.cik)),
    owner_names: trade.owners.map((owner) => owner.name),
    owner_titles: trade.owners.map((owner) => owner.title),
    owner_roles: trade.owners.map(ownerBits),
    signalled: trade.signalled,
    routine: trade.routine,
    earlier: trade.earlier,
    business_days: trade.businessDays,
    late: trade.late,
    average_price: trade.averagePrice,
    low_price: trade.lowPrice,
    high_price: trade.highPrice,
    first_buy_years: trade.firstBuyYears,
    previous_buy: trade.previousBuy,
  }
  return { ...row, whole: packed(row), version, deleted: 0 }
}

/** Returns the row that removes a trade. The views remove it from the lists of company and owners too. */
export const goneRow = (trade: TradeKey, version: number): InsertRow => ({
  ...key(trade),
  owner_ciks: trade.ownerCiks.map(cikNumber),
  owner_titles: trade.ownerCiks.map(() => ''),
  version,
  deleted: 1,
})

// The columns from which a Trade is read, as pairs of name and column where these differ. Decimals are read as text,
// since reconciliation compares them exactly and JSON numbers would round them; times are read as seconds.
const PLAIN = [
  'accession',
  'n',
  'subject',
  'id',
  'company_name',
  'amendment',
  'original_date',
  'filed_day',
  'filed_basis',
  'insider_cik',
  'insider_name',
  'insider_title',
  'ceo',
  'cfo',
  'type',
  'code',
  'acquired_disposed',
  'direct_indirect',
  'security_title',
  'trade_date',
  'trade_day',
  'foreign',
  'symbols',
  'plan',
  'plan_source',
  'ambiguous',
  'ticker',
  'price_status',
  'listed',
  'duplicate_of',
  'superseded_by',
  'profile_ciks',
  'significance',
  'signals',
  'owner_ciks',
  'owner_names',
  'owner_titles',
  'owner_roles',
  'signalled',
  'routine',
] as const
const TEXTS = [
  ['sharesText', 'shares'],
  ['priceText', 'price_filed'],
  ['afterText', 'shares_after'],
  ['valueText', 'total_value'],
] as const
const TIMES = [
  ['filedAt', 'filed_at'],
  ['supersededAt', 'superseded_at'],
] as const
/** The columns that the rules of amendments, shared events and units of price need besides. */
export const EVIDENCE = ['other_unit', 'shares_status', 'holding', 'holder_names', 'period', 'amendment_words'] as const
/** More columns, whose places in `whole` follow those of the others. */
const ADDED = ['earlier', ...EVIDENCE] as const
/** Columns that were added after 1.0.0. They come last, since the values in `whole` have no names. */
const SINCE_1_0 = ['business_days', 'late', 'average_price', 'first_buy_years', 'previous_buy'] as const
const TEXTS_SINCE_1_0 = [
  ['lowText', 'low_price'],
  ['highText', 'high_price'],
] as const
/** All of a trade is in these columns, and `subject`, its issuer. */
export const READ_COLUMNS = [
  ...[...PLAIN, ...[...TEXTS, ...TIMES].map(([, column]) => column), ...ADDED],
  ...[...SINCE_1_0, ...TEXTS_SINCE_1_0.map(([, column]) => column)],
]
const NAMES = [
  ...[...PLAIN, ...[...TEXTS, ...TIMES].map(([name]) => name), ...ADDED],
  ...[...SINCE_1_0, ...TEXTS_SINCE_1_0.map(([name]) => name)],
]
/** Copied for each row, so that all rows share one hidden class: V8 is slow with objects built name by name. */
const EMPTY: Record<string, unknown> = Object.fromEntries(NAMES.map((name) => [name, null]))

/** All columns, for trades without `whole`. Each column adds to the time before the first row is read. */
export const TRADE_COLUMNS = [
  ...PLAIN,
  ...TEXTS.map(([name, column]) => `toString(${column}) AS ${name}`),
  ...TIMES.map(([name, column]) => `toUnixTimestamp(${column}) AS ${name}`),
  ...ADDED,
  ...SINCE_1_0,
  ...TEXTS_SINCE_1_0.map(([name, column]) => `toString(${column}) AS ${name}`),
].join(', ')

/** Returns the column `whole` from the other columns of an issuer's row: a JSON array. */
function packed(row: InsertRow): string {
  return JSON.stringify(READ_COLUMNS.map((column) => row[column]))
}

/** Returns the row that was packed into `whole`. */
function unpacked(whole: string): StoredTrade {
  const values = JSON.parse(whole) as unknown[]
  const trade = { ...EMPTY }
  for (const [index, name] of NAMES.entries()) trade[name] = values[index]
  return trade as unknown as StoredTrade
}

export interface StoredTrade {
  accession: string
  n: number
  subject: number
  filedAt: number
  id: string
  company_name: string
  amendment: boolean
  original_date: string
  filed_day: string
  filed_basis: string
  insider_cik: number
  insider_name: string
  insider_title: string
  ceo: boolean
  cfo: boolean
  type: Trade['type']
  code: string
  acquired_disposed: string
  direct_indirect: string
  security_title: string
  trade_date: string
  trade_day: string | null
  sharesText: string
  priceText: string | null
  afterText: string | null
  valueText: string
  foreign: boolean
  symbols: string[]
  plan: Trade['plan']
  plan_source: Trade['planSource']
  ambiguous: boolean
  ticker: string
  price_status: Trade['priceStatus']
  listed: boolean
  duplicate_of: string
  superseded_by: string
  supersededAt: number
  profile_ciks: number[]
  significance: Trade['significance']
  signals: string[]
  owner_ciks: number[]
  owner_names: string[]
  owner_titles: string[]
  owner_roles: number[]
  signalled: Trade['signalled']
  routine: boolean
  earlier: Trade['earlier']
  other_unit: boolean
  shares_status: Trade['sharesStatus']
  holding: Trade['holding']
  holder_names: string[]
  period: string
  amendment_words: Trade['amendmentWords']
  /** This and the following are missing in `whole` of rows that 1.0.0 wrote. */
  business_days: number | null | undefined
  late: boolean | null | undefined
  average_price: boolean | undefined
  lowText: string | null | undefined
  highText: string | null | undefined
  first_buy_years: number | null | undefined
  previous_buy: string | null | undefined
}

export function toTrade(stored: StoredTrade): Trade {
  const owners = stored.owner_ciks.map((cik, index) => ownerOf(stored, cik, index))
  return {
    accession: stored.accession,
    place: stored.n,
    issuerCik: cikOf(stored.subject),
    filedAt: stored.filedAt,
    id: stored.id,
    companyName: stored.company_name,
    amendment: stored.amendment,
    originalDate: stored.original_date || null,
    filedDay: stored.filed_day,
    filedBasis: stored.filed_basis,
    owners,
    ownerCiks: owners.map((owner) => owner.cik),
    insiderCik: cikOf(stored.insider_cik),
    insiderName: stored.insider_name,
    insiderTitle: stored.insider_title,
    ceo: stored.ceo,
    cfo: stored.cfo,
    type: stored.type,
    code: stored.code,
    acquiredDisposed: stored.acquired_disposed,
    directIndirect: stored.direct_indirect,
    securityTitle: stored.security_title,
    date: stored.trade_date,
    tradeDay: stored.trade_day,
    shares: stored.sharesText,
    priceFiled: stored.priceText,
    sharesAfter: stored.afterText,
    totalValue: stored.valueText,
    foreign: stored.foreign,
    otherUnit: stored.other_unit,
    sharesStatus: stored.shares_status,
    holding: stored.holding,
    holderNames: stored.holder_names,
    period: stored.period || null,
    amendmentWords: stored.amendment_words,
    symbols: stored.symbols,
    plan: stored.plan,
    planSource: stored.plan_source,
    ambiguous: stored.ambiguous,
    ticker: stored.ticker,
    priceStatus: stored.price_status,
    listed: stored.listed,
    duplicateOf: stored.duplicate_of,
    supersededBy: stored.superseded_by,
    supersededAt: stored.supersededAt,
    profileCiks: stored.profile_ciks.map(cikOf),
    significance: stored.significance,
    signals: stored.signals,
    signalled: stored.signalled,
    routine: stored.routine,
    earlier: stored.earlier,
    businessDays: stored.business_days ?? null,
    late: stored.late ?? null,
    averagePrice: stored.average_price ?? false,
    lowPrice: stored.lowText ?? null,
    highPrice: stored.highText ?? null,
    firstBuyYears: stored.first_buy_years ?? null,
    previousBuy: stored.previous_buy ?? null,
  }
}

function ownerOf(stored: StoredTrade, cik: number, index: number): TradeOwner {
  const has = (bit: number) => (stored.owner_roles[index]! & bit) !== 0
  return {
    cik: cikOf(cik),
    name: stored.owner_names[index]!,
    title: stored.owner_titles[index]!,
    isDirector: has(1),
    isOfficer: has(2),
    isTenPercentOwner: has(4),
    isOther: has(8),
  }
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
    if (!byColumn.has(subject)) trades.push(toTrade(unpacked(whole)))
  }
  if (byColumn.size === 0) return trades
  const stored = await store.rows<StoredTrade>(select(TRADE_COLUMNS))
  for await (const row of inSlices(stored)) {
    if (byColumn.has(row.subject)) trades.push(toTrade(row))
  }
  return trades
}

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
