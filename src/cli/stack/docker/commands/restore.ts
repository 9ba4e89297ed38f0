// The command restore for a Docker stack: starts its stores without the service, whose first start would write to them.
import type { Config } from '../../../../config.ts'
import { forward } from '../run-in-container.ts'
import { openDockerStack } from '../compose.ts'
import { startStores, STORES } from '../stores.ts'
import { usageError, type Output } from '../../../output.ts'

export { help } from '../../../commands/restore.ts'

export async function run(config: Config, args: string[], out: Output): Promise<number> {
  if (args.length !== 1 || !args[0]) throw usageError('restore needs the folder of a backup: make restore FROM=path')
  const found = await openDockerStack(config)
  const running = (await found.containers()).filter(({ state }) => state === 'running')
  if (running.some(({ service }) => !STORES.includes(service))) {
    throw new Error(`a service runs on ${config.dataDir}: restore into a new DATA_DIR, or make down first`)
  }
  await startStores(config, found, out)
  return forward(config, 'restore', args)
}
