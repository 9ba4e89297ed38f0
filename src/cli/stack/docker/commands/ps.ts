// The command ps for a Docker stack: lists the containers of DATA_DIR, one a line.
import type { Config } from '../../../../config.ts'
import { openDockerStack } from '../compose.ts'
import type { Output } from '../../../output.ts'

export { help } from '../../embedded/ps.ts'

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const all = await (await openDockerStack(config)).containers()
  const width = Math.max(0, ...all.map(({ name }) => name.length))
  const lines = all.map(({ name, state, exitCode, health, image, addresses }) =>
    [name.padEnd(width), state === 'exited' ? `exited (${exitCode})` : (health ?? state), image, ...addresses].join(
      '  ',
    ),
  )
  out.result({ containers: all }, lines.length === 0 ? [`no containers of ${config.dataDir}`] : lines)
}
