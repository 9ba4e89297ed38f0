// A connection to Redis whose commands have a deadline. The client has no time limit for a command that was sent, so a
// command that gets no answer in time closes the connection, and a new one is opened.
import type { Redis } from './client.ts'

/** A hung server accepts connections and then does not answer. */
const READY_WITHIN_MS = 10_000
/** The first commands may come before the first connection is ready, and wait this long for it. */
const FIRST_WITHIN_MS = 1_000

export class DeadlineConnection {
  readonly #redis: Redis
  readonly #onError: (error: Error) => void
  readonly #first: Redis
  /** Resolves when the first connection is ready, has failed once, or takes too long. */
  readonly #firstAttempt: Promise<void>
  #client: Redis
  #opened = 0
  #isClosed = false

  /** Connects in the background with the settings of `redis`. */
  constructor(redis: Redis, onError: (error: Error) => void) {
    this.#redis = redis
    this.#onError = onError
    this.#client = this.#first = this.#open()
    this.#firstAttempt = readyOrFailed(this.#first)
  }

  /**
   * Runs a command. Rejects after `milliseconds`, in which case Redis may have executed it nevertheless, and at once
   * while Redis is away.
   */
  async run<T>(milliseconds: number, act: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.#client.isReady && performance.now() - this.#opened > READY_WITHIN_MS) this.#renew(this.#client)
    const used = this.#client
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const late = new Promise<never>((_, reject) => {
      const expire = () => {
        if (isOver) return
        reject(new Error(`Redis did not answer within ${milliseconds} ms`))
        this.#renew(used)
      }
      // When this process was paused, timers fire before sockets are read, and an answer may have come in time.
      timer = setTimeout(() => setImmediate(expire), milliseconds)
    })
    try {
      return await Promise.race([used === this.#first ? this.#firstAttempt.then(() => act(used)) : act(used), late])
    } finally {
      isOver = true
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#client.destroy()
  }

  #open(): Redis {
    const { options } = this.#redis
    // Commands have their own deadline, and during a blocking read the server rightly sends nothing.
    const client = this.#redis.duplicate({ pingInterval: 0, socket: { ...options.socket, socketTimeout: 0 } }) as Redis
    client.on('error', this.#onError)
    client.connect().catch((error: Error) => {
      if (!this.#isClosed) this.#onError(error)
    })
    this.#opened = performance.now()
    return client
  }

  #renew(stale: Redis): void {
    // Commands in flight together time out together; the first of them opens the new connection.
    if (this.#isClosed || this.#client !== stale) return
    stale.destroy()
    this.#client = this.#open()
  }
}

/** Resolves when the client is connected, or has failed once, or after `FIRST_WITHIN_MS`. */
function readyOrFailed(client: Redis): Promise<void> {
  return new Promise((resolve) => {
    client.once('ready', resolve)
    client.once('error', () => resolve())
    setTimeout(resolve, FIRST_WITHIN_MS).unref()
  })
}
