// The only file that knows Inversify: what stands behind each port. Everything is made once.
import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Container, type ServiceIdentifier } from 'inversify'
import type { Queries } from '../application/queries/queries.ts'
import type { Jobs } from '../application/ports/jobs.ts'
import type {
  Clock,
  CompanyList,
  FetchQueue,
  FilingSource,
  FilingLedger,
  ReadDocument,
  SignalQueue,
  SignalStore,
  SourceProgress,
  Wait,
} from '../application/ports/filings.ts'
import type { DataSetStore, DataSetRegistry } from '../application/ports/data-sets.ts'
import type { KeyStore, Watchlists } from '../application/ports/alerts.ts'
import { makeApiKeys, type ApiKeys } from '../application/commands/api-keys.ts'
import { makeLoadQuarters, type LoadQuarters, type FetchQuarter } from '../application/data-sets/load-quarters.ts'
import { makeCatchUp, type CatchUp } from '../application/ingestion/follow-daily-index.ts'
import { makeProjectSignals, type ProjectSignals } from '../application/projection/project-signals.ts'
import { makeIsPopulated, type IsPopulated } from '../application/queries/analytics-ready.ts'
import { makeFollowEdgar, type FollowEdgar } from '../application/ingestion/follow-live-feed.ts'
import { makeProjectionLoop, type ProjectionLoop, type JobRunners } from '../application/projection/projection-loop.ts'
import { CompanyListings } from '../application/shared/company-listings.ts'
import type { DataSetContext } from '../application/data-sets/load-quarter.ts'
import { pairPopulated } from '../application/projection/paired-stores.ts'
import { makeProjector, type Projector } from '../application/projection/project-filings.ts'
import { makeRaiseEvents, type RaiseEvents } from '../application/alerts/raise-events.ts'
import { makeRebuildAnalytics, type RebuildAnalytics } from '../application/commands/rebuild-analytics.ts'
import { makeRecordFilings, type RecordFilings } from '../application/commands/record-filings.ts'
import {
  makeCachedAnalyticsStore,
  type CachedAnalyticsStore,
} from '../application/projection/cached-analytics-store.ts'
import { makeCachedSignalStore } from '../application/projection/cached-signal-store.ts'
import { makeRefreshCompanies, type RefreshCompanies } from '../application/ingestion/refresh-company-list.ts'
import { makeFetchSectors, type FetchSectors } from '../application/sectors/fetch-sectors.ts'
import { makeFillSectors, type FillSectors } from '../application/sectors/fill-sectors.ts'
import type { SicList, SicSource } from '../application/ports/sectors.ts'
import { makeKeyVerifier, type KeyVerifier } from '../application/commands/authenticate-key.ts'
import type { Cik } from '../domain/shared/identifiers.ts'
import { DEFAULT_RULES, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import { openAnalyticsStore } from '../infrastructure/clickhouse/stores/analytics-store.ts'
import type { ClickHouse, ClickHouseOptions } from '../infrastructure/clickhouse/connection/client.ts'
import { openQueries } from '../infrastructure/clickhouse/queries/queries.ts'
import { openDataSetStore } from '../infrastructure/clickhouse/data-sets/data-set-store.ts'
import { prepareShadowDatabase } from '../infrastructure/clickhouse/shadow-database.ts'
import { openSectors } from '../infrastructure/clickhouse/stores/sectors.ts'
import { identifiedAnalytics } from '../infrastructure/clickhouse/stores/store-identity.ts'
import { openSignalStore } from '../infrastructure/clickhouse/stores/signal-store.ts'
import { keepDataSets, type KeptDataSets } from '../infrastructure/edgar/data-sets/archive.ts'
import { openDocumentReader } from '../infrastructure/edgar/documents/document-reader.ts'
import { openKeyStore } from '../infrastructure/postgres/alerts/api-keys.ts'
import { openCompanyList } from '../infrastructure/postgres/filings/company-list.ts'
import { openDataSetRegistry } from '../infrastructure/postgres/filings/data-set-registry.ts'
import { openFetchQueue, openSourceProgress } from '../infrastructure/postgres/filings/fetch-queue.ts'
import { openJobs } from '../infrastructure/postgres/coordination/job-queue.ts'
import { openFilingLedger } from '../infrastructure/postgres/filings/filing-ledger.ts'
import { openSecretBox, type SecretBox } from '../infrastructure/postgres/alerts/secret-box.ts'
import { openSicList } from '../infrastructure/postgres/filings/sic-list.ts'
import { openSignalQueue } from '../infrastructure/postgres/filings/signal-queue.ts'
import { identifiedRecord } from '../infrastructure/postgres/coordination/store-identity.ts'
import { openWatchlists } from '../infrastructure/postgres/alerts/watchlists.ts'
import { nodeCrypto } from '../infrastructure/crypto.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'

export type { Container }

const id = <T>(name: string): ServiceIdentifier<T> => Symbol.for(name)

export const TYPES = {
  pool: id<Pool>('Pool'),
  clickHouse: id<ClickHouse>('ClickHouse'),
  clock: id<Clock>('Clock'),
  readDocument: id<ReadDocument>('ReadDocument'),
  ledger: id<FilingLedger>('Ledger'),
  companyList: id<CompanyList>('CompanyList'),
  jobs: id<Jobs>('Jobs'),
  analytics: id<CachedAnalyticsStore>('Analytics'),
  history: id<DataSetStore>('HistoryStore'),
  dataSetRegistry: id<DataSetRegistry>('SetLedger'),
  dataSets: id<KeptDataSets>('DataSets'),
  dataSetContext: id<DataSetContext>('SetStores'),
  fetchQuarter: id<{ run: FetchQuarter | null }>('FetchSet'),
  backfill: id<LoadQuarters>('Backfill'),
  signalQueue: id<SignalQueue>('SignalQueue'),
  alerts: id<RaiseEvents>('RaiseAlerts'),
  detectSignals: id<ProjectSignals>('DetectSignals'),
  rules: id<SignalRules>('SignalRules'),
  listings: id<CompanyListings>('Listings'),
  sicList: id<SicList>('SicList'),
  fillSectors: id<FillSectors>('FillSectors'),
  fetchSectors: id<FetchSectors>('AskSectors'),
  queries: id<Queries>('Queries'),
  fetchQueue: id<FetchQueue>('FetchList'),
  sourceProgress: id<SourceProgress>('SourceProgress'),
  source: id<FilingSource & SicSource>('FilingSource'),
  wait: id<Wait>('Wait'),
  pollSeconds: id<{ value: number | null }>('PollSeconds'),
  followEdgar: id<FollowEdgar>('FollowEdgar'),
  catchUp: id<CatchUp>('CatchUp'),
  recordFilings: id<RecordFilings>('RecordFilings'),
  projector: id<Projector>('Projector'),
  refreshCompanies: id<RefreshCompanies>('RefreshCompanies'),
  rebuild: id<RebuildAnalytics>('Rebuild'),
  jobRunners: id<JobRunners>('JobRunners'),
  projectionLoop: id<ProjectionLoop>('HoldAnalytics'),
  isPopulated: id<IsPopulated>('IsFilled'),
  watchlists: id<Watchlists>('Watchlists'),
  secretBox: id<SecretBox>('Sealing'),
  keyStore: id<KeyStore>('KeyStore'),
  apiKeys: id<ApiKeys>('ApiKeys'),
  keyVerifier: id<KeyVerifier>('KeyVerifier'),
}

/** What needs PostgreSQL alone: recording, the company list, jobs. */
export function ledgerContainer(pool: Pool, clock: Clock = Date.now): Container {
  const container = new Container({ defaultScope: 'Singleton' })
  container.bind(TYPES.pool).toConstantValue(pool)
  container.bind(TYPES.clock).toConstantValue(clock)
  container.bind(TYPES.readDocument).toResolvedValue(() => openDocumentReader(), [])
  container.bind(TYPES.ledger).toResolvedValue(openFilingLedger, [TYPES.pool])
  container.bind(TYPES.companyList).toResolvedValue(openCompanyList, [TYPES.pool])
  container.bind(TYPES.jobs).toResolvedValue(openJobs, [TYPES.pool])
  container.bind(TYPES.fetchQueue).toResolvedValue(openFetchQueue, [TYPES.pool])
  container.bind(TYPES.sourceProgress).toResolvedValue(openSourceProgress, [TYPES.pool])
  container.bind(TYPES.dataSetRegistry).toResolvedValue(openDataSetRegistry, [TYPES.pool])
  container.bind(TYPES.sicList).toResolvedValue(openSicList, [TYPES.pool])
  container.bind(TYPES.signalQueue).toResolvedValue(openSignalQueue, [TYPES.pool])
  container
    .bind(TYPES.recordFilings)
    .toResolvedValue(makeRecordFilings, [TYPES.readDocument, TYPES.ledger, TYPES.clock])
  return container
}

/** Adds what follows a source; `pollSeconds` null leaves it to EDGAR's hours. */
export function bindSource(container: Container, source: FilingSource & SicSource, pollSeconds: number | null): void {
  container.bind(TYPES.source).toConstantValue(source)
  container.bind(TYPES.wait).toConstantValue(wait)
  container.bind(TYPES.pollSeconds).toConstantValue({ value: pollSeconds })
  container
    .bind(TYPES.followEdgar)
    .toResolvedValue(
      (from, list, progress, record, clock, waits, poll) =>
        makeFollowEdgar(from, list, progress, record, clock, waits, poll.value),
      [
        TYPES.source,
        TYPES.fetchQueue,
        TYPES.sourceProgress,
        TYPES.recordFilings,
        TYPES.clock,
        TYPES.wait,
        TYPES.pollSeconds,
      ],
    )
  container
    .bind(TYPES.fetchSectors)
    .toResolvedValue(makeFetchSectors, [TYPES.source, TYPES.sicList, TYPES.jobs, TYPES.wait])
  container
    .bind(TYPES.catchUp)
    .toResolvedValue(makeCatchUp, [TYPES.source, TYPES.fetchQueue, TYPES.sourceProgress, TYPES.clock, TYPES.wait])
}

/** Adds what has to do with API keys, `secretsKey` being 32 bytes, or null where no secret is sealed or opened. `pool`: where callers wait, one with limits for them. */
export function bindKeys(
  container: Container,
  secretsKey: Buffer | null,
  pool: Pool = container.get(TYPES.pool),
): void {
  container.bind(TYPES.watchlists).toConstantValue(openWatchlists(pool))
  container.bind(TYPES.secretBox).toConstantValue(openSecretBox(secretsKey))
  container.bind(TYPES.keyStore).toResolvedValue((secretBox) => openKeyStore(pool, secretBox), [TYPES.secretBox])
  container
    .bind(TYPES.apiKeys)
    .toResolvedValue((store, clock) => makeApiKeys(store, nodeCrypto, clock), [TYPES.keyStore, TYPES.clock])
  container
    .bind(TYPES.keyVerifier)
    .toResolvedValue((store, clock) => makeKeyVerifier(store, nodeCrypto, clock, wait), [TYPES.keyStore, TYPES.clock])
}

const wait: Wait = (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }).catch(() => {})

