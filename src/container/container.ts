// Composes the modules. Everything is made once, when it is first asked for.
import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Container } from 'inversify'
import { DEFAULT_RULES, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import type { ClickHouse, ClickHouseOptions } from '../infrastructure/clickhouse/connection/client.ts'
import type { EdgarSource } from '../infrastructure/edgar/client/client.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'
import { alertsModule } from './alerts.module.ts'
import { analyticsModule } from './analytics.module.ts'
import { dataSetsModule } from './data-sets.module.ts'
import { edgarModule, ingestionModule } from './ingestion.module.ts'
import { ledgerModule } from './ledger.module.ts'
import { TYPES } from './tokens.ts'
import type { Clock, Wait } from '../application/ports/system.ts'

export type { Container }

/** What a process brings along. What stands on a value that is not given can't be resolved. */
export interface ContainerOptions {
  pool: Pool
  /** For what requests wait for; `pool` where none is given. */
  callersPool?: Pool
  clock?: Clock
  /** Null for a process that neither issues keys nor signs. */
  secretsKey?: Buffer | null
  analytics?: AnalyticsOptions
}

export interface AnalyticsOptions extends ClickHouseOptions {
  clickHouse: ClickHouse
  /** Where the quarters of the data sets are kept. */
  historyDir: string
  rules?: SignalRules
  alertWindowHours?: number
}

export function createContainer({
  pool,
  callersPool = pool,
  clock = Date.now,
  secretsKey,
  analytics,
}: ContainerOptions): Container {
  const container = new Container({ defaultScope: 'Singleton' })
  container.load(ledgerModule, analyticsModule, ingestionModule, dataSetsModule, alertsModule)
  container.bind(TYPES.pool).toConstantValue(pool)
  container.bind(TYPES.callersPool).toConstantValue(callersPool)
  container.bind(TYPES.clock).toConstantValue(clock)
  container.bind(TYPES.wait).toConstantValue(wait)
  container.bind(TYPES.drawId).toConstantValue(randomUUID)
  if (secretsKey !== undefined) container.bind(TYPES.secretsKey).toConstantValue(secretsKey)
  if (analytics === undefined) return container
  const { clickHouse, historyDir, rules = DEFAULT_RULES, alertWindowHours, ...clickHouseOptions } = analytics
  container.bind(TYPES.clickHouse).toConstantValue(clickHouse)
  container.bind(TYPES.clickHouseOptions).toConstantValue(clickHouseOptions)
  container.bind(TYPES.historyDir).toConstantValue(historyDir)
  container.bind(TYPES.rules).toConstantValue(rules)
  container.bind(TYPES.alertWindowHours).toConstantValue(alertWindowHours)
  return container
}

/** Adds what asks EDGAR, for a process that may. `pollSeconds` null leaves the pace to EDGAR's hours. */
export function connectEdgar(container: Container, edgar: EdgarSource, pollSeconds: number | null = null): void {
  container.bind(TYPES.edgar).toConstantValue(edgar)
  container.bind(TYPES.pollSeconds).toConstantValue(pollSeconds)
  container.load(edgarModule)
}

const wait: Wait = (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }).catch(() => {})
