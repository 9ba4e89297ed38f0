// The command logs for a Docker stack: prints the end of the log of each container of DATA_DIR.
import type { Config } from '../../../../config.ts'
import { run as execute } from '../engine.ts'
import { openDockerStack } from '../compose.ts'
import { linesOf } from '../../embedded/logs.ts'
import type { Output } from '../../../output.ts'

export { help } from '../../embedded/logs.ts'

export async function run(config: Config, args: string[], out: Output): Promise<void> {
  const count = linesOf(args)
  const containers = await (await openDockerStack(config)).containers()
  const ends = await Promise.all(
    containers.map(async ({ id, name, service }) => {
      const { stdout, stderr } = await execute(['docker', 'logs', '--tail', String(count), id])
      return { container: name, service, lines: (stdout + stderr).trimEnd().split('\n') }
    }),
  )
  const text = ends.flatMap(({ container, lines }) => [`==> ${container}`, ...lines, ''])
  out.result({ logs: ends }, text.length === 0 ? [`no containers of ${config.dataDir}`] : text)
}
