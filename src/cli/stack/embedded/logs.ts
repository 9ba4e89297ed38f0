// The command logs for an embedded stack: prints the end of the service's and the stores' logs.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Config } from '../../../config.ts'
import { dataPaths } from '../../../infrastructure/embedded/data-dir.ts'
import { type Output, usageError } from '../../output.ts'

export const help = `logs [--lines 50]: the end of the logs of DATA_DIR (.data)`

export async function run(config: Config, args: string[], out: Output): Promise<void> {
  const count = linesOf(args)
  const { logs } = dataPaths(config.dataDir)
  const files = ['service.log', 'postgres.log', 'redis.log']
    .map((name) => join(logs, name))
    .filter((path) => existsSync(path))
  const ends = files.map((file) => ({ file, lines: readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count) }))
  // PostgreSQL starts continuation lines of a message with a tab.
  const shown = (line: string) => line.replaceAll('\t', '    ')
  const text = ends.flatMap(({ file, lines }) => [`==> ${file}`, ...lines.map(shown), ''])
  out.result({ logs: ends }, text.length === 0 ? [`no logs under ${logs}`] : text)
}

/** Returns the number of lines to print of each log. */
export function linesOf(args: string[]): number {
  const { values } = parseArgs({ args, options: { lines: { type: 'string', default: '50' } } })
  const count = Number(values.lines)
  if (!/^\d{1,6}$/.test(values.lines) || count < 1)
    throw usageError(`--lines takes a number from 1, not "${values.lines}"`)
  return count
}