/** Where ClickHouse is, and where the quarters of the data sets are kept. */
export interface StoreOptions extends ClickHouseOptions {
  historyDir: string
  /** The defaults where there are none. */
  rules?: SignalRules
  /** Older filings raise no alert; 72 where nothing is said. */
  alertWindowHours?: number
}

function bindHistory(container: Container, historyDir: string): void {
  container
    .bind(TYPES.history)
    .toResolvedValue(
      (store, rules) => openDataSetStore(store.forBulk, rules.significance),
      [TYPES.clickHouse, TYPES.rules],
    )
  container.bind(TYPES.dataSets).toConstantValue(keepDataSets(historyDir))
  container.bind(TYPES.fetchQuarter).toConstantValue({ run: null })
  container.bind(TYPES.dataSetContext).toResolvedValue(
    (history, analytics, sets, listings, ledger, project, rules): DataSetContext => ({
      // What the engine writes by itself is not remembered.
      history: {
        ...history,
        write: (version, advance) => history.write(version, advance).finally(analytics.invalidate),
      },
      analytics,
      sets,
      listings,
      floors: rules.significance,
      nextVersion: ledger.nextVersion,
      reconcileIssuers: project.reconcileIssuers,
    }),
    [TYPES.history, TYPES.analytics, TYPES.dataSetRegistry, TYPES.listings, TYPES.ledger, TYPES.projector, TYPES.rules],
  )
  container
    .bind(TYPES.backfill)
    .toResolvedValue(
      (stores, dataSets, clock, project) => makeLoadQuarters(stores, dataSets, clock, () => project.projectPending()),
      [TYPES.dataSetContext, TYPES.dataSets, TYPES.clock, TYPES.projector],
    )
}

