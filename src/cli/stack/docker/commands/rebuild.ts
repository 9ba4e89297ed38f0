// The command rebuild for a Docker stack: starts its stores if they are not running, since a service whose two stores
// don't belong together refuses to start until the rebuild is done.
import type { Config } from '../../../../config.ts'
import { forward } from '../run-in-container.ts'
import { openDockerStack } from '../compose.ts'
import { startStores } from '../stores.ts'
import type { Output } from '../../../output.ts'

export { help } from '../../../commands/rebuild.ts'

export async function run(config: Config, args: string[], out: Output): Promise<number> {
  const stack = await openDockerStack(config)
  const isDown = !(await stack.containers()).some(({ state }) => state === 'running')
  if (stack.record !== null && isDown) await startStores(config, stack, out)
  return forward(config, 'rebuild', args)
}
