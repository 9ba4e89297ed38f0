// The worker threads that compute: some for each urgency, started when they are first needed and ended when they are
// idle.
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { Computations, Compute, Urgency } from '../../application/ports/computations.ts'
import { ServiceError } from '../../application/errors.ts'
import { opened } from './answer.ts'

export interface WorkersOptions {
  /** How long a computation may take, the start of its thread included. */
  limitMs?: number
  /** How long an idle thread is kept, by urgency: a filing that arrives should not wait for the start of one. */
  idleMs?: Record<Urgency, number>
}

/** A range of issuers of history takes some 100 ms, the largest issuer some seconds. */
const LIMIT_MS = 120_000
const MINUTE_MS = 60_000
const IDLE_MS: Record<Urgency, number> = { live: 15 * MINUTE_MS, history: MINUTE_MS / 2, caller: 5 * MINUTE_MS }
/** What a load of history waits for most is its computations, while the stores need little. */
const THREADS: Record<Urgency, number> = { live: 1, history: availableParallelism() > 1 ? 2 : 1, caller: 1 }
/** By how much a thread yields to the others of the process, where the system knows priorities of threads. */
const NICE: Record<Urgency, number> = { live: 0, history: 5, caller: 0 }

/** `code` is the module that exports the functions, each made by `answering`, under their names. */
export class Workers<Known = Computations> {
  readonly #lanes: Record<Urgency, Lane[]>

  constructor(code: URL, { limitMs = LIMIT_MS, idleMs = IDLE_MS }: WorkersOptions = {}) {
    const lanes = (urgency: Urgency) =>
      Array.from({ length: THREADS[urgency] }, () => new Lane(code, limitMs, idleMs[urgency], NICE[urgency]))
    this.#lanes = { live: lanes('live'), history: lanes('history'), caller: lanes('caller') }
  }

  /** A bound function, since the port is one. */
  readonly compute: Compute<Known> = (urgency, name, input, signal) =>
    this.#lanes[urgency].reduce(lessBusy).run(String(name), input, signal) as never

  /** Ends the threads; what they compute is rejected. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#lanes).flatMap((lanes) => lanes.map((lane) => lane.close())))
  }
}

const lessBusy = (one: Lane, other: Lane): Lane => (other.pending < one.pending ? other : one)

class Lane {
  readonly #pool: Piscina
  readonly #limitMs: number
  /** How many computations are not done. */
  pending = 0
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #failed = new AbortController()

  constructor(code: URL, limitMs: number, idleTimeout: number, niceIncrement: number) {
    this.#limitMs = limitMs
    this.#pool = new Piscina({ filename: code.href, minThreads: 0, maxThreads: 1, idleTimeout, niceIncrement })
    // Of a thread that has no computation: it can't be started, or failed between two of them.
    this.#pool.on('error', (error) => this.#failed.abort(error))
  }

  /** Runs one after the other, so that a thread that ends was ended by what it was computing. */
  run(name: string, input: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const answer = this.#last.then(() => {
      signal?.throwIfAborted()
      return this.#runTwice(name, input)
    })
    this.pending += 1
    this.#last = answer
      .catch(() => {})
      .finally(() => {
        this.pending -= 1
      })
    return answer
  }

  /** The second time by another thread, if the first ended or did not answer in time. */
  async #runTwice(name: string, input: unknown): Promise<unknown> {
    const answer = await this.#runOnce(name, input)
      .catch(() => this.#runOnce(name, input))
      .catch((error: Error) => this.#refuse(name, error))
    return opened(answer)
  }

  /** Rejects if there is no answer; an error that the computation threw is one. */
  async #runOnce(name: string, input: unknown): Promise<unknown> {
    if (this.#isClosed) throw new Error('the threads are closed')
    this.#failed = new AbortController()
    const signal = AbortSignal.any([this.#failed.signal, AbortSignal.timeout(this.#limitMs)])
    return this.#pool.run(input, { name, signal })
  }

  /** It may be done later where there is no thread; otherwise it ends each thread that begins it. */
  #refuse(name: string, error: Error): never {
    const failure = this.#failed.signal.aborted ? (this.#failed.signal.reason as Error) : error
    const message = `${name} was not computed: ${failure.message}`
    if (failure !== error || this.#isClosed)
      throw new ServiceError('unavailable', message, undefined, { cause: failure })
    throw new Error(message, { cause: error })
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#pool.destroy()
  }
}
