// The command mcp: serves the Model Context Protocol over stdio, for programs that start their servers as commands.
import { parseArgs } from 'node:util'
import { clientKey, type Config } from '../../config.ts'
import { parseUrl } from '../../config-values.ts'
import { addressOf } from '../../service/service-record.ts'
import { serviceVersion } from '../../service/version.ts'
import { usageError } from '../output.ts'
import { serveProtocol } from '../stdio-protocol.ts'

export const help = `mcp [--url ADDRESS]: answer language models over stdio, by the Model Context Protocol

  --url  a running service; by default that of DATA_DIR

  INSIDER_API_KEY is the key of the watchlist's tools; without it they are not there. Ends when its input does.`

export async function run(config: Config, args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { url: { type: 'string' } } })
  serveProtocol({
    url: values.url === undefined ? addressOf(config.host, config.port) : checkedUrl(values.url),
    apiKey: clientKey(),
    version: serviceVersion(),
  })
}

function checkedUrl(text: string): string {
  try {
    return parseUrl('http', 'https')(text)
  } catch (error) {
    throw usageError(`--url ${(error as Error).message}`)
  }
}
