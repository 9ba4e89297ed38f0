// The worker thread that reads large documents: each message is one document, each answer its DocumentReading.
import { parentPort } from 'node:worker_threads'
import type { ReadingOrder } from './document-reader.ts'
import { readAnyDocument } from './read-any-document.ts'

parentPort!.on('message', ({ bytes, path }: ReadingOrder) => {
  parentPort!.postMessage(readAnyDocument(Buffer.from(bytes.buffer), path))
})
