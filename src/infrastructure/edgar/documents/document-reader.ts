// Reads documents: small ones at once, large ones in a thread beside, so that the loop that answers HTTP goes on.
import { Worker } from 'node:worker_threads'
import type { ReadDocument, Reading } from '../../../application/ports/filings.ts'
import { readDocument, unreadable } from './read-document.ts'

/** 99 of 100 submissions are smaller, and are read in a few milliseconds. */
export const LARGE_BYTES = 256 * 1024
/** Many times what the largest document takes; past it the thread ends, and not the process. */
const MAX_MEGABYTES = 512

/** What goes to the thread; a Reading comes back. */
export interface ReadingOrder {
  bytes: Uint8Array
  path: string
}

// As this file is named: .ts as it stands, .js in a build.
const THREAD = new URL(import.meta.url.replace(/document-reader(?=\.[jt]s)/, 'document-thread'))

/** One thread at a time, started for the first large document; it keeps no process from ending. */
export class OwnershipDocumentReader {
  readonly #code: URL
  #thread: Worker | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(code = THREAD) {
    this.#code = code
  }

  /** Bound, since the port is a function. */
  readonly read: ReadDocument = (bytes, path) => {
    if (bytes.length <= LARGE_BYTES) return readDocument(bytes, path)
    // One after the other, so that a thread that ends is the fault of the document that it was reading.
    const reading = this.#last.then(() => this.#readAside(bytes, path))
    this.#last = reading
    return reading
  }

  async #readAside(bytes: Buffer, path: string): Promise<Reading> {
    const used = (this.#thread ??= this.#start())
    try {
      return await answer(used, bytes, path)
    } catch (error) {
      // It has ended, or can't be trusted any more.
      if (this.#thread === used) this.#thread = null
      void used.terminate()
      return unreadable(bytes, path, error)
    }
  }

  #start(): Worker {
    const started = new Worker(this.#code, { resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES } })
    // Without a listener an error between two documents would end the process. One that has ended answers no more: the
    // next large document gets another.
    return started
      .on('error', () => {})
      .on('exit', () => {
        if (this.#thread === started) this.#thread = null
      })
  }
}

async function answer(thread: Worker, bytes: Buffer, path: string): Promise<Reading> {
  const { promise, resolve, reject } = Promise.withResolvers<Reading>()
  const ended = () => reject(new Error('the thread that read it ended'))
  thread.once('message', resolve).once('error', reject).once('exit', ended)
  thread.ref()
  try {
    // A copy of its own, handed over: the caller goes on to keep the document.
    const order: ReadingOrder = { bytes: new Uint8Array(bytes), path }
    thread.postMessage(order, [order.bytes.buffer as ArrayBuffer])
    return await promise
  } finally {
    thread.unref()
    thread.off('message', resolve).off('error', reject).off('exit', ended)
  }
}
