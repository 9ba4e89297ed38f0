// What each tool answers, as text: the operations that it asks, and how their answers are laid out. Every answer without
// rows says what is covered, so that nothing found is not taken for nothing happened.
import type { components } from '../../contract.ts'
import { canonicalCompany } from '../../domain/filings/ticker-symbol.ts'
import { addDays, addMonths, isRealDate } from '../../domain/shared/calendar.ts'
import { newYorkDay } from '../../domain/shared/new-york-time.ts'
import type { Ask, ToolRequest } from '../tool-operations.ts'
import {
  COMPANIES,
  DELIVERIES,
  FOUND,
  NOTICES,
  RANKED,
  SIGNALS,
  STATES,
  SUMS,
  TOP_INSIDERS,
  TRADES,
} from './columns.ts'
import { cell, facts, minute, part, table, type Columns } from './tables.ts'

type Schemas = components['schemas']

/** Of an answer; a page that is longer is asked for again with fewer rows, so that its cursor goes on from there. */
const MAX_BYTES = 20_000
const MAX_TEXT = 2_000
const NEWEST = 15
const TIMES = 'Times are UTC, values US dollars, K thousand, M million, B billion.'

const today = (): string => newYorkDay(Math.floor(Date.now() / 1000))

/** Returns what the data covers, in one line. */
async function coverageLine(ask: Ask): Promise<string> {
  const { data } = await ask('getStatus', {})
  const { historyFrom, newestFilingAt, follows, days, filling, invented } = data
  const missing = days.filter(({ filed, listed }) => listed < filed).map(({ date }) => date)
  return `Coverage: ${facts({
    'continuous from': historyFrom ?? 'nothing loaded as continuous history',
    'newest filing': newestFilingAt ?? 'none',
    'follows EDGAR': follows,
    'days incomplete': missing.length > 0 ? missing.join(', ') : 'none known',
    ...(filling && { state: 'being filled, so much is missing now' }),
    ...(invented && { warning: 'filings are invented for a demonstration' }),
  })}. insider_coverage says more.`
}

export async function coverage(ask: Ask): Promise<string> {
  const { data } = await ask('getStatus', {})
  const jobs = data.jobs.map(({ kind, status, done, total }) => ({ kind, status, done, total }))
  return [
    await coverageLine(ask),
    facts({
      'EDGAR silent though open': data.silent,
      'lag in seconds, median': data.lagSeconds?.p50,
      'lag in seconds, 95 %': data.lagSeconds?.p95,
      version: data.version,
    }),
    part('Days by EDGAR’s index, newest first', data.days, {
      day: ({ date }) => date,
      'Forms 4 filed': ({ filed }) => filed,
      'stored here': ({ listed }) => listed,
    }),
    part('Work that runs or waits', jobs, {
      kind: ({ kind }) => kind,
      status: ({ status }) => status,
      done: ({ done }) => done,
      total: ({ total }) => total,
    }),
    'Not covered: trades that nobody filed, persons who need not file, and options and other derivatives (Table II) ' +
      'in trades and sums; fetch(accession number) shows those of a filing. Late filings are common: a trade is due ' +
      'within two business days.',
  ].join('\n')
}

export async function search(ask: Ask, query: ToolRequest<'search'>['query']): Promise<string> {
  const { results } = (await ask('search', { query: query! })).data
  if (results.length > 0) return table(results, FOUND)
  const again = 'Nothing found. Every word must begin a word of the name: try fewer or shorter words, or the symbol.'
  return `${again}\n${await coverageLine(ask)}`
}

export async function company(ask: Ask, { ticker, months = 12 }: { ticker: string; months?: number }): Promise<string> {
  const from = addMonths(`${today().slice(0, 7)}-01`, 1 - months)
  // The profile first: of a company that is not known, only that is to be said.
  const profile = (await ask('getCompany', { path: { ticker }, query: { detail: 'full' } })).data
  const [sums, signals] = await Promise.all([
    ask('getSentiment', { query: { ticker, interval: 'month', from } }),
    ask('listSignals', { query: { tickers: [ticker], limit: 10 } }),
  ])
  const { name, exchange, sector, totalBuys, totalSells, recentTransactions, topInsiders } = profile
  const points = sums.data.points.filter(({ buys, sells }) => buys + sells > 0)
  return [
    facts({ name, ticker: profile.ticker, exchange, sector, 'buys ever': totalBuys, 'sells ever': totalSells }),
    part(`Open-market trades by month, last ${months} months`, points, SUMS, 'no trades'),
    part('Insiders by value', topInsiders, TOP_INSIDERS),
    part('Signals in effect', signals.data.signals, SIGNALS),
    part(`Newest transactions of all types (${TIMES})`, recentTransactions.slice(0, NEWEST), TRADES),
    recentTransactions.length === 0 ? await coverageLine(ask) : 'More: insider_trades with tickers.',
  ].join('\n')
}

