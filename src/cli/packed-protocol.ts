// The program `insider-trading-mcp` of the client's npm package: the Model Context Protocol over stdio, for machines
// without a checkout. The build bundles it into one file.
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
