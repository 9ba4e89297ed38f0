// The HTTP layer alone, over real HTTP, with the contract's examples behind it in place of stores.
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { loadContract, type LoadedContract } from '../../../src/infrastructure/http/app.ts'
import { createHttpServer, type HttpDependencies } from '../../../src/infrastructure/http/server.ts'
import { ServiceError, unknownCompanies } from '../../../src/application/errors.ts'
import type { SignalResult, Queries } from '../../../src/application/queries/queries.ts'
import { ChangeStreams } from '../../../src/application/changes/change-streams.ts'
import type { ChangeQueries } from '../../../src/application/queries/change-queries.ts'
import type { ExportQueries } from '../../../src/application/queries/export-queries.ts'
import type { StatusQueries } from '../../../src/application/queries/service-status.ts'
import type { KeyQueries } from '../../../src/application/queries/key-queries.ts'
import { unknownDelivery, type SendOnRequest } from '../../../src/application/commands/send-on-request.ts'
import { unknownAlert, type AlertRules } from '../../../src/application/commands/alert-rules.ts'
import type { Watchlist } from '../../../src/application/commands/watchlist.ts'
import type { FindMatches } from '../../../src/application/queries/alert-matches.ts'
import type { NamedCompany } from '../../../src/domain/filings/ticker-symbol.ts'
import { DEFAULT_RULES } from '../../../src/domain/signals/rule-thresholds.ts'
import { jsonText, textPage } from '../service/parsed-queries.ts'

export function example(name: string): any {
  return JSON.parse(readFileSync(new URL(`../../../openapi/examples/${name}.json`, import.meta.url), 'utf8'))
}

const KNOWN_TICKERS = ['EXMP', 'CIK0009900100', 'BRK.B', 'brk-b', 'BRK/B']

/** What was asked last, by question. */
export const asked: Record<string, any> = {}

/** Of companies named by a symbol, one is known. */
const unknownOf = (companies: readonly NamedCompany[] = []): string[] =>
  companies.flatMap(({ ticker }) => (ticker === null || ticker === 'EXMP' ? [] : ticker))

const EXAMPLE_DETAIL = {
  accessionNumber: '0000000000-30-000042',
  transactionCode: 'P',
  acquiredDisposed: 'A',
  ownership: 'direct',
  tradeDate: '2030-03-03',
  tradeDateStatus: 'plausible',
  sharesOwnedAfter: 125_000,
  sharesStatus: 'as_filed',
  priceStatus: 'as_filed',
  filingDateBasis: 'accepted',
  plan10b51: 'no',
  planSource: 'box',
  ambiguousAmendment: false,
  issuerCik: '0009900100',
  sector: 'Industrials',
  insiderCik: '0009900001',
  form: '4',
  securityTitle: 'Common Stock',
  routine: false,
  holdingChange: 0.25,
  holdingChangeKind: 'changed',
  businessDaysToFile: 2,
  late: false,
  isWeightedAverage: true,
  lowPrice: 41.1,
  highPrice: 42.25,
  coOwners: [{ cik: '0009900002', name: 'EXAMPLE HOLDINGS LP', roles: ['tenPercentOwner'], title: '10% Owner' }],
  firstBuyInYears: 4,
  previousBuyDate: '2025-11-14',
  url: 'https://www.sec.gov/Archives/edgar/data/9900100/000000000030000042/0000000000-30-000042-index.htm',
}

function feedPage(isDetailed = false): any {
  const { transactions, ...page } = example('feed-page').data
  const detailed = transactions.map((each: object) => ({ ...each, detail: EXAMPLE_DETAIL }))
  return { transactions: isDetailed ? detailed : transactions, ...page }
}

