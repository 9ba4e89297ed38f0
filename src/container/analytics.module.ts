// Bindings of the projection from the ledger into ClickHouse, and of the queries answered from there.
import { ContainerModule } from 'inversify'
import { IssuersToResync } from '../application/changes/issuers-to-resync.ts'
import { makeRebuildAnalytics } from '../application/commands/rebuild-analytics.ts'
import { makeProjectNotices } from '../application/notices/project-notices.ts'
import { makeRefreshCompanies } from '../application/ingestion/refresh-company-list.ts'
import { makeJobRunners } from '../application/projection/job-runners.ts'
import { makeProjector } from '../application/projection/project-filings.ts'
import { makeProjectSignals } from '../application/projection/project-signals.ts'
import { makeProjectionLoop } from '../application/projection/projection-loop.ts'
import { makeTrackedAnalyticsStore } from '../application/projection/tracked-analytics-store.ts'
import { makeTrackedSignalStore } from '../application/projection/tracked-signal-store.ts'
import { makeLoadPrices } from '../application/prices/load-prices.ts'
import { makeIsPopulated } from '../application/queries/analytics-ready.ts'
import { makeFilingQuery } from '../application/queries/filings/filing.ts'
import { makeFilingsQuery } from '../application/queries/filings/filings.ts'
import { makeFillSectors, makeQueueSectors } from '../application/sectors/fill-sectors.ts'
import { CompanyListings } from '../application/shared/company-listings.ts'
import { PartyLocks } from '../application/shared/locks.ts'
import { clickHouseQueries } from '../infrastructure/clickhouse/queries/queries.ts'
import { ClickHouseShadowDatabase } from '../infrastructure/clickhouse/shadow-database.ts'
import { ClickHouseAnalyticsStore } from '../infrastructure/clickhouse/stores/analytics-store.ts'
import { ClickHouseNoticeStore } from '../infrastructure/clickhouse/stores/notice-store.ts'
import { ClickHousePriceStore } from '../infrastructure/clickhouse/stores/price-store.ts'
import { ClickHouseSectorStore } from '../infrastructure/clickhouse/stores/sector-store.ts'
import { ClickHouseSignalStore } from '../infrastructure/clickhouse/stores/signal-store.ts'
import { ClickHouseStoreIdentity } from '../infrastructure/clickhouse/stores/store-identity.ts'
import { named, optional } from './named.ts'
import { TYPES } from './tokens.ts'

