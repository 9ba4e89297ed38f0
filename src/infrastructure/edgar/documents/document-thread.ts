// Worker thread that reads large documents: each message is one document, each answer its DocumentReading.
import { parentPort } from 'node:worker_threads'
import type { ReadingOrder } from './document-reader.ts'
import { readDocument } from './read-document.ts'

parentPort!.on('message', ({ bytes, path }: ReadingOrder) => {
  parentPort!.postMessage(readDocument(Buffer.from(bytes.buffer), path))
})
