// The tools: one table with the name, the words, the input and the function of each. Inputs are parameters of the
// contract's operations under their names there, with its schemas; lists are texts with commas, as in a query string.
import type { Ask } from '../tool-operations.ts'
import {
  company,
  coverage,
  explainSignal,
  market,
  notices,
  person,
  search,
  signals,
  trades,
  unwatch,
  watch,
  watchlist,
} from './answers.ts'
import { fetchDocument, searchDocuments } from './documents.ts'

/** JSON Schema of one argument. */
type Schema = Readonly<Record<string, unknown>>

export interface Tool {
  name: string
  title: string
  description: string
  properties: Readonly<Record<string, Schema>>
  /** The arguments that must be given; none if absent. */
  required?: readonly string[]
  /** Who sees it: callers without a key, or those with one; all if absent. */
  for?: 'public' | 'key'
  /** What it does to the watchlist; nothing if absent. */
  does?: 'add' | 'remove'
  run: (ask: Ask, given: any) => Promise<string>
}

const text = (maxLength: number, description?: string): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  ...(description !== undefined && { description }),
})

const TICKER = {
  type: 'string',
  maxLength: 22,
  pattern: '^([A-Za-z0-9]{1,10}([./-][A-Za-z0-9]{1,5}){0,2}|[Cc][Ii][Kk][0-9]{1,10})$',
  description: 'Symbol, or CIK and digits',
}
const TICKERS = text(2400, 'Symbols, with commas')
const LIMIT = { type: 'integer', minimum: 1, maximum: 100, default: 20 }
const CURSOR = {
  type: 'string',
  minLength: 1,
  maxLength: 512,
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'From the answer before, same filters',
}
const SEVERITY = { type: 'string', enum: ['critical', 'high', 'medium', 'low'] }
const PLAN = text(30, 'yes, no, unknown, with commas; outside of plans: no,unknown')

const LISTS = ['state', 'tickers', 'insiderCiks', 'transactionTypes', 'roles', 'sectors', 'plan10b51', 'kinds']

/** Returns the arguments of a call with lists as their elements, as the contract has them. */
export const withLists = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, LISTS.includes(name) ? String(value).split(',') : value]),
  )

