// What is projected from the ledger into ClickHouse, and the questions answered from there.
import { randomUUID } from 'node:crypto'
import { ContainerModule } from 'inversify'
import { makeRebuildAnalytics, type RebuildAnalytics } from '../application/commands/rebuild-analytics.ts'
import { makeRefreshCompanies } from '../application/ingestion/refresh-company-list.ts'
import { makeCachedAnalyticsStore } from '../application/projection/cached-analytics-store.ts'
import { makeCachedSignalStore } from '../application/projection/cached-signal-store.ts'
import { pairPopulated } from '../application/projection/paired-stores.ts'
import { makeProjector } from '../application/projection/project-filings.ts'
import { makeProjectSignals, type ProjectSignals } from '../application/projection/project-signals.ts'
import { makeProjectionLoop, type JobRunners } from '../application/projection/projection-loop.ts'
import { makeIsPopulated } from '../application/queries/analytics-ready.ts'
import { makeFillSectors } from '../application/sectors/fill-sectors.ts'
import { CompanyListings } from '../application/shared/company-listings.ts'
import { businessDays } from '../domain/shared/calendar.ts'
import type { Cik } from '../domain/shared/identifiers.ts'
import { ClickHouseQueries } from '../infrastructure/clickhouse/queries/queries.ts'
import { ClickHouseShadowDatabase } from '../infrastructure/clickhouse/shadow-database.ts'
import { ClickHouseAnalyticsStore } from '../infrastructure/clickhouse/stores/analytics-store.ts'
import { ClickHouseSectorStore } from '../infrastructure/clickhouse/stores/sector-store.ts'
import { ClickHouseSignalStore } from '../infrastructure/clickhouse/stores/signal-store.ts'
import { ClickHouseStoreIdentity } from '../infrastructure/clickhouse/stores/store-identity.ts'
import { IdentifiedPostgres } from '../infrastructure/postgres/coordination/store-identity.ts'
import { optional, TYPES } from './tokens.ts'
import type { SignalStore } from '../application/ports/analytics.ts'

export const analyticsModule = new ContainerModule(({ bind }) => {
  bind(TYPES.analytics).toResolvedValue(
    (store) => makeCachedAnalyticsStore(new ClickHouseAnalyticsStore(store)),
    [TYPES.clickHouse],
  )
  bind(TYPES.queries).toResolvedValue(
    (store, clock) => new ClickHouseQueries(store.forCallers, clock),
    [TYPES.clickHouse, TYPES.clock],
  )
  bind(TYPES.isPopulated).toResolvedValue(
    (store, ledger, sets) => makeIsPopulated(new ClickHouseAnalyticsStore(store.forCallers), ledger, sets),
    [TYPES.clickHouse, TYPES.ledger, TYPES.dataSetRegistry],
  )
  bind(TYPES.listings).toResolvedValue(() => new CompanyListings(), [])
  bind(TYPES.projector).toResolvedValue(
    (read, ledger, analytics, listings, rules, alerts, sics, jobs) => {
      const withoutSic = async (issuers: Cik[]) => {
        if (await sics.lacks(issuers)) await jobs.queueOnce('sectors')
      }
      return makeProjector(read, ledger, analytics, listings, rules.significance, alerts, withoutSic)
    },
    [
      TYPES.readDocument,
      TYPES.ledger,
      TYPES.analytics,
      TYPES.listings,
      TYPES.rules,
      TYPES.alerts,
      TYPES.sicList,
      TYPES.jobs,
    ],
  )
  bind(TYPES.fillSectors).toResolvedValue(
    (sics, clickHouse, ledger) =>
      makeFillSectors(sics, new ClickHouseSectorStore(clickHouse), () => ledger.nextVersion()),
    [TYPES.sicList, TYPES.clickHouse, TYPES.ledger],
  )
  bind(TYPES.refreshCompanies).toResolvedValue(makeRefreshCompanies, [
    TYPES.companyList,
    TYPES.analytics,
    TYPES.projector,
    TYPES.listings,
    TYPES.signalQueue,
    TYPES.ledger,
  ])
  bind(TYPES.detectSignals).toResolvedValue(
    (clickHouse, queue, ledger, analytics, rules, alerts): ProjectSignals => {
      const signals = makeCachedSignalStore(new ClickHouseSignalStore(clickHouse), analytics)
      return makeProjectSignals(signals, queue, rules, () => ledger.nextVersion(), alerts)
    },
    [TYPES.clickHouse, TYPES.signalQueue, TYPES.ledger, TYPES.analytics, TYPES.rules, TYPES.alerts],
  )
  bind(TYPES.rebuild).toResolvedValue(
    (
      read,
      ledger,
      list,
      sets,
      dataSets,
      sics,
      queue,
      listings,
      clickHouse,
      options,
      analytics,
      rules,
      alerts,
      pool,
    ): RebuildAnalytics => {
      const detect = (target: SignalStore) =>
        makeProjectSignals(target, queue, rules, () => ledger.nextVersion(), alerts)
      const sources = { read, ledger, list, sets, dataSets, sics, detect, queue, floors: rules.significance }
      const run = makeRebuildAnalytics(sources, listings, () =>
        ClickHouseShadowDatabase.prepare(clickHouse, options, rules.significance),
      )
      // Swapped or half swapped: what is remembered is of other tables.
      return async (progress) => {
        const result = await run(progress).finally(analytics.invalidate)
        await pairPopulated(new IdentifiedPostgres(pool), new ClickHouseStoreIdentity(clickHouse), randomUUID)
        return result
      }
    },
    [
      TYPES.readDocument,
      TYPES.ledger,
      TYPES.companyList,
      TYPES.dataSetRegistry,
      TYPES.dataSets,
      TYPES.sicList,
      TYPES.signalQueue,
      TYPES.listings,
      TYPES.clickHouse,
      TYPES.clickHouseOptions,
      TYPES.analytics,
      TYPES.rules,
      TYPES.alerts,
      TYPES.pool,
    ],
  )
  bind(TYPES.jobRunners).toResolvedValue(
    (rebuilds, companies, backfills, fetchQuarter, sectors, jobs, catchUp): JobRunners => ({
      rebuild: rebuilds,
      companies,
      sectors,
      backfill: async (progress, { quarters }) => {
        const result = await backfills(quarters as string[], fetchQuarter ?? null, progress)
        // The data sets show no SIC.
        await jobs.queueOnce('sectors')
        return result
      },
      ...(catchUp && {
        'catch-up': async (progress, args) => {
          const days = businessDays(String(args.from), String(args.to))
          const found = []
          for (const [index, day] of days.entries()) {
            found.push(await catchUp.day(day))
            progress(index + 1, days.length)
          }
          return { days: found }
        },
      }),
    }),
    [
      TYPES.rebuild,
      TYPES.refreshCompanies,
      TYPES.backfill,
      optional(TYPES.fetchQuarter),
      TYPES.fillSectors,
      TYPES.jobs,
      optional(TYPES.catchUp),
    ],
  )
  bind(TYPES.projectionLoop).toResolvedValue(makeProjectionLoop, [
    TYPES.ledger,
    TYPES.analytics,
    TYPES.projector,
    TYPES.detectSignals,
    TYPES.jobs,
    TYPES.jobRunners,
    TYPES.dataSetRegistry,
  ])
})