export const exampleQueries: Queries = {
  feed: async (ask) => ((asked.feed = ask), { ...textPage(feedPage(ask.detail)), unknown: unknownOf(ask.companies) }),
  feedExport: async (ask) => {
    asked.feedExport = ask
    const { transactions } = example('feed-page').data
    const chunks: string[][] = [transactions.map((each: object) => JSON.stringify(each))]
    return { next: async () => chunks.pop() ?? [], unknown: unknownOf(ask.companies) }
  },
  company: async (ticker) => (
    (asked.company = ticker),
    KNOWN_TICKERS.includes(ticker) ? jsonText(example('company').data) : null
  ),
  companies: async (named) => ((asked.companies = named), example('company-summaries').data),
  issuers: async (companies) => {
    const issuers = companies.flatMap(({ ticker, cik }) => cik ?? (ticker === 'EXMP' ? ['0009900100'] : []))
    const unknown = companies.flatMap(({ ticker }) => (ticker === null || ticker === 'EXMP' ? [] : [ticker]))
    if (issuers.length === 0) throw unknownCompanies(unknown, 'query.tickers')
    return { issuers, unknown }
  },
  sectors: async () => () => 'Industrials',
  insider: async (cik) => ((asked.insider = cik), Number(cik) === 9900002 ? jsonText(example('insider').data) : null),
  positions: async (cik, asOf) => (
    (asked.positions = { cik, asOf }),
    Number(cik) === 9900002 ? jsonText(example('insider-positions').data) : null
  ),
  holders: async (ticker, limit, asOf) => (
    (asked.holders = { ticker, limit, asOf }),
    KNOWN_TICKERS.includes(ticker) ? jsonText(example('company-holders').data) : null
  ),
  search: async (ask) => ((asked.search = ask), jsonText(example('search-results').data)),
  sentiment: async (ask) => {
    asked.sentiment = ask
    const { ticker } = ask.company ?? { ticker: null }
    if (ticker !== null && ticker !== 'EXMP') throw unknownCompanies([ticker], 'query.ticker')
    return example(ask.company ? 'sentiment' : 'sentiment-market').data
  },
  rankings: async (ask) => ((asked.rankings = ask), example(`rankings-${ask.of}`).data),
  signals: async (ask) => (
    (asked.signals = ask),
    { ...textPage(example('signal-page').data), unknown: unknownOf(ask.companies) }
  ),
  signal: async (id, detail) => ((asked.signal = { id, ...(detail && { detail }) }), exampleSignals().get(id) ?? null),
  filings: async (ask) => (
    (asked.filings = ask),
    {
      page: jsonText(example('filing-page').data),
      unknown: unknownOf(ask.companies),
    }
  ),
  notices: async (ask) => (
    (asked.notices = ask),
    { ...textPage(example('notice-page').data), unknown: unknownOf(ask.companies) }
  ),
  notice: async (accession) => (
    (asked.notice = accession),
    accession === example('notice-detail').data.accessionNumber ? example('notice-detail').data : null
  ),
  filing: async (accession) => (
    (asked.filing = accession),
    accession === example('filing-detail').data.accessionNumber ? example('filing-detail').data : null
  ),
  ruleReturns: async () => null,
  feedStats: async () => jsonText(example('feed-statistics').data),
}

/** Answers what the examples show: all changes after any position, but those that are no longer kept. */
const exampleChanges: ChangeQueries = {
  changes: async (ask) => {
    asked.changes = ask
    const { message, details } = example('errors/cursor-expired').error
    if (ask.after === 1) throw new ServiceError('cursor_expired', message, details)
    return jsonText(example(ask.after === undefined ? 'change-position' : 'change-page').data)
  },
}

/** The file that the examples describe is this one. */
const EXAMPLE_FILE = fileURLToPath(new URL('../../../openapi/examples/exported-dataset.json', import.meta.url))

const exampleExports: ExportQueries = {
  datasets: async () => example('exported-datasets').data,
  dataset: async (name) => (name === 'transactions' ? example('exported-dataset').data : null),
  file: async (name, file) => {
    const [{ revision, changedAt }] = example('exported-dataset').data.files
    if (name !== 'transactions' || !['2030-01.parquet', `2030-01.${revision}.parquet`].includes(file)) return null
    const { size } = statSync(EXAMPLE_FILE)
    return {
      ...{ path: EXAMPLE_FILE, bytes: size, revision },
      changedAt: new Date(changedAt),
      isPinned: file.includes(revision),
    }
  },
}

const exampleStatus: StatusQueries = {
  status: async () => {
    const { version: _, revision: __, contract: ___, ...status } = example('status').data
    return status
  },
}

const position = { last: 5_244_937, pruned: 5_101_009, isSettled: true, end: 5_244_937 }
/** Streams of a log in which nothing happens; without `run` none can be opened. */
const exampleStreams = new ChangeStreams({
  reader: { read: async () => ({ ...position, entries: [] }) },
  queries: exampleQueries,
  monotonic: () => performance.now(),
  random: () => 0,
})

/** As the queries give them: with the version of their rules in place of the rule. */
function exampleSignals(): Map<string, SignalResult> {
  const signals = ['signal-detail', 'signal-detail-ended'].map((name) => example(name).data)
  return new Map(signals.map(({ rule, ...found }) => [found.signal.id, { ...found, rules: rule.madeBy }]))
}

export const EXAMPLE_KEY = 'itd_example_notarealkey'

async function verifyExampleKey(token: string): Promise<string> {
  if (token !== EXAMPLE_KEY) throw new ServiceError('invalid_api_key', 'The API key is not valid')
  return 'example'
}

