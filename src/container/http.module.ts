// Bindings that request handlers use. The api role creates the server itself, since it knows its settings.
import { ContainerModule } from 'inversify'
import { makeAlertRules } from '../application/commands/alert-rules.ts'
import { makeSendOnRequest } from '../application/commands/send-on-request.ts'
import { makeWatchlist } from '../application/commands/watchlist.ts'
import { makeFindMatches } from '../application/queries/alert-matches.ts'
import { requirePopulated } from '../application/queries/analytics-ready.ts'
import { makeKeyQueries } from '../application/queries/key-queries.ts'
import { makeStatusQueries } from '../application/queries/service-status.ts'
import { newestFilingAt } from '../infrastructure/clickhouse/queries/newest-filing.ts'
import { ClickHouseAnalyticsStore } from '../infrastructure/clickhouse/stores/analytics-store.ts'
import { ClickHouseSignalStore } from '../infrastructure/clickhouse/stores/signal-store.ts'
import { isCurrent } from '../infrastructure/clickhouse/stores/generation.ts'
import { listChanges } from '../infrastructure/postgres/queries/list-changes.ts'
import { listKeyDeliveries, showKeyDelivery } from '../infrastructure/postgres/queries/key-deliveries.ts'
import { serviceStatus } from '../infrastructure/postgres/queries/service-status.ts'
import { PostgresLogReader } from '../infrastructure/postgres/changes/log-reader.ts'
import { ChangeStreams } from '../application/changes/change-streams.ts'
import { optional } from './named.ts'
import { TYPES } from './tokens.ts'

export const httpModule = new ContainerModule(({ bind }) => {
  bind(TYPES.servedQueries).toResolvedValue(requirePopulated, [TYPES.queries, TYPES.isPopulated, TYPES.statusQueries])
  bind(TYPES.changeQueries).toResolvedValue(
    (pool, queries, follower) => ({ changes: listChanges(pool, queries, follower?.reached) }),
    [TYPES.callersPool, TYPES.servedQueries, optional(TYPES.changeFollower)],
  )
  bind(TYPES.streams).toResolvedValue(
    (pool, follower, queries, monotonic, random) =>
      new ChangeStreams({ reader: new PostgresLogReader(pool, follower?.reached), queries, monotonic, random }),
    [TYPES.callersPool, optional(TYPES.changeFollower), TYPES.servedQueries, TYPES.monotonic, TYPES.random],
  )
  bind(TYPES.statusQueries).toResolvedValue(
    (pool, store, isPopulated, clock, monotonic) =>
      makeStatusQueries({
        recorded: () => serviceStatus(pool),
        newestFilingAt: () => newestFilingAt(store.forCallers),
        isPopulated,
        isCurrent: () => isCurrent(store.forCallers),
        clock,
        monotonic,
      }),
    [TYPES.callersPool, TYPES.clickHouse, TYPES.isPopulated, TYPES.clock, TYPES.monotonic],
  )
  bind(TYPES.keyQueries).toResolvedValue(
    (watchlists, rules, pool, bodyOf) =>
      makeKeyQueries(watchlists, rules, {
        deliveries: (keyId, asked) => listKeyDeliveries(pool, keyId, asked),
        delivery: (keyId, id) => showKeyDelivery(pool, keyId, id, bodyOf),
      }),
    [TYPES.watchlists, TYPES.alertRuleStore, TYPES.callersPool, TYPES.webhookBody],
  )
  bind(TYPES.findMatches).toResolvedValue(
    (rules, queries, store, clock) =>
      makeFindMatches({
        rules,
        queries,
        analytics: new ClickHouseAnalyticsStore(store.forCallers, clock),
        signalStore: new ClickHouseSignalStore(store.forCallers),
        clock,
      }),
    [TYPES.alertRuleStore, TYPES.servedQueries, TYPES.clickHouse, TYPES.clock],
  )
  bind(TYPES.sends).toResolvedValue(makeSendOnRequest, [TYPES.requestedSends, TYPES.keyQueries, TYPES.wait])
  bind(TYPES.alertRules).toResolvedValue(
    (store, guard, crypto) => makeAlertRules(store, (text) => guard.checkAddress(guard.checkUrl(text)), crypto),
    [TYPES.alertRuleStore, TYPES.addressGuard, TYPES.crypto],
  )
  bind(TYPES.watchlist).toResolvedValue(
    (watchlists, guard, queries) =>
      makeWatchlist(watchlists, (text) => guard.checkAddress(guard.checkUrl(text)), queries),
    [TYPES.watchlists, TYPES.addressGuard, TYPES.servedQueries],
  )
})
