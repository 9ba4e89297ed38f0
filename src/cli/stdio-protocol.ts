// Serves the Model Context Protocol over stdio. The tools call the service through the client. Only the protocol writes
// to stdout; the process ends with its input.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Transport, type Call } from '../client/transport.ts'
import type { Ask } from '../infrastructure/tool-operations.ts'
import { protocolServer } from '../infrastructure/mcp/server.ts'
import { lineOf } from '../infrastructure/printable.ts'

/** Few retries, because a model waits for each answer and should learn soon that the service is away. */
const TIMEOUT_MS = 20_000
const RETRIES = 1

interface Service {
  url: string
  apiKey: string | undefined
  /** The version of the software. */
  version: string
}

export function serveProtocol({ url, apiKey, version }: Service): void {
  const onFailure = (error: unknown) => void process.stderr.write(lineOf(String(error)))
  const options = { ask: clientAsk(url, apiKey), hasKey: apiKey !== undefined, version, onFailure }
  serveStdio(() => protocolServer(options), { onerror: onFailure, maxSubscriptions: 0 })
}

function clientAsk(url: string, apiKey: string | undefined): Ask {
  const ask = async (operation: Call['operation'], asked: Omit<Call, 'operation'>) => {
    let unknownTickers: string[] = []
    const transport = new Transport({
      url,
      apiKey,
      timeoutMs: TIMEOUT_MS,
      retries: RETRIES,
      onResponse: (response) => (unknownTickers = response.unknownTickers),
    })
    return { data: await transport.call({ operation, ...asked }), unknownTickers }
  }
  return ask as Ask
}
