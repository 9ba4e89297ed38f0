// The command down for a Docker stack: stops and removes the containers of one DATA_DIR. Their volumes, which hold the
// data, stay.
import { existsSync } from 'node:fs'
import type { Config } from '../../../../config.ts'
import { dataPaths } from '../../../../infrastructure/embedded/data-dir.ts'
import { withStackLock } from '../../stack-lock.ts'
import { lastLine } from '../engine.ts'
import { openDockerStack } from '../compose.ts'
import type { Output } from '../../../output.ts'

export { help } from '../../embedded/down.ts'

// The order in which they are stopped: each before what it depends on.
const SERVICES = ['prometheus', 'front', 'api', 'ingest', 'deliver', 'redis', 'postgres', 'clickhouse']

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const { dataDir } = config
  const paths = dataPaths(dataDir)
  const stopped: string[] = []
  if (existsSync(paths.run)) {
    await withStackLock(dataDir, out, async () => {
      const stack = await openDockerStack(config)
      const containers = await stack.containers()
      if (containers.length === 0) return
      const { status, stderr } = await stack.compose(['down', '--remove-orphans'])
      if (status !== 0) throw new Error(`the containers could not be stopped: ${lastLine(stderr)}`)
      const ran = containers.filter(({ state }) => state === 'running').map(({ service }) => service)
      stopped.push(...SERVICES.filter((service) => ran.includes(service)))
    })
  }
  out.result({ stopped, dataDir }, [
    stopped.length === 0 ? `nothing ran on ${dataDir}` : `stopped ${stopped.join(', ')}`,
  ])
}
