// The table of operations of the contract: whether each is a query or a command, who may use it, how its response may
// be cached, and its handler. Typed over the contract's operationIds, so a missing or surplus entry does not
// compile.
import type { ChangeStreams } from '../../application/changes/change-streams.ts'
import type { ChangeQueries } from '../../application/queries/change-queries.ts'
import type { ExportQueries } from '../../application/queries/export-queries.ts'
import type { FindMatches } from '../../application/queries/alert-matches.ts'
import type { KeyQueries } from '../../application/queries/key-queries.ts'
import type { Queries } from '../../application/queries/queries.ts'
import type { StatusQueries } from '../../application/queries/service-status.ts'
import type { SendOnRequest } from '../../application/commands/send-on-request.ts'
import type { AlertRules } from '../../application/commands/alert-rules.ts'
import type { Watchlist } from '../../application/commands/watchlist.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import type { Handler, KeyedHandler } from './handler.ts'
import {
  createAlert,
  getAlert,
  listAlertMatches,
  listAlerts,
  removeAlert,
  replaceAlert,
  testAlert,
} from './controllers/alerts.ts'
import { getRankings, getSentiment } from './controllers/aggregates.ts'
import { getCompany, getInsider, listCompanies, listHolders, listPositions, search } from './controllers/profiles.ts'
import { listChanges, streamChanges } from './controllers/changes.ts'
import { exportFeed, getFeedStatistics, listFeed } from './controllers/feed.ts'
import { getFeedAtom, getFeedCsv, getSignalsAtom } from './controllers/subscriptions.ts'
import { describeExport, getExportFile, listExports } from './controllers/exports.ts'
import { getFiling, listFilings } from './controllers/filings.ts'
import { getHealth, getReadiness, getStatus, type Health, type Versions } from './controllers/health.ts'
import { getNotice, listNotices } from './controllers/notices.ts'
import { getSignal, listSignalRules, listSignals } from './controllers/signals.ts'
import type { Dashboard } from './controllers/dashboard.ts'
import {
  addToWatchlist,
  getDelivery,
  listDeliveries,
  listWatchlist,
  removeFromWatchlist,
  resendDelivery,
  testWebhook,
} from './controllers/watchlist.ts'
import { answerMcp } from './controllers/mcp.ts'
import type { Reference } from './controllers/reference.ts'
import type { OperationId } from './openapi/document.ts'
import type { Metrics } from './middleware/metrics.ts'
import type { Caching } from './response.ts'

export interface Operation<Id extends OperationId> {
  kind: 'query' | 'command'
  access: 'public' | 'key'
  caching: Caching
  handler: Handler<Id>
}

export type Operations = { [Id in OperationId]: Operation<Id> }

/** What queries can reach; none of it changes data. */
interface QueryDependencies {
  queries: Queries
  changeQueries: ChangeQueries
  exportQueries: ExportQueries
  streams: ChangeStreams
  statusQueries: StatusQueries
  keyQueries: KeyQueries
  findMatches: FindMatches
  /** The thresholds that signals are detected by. */
  rules: SignalRules
  health: Health
  stopping: () => boolean
  versions: Versions
  /** The address under which readers reach this service; null if it is not configured. */
  publicUrl: string | null
  metrics: Metrics
  reference: Reference
  dashboard: Dashboard
}

/** What commands can reach. */
interface CommandDependencies {
  watchlist: Watchlist
  alertRules: AlertRules
  sends: SendOnRequest
}

export type HandlerDependencies = QueryDependencies & CommandDependencies

type MakeOperation<Dependencies, Id extends OperationId> = (dependencies: Dependencies) => Operation<Id>

