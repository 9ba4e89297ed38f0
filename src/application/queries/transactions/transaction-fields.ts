// The fields of a transaction, each declared once: its name in the API and in the month files, its type, and how it is
// made from a trade. The answers, the events, the store's table `transactions` and the month files are made from these
// declarations.
import type { components } from '../../../contract.ts'
import type { DecimalText } from '../../../domain/shared/identifiers.ts'
import { timestampOf } from '../../../domain/shared/new-york-time.ts'
import { holdingChange, holdingChangeKind } from '../../../domain/trades/holding-change.ts'
import type { Trade, TradeOwner } from '../../../domain/trades/trade.ts'
import { tradeDateStatus } from '../../../domain/trades/trade-date.ts'
import { filterFacts, ownershipOf } from '../../../domain/trades/transaction-filter.ts'
import { urlOf } from '../filings/filing-answer.ts'

type Schemas = components['schemas']

/** Types of columns, as month files name them. */
export type FieldType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'double'
  | 'date'
  | 'timestamp(ms, UTC)'
  | 'decimal(18,4)'
  | 'decimal(38,2)'
  | 'list<string>'

/** A column of the table `transactions` and of the month files. */
export interface FieldColumn {
  name: string
  type: FieldType
  description: string
  /** May be null. */
  isOptional: boolean
  of: (trade: Trade) => unknown
}

/** A column of the month files that is not stored with the trade, because it changes independently of it. */
type LaterColumn = Omit<FieldColumn, 'of'> & { of: null }

/** Converts a decimal for an answer. */
type Amount = (value: DecimalText) => unknown

interface Field {
  /** As the API answers it; null for what is added when it is answered. */
  answer: ((trade: Trade, amount: Amount) => unknown) | null
  columns: Unnamed<FieldColumn | LaterColumn>[]
}

/** Named as the field, unless it has another name. */
type Unnamed<Column> = Column extends unknown ? Omit<Column, 'name'> & { name?: string } : never

interface Options {
  isOptional?: boolean
  /** What the column has where it is not what the API answers. */
  column?: (trade: Trade) => unknown
}

const field = (
  type: FieldType,
  of: (trade: Trade) => unknown,
  description: string,
  { isOptional = false, column = of }: Options = {},
): Field => ({ answer: of, columns: [{ type, description, isOptional, of: column }] })

const text = (of: (trade: Trade) => string, description: string): Field => field('string', of, description)

const optional = { isOptional: true }

/** Returns a field with a decimal, which the API answers as a number. */
const decimal = (
  type: 'decimal(18,4)' | 'decimal(38,2)',
  of: (trade: Trade) => DecimalText | null,
  description: string,
  column = of,
): Field => ({
  answer: (trade, amount) => {
    const value = of(trade)
    return value === null ? null : amount(value)
  },
  columns: [{ type, description, isOptional: true, of: column }],
})

/** Month files have no price, and no value, where the filing gives none. */
const ifPriced =
  (of: (trade: Trade) => DecimalText) =>
  (trade: Trade): DecimalText | null =>
    trade.priceStatus === 'footnote_only' ? null : of(trade)

const priceOf = ({ priceFiled }: Trade): DecimalText => priceFiled ?? '0'

const TRANSACTION = {
  id: text(({ id }) => id, 'As in the API.'),
  ticker: text(({ ticker }) => ticker, 'The present one of the company; empty if none is known.'),
  companyName: text(({ companyName }) => companyName, 'As in this filing.'),
  insiderName: text(({ insiderName }) => insiderName, 'As filed.'),
  insiderTitle: text(({ insiderTitle }) => insiderTitle, 'All roles that apply.'),
  transactionType: text(({ type }) => type, 'As in the API.'),
  shares: decimal('decimal(18,4)', ({ shares }) => shares, 'As filed.'),
  pricePerShare: decimal(
    'decimal(18,4)',
    priceOf,
    'Dollars, as filed; null if the filing gives none, where the API has 0.',
    ifPriced(priceOf),
  ),
  totalValue: decimal(
    'decimal(38,2)',
    ({ totalValue }) => totalValue,
    'Dollars; null if the filing gives no price, where the API has 0.',
    ifPriced(({ totalValue }) => totalValue),
  ),
  filingDate: field('timestamp(ms, UTC)', ({ filedAt }) => timestampOf(filedAt), 'When EDGAR accepted the filing.', {
    column: ({ filedAt }) => filedAt * 1000,
  }),
  significance: text(({ significance }) => significance, 'low, medium, high or critical.'),
  signals: field('list<string>', ({ signals }) => signals, 'Labels of the signals that this transaction is part of.'),
} satisfies Record<keyof Omit<Schemas['Transaction'], 'detail'>, Field>