export const analyticsModule = new ContainerModule(({ bind }) => {
  bind(TYPES.toResync).toResolvedValue(() => new IssuersToResync(), [])
  // Without a follower no other process can write, so this one knows all changes.
  bind(TYPES.isUpToDate).toResolvedValue(
    (follower) => () => follower === undefined || follower.isUpToDate(),
    [optional(TYPES.changeFollower)],
  )
  bind(TYPES.floors).toResolvedValue((rules) => rules.significance, [TYPES.rules])
  bind(TYPES.listings).toResolvedValue(() => new CompanyListings(), [])
  bind(TYPES.locks).toResolvedValue(() => new PartyLocks(), [])
  bind(TYPES.analytics).toResolvedValue(
    (store, clock, changes) => makeTrackedAnalyticsStore(new ClickHouseAnalyticsStore(store, clock), changes),
    [TYPES.clickHouse, TYPES.clock, TYPES.changes],
  )
  bind(TYPES.analyticsIdentity).toResolvedValue((store) => new ClickHouseStoreIdentity(store), [TYPES.clickHouse])
  bind(TYPES.signalStore).toResolvedValue(
    (store, changes) => makeTrackedSignalStore(new ClickHouseSignalStore(store), changes),
    [TYPES.clickHouse, TYPES.changes],
  )
  bind(TYPES.sectorStore).toResolvedValue((store) => new ClickHouseSectorStore(store), [TYPES.clickHouse])
  bind(TYPES.priceStore).toResolvedValue((store) => new ClickHousePriceStore(store.forBulk), [TYPES.clickHouse])
  bind(TYPES.openShadow).toResolvedValue(
    (store, options, clock) => () => ClickHouseShadowDatabase.prepare(store, options, clock),
    [TYPES.clickHouse, TYPES.clickHouseOptions, TYPES.clock],
  )
  bind(TYPES.analyticsQueries).toResolvedValue(
    (store, clock, changes, isUpToDate, compute) =>
      clickHouseQueries(store.forCallers, clock, { changes, isUpToDate }, compute),
    [TYPES.clickHouse, TYPES.clock, TYPES.changes, TYPES.isUpToDate, TYPES.compute],
  )
  bind(TYPES.presentSectors).toResolvedValue((queries) => queries.sectors, [TYPES.analyticsQueries])
  bind(TYPES.queries).toResolvedValue(
    ({ filingAnalytics, ...queries }, records, read) => ({
      ...queries,
      filing: makeFilingQuery(records, filingAnalytics, read),
      filings: makeFilingsQuery(records, filingAnalytics),
    }),
    [TYPES.analyticsQueries, TYPES.filingRecords, TYPES.readDocument],
  )
  bind(TYPES.isPopulated).toResolvedValue(
    (store, ledger, sets) => makeIsPopulated(new ClickHouseAnalyticsStore(store.forCallers), ledger, sets),
    [TYPES.clickHouse, TYPES.ledger, TYPES.dataSetRegistry],
  )
  bind(TYPES.queueSectors).toResolvedValue(makeQueueSectors, [TYPES.sicList, TYPES.jobs])
  bind(TYPES.fillSectors).toResolvedValue(
    ...named(makeFillSectors, {
      list: TYPES.sicList,
      store: TYPES.sectorStore,
      nextVersion: TYPES.nextVersion,
      changes: TYPES.changes,
      log: TYPES.changeLog,
    }),
  )
  bind(TYPES.projector).toResolvedValue(
    ...named(makeProjector, {
      compute: TYPES.compute,
      ledger: TYPES.ledger,
      analytics: TYPES.analytics,
      listings: TYPES.listings,
      locks: TYPES.locks,
      floors: TYPES.floors,
      alerts: TYPES.alerts,
      queueSectors: TYPES.queueSectors,
      toResync: TYPES.toResync,
      traced: TYPES.traced,
    }),
  )
  bind(TYPES.detectSignals).toResolvedValue(
    ...named(makeProjectSignals, {
      store: TYPES.signalStore,
      queue: TYPES.signalQueue,
      rules: TYPES.rules,
      nextVersion: TYPES.nextVersion,
      compute: TYPES.compute,
      alerts: TYPES.alerts,
      toResync: TYPES.toResync,
    }),
  )
  bind(TYPES.noticeStore).toResolvedValue((store) => new ClickHouseNoticeStore(store), [TYPES.clickHouse])
  bind(TYPES.projectNotices).toResolvedValue(
    ...named(makeProjectNotices, {
      store: TYPES.noticeStore,
      ledger: TYPES.noticeLedger,
      queue: TYPES.noticeLedger,
      nextVersion: TYPES.nextVersion,
      clock: TYPES.clock,
      compute: TYPES.compute,
      alerts: TYPES.alerts,
      changes: TYPES.changes,
    }),
  )
  bind(TYPES.projectNewFilings).toResolvedValue(
    (projector, signals) => async () => {
      await projector.projectPending()
      // Issuers whose detection fails stay in the queue, and the detection after the job reports the error.
      await signals.ofNewFilings().catch(() => {})
    },
    [TYPES.projector, TYPES.detectSignals],
  )
  bind(TYPES.refreshCompanies).toResolvedValue(
    ...named(makeRefreshCompanies, {
      list: TYPES.companyList,
      analytics: TYPES.analytics,
      projector: TYPES.projector,
      listings: TYPES.listings,
      queue: TYPES.signalQueue,
      nextVersion: TYPES.nextVersion,
      log: TYPES.changeLog,
    }),
  )
  bind(TYPES.loadPrices).toResolvedValue(
    ...named(makeLoadPrices, {
      ledger: TYPES.priceLedger,
      store: TYPES.priceStore,
      nextVersion: TYPES.nextVersion,
      clock: TYPES.clock,
      changes: TYPES.changes,
      projector: TYPES.projector,
    }),
  )
  bind(TYPES.rebuild).toResolvedValue(
    ...named(makeRebuildAnalytics, {
      log: TYPES.changeLog,
      ledger: TYPES.ledger,
      notices: TYPES.noticeLedger,
      prices: TYPES.priceLedger,
      clock: TYPES.clock,
      monotonic: TYPES.monotonic,
      compute: TYPES.compute,
      list: TYPES.companyList,
      listings: TYPES.listings,
      sets: TYPES.dataSetRegistry,
      dataSets: TYPES.dataSets,
      sics: TYPES.sicList,
      queue: TYPES.signalQueue,
      rules: TYPES.rules,
      alerts: TYPES.alerts,
      changes: TYPES.changes,
      openShadow: TYPES.openShadow,
      recordIdentity: TYPES.recordIdentity,
      analyticsIdentity: TYPES.analyticsIdentity,
      newId: TYPES.newId,
      jobs: TYPES.jobs,
    }),
  )
  bind(TYPES.jobRunners).toResolvedValue(
    ...named(makeJobRunners, {
      rebuild: TYPES.rebuild,
      refreshCompanies: TYPES.refreshCompanies,
      fillSectors: TYPES.fillSectors,
      backfill: TYPES.backfill,
      makeExports: TYPES.makeExports,
      loadPrices: TYPES.loadPrices,
      fetchQuarter: optional(TYPES.fetchQuarter),
      catchUp: optional(TYPES.catchUp),
    }),
  )
  bind(TYPES.projectionLoop).toResolvedValue(
    ...named(makeProjectionLoop, {
      ledger: TYPES.ledger,
      analytics: TYPES.analytics,
      changes: TYPES.changes,
      projector: TYPES.projector,
      signals: TYPES.detectSignals,
      notices: TYPES.projectNotices,
      jobs: TYPES.jobs,
      runners: TYPES.jobRunners,
      sets: TYPES.dataSetRegistry,
    }),
  )
})
