// The program `insider-trading-mcp` of the packed client: the Model Context Protocol over stdio, for machines without a
// checkout. The build puts it and all it needs into one file.
import { parseArgs } from 'node:util'
import { clientKey } from '../config.ts'
import { parseUrl } from '../config-values.ts'
import { lineOf } from '../infrastructure/printable.ts'
import { serveProtocol } from './stdio-protocol.ts'

/** Set by the build. */
declare const VERSION: string

try {
  const { values } = parseArgs({ options: { url: { type: 'string', default: 'http://localhost:8080' } } })
  serveProtocol({ url: parseUrl('http', 'https')(values.url), apiKey: clientKey(), version: VERSION })
} catch (error) {
  process.stderr.write(lineOf(`error: ${(error as Error).message}; usage: insider-trading-mcp [--url ADDRESS]`))
  process.exitCode = 2
}
