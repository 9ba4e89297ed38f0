// Creates the Inversify container from the modules. Each service is a singleton, created when it is first resolved.
import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Container, type ServiceIdentifier } from 'inversify'
import { ChangeTracker } from '../application/changes/change-tracker.ts'
import { DEFAULT_RULES, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import type { ClickHouse, ClickHouseOptions } from '../infrastructure/clickhouse/connection/client.ts'
import type { EdgarSource } from '../infrastructure/edgar/client/client.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'
import { traced } from '../infrastructure/traced.ts'
import { Workers } from '../infrastructure/workers/workers.ts'
import { alertsModule } from './alerts.module.ts'
import { analyticsModule } from './analytics.module.ts'
import { dataSetsModule } from './data-sets.module.ts'
import { exportsModule } from './exports.module.ts'
import { deliveryModule } from './delivery.module.ts'
import { edgarModule, ingestionModule } from './ingestion.module.ts'
import { httpModule } from './http.module.ts'
import { ledgerModule } from './ledger.module.ts'
import { TYPES } from './tokens.ts'
import type { Compute } from '../application/ports/computations.ts'
import type { Clock, Monotonic, Wait } from '../application/ports/system.ts'

export type { Container }

/** Values that a process provides. Services that depend on a value that is not given can't be resolved. */
export interface ContainerOptions {
  pool: Pool
  /** Pool for requests; `pool` by default. */
  callersPool?: Pool
  clock?: Clock
  monotonic?: Monotonic
  /** By default by threads of the container's own, which close with it. */
  compute?: Compute
  /** Null for a process that neither issues keys nor signs. */
  secretsKey?: Buffer | null
  analytics?: AnalyticsOptions
  publicUrl?: string | null
}

export interface AnalyticsOptions extends ClickHouseOptions {
  clickHouse: ClickHouse
  /** Folder of the zip files of data sets. */
  historyDir: string
  /** Folder of the month files; by default within `historyDir`. */
  exportsDir?: string
  rules?: SignalRules
  alertWindowHours?: number
}

// With the extension of this file: .ts from source, .js in a build.
export const WORKER = new URL(import.meta.url.replace(/container\/container(?=\.[jt]s)/, 'worker'))

export function createContainer({
  pool,
  callersPool = pool,
  clock = Date.now,
  monotonic = () => performance.now(),
  compute,
  secretsKey,
  analytics,
  publicUrl = null,
}: ContainerOptions): Container {
  const container = new Container({ defaultScope: 'Singleton' })
  container.load(
    ledgerModule,
    analyticsModule,
    ingestionModule,
    dataSetsModule,
    exportsModule,
    alertsModule,
    deliveryModule,
    httpModule,
  )
  container.bind(TYPES.pool).toConstantValue(pool)
  container.bind(TYPES.callersPool).toConstantValue(callersPool)
  container.bind(TYPES.publicUrl).toConstantValue(publicUrl)
  container.bind(TYPES.clock).toConstantValue(clock)
  container.bind(TYPES.monotonic).toConstantValue(monotonic)
  container.bind(TYPES.changes).toConstantValue(new ChangeTracker())
  container.bind(TYPES.wait).toConstantValue(wait)
  container.bind(TYPES.traced).toConstantValue(traced)
  container.bind(TYPES.newId).toConstantValue(randomUUID)
  container.bind(TYPES.random).toConstantValue(Math.random)
  if (compute === undefined) bindOwned(container, TYPES.workers, new Workers(WORKER), (workers) => workers.close())
  container.bind(TYPES.compute).toConstantValue(compute ?? container.get(TYPES.workers).compute)
  if (secretsKey !== undefined) container.bind(TYPES.secretsKey).toConstantValue(secretsKey)
  if (analytics !== undefined) connectAnalytics(container, analytics)
  return container
}

/** Binds ClickHouse, which closes with the container, and its options. */
export function connectAnalytics(container: Container, analytics: AnalyticsOptions): void {
  const {
    clickHouse,
    historyDir,
    exportsDir,
    rules = DEFAULT_RULES,
    alertWindowHours,
    ...clickHouseOptions
  } = analytics
  bindOwned(container, TYPES.clickHouse, clickHouse, (store) => store.close())
  container.bind(TYPES.clickHouseOptions).toConstantValue(clickHouseOptions)
  container.bind(TYPES.historyDir).toConstantValue(historyDir)
  container.bind(TYPES.exportsDir).toConstantValue(exportsDir ?? join(historyDir, 'exports'))
  container.bind(TYPES.rules).toConstantValue(rules)
  container.bind(TYPES.alertWindowHours).toConstantValue(alertWindowHours)
}

/** Binds EDGAR's client and the services that use it. If `pollSeconds` is null, the feed is polled by EDGAR's hours. */
export function connectEdgar(container: Container, edgar: EdgarSource, pollSeconds: number | null = null): void {
  container.bind(TYPES.edgar).toConstantValue(edgar)
  container.bind(TYPES.pollSeconds).toConstantValue(pollSeconds)
  container.load(edgarModule)
}

/**
 * Binds a resource that the process opened, and closes it when it is unbound. Resolves it at once, since Inversify
 * deactivates only resolved services.
 */
export function bindOwned<T>(
  container: Container,
  token: ServiceIdentifier<T>,
  value: T,
  close: (value: T) => void | Promise<void>,
): void {
  container.bind(token).toConstantValue(value).onDeactivation(close)
  container.get(token)
}

/** Each service depends on those after it. Inversify's `unbindAllAsync` would deactivate all of them at once. */
const CLOSING_ORDER: readonly ServiceIdentifier[] = [
  TYPES.httpServer,
  TYPES.deliveryLoops,
  TYPES.deliveryWakeUps,
  TYPES.deliveryStream,
  TYPES.sender,
  TYPES.workers,
  TYPES.clickHouse,
  TYPES.analyticsLock,
  TYPES.redis,
  TYPES.pools,
]

/** Closes the services that were opened, one after the other, except those that are closed already. */
export async function closeContainer(container: Container): Promise<void> {
  for (const token of CLOSING_ORDER) if (container.isBound(token)) await container.unbindAsync(token)
  await container.unbindAllAsync()
}

const wait: Wait = (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }).catch(() => {})