/** Answers what the examples show: EXMP is new, SMPL-B was there, nothing else can be removed. */
export const exampleKeyQueries: KeyQueries = {
  watchlist: async (keyId, detail) => (
    (asked.watchlist = { keyId, ...(detail && { detail }) }),
    example(detail ? 'watchlist-detailed' : 'watchlist').data.companies
  ),
  alerts: async (keyId) => ((asked.alerts = { keyId }), example('alerts').data.alerts),
  alert: async (keyId, id) => (
    (asked.alert = { keyId, id }),
    id === example('alert').data.id ? example('alert').data : null
  ),
  deliveries: async (keyId, ask) => ((asked.deliveries = { keyId, ...ask }), example('delivery-page').data),
  delivery: async (keyId, id) => (
    (asked.delivery = { keyId, id }),
    id === example('delivery-detail').data.id ? example('delivery-detail').data : null
  ),
}

export const exampleWatchlist: Watchlist = {
  add: async (keyId, ticker, webhookUrl) => {
    asked.added = { keyId, ticker, webhookUrl }
    const isNew = ticker === 'EXMP'
    const { ticker: canonical, addedAt } = example(isNew ? 'watchlist-entry' : 'watchlist-entry-plain').data
    return { entry: { ticker: canonical, addedAt }, isNew }
  },
  remove: async (keyId, ticker) => {
    asked.removed = { keyId, ticker }
    if (ticker !== 'EXMP') throw new ServiceError('not_on_watchlist', 'This company is not on your watchlist')
  },
}

const exampleFindMatches: FindMatches = async (keyId, id, ask) => {
  asked.matches = { keyId, id, ...ask }
  return id === example('alert').data.id ? example('alert-matches').data : null
}

const exampleAlertRules: AlertRules = {
  add: async (keyId, settings) => {
    asked.alertAdded = { keyId, settings }
    return example(settings.destination.format === 'slack' ? 'alert' : 'alert-plain').data
  },
  replace: async (keyId, id, settings) => {
    asked.alertReplaced = { keyId, id, settings }
    if (id !== example('alert').data.id) throw unknownAlert()
    return example('alert').data
  },
  remove: async (keyId, id) => {
    asked.alertRemoved = { keyId, id }
    if (id !== example('alert').data.id) throw unknownAlert()
  },
}

const exampleSends: SendOnRequest = {
  testAlert: async (keyId, id) => {
    asked.alertTested = { keyId, id }
    if (id !== example('alert').data.id) throw unknownAlert()
    return example('delivery-of-test').data
  },
  resend: async (keyId, id) => {
    asked.resent = { keyId, id }
    if (id !== example('delivery-detail').data.id) throw unknownDelivery()
    return example('delivery').data
  },
  test: async (keyId, ticker) => {
    asked.tested = { keyId, ticker }
    if (ticker === 'EXMP') return example('delivery-of-entry-test').data
    const { code, message } = example('errors/no-webhook-address').error
    throw new ServiceError(code, message)
  },
}

/** What handlers use. */
export const exampleDependencies = {
  queries: exampleQueries,
  rules: DEFAULT_RULES,
  changeQueries: exampleChanges,
  exportQueries: exampleExports,
  streams: exampleStreams,
  statusQueries: exampleStatus,
  keyQueries: exampleKeyQueries,
  watchlist: exampleWatchlist,
  alertRules: exampleAlertRules,
  findMatches: exampleFindMatches,
  sends: exampleSends,
  health: { ready: async () => ({ checks: example('readiness').checks, ingestion: example('readiness').ingestion }) },
}

export interface ExampleService {
  url: string
  port: number
  /** Lines of the log, parsed. */
  log: any[]
  /** Resolves with how many connections are open. */
  connections(): Promise<number>
  close(graceMs?: number, drainMs?: number): Promise<void>
}

/** Prepared once for all services of a process. */
let contract: LoadedContract | undefined

/** Listens on `host`; `url` is the way to it from this machine. */
export async function startExampleService(
  changes: Partial<HttpDependencies> = {},
  host = '127.0.0.1',
): Promise<ExampleService> {
  const log: any[] = []
  const { server, close } = createHttpServer({
    ...exampleDependencies,
    version: example('status').data.version,
    revision: example('status').data.revision,
    verifyKey: verifyExampleKey,
    contract: (contract ??= loadContract()),
    log: pino({ level: 'debug' }, { write: (line) => void log.push(JSON.parse(line)) }),

    ...changes,
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    connections: () => promisify(server.getConnections.bind(server))(),
    close: (graceMs = 1000, drainMs = 0) => close(graceMs, drainMs),
  }
}