export async function person(ask: Ask, { cik }: { cik: string }): Promise<string> {
  const { data } = await ask('getInsider', { path: { cik }, query: { detail: 'full' } })
  const { name, titles, companies, stats, recentTransactions } = data
  return [
    facts({ name, cik: data.cik, titles: titles.join(', '), buys: stats.totalBuys, sells: stats.totalSells }),
    part('Companies', companies, COMPANIES),
    part(`Newest transactions of all types (${TIMES})`, recentTransactions.slice(0, NEWEST), TRADES),
    recentTransactions.length === 0 ? await coverageLine(ask) : 'More: insider_trades with insiderCiks.',
  ].join('\n')
}

export function trades(ask: Ask, query: ToolRequest<'listFeed'>['query']): Promise<string> {
  const page = (limit: number) => ask('listFeed', { query: { ...query!, detail: 'full', limit } })
  const limit = query?.limit ?? 20
  return pageText(ask, page, { rowsOf: (data) => data.transactions, columns: TRADES, limit, head: TIMES })
}

export function notices(ask: Ask, query: ToolRequest<'listNotices'>['query']): Promise<string> {
  const page = (limit: number) => ask('listNotices', { query: { ...query!, limit } })
  const limit = query?.limit ?? 20
  const head = `${TIMES} A notice is an intention; not_reported does not mean that nothing was sold.`
  return pageText(ask, page, { rowsOf: (data) => data.notices, columns: NOTICES, limit, head })
}

export function signals(ask: Ask, query: ToolRequest<'listSignals'>['query']): Promise<string> {
  const page = (limit: number) => ask('listSignals', { query: { ...query!, limit } })
  const limit = query?.limit ?? 20
  const head = `${TIMES} insider_explain_signal(id) says why one was raised.`
  return pageText(ask, page, { rowsOf: (data) => data.signals, columns: SIGNALS, limit, head })
}

interface Layout<Data, Row> {
  rowsOf: (data: Data) => Row[]
  columns: Columns<Row>
  limit: number
  head: string
}

async function pageText<Data extends { nextCursor?: string }, Row>(
  ask: Ask,
  page: (limit: number) => Promise<{ data: Data; unknownTickers: string[] }>,
  { rowsOf, columns, limit, head }: Layout<Data, Row>,
): Promise<string> {
  let found = await page(limit)
  const all = rowsOf(found.data)
  const fitting = rowsThatFit(table(all, columns))
  if (fitting < all.length) found = await page(fitting)
  const { data, unknownTickers } = found
  const rows = rowsOf(data)
  const unknown = unknownTickers.length > 0 ? [`No company has: ${cell(unknownTickers.join(', '), 300)}.`] : []
  if (rows.length === 0) {
    return ['Nothing found with these filters. Loosen one of them.', ...unknown, await coverageLine(ask)].join('\n')
  }
  const { nextCursor } = data
  const more = nextCursor === undefined ? 'These are all.' : `More follow: cursor=${nextCursor}, or narrow the filters.`
  return [head, table(rows, columns), ...unknown, more].join('\n')
}

/** Returns how many rows of a table fit into an answer, at least one. */
function rowsThatFit(text: string): number {
  let [rows, bytes] = [-1, 0]
  for (const line of text.split('\n')) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > MAX_BYTES) break
    rows += 1
  }
  return Math.max(rows, 1)
}

