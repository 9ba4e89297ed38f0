// The command ps for an embedded stack: lists the processes of DATA_DIR, one a line.
import type { Config } from '../../../config.ts'
import { findStores } from '../../../infrastructure/embedded/stores.ts'
import type { Output } from '../../output.ts'
import { runningService } from '../../../service/service-record.ts'

export const help = `ps: list the processes of DATA_DIR (.data), or its containers with STACK=docker`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const stores = await findStores(config.dataDir)
  const running = { service: runningService(config.dataDir), postgres: stores.postgres, redis: stores.redis }
  const processes = Object.entries(running).flatMap(([name, found]) =>
    found === null ? [] : [{ name, pid: found.pid }],
  )
  const lines = processes.map(({ name, pid }) => `${name.padEnd(9)} process ${pid}`)
  out.result({ processes }, lines.length === 0 ? [`nothing runs on ${config.dataDir}`] : lines)
}