/** Fields that only some transactions have: from notices, and returns, which need prices. */
type LaterField = 'notices' | 'planAdoptedOn' | 'planAdoptedSource' | 'return1w' | 'return1m' | 'return6m'

const DETAIL = {
  accessionNumber: text(({ accession }) => accession, 'Of the filing.'),
  transactionCode: text(({ code }) => code, "The SEC's code; empty if the filing has none."),
  acquiredDisposed: text(({ acquiredDisposed }) => acquiredDisposed, 'A or D; empty if the filing has neither.'),
  ownership: text(ownershipOf, 'direct, indirect or unknown.'),
  tradeDate: {
    answer: ({ date }) => date,
    columns: [
      {
        ...{ name: 'tradeDate', type: 'date', isOptional: true },
        description: 'Null where it is impossible or doubtful.',
        of: ({ tradeDay }) => tradeDay,
      },
      {
        ...{ name: 'tradeDateAsFiled', type: 'string', isOptional: false },
        description: 'As typed, with errors; the tradeDate of the API.',
        of: ({ date }) => date,
      },
    ],
  },
  tradeDateStatus: text(tradeDateStatus, 'plausible, doubtful or impossible.'),
  sharesOwnedAfter: decimal('decimal(18,4)', ({ sharesAfter }) => sharesAfter, 'Null if the filing does not say.'),
  sharesStatus: text(({ sharesStatus }) => sharesStatus, 'as_filed, or suspect where the holdings contradict shares.'),
  priceStatus: text(({ priceStatus }) => priceStatus, 'as_filed, zero, footnote_only, suspect, foreign or other_unit.'),
  filingDateBasis: text(({ filedBasis }) => filedBasis, 'What filingDate is based on.'),
  plan10b51: text(({ plan }) => plan, 'yes, no or unknown.'),
  planSource: text(({ planSource }) => planSource, 'box, footnote or none.'),
  ambiguousAmendment: field('boolean', ({ ambiguous }) => ambiguous, 'In a 4/A that fits several originals.'),
  issuerCik: text(({ issuerCik }) => issuerCik, 'Ten digits.'),
  insiderCik: text(({ insiderCik }) => insiderCik, 'Ten digits.'),
  form: text(({ amendment }) => (amendment ? '4/A' : '4'), '4 or 4/A.'),
  securityTitle: text(({ securityTitle }) => securityTitle, 'As filed.'),
  sector: {
    answer: null,
    columns: [{ type: 'string', description: "The company's present sector.", isOptional: false, of: null }],
  },
  routine: field(
    'boolean',
    ({ routine }) => routine,
    'Traded in this month of the year in each of the three years before.',
  ),
  holdingChange: field('double', holdingChange, 'Change of the holding as a fraction of what was held.', optional),
  holdingChangeKind: text(holdingChangeKind, 'changed, new (nothing was held), closed (nothing is left) or unknown.'),
  businessDaysToFile: field(
    'int32',
    ({ businessDays }) => businessDays,
    'Business days from the trade to its filing.',
    optional,
  ),
  late: field(
    'boolean',
    ({ late }) => late,
    'Filed after it was due; null where it was not due within two days.',
    optional,
  ),
  isWeightedAverage: field('boolean', ({ averagePrice }) => averagePrice, 'The price is an average of several trades.'),
  lowPrice: decimal('decimal(18,4)', ({ lowPrice }) => lowPrice, 'The lowest price of these trades, from a footnote.'),
  highPrice: decimal(
    'decimal(18,4)',
    ({ highPrice }) => highPrice,
    'The highest price of these trades, from a footnote.',
  ),
  coOwners: field(
    'list<string>',
    (trade) => coOwnersOf(trade).map(coOwner),
    'The other reporting owners of the filing: CIK, name and roles.',
    { column: (trade) => coOwnersOf(trade).map(({ cik, name, title }) => `${cik} ${name}${title && `, ${title}`}`) },
  ),
  firstBuyInYears: field(
    'int32',
    ({ firstBuyYears }) => firstBuyYears,
    'Of a purchase: years without a known one before.',
    optional,
  ),
  previousBuyDate: field(
    'date',
    ({ previousBuy }) => previousBuy,
    'The newest purchase of its owners known before; else null.',
    optional,
  ),
  url: field(
    'string',
    (trade) => urlOf(trade.accession, trade.issuerCik),
    "The filing's index page at the SEC.",
    optional,
  ),
} satisfies Record<Exclude<keyof Schemas['TransactionDetail'], LaterField>, Field>

