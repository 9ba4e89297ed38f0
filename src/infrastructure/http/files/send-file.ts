// Files as they are, whole or in part, read from a descriptor of the answer's own: what takes a file's place meanwhile
// is another file, and no answer has bytes of both.
import { open, type FileHandle } from 'node:fs/promises'
import type { Request, Response } from 'express'
import { ServiceError } from '../../../application/errors.ts'
import { withoutDeadline } from '../../deadline.ts'
import { parseRange, type ByteRange } from './byte-ranges.ts'
import { CORS_HEADERS, headersOf, matches, type Caching } from '../response.ts'
import { allowLongAnswer } from '../server/slow-readers.ts'

export interface FileAnswer {
  status: 200
  file: {
    path: string
    type: string
    /** Stays the same as long as the bytes do, in quotes. */
    etag: string
    modifiedAt: Date
    /** Whether the address always gives these bytes. */
    isImmutable: boolean
  }
}

const EXPOSED = `${CORS_HEADERS['Access-Control-Expose-Headers']}, Accept-Ranges, Content-Length, Content-Range`
const IMMUTABLE = 'public, max-age=31536000, immutable'
const READ_BYTES = 512 * 1024
/** A part up to this is read at once, before the head is sent. */
const MAX_AT_ONCE = 256 * 1024

/** Sends the file, or the part asked for. Throws `range_not_satisfiable`, or `unavailable` where it can't be opened. */
export async function sendFile(
  request: Request,
  response: Response,
  caching: Caching,
  { file }: FileAnswer,
): Promise<void> {
  if (isKnown(request, file)) {
    response.writeHead(304, headersFor(request, caching, file))
    response.end()
    return
  }
  const handle = await open(file.path).catch((cause: unknown) => {
    throw new ServiceError('unavailable', 'the file can not be opened', undefined, { cause })
  })
  try {
    const { size } = await handle.stat()
    await sendOpen(request, response, { caching, file, handle, size })
  } finally {
    await handle.close()
  }
}

function headersFor({ context }: Request, caching: Caching, file: FileAnswer['file']): Record<string, string | number> {
  return {
    ...headersOf(caching, { 'X-Request-Id': context.id, ...context.headers }),
    ...(file.isImmutable && caching === 'revalidate' && { 'Cache-Control': IMMUTABLE }),
    ETag: file.etag,
    'Last-Modified': file.modifiedAt.toUTCString(),
    'Accept-Ranges': 'bytes',
    ...(caching === 'revalidate' && { 'Access-Control-Expose-Headers': EXPOSED }),
  }
}

interface OpenAnswer {
  caching: Caching
  file: FileAnswer['file']
  handle: FileHandle
  size: number
}

async function sendOpen(request: Request, response: Response, answer: OpenAnswer): Promise<void> {
  const { context } = request
  const { caching, file, handle, size } = answer
  const range = isSameFile(request, file) ? parseRange(request.headers.range, size) : null
  if (range === 'unsatisfiable') {
    context.headers['Content-Range'] = `bytes */${size}`
    throw new ServiceError('range_not_satisfiable', 'The file has no bytes in this range', [
      { path: 'header.Range', message: `must begin before byte ${size}` },
    ])
  }
  const { start, end } = range ?? { start: 0, end: size }
  const headers = headersFor(request, caching, file)
  headers['Content-Type'] = file.type
  headers['Content-Length'] = end - start
  if (range) headers['Content-Range'] = `bytes ${start}-${end - 1}/${size}`
  const status = range ? 206 : 200
  if (context.method === 'HEAD') {
    response.writeHead(status, headers)
    response.end()
    return
  }
  context.bodyBytes = end - start
  if (end - start <= MAX_AT_ONCE) {
    const bytes = await read(handle, start, Buffer.allocUnsafe(end - start))
    response.writeHead(status, headers)
    response.end(bytes)
    return
  }
  if (response.socket) allowLongAnswer(response.socket)
  response.writeHead(status, headers)
  await withoutDeadline(() => sendPieces(handle, response, { start, end }))
}

/** Reads the next piece while the caller takes the one before. */
async function sendPieces(handle: FileHandle, response: Response, { start, end }: ByteRange): Promise<void> {
  // Two in turn: what was written before the last one is with the system by now.
  const buffers = [Buffer.allocUnsafeSlow(READ_BYTES), Buffer.allocUnsafeSlow(READ_BYTES)]
  const piece = (at: number) => {
    buffers.reverse()
    return read(handle, at, buffers[0]!.subarray(0, Math.min(READ_BYTES, end - at)))
  }
  let next: Promise<Buffer> | undefined = piece(start)
  for (let at = start + READ_BYTES; next; at += READ_BYTES) {
    const isTaken = response.write(await next)
    next = at < end && !response.destroyed ? piece(at) : undefined
    // Awaited below, or given up with the answer.
    next?.catch(() => {})
    if (!isTaken) await drained(response)
  }
  response.end()
}

function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    if (response.destroyed) resolve()
    else response.once('drain', done).once('close', done)
  })
}

/** Fills the buffer from a place of the file. */
async function read(handle: FileHandle, start: number, bytes: Buffer): Promise<Buffer> {
  for (let got = 0; got < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, got, bytes.length - got, start + got)
    // It was cut, which nothing of ours does.
    if (bytesRead === 0) throw new Error('the file has fewer bytes than before')
    got += bytesRead
  }
  return bytes
}

/**
 * Returns whether the caller has these bytes: by If-None-Match, else by If-Modified-Since, whose times have no
 * fractions.
 */
function isKnown({ headers }: Request, { etag, modifiedAt }: FileAnswer['file']): boolean {
  if (headers['if-none-match'] !== undefined) return matches(headers['if-none-match'], etag)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 <= since
}

/** Returns whether a part is wanted of this file: If-Range names it, by its strong ETag or the exact time. */
function isSameFile({ headers }: Request, { etag, modifiedAt }: FileAnswer['file']): boolean {
  const named = headers['if-range']
  return named === undefined || named === etag || named === modifiedAt.toUTCString()
}
