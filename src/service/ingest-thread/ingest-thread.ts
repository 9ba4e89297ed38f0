// The thread of the role ingest, as the thread that answers requests sees it. What history takes in JavaScript, and the
// garbage that it leaves, then delay no answer. The thread has a container, connections and sessions of the engine of
// its own, like a process of that role.
import { getCompileCacheDir } from 'node:module'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { Config } from '../../config.ts'
import type { EndedStatement } from '../../infrastructure/clickhouse/connection/client.ts'
import { changesChannel, ReceivedChanges, type ChangesChannel } from './shared-changes.ts'

/** What the thread is started with. */
export interface IngestOrder {
  config: Config
  databaseUrl: string
  changes: ChangesChannel
  port: MessagePort
  /** Where compiled code is kept, if it is. */
  compiled: string | undefined
}

export type ToThread = { kind: 'open' } | { kind: 'start' } | { kind: 'measure' } | { kind: 'stop' } | { kind: 'close' }

/** Answers: of the start `opened` or `refused`, then `ready` or `unready`, at any time `failed`. */
export type FromThread =
  | { kind: 'opened' | 'ready' | 'stopped' | 'closed' }
  | { kind: 'refused'; error: Error }
  | { kind: 'unready'; error: Error }
  | { kind: 'failed'; error: Error }
  | { kind: 'measured'; measures: IngestMeasures }

/** What its metrics show of the thread. */
export interface IngestMeasures {
  /** Statements to ClickHouse since the last time. */
  statements: EndedStatement[]
  /** Statements that run, and that wait for a session. */
  load: { busy: number; waiting: number }
  /** Connections to PostgreSQL for background work. */
  connections: { open: number; idle: number; waitedFor: number }
  projection: { memory: { hits: number; misses: number; trades: number }; projectedFilings: number }
}

// With the extension of this file: .ts from source, .js in a build.
const CODE = new URL(import.meta.url.replace(/ingest-thread(?=\.[jt]s)/, 'run-ingest-thread'))
const MEASURE_MS = 1_000
/**
 * Of the thread's newest objects. With V8's own 48 the process took 1,242 MiB at most while 500,000 rows were loaded,
 * with these 1,079, for a twentieth more processor time.
 */
const YOUNG_MEGABYTES = 12

type Kind = FromThread['kind']
type Of<K extends Kind> = FromThread & { kind: K }

export class IngestThread {
  readonly changes: ReceivedChanges
  /** Rejects with a fault that waiting does not fix, and when the thread has ended. */
  readonly failed: Promise<never>
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #gone: Promise<void>
  #hasEnded = false
  readonly #waiting = new Map<Kind, ((message: FromThread) => void)[]>()

  /** Loads the code of the thread, which then waits for `open`. */
  constructor(config: Config, databaseUrl: string, code = CODE) {
    const changes = changesChannel()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.changes = new ReceivedChanges(changes.own)
    const order: IngestOrder = {
      config,
      databaseUrl,
      changes: changes.other,
      port: port2,
      compiled: getCompileCacheDir(),
    }
    this.#worker = new Worker(code, {
      workerData: order,
      transferList: [port2, changes.other.port],
      name: 'ingest',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    this.failed = promise
    const gone = Promise.withResolvers<void>()
    this.#gone = gone.promise
    const end = (error: Error) => {
      this.#hasEnded = true
      gone.resolve()
      reject(error)
    }
    this.#worker.on('error', end)
    this.#worker.on('exit', () => end(new Error('the ingesting thread ended')))
    this.#port.on('message', (message: FromThread) => {
      if (message.kind === 'failed') return reject(message.error)
      const waiting = this.#waiting.get(message.kind) ?? []
      this.#waiting.delete(message.kind)
      for (const receive of waiting) receive(message)
    })
    // The server keeps the process alive. Once the thread has closed, nothing else does.
    this.#port.unref()
    this.#worker.unref()
  }

  /** Returns whether the thread has ended, as by an error that nothing caught. */
  hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Resolves once the thread has opened ClickHouse. Rejects with the reason where it can't. */
  async open(): Promise<void> {
    this.#tell({ kind: 'open' })
    await Promise.race([this.#next('opened'), this.#rejected('refused'), this.failed])
  }

  /** Begins to ingest. Resolves once ClickHouse can be queried: an empty store has been filled. */
  async start(): Promise<void> {
    this.#tell({ kind: 'start' })
    await Promise.race([this.#next('ready'), this.#rejected('unready'), this.failed])
  }

  /** Returns null where the thread does not answer within a second. */
  async measures(): Promise<IngestMeasures | null> {
    this.#tell({ kind: 'measure' })
    const late = AbortSignal.timeout(MEASURE_MS)
    const none = new Promise<null>((resolve) => late.addEventListener('abort', () => resolve(null), { once: true }))
    return Promise.race([this.#next('measured').then(({ measures }) => measures), none])
  }

  /** Ends the work. The thread's sessions of the engine stay open until `close`. */
  async stop(): Promise<void> {
    await this.#ended('stop', 'stopped')
  }

  /**
   * Closes what the thread has open. Called once this thread has closed its own sessions of the engine, which would not
   * answer any more. The thread itself ends with the process, for the same reason.
   */
  async close(): Promise<void> {
    await this.#ended('close', 'closed')
    this.changes.close()
  }

  /** Waits for the answer, or for the end of the thread. Keeps the process alive meanwhile. */
  async #ended(order: 'stop' | 'close', answer: 'stopped' | 'closed'): Promise<void> {
    this.#tell({ kind: order })
    this.#port.ref()
    await Promise.race([this.#next(answer), this.#gone])
    this.#port.unref()
  }

  async #rejected(kind: 'refused' | 'unready'): Promise<never> {
    throw (await this.#next(kind)).error
  }

  #tell(message: ToThread): void {
    this.#port.postMessage(message)
  }

  #next<K extends Kind>(kind: K): Promise<Of<K>> {
    const { promise, resolve } = Promise.withResolvers<Of<K>>()
    this.#waiting.set(kind, [...(this.#waiting.get(kind) ?? []), (message) => resolve(message as Of<K>)])
    return promise
  }
}