/** One factory per operation; `query` and `keyedCommand` type what each may depend on. */
const OPERATIONS: { [Id in OperationId]: MakeOperation<HandlerDependencies, Id> } = {
  listFeed: query(({ queries }) => listFeed(queries)),
  getFeedAtom: query(({ queries, publicUrl }) => getFeedAtom(queries, publicUrl)),
  getFeedCsv: query(({ queries }) => getFeedCsv(queries)),
  getFeedStatistics: query(({ queries }) => getFeedStatistics(queries)),
  exportFeed: keyedQuery(({ queries }) => exportFeed(queries)),
  listCompanies: query(({ queries }) => listCompanies(queries)),
  getCompany: query(({ queries }) => getCompany(queries)),
  getInsider: query(({ queries }) => getInsider(queries)),
  listPositions: query(({ queries }) => listPositions(queries)),
  listHolders: query(({ queries }) => listHolders(queries)),
  getSentiment: query(({ queries }) => getSentiment(queries)),
  getRankings: query(({ queries }) => getRankings(queries)),
  search: query(({ queries }) => search(queries)),
  listSignals: query(({ queries }) => listSignals(queries)),
  getSignalsAtom: query(({ queries, publicUrl }) => getSignalsAtom(queries, publicUrl)),
  listSignalRules: query(({ queries, rules }) => listSignalRules(queries, rules)),
  getSignal: query(({ queries, rules }) => getSignal(queries, rules)),
  listNotices: query(({ queries }) => listNotices(queries)),
  getNotice: query(({ queries }) => getNotice(queries)),
  listFilings: query(({ queries }) => listFilings(queries)),
  getFiling: query(({ queries }) => getFiling(queries)),
  listExports: query(({ exportQueries }) => listExports(exportQueries)),
  describeExport: query(({ exportQueries }) => describeExport(exportQueries)),
  getExportFile: query(({ exportQueries }) => getExportFile(exportQueries)),
  listChanges: query(({ changeQueries, queries }) => listChanges(changeQueries, queries), 'public-no-store'),
  streamChanges: query(({ streams, queries }) => streamChanges(streams, queries), 'public-no-store'),
  getStatus: query(({ statusQueries, versions }) => getStatus(statusQueries, versions), 'public-no-store'),

  listWatchlist: keyedQuery(({ keyQueries }) => listWatchlist(keyQueries)),
  addToWatchlist: keyedCommand(({ watchlist }) => addToWatchlist(watchlist)),
  removeFromWatchlist: keyedCommand(({ watchlist }) => removeFromWatchlist(watchlist)),
  listDeliveries: keyedQuery(({ keyQueries, queries }) => listDeliveries(keyQueries, queries)),
  getDelivery: keyedQuery(({ keyQueries }) => getDelivery(keyQueries)),
  resendDelivery: keyedCommand(({ sends }) => resendDelivery(sends)),
  testWebhook: keyedCommand(({ sends }) => testWebhook(sends)),

  listAlerts: keyedQuery(({ keyQueries }) => listAlerts(keyQueries)),
  createAlert: keyedCommand(({ alertRules }) => createAlert(alertRules)),
  getAlert: keyedQuery(({ keyQueries }) => getAlert(keyQueries)),
  replaceAlert: keyedCommand(({ alertRules }) => replaceAlert(alertRules)),
  removeAlert: keyedCommand(({ alertRules }) => removeAlert(alertRules)),
  listAlertMatches: keyedQuery(({ findMatches }) => listAlertMatches(findMatches)),
  testAlert: keyedCommand(({ sends }) => testAlert(sends)),

  getHealth: query(() => getHealth(), 'none'),
  getReadiness: query(({ health, stopping }) => getReadiness(health, stopping), 'none'),
  getMetrics: query(({ metrics }) => metrics.handler, 'none'),
  getOpenApiDocument: query(({ reference }) => reference.document),
  getDocumentation: query(({ reference }) => reference.guides),
  getReference: query(({ reference }) => reference.page),
  getReferenceAsset: query(({ reference }) => reference.asset),
  getLlmsText: query(({ reference }) => reference.llmsText),
  answerMcp: () => ({ kind: 'command', access: 'public', caching: 'none', handler: answerMcp }),
  getDashboard: query(({ dashboard }) => dashboard.page),
  getDashboardAsset: query(({ dashboard }) => dashboard.asset),
}

export function operationTable(dependencies: HandlerDependencies): Operations {
  const made = Object.entries(OPERATIONS).map(([id, make]) => [id, make(dependencies)])
  return Object.fromEntries(made) as Operations
}

/** Returns the operations of a process that does not serve the API. */
export function probeOperations(
  dependencies: Pick<QueryDependencies, 'health' | 'metrics' | 'stopping'>,
): Pick<Operations, 'getHealth' | 'getReadiness' | 'getMetrics'> {
  const { getHealth, getReadiness, getMetrics } = OPERATIONS
  // These three use nothing else.
  const given = dependencies as HandlerDependencies
  return { getHealth: getHealth(given), getReadiness: getReadiness(given), getMetrics: getMetrics(given) }
}

function query<Id extends OperationId>(
  make: (dependencies: QueryDependencies) => Handler<Id>,
  caching: Caching = 'revalidate',
): MakeOperation<QueryDependencies, Id> {
  return (dependencies) => ({ kind: 'query', access: 'public', caching, handler: make(dependencies) })
}

export function keyedQuery<Id extends OperationId>(
  make: (dependencies: QueryDependencies) => KeyedHandler<Id>,
): MakeOperation<QueryDependencies, Id> {
  return (dependencies) => ({ kind: 'query', ...KEYED, handler: guarded(make(dependencies)) })
}

export function keyedCommand<Id extends OperationId>(
  make: (dependencies: CommandDependencies) => KeyedHandler<Id>,
): MakeOperation<CommandDependencies, Id> {
  return (dependencies) => ({ kind: 'command', ...KEYED, handler: guarded(make(dependencies)) })
}

const KEYED = { access: 'key', caching: 'private' } as const

/** Throws for a request without a key, which earlier middleware refuses. */
function guarded<Id extends OperationId>(handler: KeyedHandler<Id>): Handler<Id> {
  return (request) => {
    if (request.keyId === undefined) throw new Error('a keyed operation was called without a key')
    return handler({ ...request, keyId: request.keyId })
  }
}