/** Columns that only the month files have. */
const OF_FILES: readonly FieldColumn[] = [
  {
    ...{ name: 'ownerCiks', type: 'list<string>', isOptional: false },
    description: 'All reporting owners of the filing.',
    of: ({ ownerCiks }) => ownerCiks,
  },
  {
    ...{ name: 'roles', type: 'list<string>', isOptional: false },
    description: 'Roles that an owner has.',
    of: (trade) => filterFacts(trade).roles,
  },
]

const columnsOf = (fields: Record<string, Field>): (FieldColumn | LaterColumn)[] =>
  Object.entries(fields).flatMap(([name, { columns }]) => columns.map((column) => ({ name, ...column })))

/** The columns of the month files, in their order. */
export const FILE_COLUMNS: readonly (FieldColumn | LaterColumn)[] = [
  ...columnsOf(TRANSACTION),
  ...columnsOf(DETAIL),
  ...OF_FILES,
]

/** Those that are stored. */
export const STORED_COLUMNS = FILE_COLUMNS.filter((column): column is FieldColumn => column.of !== null)

/** The names of the API, in the order of the month files. */
export const TRANSACTION_NAMES = Object.keys(TRANSACTION)
export const DETAIL_NAMES = Object.keys(DETAIL)

type Transaction = Omit<Schemas['Transaction'], 'detail'>
type Detail = Omit<Schemas['TransactionDetail'], LaterField | 'sector'>

const answered =
  <Answer>(fields: Record<keyof Answer & string, Field>) =>
  (trade: Trade, amount: Amount = Number): Answer => {
    const answer: Partial<Record<keyof Answer, unknown>> = {}
    for (const [name, { answer: of }] of Object.entries<Field>(fields))
      if (of !== null) answer[name as keyof Answer] = of(trade, amount)
    return answer as Answer
  }

/** Returns the contract's Transaction of a trade, without `detail`. Decimals are numbers unless `amount` is given. */
export const toTransaction = answered<Transaction>(TRANSACTION)

/** Returns what `detail=full` adds and the filing alone says. Decimals are numbers unless `amount` is given. */
export const toDetail = answered<Detail>(DETAIL)

/** Returns the other owners of the filing, without the insider. */
const coOwnersOf = ({ owners, insiderCik }: Trade): TradeOwner[] => owners.filter(({ cik }) => cik !== insiderCik)

const coOwner = ({ cik, name, title, ...is }: TradeOwner): Schemas['CoOwner'] => ({
  cik,
  name,
  roles: [
    ...(is.isDirector ? (['director'] as const) : []),
    ...(is.isOfficer ? (['officer'] as const) : []),
    ...(is.isTenPercentOwner ? (['tenPercentOwner'] as const) : []),
    ...(is.isOther ? (['other'] as const) : []),
  ],
  title,
})
