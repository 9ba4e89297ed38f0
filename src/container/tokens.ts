// The tokens that Inversify resolves by, each with the type of its service.
import type { ServiceIdentifier } from 'inversify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { RequestedSends, SendOnRequest } from '../application/commands/send-on-request.ts'
import type { Workers } from '../infrastructure/workers/workers.ts'
import type { AlertRules } from '../application/commands/alert-rules.ts'
import type { Watchlist } from '../application/commands/watchlist.ts'
import type { FindMatches } from '../application/queries/alert-matches.ts'
import type { Health } from '../infrastructure/http/controllers/health.ts'
import type { HttpService } from '../infrastructure/http/server.ts'
import type { LeaderLock } from '../infrastructure/postgres/coordination/leader-lock.ts'
import type { Redis } from '../infrastructure/redis/client.ts'
import type { AddressGuard } from '../infrastructure/webhooks/address-guard.ts'
import type { HttpWebhookSender } from '../infrastructure/webhooks/sender.ts'
import type { ApiKeys } from '../application/commands/api-keys.ts'
import type { KeyVerifier } from '../application/commands/authenticate-key.ts'
import type { RebuildAnalytics, ShadowDatabase } from '../application/commands/rebuild-analytics.ts'
import type { RecordFilings } from '../application/commands/record-filings.ts'
import type { ExportMaker } from '../application/exports/make-exports.ts'
import type { ChangeTracker } from '../application/changes/change-tracker.ts'
import type { ChangeStreams } from '../application/changes/change-streams.ts'
import type { IssuersToResync } from '../application/changes/issuers-to-resync.ts'
import type { ChangeLog } from '../application/ports/changes.ts'
import type { ChangeFollower } from '../infrastructure/postgres/changes/change-follower.ts'
import type { DeliveryLoops } from '../application/alerts/delivery-loops.ts'
import type { DeliveryReport, DeliverySettings, DeliveryWorker } from '../application/alerts/delivery-worker.ts'
import type { OutboxRelay, RelaySettings } from '../application/alerts/relay-outbox.ts'
import type { Decrypt } from '../infrastructure/postgres/alerts/deliveries.ts'
import type { PostgresDeliveryCommands } from '../infrastructure/postgres/alerts/delivery-commands.ts'
import type { Listener } from '../infrastructure/postgres/coordination/notifications.ts'
import type { DeliveryStreamOptions } from '../infrastructure/redis/delivery-stream.ts'
import type { RaiseEvents, RaiseNotices } from '../application/alerts/raise-events.ts'
import type { WebhookBody } from '../application/alerts/webhook-body.ts'
import type { DataSetContext } from '../application/data-sets/load-history.ts'
import type { FetchQuarter, LoadQuarters } from '../application/data-sets/load-quarters.ts'
import type { CatchUp } from '../application/ingestion/follow-daily-index.ts'
import type { FollowEdgar } from '../application/ingestion/follow-live-feed.ts'
import type { RefreshCompanies } from '../application/ingestion/refresh-company-list.ts'
import type {
  AlertRuleStore,
  ActiveAlertsStore,
  Deliveries,
  DeliveryStream,
  KeyStore,
  Watchlists,
} from '../application/ports/alerts.ts'
import type { DataSetRegistry, DataSetStore } from '../application/ports/data-sets.ts'
import type {
  CompanyList,
  FetchQueue,
  FilingLedger,
  FilingRecords,
  ReadDocument,
  SourceProgress,
  Withdrawals,
} from '../application/ports/filings.ts'
import type { ProjectNotices } from '../application/notices/project-notices.ts'
import type { NoticeLedger, NoticeQueue, NoticeStore } from '../application/ports/notices.ts'
import type { JobQueue } from '../application/ports/jobs.ts'
import type { ExportRecord, ExportSource } from '../application/ports/exports.ts'
import type { ExportFiles } from '../infrastructure/exports/folder.ts'
import type { PriceLedger, PriceStore } from '../application/ports/prices.ts'
import type { SectorStore, SicList } from '../application/ports/sectors.ts'
import type { LoadPrices } from '../application/prices/load-prices.ts'
import type { IdentifiedStore } from '../application/projection/paired-stores.ts'
import type { TrackedAnalyticsStore } from '../application/projection/tracked-analytics-store.ts'
import type { Projector } from '../application/projection/project-filings.ts'
import type { ProjectSignals } from '../application/projection/project-signals.ts'
import type { JobRunners, ProjectionLoop } from '../application/projection/projection-loop.ts'
import type { IsPopulated } from '../application/queries/analytics-ready.ts'
import type { ChangeQueries } from '../application/queries/change-queries.ts'
import type { ExportQueries } from '../application/queries/export-queries.ts'
import type { KeyQueries } from '../application/queries/key-queries.ts'
import type { Queries } from '../application/queries/queries.ts'
import type { StatusQueries } from '../application/queries/service-status.ts'
import type { FetchSectors } from '../application/sectors/fetch-sectors.ts'
import type { FillSectors, QueueSectors } from '../application/sectors/fill-sectors.ts'
import type { PartyLocks } from '../application/shared/locks.ts'
import type { CompanyListings } from '../application/shared/company-listings.ts'
import type { SignalRules } from '../domain/signals/rule-thresholds.ts'
import type { SignificanceFloors } from '../domain/trades/significance.ts'
import type { ClickHouse, ClickHouseOptions } from '../infrastructure/clickhouse/connection/client.ts'
import type { ClickHouseQueries } from '../infrastructure/clickhouse/queries/queries.ts'
import type { EdgarSource } from '../infrastructure/edgar/client/client.ts'
import type { DataSetArchive } from '../infrastructure/edgar/data-sets/archive.ts'
import type { SecretBox } from '../infrastructure/postgres/alerts/secret-box.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'
import type { PostgresOperatorQueries } from '../infrastructure/postgres/queries/operator-queries.ts'
import type { Compute } from '../application/ports/computations.ts'
import type { Clock, Crypto, Monotonic, Traced, Wait } from '../application/ports/system.ts'
import type { AnalyticsStore, SignalQueue, SignalStore } from '../application/ports/analytics.ts'

