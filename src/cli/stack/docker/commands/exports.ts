// The command exports for a Docker stack: the files lie in a volume of the service, from where it copies none.
import type { Config } from '../../../../config.ts'
import { usageError } from '../../../output.ts'
import { forward } from '../run-in-container.ts'

export { help } from '../../../commands/exports.ts'

export async function run(config: Config, args: string[]): Promise<number> {
  if (args.length > 0) {
    throw usageError(
      'exports copies no files out of containers: docker cp copies /data/exports of the ingest container',
    )
  }
  return forward(config, 'exports', args)
}
