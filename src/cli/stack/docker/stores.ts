// Starts the stores of a Docker stack without the service, for work that has to be done before the service may start.
import { setTimeout as sleep } from 'node:timers/promises'
import { dockerSettings, type Config } from '../../../config.ts'
import { prepareDataDir } from '../../../infrastructure/embedded/data-dir.ts'
import { withStackLock } from '../stack-lock.ts'
import { whyNot } from './await-containers.ts'
import { makeSecrets } from './secret-files.ts'
import type { DockerStack } from './compose.ts'
import { prepareImages } from './commands/up.ts'
import type { Output } from '../../output.ts'

export const STORES = ['clickhouse', 'postgres', 'redis']
const HEALTHY_TIMEOUT_MS = 120_000

/** Starts the stores and waits until they are healthy. Throws with the reason if they are not. */
export async function startStores(config: Config, stack: DockerStack, out: Output): Promise<void> {
  const settings = dockerSettings(config)
  prepareDataDir(config.dataDir)
  await withStackLock(config.dataDir, out, async () => {
    if (stack.record === null) makeSecrets(config)
    const { variables } = await prepareImages(config, settings, stack, out)
    const { status, stderr } = await stack.compose(['up', '-d', '--no-build', ...STORES], variables)
    if (status !== 0 || !(await areHealthy(stack)))
      throw new Error(`the stores could not be started: ${await whyNot(stack, stderr)}`)
  })
}

async function areHealthy(stack: DockerStack): Promise<boolean> {
  for (const end = performance.now() + HEALTHY_TIMEOUT_MS; performance.now() < end; await sleep(500)) {
    const healthy = (await stack.containers()).filter(
      ({ service, health }) => STORES.includes(service) && health === 'healthy',
    )
    if (healthy.length === STORES.length) return true
  }
  return false
}