export async function explainSignal(ask: Ask, { id }: { id: string }): Promise<string> {
  const { data } = await ask('getSignal', { path: { id }, query: { detail: 'full' } })
  const { signal, status, endedAt, evidence, insiders, counted, leftOut, history, rule } = data
  return [
    cell(signal.description, 300),
    facts({
      id: signal.id,
      type: signal.type,
      severity: signal.severity,
      status,
      detected: minute(signal.detectedAt),
      ...(endedAt !== null && { ended: minute(endedAt) }),
      insiders: signal.insiderCount,
      value: signal.totalValue,
      'first trade': data.firstTradeDate,
      'last trade': data.lastTradeDate,
    }),
    `Evidence: ${facts(evidence)}`,
    part('Persons', insiders, { insider: ({ name }) => name, cik: ({ cik }) => cik }),
    part('Transactions that count', counted.slice(0, 50), TRADES),
    part('Left out though close', leftOut.slice(0, 50), {
      reason: ({ reason }) => reason.replaceAll('_', ' '),
      filed: ({ transaction }) => minute(transaction.filingDate),
      insider: ({ transaction }) => transaction.insiderName,
      type: ({ transaction }) => transaction.transactionType,
      value: ({ transaction }) => transaction.totalValue,
      id: ({ transaction }) => transaction.id,
    }),
    part('Growth', history, STATES),
    `Rule: ${cell(rule.text, MAX_TEXT)}`,
    'A signal is a pattern in filings found by this rule, neither a forecast nor advice.',
  ].join('\n')
}

type MarketRequest = { days?: number; to?: string; sector?: string; plan10b51?: string[] }

export async function market(ask: Ask, { days = 7, to, sector, plan10b51 }: MarketRequest): Promise<string> {
  const last = to ?? today()
  // The operations refuse a day that does not exist.
  const from = isRealDate(last) ? addDays(last, 1 - days) : last
  const interval = days <= 14 ? 'day' : 'week'
  const sectors = sector === undefined ? undefined : [sector]
  const ranked = { days, to, sectors, plan10b51, limit: 10 }
  const [sums, bought, sold, strongest] = await Promise.all([
    ask('getSentiment', { query: { interval, from, to, sector, plan10b51 } }),
    ask('getRankings', { query: { ...ranked, by: 'buyValue' } }),
    ask('getRankings', { query: { ...ranked, by: 'sellValue' } }),
    ask('listSignals', { query: { minSeverity: 'high', sectors, detectedFrom: from, detectedTo: to, limit: 10 } }),
  ])
  const { points } = sums.data
  const isQuiet = points.every(({ buys, sells }) => buys + sells === 0)
  return [
    `Open-market trades filed ${to === undefined ? 'since' : `up to ${cell(to)} from`} ${from}, ${sector === undefined ? 'all sectors' : cell(sector)}. ${TIMES}`,
    // The other parts are of these days alone.
    part(interval === 'day' ? 'By day' : 'By week, from Monday; whole weeks, also beyond these days', points, SUMS),
    part('Companies by value bought', bought.data.companies ?? [], RANKED),
    part('Companies by value sold', sold.data.companies ?? [], RANKED),
    part('Signals, high and critical', strongest.data.signals, SIGNALS),
    isQuiet ? await coverageLine(ask) : 'The largest single trades: insider_trades with sort=value and filedFrom.',
  ].join('\n')
}

export async function watchlist(ask: Ask): Promise<string> {
  const [{ data }, deliveries] = await Promise.all([
    ask('listWatchlist', {}),
    ask('listDeliveries', { query: { limit: 10 } }),
  ])
  const columns = {
    ticker: ({ ticker }: Schemas['WatchedCompany']) => ticker,
    added: ({ addedAt }: Schemas['WatchedCompany']) => minute(addedAt),
  }
  return [
    part('Watchlist', data.companies.slice(0, 500), columns, 'empty; insider_watch adds a company'),
    part('Newest deliveries of alerts', deliveries.data.deliveries, DELIVERIES),
    data.companies.length === 0 ? await coverageLine(ask) : `${data.companies.length} watched.`,
  ].join('\n')
}

/** Adds a company without an address. One that is there already stays as it is: adding it would drop its address. */
export async function watch(ask: Ask, { ticker }: { ticker: string }): Promise<string> {
  const canonical = canonicalCompany(ticker)
  const { companies } = (await ask('listWatchlist', {})).data
  if (companies.some((each) => each.ticker === canonical)) {
    return `${cell(canonical)} is on the watchlist already; nothing changed.`
  }
  const { data } = await ask('addToWatchlist', { body: { ticker } })
  const warning = data.warning === undefined ? '' : ` ${cell(data.warning, 200)}`
  return `${cell(data.ticker)} is now on the watchlist, without alerts: only the holder of the key sets an address.${warning}`
}

export async function unwatch(ask: Ask, { ticker }: { ticker: string }): Promise<string> {
  await ask('removeFromWatchlist', { path: { ticker } })
  return `${cell(canonicalCompany(ticker) ?? ticker)} is no longer on the watchlist, and gets no alerts.`
}
