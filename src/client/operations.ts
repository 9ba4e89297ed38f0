// The operations of the contract under /v1: their methods and paths, and the types of their parameters and data. The
// code does not compile until each operation of the contract has a line here.
import type { operations } from '../contract.ts'

/** Operations outside /v1, which are for the operator and for readers. */
type Unversioned =
  | 'getHealth'
  | 'getReadiness'
  | 'getMetrics'
  | 'getOpenApiDocument'
  | 'getDocumentation'
  | 'getReference'
  | 'getReferenceAsset'
  | 'getLlmsText'
  | 'answerMcp'
  | 'getDashboard'
  | 'getDashboardAsset'

export type OperationId = Exclude<keyof operations, Unversioned>

export const OPERATIONS = {
  listFeed: 'GET /v1/feed',
  exportFeed: 'GET /v1/feed/export',
  getFeedAtom: 'GET /v1/feed.atom',
  getFeedCsv: 'GET /v1/feed.csv',
  getFeedStatistics: 'GET /v1/feed/stats',
  listCompanies: 'GET /v1/companies',
  getCompany: 'GET /v1/companies/{ticker}',
  getInsider: 'GET /v1/insiders/{cik}',
  listPositions: 'GET /v1/insiders/{cik}/positions',
  listHolders: 'GET /v1/companies/{ticker}/holders',
  getSentiment: 'GET /v1/sentiment',
  getRankings: 'GET /v1/rankings',
  search: 'GET /v1/search',
  listSignals: 'GET /v1/signals',
  getSignalsAtom: 'GET /v1/signals.atom',
  listSignalRules: 'GET /v1/signals/rules',
  getSignal: 'GET /v1/signals/{id}',
  listNotices: 'GET /v1/notices',
  getNotice: 'GET /v1/notices/{accessionNumber}',
  listFilings: 'GET /v1/filings',
  getFiling: 'GET /v1/filings/{accessionNumber}',
  listExports: 'GET /v1/exports',
  describeExport: 'GET /v1/exports/{dataset}',
  getExportFile: 'GET /v1/exports/{dataset}/{file}',
  listChanges: 'GET /v1/changes',
  streamChanges: 'GET /v1/stream',
  getStatus: 'GET /v1/status',
  listWatchlist: 'GET /v1/watchlist',
  addToWatchlist: 'POST /v1/watchlist',
  removeFromWatchlist: 'DELETE /v1/watchlist/{ticker}',
  testWebhook: 'POST /v1/watchlist/{ticker}/test',
  listDeliveries: 'GET /v1/watchlist/deliveries',
  getDelivery: 'GET /v1/watchlist/deliveries/{id}',
  resendDelivery: 'POST /v1/watchlist/deliveries/{id}/resend',
  listAlerts: 'GET /v1/alerts',
  createAlert: 'POST /v1/alerts',
  getAlert: 'GET /v1/alerts/{id}',
  replaceAlert: 'PUT /v1/alerts/{id}',
  removeAlert: 'DELETE /v1/alerts/{id}',
  listAlertMatches: 'GET /v1/alerts/{id}/matches',
  testAlert: 'POST /v1/alerts/{id}/test',
} as const satisfies Record<OperationId, string>

/** Lists of words or numbers may be given as arrays; they are sent separated by commas. */
type Value<T> = T extends readonly unknown[] ? string | number | readonly (string | number)[] : Scalar<T>
/** Texts may be given as numbers. */
type Scalar<T> = string extends T ? string | number : T
type Given<Q> = { [Name in keyof Q]: Value<NonNullable<Q[Name]>> | undefined }

/** The query parameters of an operation. */
export type Query<Id extends OperationId> = operations[Id] extends { parameters: { query?: infer Q } }
  ? Given<NonNullable<Q>>
  : Record<string, never>

/** What an operation answers, without its envelope. */
export type Data<Id extends OperationId> =
  Extract<operations[Id]['responses'][keyof operations[Id]['responses'] & (200 | 201 | 202)], object> extends {
    content: { 'application/json': infer Body }
  }
    ? Body extends { data: infer D }
      ? D
      : undefined
    : undefined

/** Returns the path of an operation with its parameters filled in and those given appended as a query. */
export function pathOf(operation: OperationId, path: Record<string, string>, query: object = {}): string {
  const template = OPERATIONS[operation].replace(/^[A-Z]+ /, '')
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  const text = search.toString().replaceAll('%2C', ',')
  return text === '' ? filled : `${filled}?${text}`
}
