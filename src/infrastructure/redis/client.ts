// The one way to Redis. It only speeds things up, so nothing waits long for it and nothing ends because of it.
import { createClient } from 'redis'

export type Redis = ReturnType<typeof openRedis>

/** A server that hangs keeps its connections. One that has said nothing for so long, though asked, is made again. */
const SILENT_MS = 3_000
const ASKED_EVERY_MS = 1_000

/**
 * Connects in the background and keeps trying; commands fail at once while it is away. A command itself has no time limit
 * shorter than that of a silent connection: whoever can't wait so long, stops waiting.
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
  // Without a listener an error ends the process.
  client.on('error', onError)
  client.connect().catch(onError)
  return client
}