/** The addresses besides public https ones that may receive webhooks, and the version in the User-Agent. */
export interface WebhookSettings {
  allowHttp: boolean
  allowHosts: string[]
  version: string
}

/** Receives the events of delivery for the log and the metrics. */
export interface DeliveryEvents extends DeliveryReport {
  /** The webhook secret of this key can't be decrypted. */
  undecryptable(keyId: string, error: Error): void
  streamError(error: Error): void
  streamRepaired(what: string): void
  /** Entries were deleted from the stream while a worker processed them. */
  streamLost(entries: number): void
}

/** Other timings than those of the service, for tests. */
export interface DeliveryTimings {
  worker?: DeliverySettings
  relay?: RelaySettings
  stream?: Pick<DeliveryStreamOptions, 'name' | 'answerWithin'>
}

const id = <T>(name: string): ServiceIdentifier<T> => Symbol.for(name)

export const TYPES = {
  // Values that the process provides.
  pool: id<Pool>('Pool'),
  /** Pool with the time limits of requests; the same as `pool` in a process that serves none. */
  callersPool: id<Pool>('CallersPool'),
  /** All pools of the process, to close them together. */
  pools: id<Record<string, Pool>>('Pools'),
  /** Pool of the delivery loops. */
  deliveryPool: id<Pool>('DeliveryPool'),
  /** For dedicated connections, such as those that listen for notifications. */
  databaseUrl: id<string>('DatabaseUrl'),
  redis: id<Redis>('Redis'),
  /** Held by the process that may write to ClickHouse. */
  analyticsLock: id<LeaderLock>('AnalyticsLock'),
  log: id<Logger>('Logger'),
  registry: id<Registry>('MetricsRegistry'),
  webhookSettings: id<WebhookSettings>('WebhookSettings'),
  clickHouse: id<ClickHouse>('ClickHouse'),
  clickHouseOptions: id<ClickHouseOptions>('ClickHouseOptions'),
  edgar: id<EdgarSource>('EdgarClient'),
  clock: id<Clock>('Clock'),
  monotonic: id<Monotonic>('Monotonic'),
  wait: id<Wait>('Wait'),
  traced: id<Traced>('Traced'),
  /** Returns a unique id. */
  newId: id<() => string>('NewId'),
  /** Returns a number from 0 to 1. */
  random: id<() => number>('Random'),
  rules: id<SignalRules>('SignalRules'),
  /** The threads, unless the process was given another way to compute. */
  workers: id<Workers>('Workers'),
  compute: id<Compute>('Compute'),
  floors: id<SignificanceFloors>('SignificanceFloors'),
  historyDir: id<string>('HistoryDir'),
  exportsDir: id<string>('ExportsDir'),
  /** Null to poll by EDGAR's hours. */
  pollSeconds: id<number | null>('PollSeconds'),
  /** Filings older than this raise no alert. Undefined for the default. */
  alertWindowHours: id<number | undefined>('AlertWindowHours'),
  /** 32 bytes; null for a process that encrypts and decrypts no secrets. */
  secretsKey: id<Buffer | null>('SecretsKey'),

  changes: id<ChangeTracker>('ChangeTracker'),
  changeFollower: id<ChangeFollower>('ChangeFollower'),
  /** Returns whether this process knows the changes that other processes have made. */
  isUpToDate: id<() => boolean>('IsUpToDate'),
  changeLog: id<ChangeLog>('ChangeLog'),
  toResync: id<IssuersToResync>('IssuersToResync'),

  // The ledger: see ledger.module.ts.
  ledger: id<FilingLedger>('FilingLedger'),
  noticeLedger: id<NoticeLedger & NoticeQueue>('NoticeLedger'),
  noticeStore: id<NoticeStore>('NoticeStore'),
  projectNotices: id<ProjectNotices>('ProjectNotices'),
  /** Queries of single filings, with the time limits of requests. */
  filingRecords: id<FilingRecords>('FilingRecords'),
  jobs: id<JobQueue>('Jobs'),
  signalQueue: id<SignalQueue>('SignalQueue'),
  /** Returns a number higher than any before, for rows that replace others. */
  nextVersion: id<FilingLedger['nextVersion']>('NextVersion'),
  recordIdentity: id<IdentifiedStore>('RecordIdentity'),
  companyList: id<CompanyList>('CompanyList'),
  sicList: id<SicList>('SicList'),
  priceLedger: id<PriceLedger>('PriceLedger'),

  // Analytics: see analytics.module.ts.
  analytics: id<TrackedAnalyticsStore>('TrackedAnalyticsStore'),
  analyticsIdentity: id<IdentifiedStore>('AnalyticsIdentity'),
  signalStore: id<SignalStore>('SignalStore'),
  sectorStore: id<SectorStore>('SectorStore'),
  priceStore: id<PriceStore>('PriceStore'),
  openShadow: id<() => Promise<ShadowDatabase>>('OpenShadow'),
  analyticsQueries: id<ClickHouseQueries>('AnalyticsQueries'),
  queries: id<Queries>('Queries'),
  isPopulated: id<IsPopulated>('IsPopulated'),
  listings: id<CompanyListings>('CompanyListings'),
  locks: id<PartyLocks>('PartyLocks'),
  projector: id<Projector>('Projector'),
  detectSignals: id<ProjectSignals>('ProjectSignals'),
  loadPrices: id<LoadPrices>('LoadPrices'),
  refreshCompanies: id<RefreshCompanies>('RefreshCompanies'),
  queueSectors: id<QueueSectors>('QueueSectors'),
  fillSectors: id<FillSectors>('FillSectors'),
  rebuild: id<RebuildAnalytics>('RebuildAnalytics'),
  jobRunners: id<JobRunners>('JobRunners'),
  projectionLoop: id<ProjectionLoop>('ProjectionLoop'),

  // Ingestion: see ingestion.module.ts.
  readDocument: id<ReadDocument>('ReadDocument'),
  recordFilings: id<RecordFilings>('RecordFilings'),
  /** Only where ClickHouse is connected. */
  fetchQueue: id<FetchQueue>('FetchQueue'),
  sourceProgress: id<SourceProgress>('SourceProgress'),
  followEdgar: id<FollowEdgar>('FollowEdgar'),
  catchUp: id<CatchUp>('CatchUp'),
  fetchSectors: id<FetchSectors>('FetchSectors'),
  fetchQuarter: id<FetchQuarter>('FetchQuarter'),

  // Data sets: see data-sets.module.ts.
  dataSetRegistry: id<DataSetRegistry>('DataSetRegistry'),
  dataSetStore: id<DataSetStore>('DataSetStore'),
  dataSets: id<DataSetArchive>('DataSetArchive'),
  bulkAnalytics: id<AnalyticsStore>('BulkAnalyticsStore'),
  bulkSignals: id<SignalStore>('BulkSignalStore'),
  withdrawals: id<Withdrawals>('Withdrawals'),
  dataSetContext: id<DataSetContext>('DataSetContext'),
  /** Projects new filings and detects their signals, between two month files of a run. */
  projectNewFilings: id<() => Promise<void>>('ProjectNewFilings'),
  loadQuarters: id<LoadQuarters>('LoadQuarters'),
  backfill: id<LoadQuarters>('Backfill'),

  // Month files: see exports.module.ts.
  exportFolder: id<ExportFiles>('ExportFolder'),
  exportRecord: id<ExportRecord>('ExportRecord'),
  exportSource: id<ExportSource>('ExportSource'),
  makeExports: id<ExportMaker>('ExportMaker'),

  // Alerts and the keys they are for: see alerts.module.ts.
  watchlists: id<Watchlists>('Watchlists'),
  /** Queried in the transaction that raises events, so without the time limits of requests. */
  presentSectors: id<Queries['sectors']>('PresentSectors'),
  activeAlerts: id<ActiveAlertsStore>('ActiveAlertsStore'),
  alertRuleStore: id<AlertRuleStore>('AlertRuleStore'),
  alerts: id<RaiseEvents & RaiseNotices>('RaiseEvents'),
  /** The address under which readers reach the dashboard; null if none is set. */
  publicUrl: id<string | null>('PublicUrl'),
  webhookBody: id<WebhookBody>('WebhookBody'),
  secretBox: id<SecretBox>('SecretBox'),
  keyStore: id<KeyStore>('KeyStore'),
  crypto: id<Crypto>('Crypto'),
  apiKeys: id<ApiKeys>('ApiKeys'),
  operatorQueries: id<PostgresOperatorQueries>('OperatorQueries'),
  deliveryCommands: id<PostgresDeliveryCommands>('DeliveryCommands'),
  requestedSends: id<RequestedSends>('RequestedSends'),
  keyVerifier: id<KeyVerifier>('KeyVerifier'),
  addressGuard: id<AddressGuard>('AddressGuard'),
  sender: id<HttpWebhookSender>('WebhookSender'),

  // Delivery of webhooks: see delivery.module.ts.
  decrypt: id<Decrypt>('Decrypt'),
  deliveryReport: id<DeliveryEvents>('DeliveryReport'),
  deliveryTimings: id<DeliveryTimings>('DeliveryTimings'),
  deliveries: id<Deliveries>('Deliveries'),
  deliveryStream: id<DeliveryStream>('DeliveryStream'),
  deliveryWakeUps: id<Listener>('DeliveryWakeUps'),
  deliveryWorker: id<DeliveryWorker>('DeliveryWorker'),
  outboxRelay: id<OutboxRelay>('OutboxRelay'),
  deliveryLoops: id<DeliveryLoops>('DeliveryLoops'),

  // HTTP: see http.module.ts.
  servedQueries: id<Queries>('ServedQueries'),
  changeQueries: id<ChangeQueries>('ChangeQueries'),
  exportQueries: id<ExportQueries>('ExportQueries'),
  streams: id<ChangeStreams>('ChangeStreams'),
  statusQueries: id<StatusQueries>('StatusQueries'),
  keyQueries: id<KeyQueries>('KeyQueries'),
  watchlist: id<Watchlist>('Watchlist'),
  alertRules: id<AlertRules>('AlertRules'),
  findMatches: id<FindMatches>('FindMatches'),
  sends: id<SendOnRequest>('SendOnRequest'),
  health: id<Health>('Health'),
  httpServer: id<HttpService>('HttpService'),
}
