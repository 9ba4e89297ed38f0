// The thread in which large documents are read: each message is one document, each answer what it says.
import { parentPort } from 'node:worker_threads'
import type { ReadingOrder } from './document-reader.ts'
import { readDocument } from './read-document.ts'

parentPort!.on('message', ({ bytes, path }: ReadingOrder) => {
  parentPort!.postMessage(readDocument(Buffer.from(bytes.buffer), path))
})
