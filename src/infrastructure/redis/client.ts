// The one way to Redis. It only speeds things up, so nothing waits long for it and nothing ends because of it.
import { createClient } from 'redis'

export type Redis = ReturnType<typeof openRedis>

/** Connects in the background and keeps trying; commands fail at once while it is away. */
export function openRedis(url: string, onError: (error: Error) => void) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: 5_000,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2_000),
    },
  })
  // Without a listener an error ends the process.
  client.on('error', onError)
  client.connect().catch(onError)
  return client
}
