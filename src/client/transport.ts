// Sends calls over HTTP, with a time limit, several attempts and pauses between them. All operations are repeated after
// a failure that may pass, since none has a second effect, except the creation of an alert.
import { errorOf, InsiderApiError } from './errors.ts'
import { OPERATIONS, pathOf, type OperationId } from './operations.ts'

export interface ClientOptions {
  /** The address of the service, such as `http://localhost:8080`; behind a proxy it may have a path. */
  url: string
  /**
   * Needed for the watchlist, alerts and `feed.export`, and for month files if the operator restricts them. Sent to
   * `url` only.
   */
  apiKey?: string | undefined
  /** Attempts after the first: 3. */
  retries?: number | undefined
  /** Time limit of each attempt in milliseconds: 30,000. */
  timeoutMs?: number | undefined
  /** Called after each attempt that was answered. */
  onResponse?: ((response: ResponseFacts) => void) | undefined
  /** In place of the platform's own. */
  fetch?: typeof fetch | undefined
}

export interface ResponseFacts {
  operation: OperationId
  status: number
  requestId: string | null
  /** What is left of the rate limit, as sent: `"default";r=599;t=60`. */
  rateLimit: string | null
  /** Requested symbols that lead to no company. */
  unknownTickers: string[]
  /** 1 for the first. */
  attempt: number
  ms: number
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  retries?: number | undefined
}

export interface Call {
  operation: OperationId
  path?: Record<string, string>
  query?: object | undefined
  body?: object
  headers?: Record<string, string>
}

const TIMEOUT_MS = 30_000
const RETRIES = 3
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 8_000
/** The longest Retry-After that is waited for. */
const MAX_RETRY_AFTER_SECONDS = 60

/** The codes which say that the thing to remove is not there. */
const GONE: { readonly [Id in OperationId]?: string } = {
  removeFromWatchlist: 'not_on_watchlist',
  removeAlert: 'unknown_alert',
}

export class Transport {
  readonly #options: ClientOptions
  readonly #base: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#base = new URL(options.url).href.replace(/[?#].*$/, '').replace(/\/+$/, '')
  }

  /** Calls until there is an answer or the attempts are used up, and returns its data. */
  call<T>(call: Call, options?: CallOptions): Promise<T> {
    return this.#repeat(call, options, async (response) => ((await response.json()) as { data: T }).data)
  }

  /** Calls likewise, and returns the answer as the text that it is. */
  text(call: Call, options?: CallOptions): Promise<string> {
    return this.#repeat(call, options, (response) => response.text())
  }

  /** Calls likewise, and returns the response once it begins. Its body has no time limit. */
  response(call: Call, options?: CallOptions): Promise<Response> {
    return this.#repeat(call, options, async (response) => response)
  }

  async #repeat<T>(call: Call, options: CallOptions = {}, read: (response: Response) => Promise<T>): Promise<T> {
    const retries = options.retries ?? this.#options.retries ?? RETRIES
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(call, attempt, options, read)
      if (!(outcome instanceof InsiderApiError)) return outcome.data
      // An earlier attempt without an answer may have removed it already.
      if (attempt > 1 && outcome.code === GONE[call.operation]) return undefined as T
      const isRepeatable = call.operation !== 'createAlert' || outcome.status === 429
      if (attempt > retries || !isPassing(outcome) || !isRepeatable) throw outcome
      await pause(pauseMs(attempt, outcome.retryAfterSeconds), options.signal)
    }
  }

  /** Yields the JSON value of each line of one answer as it comes. Throws if the answer is cut short. */
  async *lines<T>(call: Call, { signal }: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    let reader: ReadableStreamDefaultReader<string> | undefined
    try {
      const response = await this.send(call, signal)
      if (!response.ok) throw await errorOf(response)
      reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let rest = ''
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const [first = '', ...more] = part.value.split('\n')
        rest += first
        for (const next of more) {
          yield JSON.parse(rest) as T
          rest = next
        }
      }
    } catch (cause) {
      signal?.throwIfAborted()
      if (cause instanceof InsiderApiError) throw cause
      throw new InsiderApiError(`${call.operation}: ${MESSAGES.cut_short}`, {
        code: 'connection_failed',
        status: 0,
        cause,
      })
    } finally {
      // Of a caller who leaves early: the service goes on sending until then.
      await reader?.cancel().catch(() => {})
    }
  }

  /** Returns the response to one attempt, whatever its status. */
  async send({ operation, path = {}, query, body, headers }: Call, signal?: AbortSignal): Promise<Response> {
    const { apiKey, fetch: send = fetch } = this.#options
    return send(this.#base + pathOf(operation, path, query), {
      method: OPERATIONS[operation].split(' ')[0]!,
      headers: {
        accept: 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  }

  async #attempt<T>(
    call: Call,
    attempt: number,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<{ data: T } | InsiderApiError> {
    options.signal?.throwIfAborted()
    // Not AbortSignal.timeout: it would end the body of a response that is returned before that is read.
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), options.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS)
    const begun = performance.now()
    try {
      const signal = options.signal ? AbortSignal.any([options.signal, limit.signal]) : limit.signal
      const response = await this.send(call, signal)
      this.#options.onResponse?.({
        operation: call.operation,
        status: response.status,
        requestId: response.headers.get('x-request-id'),
        rateLimit: response.headers.get('ratelimit'),
        unknownTickers: response.headers.get('x-unknown-tickers')?.split(',') ?? [],
        attempt,
        ms: Math.round(performance.now() - begun),
      })
      if (!response.ok) return await errorOf(response)
      return { data: await read(response) }
    } catch (cause) {
      options.signal?.throwIfAborted()
      const code = limit.signal.aborted
        ? 'timed_out'
        : cause instanceof SyntaxError
          ? 'unexpected_answer'
          : 'connection_failed'
      return new InsiderApiError(`${call.operation}: ${MESSAGES[code]}`, { code, status: 0, cause })
    } finally {
      clearTimeout(timer)
    }
  }
}

const MESSAGES = {
  timed_out: 'no answer within the time limit',
  connection_failed: 'the service cannot be reached',
  unexpected_answer: 'the answer is not JSON',
  cut_short: 'the connection was lost before the end of the answer',
}

const PASSING = [0, 408, 429]

/** Returns whether another attempt may succeed. */
export function isPassing({ status, retryAfterSeconds = 0 }: InsiderApiError): boolean {
  return (PASSING.includes(status) || status >= 500) && retryAfterSeconds <= MAX_RETRY_AFTER_SECONDS
}

/** Returns how long to wait: what the service asks for, else half a second, doubled with each attempt, ±25 %. */
export function pauseMs(attempt: number, retryAfterSeconds?: number): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS) * (0.75 + Math.random() / 2)
}

/** Waits; rejects with the signal's reason where that is aborted meanwhile. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
  signal?.throwIfAborted()
}
