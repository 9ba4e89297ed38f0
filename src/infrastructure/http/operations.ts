// The table of operations of the contract: whether each is a query or a command, who may use it, how its response may
// be cached, and its handler. Typed over the contract's operationIds, so one that is missing or too many does not
// compile.
import type { Queries } from '../../application/queries/queries.ts'
import type { Watchlist } from '../../application/commands/watchlist.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import type { Handler, KeyedHandler } from './handler.ts'
import { getCompany } from './controllers/profiles.ts'
import { getFeedStatistics, listFeed } from './controllers/feed.ts'
import { getHealth, getReadiness, type Health } from './controllers/health.ts'
import { getInsider } from './controllers/insiders.ts'
import { getSignal, listSignalRules, listSignals } from './controllers/signals.ts'
import { addToWatchlist, listWatchlist, removeFromWatchlist } from './controllers/watchlist.ts'
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

interface HandlerDependencies {
  queries: Queries
  /** The thresholds that signals are detected by. */
  rules: SignalRules
  watchlist: Watchlist
  health: Health
  stopping: () => boolean
  metrics: Metrics
  reference: Reference
}

export function operationTable({
  queries,
  rules,
  watchlist,
  health,
  stopping,
  metrics,
  reference,
}: HandlerDependencies): Operations {
  return {
    listFeed: open(listFeed(queries)),
    getFeedStatistics: open(getFeedStatistics(queries)),
    getCompany: open(getCompany(queries)),
    getInsider: open(getInsider(queries)),
    listSignals: open(listSignals(queries)),
    listSignalRules: open(listSignalRules(rules)),
    getSignal: open(getSignal(queries, rules)),

    listWatchlist: keyed('query', listWatchlist(watchlist)),
    addToWatchlist: keyed('command', addToWatchlist(watchlist)),
    removeFromWatchlist: keyed('command', removeFromWatchlist(watchlist)),

    getHealth: momentary(getHealth()),
    getReadiness: momentary(getReadiness(health, stopping)),
    getMetrics: momentary(metrics.handler),
    getOpenApiDocument: open(reference.document),
    getReference: open(reference.page),
    getReferenceAsset: open(reference.asset),
  }
}

function open<Id extends OperationId>(handler: Handler<Id>): Operation<Id> {
  return { kind: 'query', access: 'public', caching: 'revalidate', handler }
}

/**
 * Guards a handler. Requests without a key are refused long before; should that ever fail, nothing is revealed here
 * either.
 */
function keyed<Id extends OperationId>(kind: Operation<Id>['kind'], handler: KeyedHandler<Id>): Operation<Id> {
  const guarded: Handler<Id> = (request) => {
    if (request.keyId === undefined) throw new Error('a keyed operation was called without a key')
    return handler({ ...request, keyId: request.keyId })
  }
  return { kind, access: 'key', caching: 'private', handler: guarded }
}

function momentary<Id extends OperationId>(handler: Handler<Id>): Operation<Id> {
  return { kind: 'query', access: 'public', caching: 'none', handler }
}
