// Every operation of the contract: whether it asks (query) or changes (command), who may use it, how its answer may be
// kept, who answers. Typed over the contract's operationIds, so one that is missing or too many does not compile.
import type { Queries } from '../../application/queries.ts'
import type { SignalRules } from '../../domain/signal-rules.ts'
import type { Handler } from './ask.ts'
import { getCompany } from './controllers/companies.ts'
import { getFeedStatistics, listFeed } from './controllers/feed.ts'
import { getHealth, getReadiness, type Health } from './controllers/health.ts'
import { getInsider } from './controllers/insiders.ts'
import { getSignal, listSignalRules, listSignals } from './controllers/signals.ts'
import { notImplemented } from './controllers/watchlist.ts'
import type { Reference } from './docs.ts'
import type { OperationId } from './document.ts'
import type { Metrics } from './metrics.ts'
import type { Caching } from './responses.ts'

export interface Operation<Id extends OperationId> {
  kind: 'query' | 'command'
  access: 'public' | 'key'
  caching: Caching
  handler: Handler<Id>
}

export type Operations = { [Id in OperationId]: Operation<Id> }

export interface Answering {
  queries: Queries
  /** Those that signals are detected by. */
  rules: SignalRules
  health: Health
  stopping: () => boolean
  metrics: Metrics
  reference: Reference
}

export function operationTable({ queries, rules, health, stopping, metrics, reference }: Answering): Operations {
  return {
    listFeed: open(listFeed(queries)),
    getFeedStatistics: open(getFeedStatistics(queries)),
    getCompany: open(getCompany(queries)),
    getInsider: open(getInsider(queries)),
    listSignals: open(listSignals(queries)),
    listSignalRules: open(listSignalRules(rules)),
    getSignal: open(getSignal(queries, rules)),

    listWatchlist: { kind: 'query', access: 'key', caching: 'private', handler: notImplemented },
    addToWatchlist: { kind: 'command', access: 'key', caching: 'private', handler: notImplemented },
    removeFromWatchlist: { kind: 'command', access: 'key', caching: 'private', handler: notImplemented },

    getHealth: momentary(getHealth()),
    getReadiness: momentary(getReadiness(health, stopping)),
    getMetrics: momentary(metrics.handler),
    getOpenApiDocument: open(reference.document),
    getReference: open(reference.page),
    getReferenceAsset: open(reference.asset)
  }
}

function open<Id extends OperationId>(handler: Handler<Id>): Operation<Id> {
  return { kind: 'query', access: 'public', caching: 'revalidate', handler }
}

function momentary<Id extends OperationId>(handler: Handler<Id>): Operation<Id> {
  return { kind: 'query', access: 'public', caching: 'none', handler }
}
