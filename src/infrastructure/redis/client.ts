// The Redis client. The service works without Redis, only slower, so nothing waits long for it and none of its failures
// ends the process.
import { dirname } from 'node:path'
import { createClient, DisconnectsClientError, type RedisClientOptions } from 'redis'
import { requirePrivate } from '../private-folder.ts'

export type Redis = ReturnType<typeof openRedis>

/** A hung server keeps its connections open: one on which no ping was answered for this long is replaced. */
const SILENT_MS = 3_000
const PING_EVERY_MS = 1_000

/**
 * Returns the client's options for a URL. A URL can name a Unix socket, percent-encoded in the place of the host. The
 * folder of that socket is checked before each AUTH, which sends the password in clear text.
 */
export function redisOptions(url: string): RedisClientOptions {
  const { hostname, password, pathname } = new URL(url)
  const path = decodeURIComponent(hostname)
  if (!path.startsWith('/')) return { url }
  const credentials = async () => {
    requirePrivate(dirname(path), dirname(path))
    return { password: decodeURIComponent(password) }
  }
  return {
    socket: { path, tls: false },
    database: Number(pathname.slice(1)),
    ...(password !== '' && { credentialsProvider: { type: 'async-credentials-provider', credentials } }),
  }
}

/**
 * Connects in the background and keeps retrying; commands fail at once while Redis is away. A single command has no
 * time limit below that of a silent connection: callers that can't wait that long have to set their own.
 */
export function openRedis(url: string, onError: (error: Error) => void) {
  const { socket, ...where } = redisOptions(url)
  const client = createClient({
    ...where,
    disableOfflineQueue: true,
    pingInterval: PING_EVERY_MS,
    socket: {
      ...socket,
      connectTimeout: 5_000,
      socketTimeout: SILENT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2_000),
    },
  })
  // Without a listener an error would end the process. Closing the client while it connects is no fault.
  const report = (error: Error) => {
    if (!(error instanceof DisconnectsClientError)) onError(error)
  }
  client.on('error', report)
  client.connect().catch(report)
  return client
}
