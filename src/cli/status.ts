// What runs on DATA_DIR.
import type { Config } from '../config.ts'
import { findStores } from '../infrastructure/embedded/stores.ts'
import type { Output } from './output.ts'
import { runningService } from './service-record.ts'
import { askReady } from './wait-ready.ts'

export const help = `status: tell whether the service and the stores of DATA_DIR (.data) run`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const service = runningService(config.dataDir)
  const ready = service === null ? false : (await askReady(service.address)) === 'ready'
  const { postgres, redis } = await findStores(config.dataDir)
  const stores = {
    postgres: config.databaseUrl === null ? { running: postgres !== null, pid: postgres?.pid ?? null } : 'external',
    redis: config.redisUrl === null ? { running: redis !== null, pid: redis?.pid ?? null } : 'external',
  }
  const fields = {
    running: service !== null, ready, address: service?.address ?? null, pid: service?.pid ?? null,
    startedAt: service?.startedAt || null, dataDir: config.dataDir, stores,
  }
  out.result(fields, [
    service === null ? 'service   not running' : `service   ${ready ? 'ready' : 'not ready'} at ${service.address} (process ${service.pid})`,
    `postgres  ${describe(config.databaseUrl, postgres)}`,
    `redis     ${describe(config.redisUrl, redis)}`,
    `data      ${config.dataDir}`,
  ])
}

function describe(url: string | null, process: { pid: number } | null): string {
  if (url !== null) return 'a server of yours'
  return process === null ? 'not running' : `running (process ${process.pid})`
}
