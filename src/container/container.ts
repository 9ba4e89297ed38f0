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
  FetchList,
  FilingSource,
  Ledger,
  ReadDocument,
  SignalQueue,
  SignalStore,
  SourceProgress,
  Wait,
} from '../application/ports/filings.ts'
import type { HistoryStore, SetLedger } from '../application/ports/data-sets.ts'
import type { KeyStore, Watchlists } from '../application/ports/alerts.ts'
import { apiKeys, type ApiKeys } from '../application/commands/api-keys.ts'
import { backfill, type Backfill, type FetchSet } from '../application/data-sets/load-quarters.ts'
import { catchUp, type CatchUp } from '../application/ingestion/follow-daily-index.ts'
import { detectSignals, type DetectSignals } from '../application/projection/project-signals.ts'
import { filledAnalytics, type IsFilled } from '../application/queries/analytics-ready.ts'
import { followEdgar, type FollowEdgar } from '../application/ingestion/follow-live-feed.ts'
import { holdAnalytics, type HoldAnalytics, type JobRunners } from '../application/projection/projection-loop.ts'
import { Listings } from '../application/shared/company-listings.ts'
import type { SetStores } from '../application/data-sets/load-quarter.ts'
import { pairFilled } from '../application/projection/paired-stores.ts'
import { projector, type Projector } from '../application/projection/project-filings.ts'
import { raiseAlerts, type RaiseAlerts } from '../application/alerts/raise-events.ts'
import { rebuild, type Rebuild } from '../application/commands/rebuild-analytics.ts'
import { recordFilings, type RecordFilings } from '../application/commands/record-filings.ts'
import { rememberedAnalytics, type RememberedAnalytics } from '../application/projection/cached-analytics-store.ts'
import { rememberedSignals } from '../application/projection/cached-signal-store.ts'
import { refreshCompanies, type RefreshCompanies } from '../application/ingestion/refresh-company-list.ts'
import { askSectors, type AskSectors } from '../application/sectors/ask-sectors.ts'
import { fillSectors, type FillSectors } from '../application/sectors/fill-sectors.ts'
import type { SicList, SicSource } from '../application/ports/sectors.ts'
import { keyVerifier, type KeyVerifier } from '../application/commands/authenticate-key.ts'
import type { Cik } from '../domain/shared/identifiers.ts'
import { DEFAULT_RULES, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import { openAnalytics } from '../infrastructure/clickhouse/stores/analytics-store.ts'
import type { ClickHouse, ClickHouseOptions } from '../infrastructure/clickhouse/connection/client.ts'
import { openQueries } from '../infrastructure/clickhouse/queries/queries.ts'
import { openHistory } from '../infrastructure/clickhouse/data-sets/data-set-store.ts'
import { prepareReplacement } from '../infrastructure/clickhouse/shadow-database.ts'
import { openSectors } from '../infrastructure/clickhouse/stores/sectors.ts'
import { identifiedAnalytics } from '../infrastructure/clickhouse/stores/store-identity.ts'
import { openSignalStore } from '../infrastructure/clickhouse/stores/signal-store.ts'
import { keepDataSets, type KeptDataSets } from '../infrastructure/edgar/data-sets/archive.ts'
import { openReader } from '../infrastructure/edgar/documents/document-reader.ts'
import { openKeyStore } from '../infrastructure/postgres/alerts/api-keys.ts'
import { openCompanyList } from '../infrastructure/postgres/filings/company-list.ts'
import { openSetLedger } from '../infrastructure/postgres/filings/data-set-registry.ts'
import { openFetchList, openSourceProgress } from '../infrastructure/postgres/filings/fetch-queue.ts'
import { openJobs } from '../infrastructure/postgres/coordination/job-queue.ts'
import { openLedger } from '../infrastructure/postgres/filings/filing-ledger.ts'
import { openSealing, type Sealing } from '../infrastructure/postgres/alerts/secret-box.ts'
import { openSicList } from '../infrastructure/postgres/filings/sic-list.ts'
import { openSignalQueue } from '../infrastructure/postgres/filings/signal-queue.ts'
import { identifiedRecord } from '../infrastructure/postgres/coordination/store-identity.ts'
import { openWatchlists } from '../infrastructure/postgres/alerts/watchlists.ts'
import { secrecy } from '../infrastructure/crypto.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'

export type { Container }

const id = <T>(name: string): ServiceIdentifier<T> => Symbol.for(name)

export const the = {
  pool: id<Pool>('Pool'),
  clickHouse: id<ClickHouse>('ClickHouse'),
  clock: id<Clock>('Clock'),
  readDocument: id<ReadDocument>('ReadDocument'),
  ledger: id<Ledger>('Ledger'),
  companyList: id<CompanyList>('CompanyList'),
  jobs: id<Jobs>('Jobs'),
  analytics: id<RememberedAnalytics>('Analytics'),
  history: id<HistoryStore>('HistoryStore'),
  setLedger: id<SetLedger>('SetLedger'),
  dataSets: id<KeptDataSets>('DataSets'),
  setStores: id<SetStores>('SetStores'),
  fetchSet: id<{ run: FetchSet | null }>('FetchSet'),
  backfill: id<Backfill>('Backfill'),
  signalQueue: id<SignalQueue>('SignalQueue'),
  alerts: id<RaiseAlerts>('RaiseAlerts'),
  detectSignals: id<DetectSignals>('DetectSignals'),
  rules: id<SignalRules>('SignalRules'),
  listings: id<Listings>('Listings'),
  sicList: id<SicList>('SicList'),
  fillSectors: id<FillSectors>('FillSectors'),
  askSectors: id<AskSectors>('AskSectors'),
  queries: id<Queries>('Queries'),
  fetchList: id<FetchList>('FetchList'),
  sourceProgress: id<SourceProgress>('SourceProgress'),
  source: id<FilingSource & SicSource>('FilingSource'),
  wait: id<Wait>('Wait'),
  pollSeconds: id<{ value: number | null }>('PollSeconds'),
  followEdgar: id<FollowEdgar>('FollowEdgar'),
  catchUp: id<CatchUp>('CatchUp'),
  recordFilings: id<RecordFilings>('RecordFilings'),
  projector: id<Projector>('Projector'),
  refreshCompanies: id<RefreshCompanies>('RefreshCompanies'),
  rebuild: id<Rebuild>('Rebuild'),
  jobRunners: id<JobRunners>('JobRunners'),
  holdAnalytics: id<HoldAnalytics>('HoldAnalytics'),
  isFilled: id<IsFilled>('IsFilled'),
  watchlists: id<Watchlists>('Watchlists'),
  sealing: id<Sealing>('Sealing'),
  keyStore: id<KeyStore>('KeyStore'),
  apiKeys: id<ApiKeys>('ApiKeys'),
  keyVerifier: id<KeyVerifier>('KeyVerifier'),
}

/** What needs PostgreSQL alone: recording, the company list, jobs. */
export function ledgerContainer(pool: Pool, clock: Clock = Date.now): Container {
  const container = new Container({ defaultScope: 'Singleton' })
  container.bind(the.pool).toConstantValue(pool)
  container.bind(the.clock).toConstantValue(clock)
  container.bind(the.readDocument).toResolvedValue(() => openReader(), [])
  container.bind(the.ledger).toResolvedValue(openLedger, [the.pool])
  container.bind(the.companyList).toResolvedValue(openCompanyList, [the.pool])
  container.bind(the.jobs).toResolvedValue(openJobs, [the.pool])
  container.bind(the.fetchList).toResolvedValue(openFetchList, [the.pool])
  container.bind(the.sourceProgress).toResolvedValue(openSourceProgress, [the.pool])
  container.bind(the.setLedger).toResolvedValue(openSetLedger, [the.pool])
  container.bind(the.sicList).toResolvedValue(openSicList, [the.pool])
  container.bind(the.signalQueue).toResolvedValue(openSignalQueue, [the.pool])
  container.bind(the.recordFilings).toResolvedValue(recordFilings, [the.readDocument, the.ledger, the.clock])
  return container
}

/** Adds what follows a source; `pollSeconds` null leaves it to EDGAR's hours. */
export function bindSource(container: Container, source: FilingSource & SicSource, pollSeconds: number | null): void {
  container.bind(the.source).toConstantValue(source)
  container.bind(the.wait).toConstantValue(wait)
  container.bind(the.pollSeconds).toConstantValue({ value: pollSeconds })
  container
    .bind(the.followEdgar)
    .toResolvedValue(
      (from, list, progress, record, clock, waits, poll) =>
        followEdgar(from, list, progress, record, clock, waits, poll.value),
      [the.source, the.fetchList, the.sourceProgress, the.recordFilings, the.clock, the.wait, the.pollSeconds],
    )
  container.bind(the.askSectors).toResolvedValue(askSectors, [the.source, the.sicList, the.jobs, the.wait])
  container
    .bind(the.catchUp)
    .toResolvedValue(catchUp, [the.source, the.fetchList, the.sourceProgress, the.clock, the.wait])
}

/** Adds what has to do with API keys, `secretsKey` being 32 bytes, or null where no secret is sealed or opened. `pool`: where callers wait, one with limits for them. */
export function bindKeys(container: Container, secretsKey: Buffer | null, pool: Pool = container.get(the.pool)): void {
  container.bind(the.watchlists).toConstantValue(openWatchlists(pool))
  container.bind(the.sealing).toConstantValue(openSealing(secretsKey))
  container.bind(the.keyStore).toResolvedValue((sealing) => openKeyStore(pool, sealing), [the.sealing])
  container
    .bind(the.apiKeys)
    .toResolvedValue((store, clock) => apiKeys(store, secrecy, clock), [the.keyStore, the.clock])
  container
    .bind(the.keyVerifier)
    .toResolvedValue((store, clock) => keyVerifier(store, secrecy, clock, wait), [the.keyStore, the.clock])
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
    .bind(the.history)
    .toResolvedValue((store, rules) => openHistory(store.forBulk, rules.significance), [the.clickHouse, the.rules])
  container.bind(the.dataSets).toConstantValue(keepDataSets(historyDir))
  container.bind(the.fetchSet).toConstantValue({ run: null })
  container.bind(the.setStores).toResolvedValue(
    (history, analytics, sets, listings, ledger, project, rules): SetStores => ({
      // What the engine writes by itself is not remembered.
      history: { ...history, write: (version, advance) => history.write(version, advance).finally(analytics.forget) },
      analytics,
      sets,
      listings,
      floors: rules.significance,
      nextVersion: ledger.nextVersion,
      judgeAgain: project.judgeAgain,
    }),
    [the.history, the.analytics, the.setLedger, the.listings, the.ledger, the.projector, the.rules],
  )
  container
    .bind(the.backfill)
    .toResolvedValue(
      (stores, dataSets, clock, project) => backfill(stores, dataSets, clock, () => project.projectPending()),
      [the.setStores, the.dataSets, the.clock, the.projector],
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
  container.bind(the.clickHouse).toConstantValue(store)
  container.bind(the.analytics).toResolvedValue((store) => rememberedAnalytics(openAnalytics(store)), [the.clickHouse])
  container
    .bind(the.queries)
    .toResolvedValue((store, clock) => openQueries(store.forCallers, clock), [the.clickHouse, the.clock])
  container
    .bind(the.isFilled)
    .toResolvedValue(
      (store, ledger, sets) => filledAnalytics(openAnalytics(store.forCallers), ledger, sets),
      [the.clickHouse, the.ledger, the.setLedger],
    )
  container.bind(the.listings).toConstantValue(new Listings())
  container.bind(the.rules).toConstantValue(options.rules ?? DEFAULT_RULES)
  container
    .bind(the.alerts)
    .toResolvedValue(
      (analytics, listings, clock) =>
        raiseAlerts(openWatchlists(pool), analytics, listings, clock, options.alertWindowHours),
      [the.analytics, the.listings, the.clock],
    )
  container.bind(the.projector).toResolvedValue(
    (read, ledger, analytics, listings, rules, alerts, sics, jobs) => {
      const withoutSic = async (issuers: Cik[]) => {
        if (await sics.lacks(issuers)) await jobs.queueOnce('sectors')
      }
      return projector(read, ledger, analytics, listings, rules.significance, alerts, withoutSic)
    },
    [the.readDocument, the.ledger, the.analytics, the.listings, the.rules, the.alerts, the.sicList, the.jobs],
  )
  container
    .bind(the.fillSectors)
    .toResolvedValue(
      (sics, clickHouse, ledger) => fillSectors(sics, openSectors(clickHouse), ledger.nextVersion),
      [the.sicList, the.clickHouse, the.ledger],
    )
  container
    .bind(the.refreshCompanies)
    .toResolvedValue(refreshCompanies, [
      the.companyList,
      the.analytics,
      the.projector,
      the.listings,
      the.signalQueue,
      the.ledger,
    ])
  container.bind(the.detectSignals).toResolvedValue(
    (clickHouse, queue, ledger, analytics, rules, alerts): DetectSignals => {
      const signals = rememberedSignals(openSignalStore(clickHouse), analytics)
      return detectSignals(signals, queue, rules, ledger.nextVersion, alerts)
    },
    [the.clickHouse, the.signalQueue, the.ledger, the.analytics, the.rules, the.alerts],
  )
  bindHistory(container, options.historyDir)
  container.bind(the.rebuild).toResolvedValue(
    (read, ledger, list, sets, dataSets, sics, queue, listings, clickHouse, analytics, rules, alerts): Rebuild => {
      const detect = (target: SignalStore) => detectSignals(target, queue, rules, ledger.nextVersion, alerts)
      const sources = { read, ledger, list, sets, dataSets, sics, detect, queue, floors: rules.significance }
      const run = rebuild(sources, listings, () => prepareReplacement(clickHouse, options, rules.significance))
      // Swapped or half swapped: what is remembered is of other tables.
      return async (progress) => {
        const result = await run(progress).finally(analytics.forget)
        await pairFilled(identifiedRecord(pool), identifiedAnalytics(clickHouse), randomUUID)
        return result
      }
    },
    [
      the.readDocument,
      the.ledger,
      the.companyList,
      the.setLedger,
      the.dataSets,
      the.sicList,
      the.signalQueue,
      the.listings,
      the.clickHouse,
      the.analytics,
      the.rules,
      the.alerts,
    ],
  )
  container.bind(the.jobRunners).toResolvedValue(
    (rebuilds, companies, backfills, fetchSet, sectors, jobs): JobRunners => ({
      rebuild: rebuilds,
      companies,
      sectors,
      backfill: async (progress, { quarters }) => {
        const result = await backfills(quarters as string[], fetchSet.run, progress)
        // The data sets show no SIC.
        await jobs.queueOnce('sectors')
        return result
      },
    }),
    [the.rebuild, the.refreshCompanies, the.backfill, the.fetchSet, the.fillSectors, the.jobs],
  )
  container
    .bind(the.holdAnalytics)
    .toResolvedValue(holdAnalytics, [
      the.ledger,
      the.analytics,
      the.projector,
      the.detectSignals,
      the.jobs,
      the.jobRunners,
      the.setLedger,
    ])
  return container
}
