// Reader of ownership documents: small ones are read at once, large ones in a worker thread, so that the event loop
// keeps serving HTTP.
import { Worker } from 'node:worker_threads'
import type { ReadDocument, DocumentReading } from '../../../application/ports/filings.ts'
import { readAnyDocument } from './read-any-document.ts'
import { unreadable } from './read-document.ts'

/** Nearly all submissions are smaller, and are read on the main thread without holding up requests. */
export const LARGE_BYTES = 256 * 1024
/** Many times what the largest document needs; beyond it the thread ends, and not the process. */
const MAX_MEGABYTES = 512

/** Message to the thread, which answers with a DocumentReading. */
export interface ReadingOrder {
  bytes: Uint8Array
  path: string
}

// With the extension of this file: .ts from source, .js in a build.
const THREAD = new URL(import.meta.url.replace(/document-reader(?=\.[jt]s)/, 'document-thread'))

/** Runs one thread at a time, started for the first large document; it does not keep the process alive. */
export class OwnershipDocumentReader {
  readonly #code: URL
  #thread: Worker | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(code = THREAD) {
    this.#code = code
  }

  /** Reads one document; a bound function, since the port ReadDocument is one. */
  readonly read: ReadDocument = (bytes, path) => {
    if (bytes.length <= LARGE_BYTES) return readAnyDocument(bytes, path)
    // One after the other, so that a thread that ends was ended by the document it was reading.
    const reading = this.#last.then(() => this.#readAside(bytes, path))
    this.#last = reading
    return reading
  }

  async #readAside(bytes: Buffer, path: string): Promise<DocumentReading> {
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
    // Without a listener an error between two documents would end the process. A thread that has ended does not
    // answer: the next large document starts another.
    return started
      .on('error', () => {})
      .on('exit', () => {
        if (this.#thread === started) this.#thread = null
      })
  }
}

async function answer(thread: Worker, bytes: Buffer, path: string): Promise<DocumentReading> {
  const { promise, resolve, reject } = Promise.withResolvers<DocumentReading>()
  const ended = () => reject(new Error('the thread that read it ended'))
  thread.once('message', resolve).once('error', reject).once('exit', ended)
  thread.ref()
  try {
    // A transferred copy: the caller keeps the document.
    const order: ReadingOrder = { bytes: new Uint8Array(bytes), path }
    thread.postMessage(order, [order.bytes.buffer as ArrayBuffer])
    return await promise
  } finally {
    thread.unref()
    thread.off('message', resolve).off('error', reject).off('exit', ended)
  }
}
