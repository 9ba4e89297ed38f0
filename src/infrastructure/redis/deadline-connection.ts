// A connection to Redis whose commands never wait for ever: the client has no time limit for a command that was sent, so
// one that gets no answer in time takes the connection with it, and another is made.
import type { Redis } from './client.ts'

/** A server that hangs lets one connect and then says nothing. */
const READY_WITHIN_MS = 10_000
/** The first commands may come before the first connection is there. */
const FIRST_WITHIN_MS = 1_000

export interface LimitedConnection {
  /** Rejects after `milliseconds`, and at once while Redis is away. What was sent may have been done all the same. */
  run<T>(milliseconds: number, act: (client: Redis) => Promise<T>): Promise<T>
  close(): void
}

/** Connects in the background with the settings of `redis`. */
export function limitedConnection(redis: Redis, onError: (error: Error) => void): LimitedConnection {
  let opened = 0
  let isClosed = false
  const open = (): Redis => {
    // It has limits of its own, and while a read waits for entries the server rightly says nothing.
    const client = redis.duplicate({ pingInterval: 0, socket: { ...redis.options.socket, socketTimeout: 0 } }) as Redis
    client.on('error', onError)
    client.connect().catch((error: Error) => {
      if (!isClosed) onError(error)
    })
    opened = performance.now()
    return client
  }
  let client = open()
  const first = client
  const firstTried = new Promise<void>((resolve) => {
    first.once('ready', resolve)
    first.once('error', () => resolve())
    setTimeout(resolve, FIRST_WITHIN_MS).unref()
  })
  const renew = (stale: Redis) => {
    // Commands that were under way together run out together; one of them makes the new connection.
    if (isClosed || client !== stale) return
    stale.destroy()
    client = open()
  }
  return {
    run: async (milliseconds, act) => {
      if (!client.isReady && performance.now() - opened > READY_WITHIN_MS) renew(client)
      const used = client
      let timer: NodeJS.Timeout | undefined
      let isOver = false
      const late = new Promise<never>((_, reject) => {
        // After a pause of this process timers run before sockets are read: what lies there by then was in time.
        timer = setTimeout(
          () =>
            setImmediate(() => {
              if (isOver) return
              reject(new Error(`Redis did not answer within ${milliseconds} ms`))
              renew(used)
            }),
          milliseconds,
        )
      })
      try {
        return await Promise.race([used === first ? firstTried.then(() => act(used)) : act(used), late])
      } finally {
        isOver = true
        clearTimeout(timer)
      }
    },
    close: () => {
      isClosed = true
      client.destroy()
    },
  }
}
