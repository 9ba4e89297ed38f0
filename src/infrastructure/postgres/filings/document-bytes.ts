// Documents as the ledger stores them: compressed by gzip. Large ones are compressed, and all are decompressed, on
// Node's thread pool, since the event loop answers HTTP too.
import { promisify } from 'node:util'
import { gunzip, gzip, gzipSync } from 'node:zlib'

const LARGE_BYTES = 256 * 1024

/** Compresses a document. */
export const compressed = (bytes: Buffer): Buffer | Promise<Buffer> =>
  bytes.length > LARGE_BYTES ? promisify(gzip)(bytes) : gzipSync(bytes)

/** Decompresses a document. Rejects if the bytes are damaged. */
export const expanded = (bytes: Buffer): Promise<Buffer> => promisify(gunzip)(bytes)