/** All of it: with ClickHouse come the queries and the projection. */
export function fullContainer(
  pool: Pool,
  store: ClickHouse,
  options: StoreOptions,
  clock: Clock = Date.now,
): Container {
  const container = ledgerContainer(pool, clock)
  container.bind(TYPES.clickHouse).toConstantValue(store)
  container
    .bind(TYPES.analytics)
    .toResolvedValue((store) => makeCachedAnalyticsStore(openAnalyticsStore(store)), [TYPES.clickHouse])
  container
    .bind(TYPES.queries)
    .toResolvedValue((store, clock) => openQueries(store.forCallers, clock), [TYPES.clickHouse, TYPES.clock])
  container
    .bind(TYPES.isPopulated)
    .toResolvedValue(
      (store, ledger, sets) => makeIsPopulated(openAnalyticsStore(store.forCallers), ledger, sets),
      [TYPES.clickHouse, TYPES.ledger, TYPES.dataSetRegistry],
    )
  container.bind(TYPES.listings).toConstantValue(new CompanyListings())
  container.bind(TYPES.rules).toConstantValue(options.rules ?? DEFAULT_RULES)
  container
    .bind(TYPES.alerts)
    .toResolvedValue(
      (analytics, listings, clock) =>
        makeRaiseEvents(openWatchlists(pool), analytics, listings, clock, options.alertWindowHours),
      [TYPES.analytics, TYPES.listings, TYPES.clock],
    )
  container.bind(TYPES.projector).toResolvedValue(
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
  container
    .bind(TYPES.fillSectors)
    .toResolvedValue(
      (sics, clickHouse, ledger) => makeFillSectors(sics, openSectors(clickHouse), ledger.nextVersion),
      [TYPES.sicList, TYPES.clickHouse, TYPES.ledger],
    )
  container
    .bind(TYPES.refreshCompanies)
    .toResolvedValue(makeRefreshCompanies, [
      TYPES.companyList,
      TYPES.analytics,
      TYPES.projector,
      TYPES.listings,
      TYPES.signalQueue,
      TYPES.ledger,
    ])
  container.bind(TYPES.detectSignals).toResolvedValue(
    (clickHouse, queue, ledger, analytics, rules, alerts): ProjectSignals => {
      const signals = makeCachedSignalStore(openSignalStore(clickHouse), analytics)
      return makeProjectSignals(signals, queue, rules, ledger.nextVersion, alerts)
    },
    [TYPES.clickHouse, TYPES.signalQueue, TYPES.ledger, TYPES.analytics, TYPES.rules, TYPES.alerts],
  )
  bindHistory(container, options.historyDir)
  container.bind(TYPES.rebuild).toResolvedValue(
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
      analytics,
      rules,
      alerts,
    ): RebuildAnalytics => {
      const detect = (target: SignalStore) => makeProjectSignals(target, queue, rules, ledger.nextVersion, alerts)
      const sources = { read, ledger, list, sets, dataSets, sics, detect, queue, floors: rules.significance }
      const run = makeRebuildAnalytics(sources, listings, () =>
        prepareShadowDatabase(clickHouse, options, rules.significance),
      )
      // Swapped or half swapped: what is remembered is of other tables.
      return async (progress) => {
        const result = await run(progress).finally(analytics.invalidate)
        await pairPopulated(identifiedRecord(pool), identifiedAnalytics(clickHouse), randomUUID)
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
      TYPES.analytics,
      TYPES.rules,
      TYPES.alerts,
    ],
  )
  container.bind(TYPES.jobRunners).toResolvedValue(
    (rebuilds, companies, backfills, fetchQuarter, sectors, jobs): JobRunners => ({
      rebuild: rebuilds,
      companies,
      sectors,
      backfill: async (progress, { quarters }) => {
        const result = await backfills(quarters as string[], fetchQuarter.run, progress)
        // The data sets show no SIC.
        await jobs.queueOnce('sectors')
        return result
      },
    }),
    [TYPES.rebuild, TYPES.refreshCompanies, TYPES.backfill, TYPES.fetchQuarter, TYPES.fillSectors, TYPES.jobs],
  )
  container
    .bind(TYPES.projectionLoop)
    .toResolvedValue(makeProjectionLoop, [
      TYPES.ledger,
      TYPES.analytics,
      TYPES.projector,
      TYPES.detectSignals,
      TYPES.jobs,
      TYPES.jobRunners,
      TYPES.dataSetRegistry,
    ])
  return container
}
