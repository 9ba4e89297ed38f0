// The command down for an embedded stack: stops the service and the embedded stores of one DATA_DIR, and nothing else.
import { existsSync } from 'node:fs'
import type { Config } from '../../../config.ts'
import { dataPaths } from '../../../infrastructure/embedded/data-dir.ts'
import { withStackLock } from '../stack-lock.ts'
import { stopStores } from '../../../infrastructure/embedded/stores.ts'
import type { Output } from '../../output.ts'
import { stopService } from './service-process.ts'

export const help = `down: stop the service and the embedded stores of DATA_DIR (.data); the data stays`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const paths = dataPaths(config.dataDir)
  const stopped: string[] = []
  // A missing folder is not created only to hold a lock.
  if (existsSync(paths.root)) {
    await withStackLock(config.dataDir, out, async () => {
      if (await stopService(config.dataDir, out)) stopped.push('service')
      const { postgres, redis } = await stopStores(config.dataDir, out.note)
      if (redis) stopped.push('redis')
      if (postgres) stopped.push('postgres')
    })
  }
  const line = stopped.length === 0 ? `nothing ran on ${config.dataDir}` : `stopped ${stopped.join(', ')}`
  out.result({ stopped, dataDir: config.dataDir }, [line])
}