export const TOOLS: readonly Tool[] = [
  {
    name: 'insider_search',
    title: 'Find companies and insiders',
    description: 'Start here where a symbol or CIK is not known: finds companies and insiders by words of their names.',
    properties: {
      q: text(64),
      kinds: text(32, 'company, insider'),
      limit: { type: 'integer', minimum: 1, maximum: 20, default: 10 },
    },
    required: ['q'],
    run: search,
  },
  {
    name: 'insider_company',
    title: 'One company',
    description: 'A company: profile, open-market trades by month, insiders by value, signals, newest transactions.',
    properties: { ticker: TICKER, months: { type: 'integer', minimum: 1, maximum: 60, default: 12 } },
    required: ['ticker'],
    run: company,
  },
  {
    name: 'insider_person',
    title: 'One insider',
    description: 'A person or firm that files: companies, roles, counts, newest transactions.',
    properties: { cik: { type: 'string', pattern: '^[0-9]{1,10}$' } },
    required: ['cik'],
    run: person,
  },
  {
    name: 'insider_trades',
    title: 'Transactions by filters',
    description:
      'Transactions of Form 4, newest first or by value. "plan" tells trades of 10b5-1 plans. An id begins with the ' +
      'accession number of its filing, which fetch shows.',
    properties: {
      tickers: TICKERS,
      insiderCiks: text(1200, 'CIKs, with commas'),
      transactionTypes: text(
        300,
        'buy, sell (open market), award, exercise, conversion, tax_withholding, gift, other, with commas',
      ),
      roles: text(100, 'officer, director, ten_percent_owner, other, ceo, cfo, with commas'),
      sectors: text(300, 'Such as Technology,Health Care'),
      plan10b51: PLAN,
      routine: { type: 'string', enum: ['yes', 'no'] },
      late: { type: 'string', enum: ['true', 'false'] },
      firstBuyInYears: { type: 'integer', minimum: 1, maximum: 20 },
      minSignificance: SEVERITY,
      minValue: text(20, 'Dollars'),
      filedFrom: text(32, 'Day, 2026-11-06, or instant'),
      filedTo: text(32),
      sort: {
        type: 'string',
        enum: ['newest', 'value', 'holdingChange'],
        description: 'The last two: largest first',
      },
      cursor: CURSOR,
      limit: LIMIT,
    },
    run: trades,
  },
  {
    name: 'insider_notices',
    title: 'Notices of proposed sales',
    description: 'Forms 144, newest first: who plans to sell what, and how much of it Forms 4 report as sold.',
    properties: {
      tickers: TICKERS,
      insiderCiks: text(1200, 'CIKs of sellers, with commas'),
      state: text(80, 'open, partly, fulfilled, not_reported, not_expected, replaced, with commas'),
      plan: { type: 'string', enum: ['yes', 'not_stated'], description: 'Rule 10b5-1' },
      minValue: text(20, 'Dollars'),
      filedFrom: text(32, 'Day, 2026-11-06, or instant'),
      filedTo: text(32),
      cursor: CURSOR,
      limit: LIMIT,
    },
    run: notices,
  },
  {
    name: 'insider_signals',
    title: 'Signals',
    description: 'Patterns in effect, newest first: clusters, unusual sizes, trades of CEOs, reversals.',
    properties: {
      type: { type: 'string', enum: ['cluster_buy', 'cluster_sell', 'unusual_size', 'ceo_trade', 'reversal'] },
      minSeverity: SEVERITY,
      tickers: TICKERS,
      insiderCiks: text(1200),
      sectors: text(300),
      detectedFrom: { type: 'string', minLength: 10, maxLength: 32, description: 'Day or instant' },
      detectedTo: { type: 'string', minLength: 10, maxLength: 32 },
      cursor: CURSOR,
      limit: LIMIT,
    },
    run: signals,
  },
  {
    name: 'insider_explain_signal',
    title: 'Why a signal was raised',
    description: 'One signal: what counts, what was left out and why, its growth, and the rule with its thresholds.',
    properties: {
      id: {
        type: 'string',
        pattern: '^(cluster_buy|cluster_sell|unusual_size|ceo_trade|reversal)-[0-9]{1,10}-[A-Za-z0-9-]{1,100}$',
      },
    },
    required: ['id'],
    run: explainSignal,
  },
  {
    name: 'insider_market',
    title: 'The market',
    description: 'All companies or a sector in some days: buyers against sellers, top companies, strong signals.',
    properties: {
      days: { type: 'integer', minimum: 1, maximum: 92, default: 7 },
      to: { type: 'string', minLength: 10, maxLength: 10, description: 'Last day, else today' },
      sector: text(32, 'Such as Technology'),
      plan10b51: PLAN,
    },
    run: market,
  },
  {
    name: 'insider_coverage',
    title: 'What the data covers',
    description: 'How far back and how current the data is, which days are incomplete, and what is not covered.',
    properties: {},
    run: coverage,
  },
  {
    name: 'search',
    title: 'Search documents',
    description: 'For research modes: ids of companies and insiders for fetch. Elsewhere use insider_search.',
    properties: { query: text(64) },
    required: ['query'],
    for: 'public',
    run: searchDocuments,
  },
  {
    name: 'fetch',
    title: 'Fetch a document',
    description:
      'A filing by accession number, with footnotes and options; a signal by id; company:TICKER; insider:CIK.',
    properties: { id: text(150) },
    required: ['id'],
    run: fetchDocument,
  },
  {
    name: 'insider_watchlist',
    title: 'The watchlist',
    description: 'The companies that the holder of the key watches, and the newest deliveries of alerts.',
    properties: {},
    for: 'key',
    run: watchlist,
  },
  {
    name: 'insider_watch',
    title: 'Watch a company',
    description: 'Adds a company to the watchlist, without alerts. One that is there stays as it is.',
    properties: { ticker: TICKER },
    required: ['ticker'],
    for: 'key',
    does: 'add',
    run: watch,
  },
  {
    name: 'insider_unwatch',
    title: 'Stop watching a company',
    description: 'Removes a company from the watchlist, and its alerts with it.',
    properties: { ticker: TICKER },
    required: ['ticker'],
    for: 'key',
    does: 'remove',
    run: unwatch,
  },
]

export const toolsFor = (hasKey: boolean): Tool[] =>
  TOOLS.filter((tool) => tool.for === undefined || tool.for === (hasKey ? 'key' : 'public'))
