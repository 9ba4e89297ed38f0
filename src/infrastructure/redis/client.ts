// The Redis client. Redis only speeds things up, so nothing waits long for it and no failure of it is fatal.
import { createClient, DisconnectsClientError } from 'redis'

export type Redis = ReturnType<typeof openRedis>

/** A hung server keeps its connections open: one that does not answer a ping for this long is replaced. */
const SILENT_MS = 3_000
const ASKED_EVERY_MS = 1_000

/**
 * Connects in the background and keeps retrying; commands fail at once while Redis is away. A single command has no
 * time limit below that of a silent connection: callers that can't wait that long have to set their own.
 */
export function openRedis(url: string, onError: (error: Error) => void) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: ASKED_EVERY_MS,
    socket: {
      connectTimeout: 5_000,
      socketTimeout: SILENT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2_000),
    },
  })
  // Without a listener an error would end the process. That the client was closed while it connected is none.
  const report = (error: Error) => {
    if (!(error instanceof DisconnectsClientError)) onError(error)
  }
  client.on('error', report)
  client.connect().catch(report)
  return client
}
