// The command ps for an embedded stack: lists the processes of DATA_DIR, one a line.
import type { Config } from '../../../config.ts'
import { findStores } from '../../../infrastructure/embedded/stores.ts'
import type { Output } from '../../output.ts'
import { runningService } from '../../../service/service-record.ts'

export const help = `ps: list the processes of DATA_DIR (.data), or its containers with STACK=docker`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const stores = await findStores(config.dataDir)
  const service = runningService(config.dataDir)
  const processes = [
    ...(service === null ? [] : [{ name: 'service', pid: service.pid }]),
    ...Object.entries(stores).flatMap(([name, found]) =>
      found === null ? [] : [{ name, pid: found.pid, socket: found.socket }],
    ),
  ]
  const lines = processes.map(({ name, pid, ...at }) =>
    [`${name.padEnd(9)} process ${pid}`, ...('socket' in at && at.socket !== null ? [at.socket] : [])].join(', '),
  )
  out.result({ processes }, lines.length === 0 ? [`nothing runs on ${config.dataDir}`] : lines)
}
