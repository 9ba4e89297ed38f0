// Downloads a quarter's data set from EDGAR to a file. It is written to disk as it comes, since it is too large for
// memory, and gets its final name only when it is complete.
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RequestError } from 'got'
import { quarterOf, type Quarter } from '../../../domain/shared/quarter.ts'
import { requireSpace, watchSpace } from '../../free-space.ts'
import { unfinishedName } from '../../unfinished-files.ts'
import { UnexpectedContent } from '../response-content.ts'
import { request, type FetchOptions, type Fetched } from './fetch-page.ts'

export interface SavedDataSet {
  bytes: number
  sha256: string
}

/** Called with each chunk: the bytes received so far, and the announced total, or null if that is unknown. */
export type OnBytes = (received: number, announced: number | null) => void

interface DataSetDownload {
  /** Works like `fetchPage`, but a body that is a zip goes to the file, and the page then has only its beginning. */
  fetch(url: URL, options: FetchOptions): Promise<Fetched>
  /** Returns what `fetch` saved. Throws UnexpectedContent if `page` was something else. */
  saved(page: Buffer): SavedDataSet
}

/** The largest zip that is accepted, far above any quarter's. */
export const DATA_SET_BYTES = 2 * 1024 ** 3
/** Error pages have a few kilobytes. */
const PAGE_BYTES = 65_536
const MAGIC = Buffer.from('PK')
const END_OF_ZIP = Buffer.from('PK\x05\x06')
/** The end record of a zip without its comment, plus the longest comment. */
const MAX_END = 22 + 65_535
/** The limit for the whole file, at a slow connection. */
const MAX_MS = 3_600_000

/** Returns the path of a quarter's zip at the SEC. Throws if the text is not a quarter. */
export function dataSetPath(quarter: Quarter): string {
  if (quarterOf(quarter) !== quarter) throw new Error(`${JSON.stringify(quarter)} must be a quarter such as 2024q3`)
  return `files/structureddata/data/insider-transactions-data-sets/${quarter}_form345.zip`
}

/** Makes a download to `toPath`, by way of a file beside it. Throws if the disk has too little space. */
export function downloadTo(toPath: string, onBytes: OnBytes = () => {}): DataSetDownload {
  const partPath = unfinishedName(toPath)
  let saved: SavedDataSet | null = null
  return {
    async fetch(url, options) {
      const folder = dirname(toPath)
      await requireSpace(folder)
      const part = await open(partPath, 'w+')
      try {
        const { fetched, zip } = await fetchInto({ part, folder }, url, options, onBytes)
        if (zip) {
          await part.sync()
          await rename(partPath, toPath)
          saved = zip
        }
        return fetched
      } finally {
        await part.close()
        if (saved === null) await rm(partPath, { force: true })
      }
    },
    saved(page) {
      if (saved === null) throw new UnexpectedContent('zip', page.toString('latin1'))
      return saved
    },
  }
}

interface Target {
  part: FileHandle
  folder: string
}

interface Received {
  fetched: Fetched
  zip?: SavedDataSet
}

/** Downloads into an open file. Rejects with the signal's reason, or if the file can't be written. */
async function fetchInto(target: Target, url: URL, options: FetchOptions, onBytes: OnBytes): Promise<Received> {
  const answer: { response?: Response } = {}
  try {
    // A zip is compressed already, and decompressed its announced length would mean nothing.
    const stream = request(url, options, 'identity', { socket: options.timeoutMs, request: MAX_MS }).once(
      'response',
      (response) => {
        answer.response = response
      },
    )
    const received = await receive({ stream, response: () => answer.response! }, target, options.maxBytes, onBytes)
    options.signal?.throwIfAborted()
    return received
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason
    if (!(error instanceof RequestError)) throw error
    return { fetched: { fault: answer.response ? 'cut' : 'unreachable', reason: error.message } }
  }
}

type Response = { statusCode: number; headers: IncomingHttpHeaders }

/** Receives the body: a zip into the file, of anything else the beginning. Leaving the loop closes the connection. */
async function receive(
  { stream, response }: { stream: AsyncIterable<Uint8Array>; response: () => Response },
  { part, folder }: Target,
  maxBytes: number,
  onBytes: OnBytes,
): Promise<Received> {
  const hash = createHash('sha256')
  let head = Buffer.alloc(0)
  let bytes = 0
  let isZip = false
  const written = watchSpace(folder)
  for await (const chunk of stream) {
    const { statusCode, headers } = response()
    if (head.length < PAGE_BYTES) head = Buffer.concat([head, chunk.subarray(0, PAGE_BYTES)])
    isZip = statusCode === 200 && mayBeZip(head)
    if (!isZip && head.length >= PAGE_BYTES) break
    if (!isZip) continue
    const announced = announcedBytes(headers)
    bytes += chunk.length
    if (Math.max(bytes, announced ?? 0) > maxBytes) {
      return { fetched: { fault: 'too-large', reason: `larger than ${maxBytes} bytes` } }
    }
    if (bytes === chunk.length) await requireSpace(folder, announced ?? 0)
    await written(chunk.length)
    await part.writeFile(chunk)
    hash.update(chunk)
    onBytes(bytes, announced)
  }
  const { statusCode: status, headers } = response()
  const fetched = { status, headers, body: head }
  if (!isZip || bytes < MAGIC.length) return { fetched }
  if (!(await hasEnd(part, bytes))) return { fetched: { fault: 'cut', reason: 'the zip has no end' } }
  return { fetched, zip: { bytes, sha256: hash.digest('hex') } }
}

/** Returns whether the body's beginning can be a zip's; the first chunk can be a single byte. */
function mayBeZip(head: Buffer): boolean {
  const start = head.subarray(0, MAGIC.length)
  return start.equals(MAGIC.subarray(0, start.length))
}

function announcedBytes(headers: IncomingHttpHeaders): number | null {
  const length = headers['content-length'] ?? ''
  return /^\d{1,15}$/.test(length) ? Number(length) : null
}

/**
 * Returns whether the zip's end record is there; only this shows that a body without an announced length, or with one
 * that is too short, is incomplete.
 */
async function hasEnd(part: FileHandle, bytes: number): Promise<boolean> {
  const length = Math.min(bytes, MAX_END)
  const { buffer, bytesRead } = await part.read(Buffer.alloc(length), 0, length, bytes - length)
  return buffer.subarray(0, bytesRead).includes(END_OF_ZIP)
}
