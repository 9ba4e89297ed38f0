// Files as they are, whole or in part, read from a descriptor that is opened once: what takes a file's place meanwhile
// is another file, and no answer has bytes of both.
import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { ServiceError } from '../../application/errors.ts'
import { withoutDeadline } from '../deadline.ts'
import { parseRange, type ByteRange } from './byte-ranges.ts'
import { CORS_HEADERS, headersOf, matches, type Caching } from './response.ts'
import { allowLongAnswer } from './server/slow-readers.ts'

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
const READ_BYTES = 256 * 1024
/** A part up to this is read at once, before the head is sent. */
const MAX_AT_ONCE = 256 * 1024

/** Sends the file, or the part asked for. Throws `range_not_satisfiable`, or `unavailable` where it can't be opened. */
export async function sendFile(
  request: Request,
  response: Response,
  caching: Caching,
  { file }: FileAnswer,
): Promise<void> {
  const { context } = request
  const handle = await open(file.path, 'r').catch((cause: unknown) => {
    throw new ServiceError('unavailable', 'the file can not be opened', undefined, { cause })
  })
  try {
    const { size } = await handle.stat()
    const headers: Record<string, string | number> = {
      ...headersOf(caching, { 'X-Request-Id': context.id, ...context.headers }),
      ...(file.isImmutable && caching === 'revalidate' && { 'Cache-Control': IMMUTABLE }),
      ETag: file.etag,
      'Last-Modified': file.modifiedAt.toUTCString(),
      'Accept-Ranges': 'bytes',
      ...(caching === 'revalidate' && { 'Access-Control-Expose-Headers': EXPOSED }),
    }
    if (isKnown(request, file)) {
      response.writeHead(304, headers)
      response.end()
      return
    }
    const range = isSameFile(request, file) ? parseRange(request.headers.range, size) : null
    if (range === 'unsatisfiable') {
      context.headers['Content-Range'] = `bytes */${size}`
      throw new ServiceError('range_not_satisfiable', 'The file has no bytes in this range', [
        { path: 'header.Range', message: `must begin before byte ${size}` },
      ])
    }
    const { start, end } = range ?? { start: 0, end: size }
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
    await sendBytes(handle, response, { status, headers }, { start, end })
  } finally {
    await handle.close()
  }
}

async function sendBytes(
  handle: FileHandle,
  response: Response,
  { status, headers }: { status: number; headers: Record<string, string | number> },
  { start, end }: ByteRange,
): Promise<void> {
  if (end - start <= MAX_AT_ONCE) {
    const bytes = Buffer.allocUnsafe(end - start)
    for (let read = 0; read < bytes.length;) {
      const { bytesRead } = await handle.read(bytes, read, bytes.length - read, start + read)
      // It was cut, which nothing of ours does.
      if (bytesRead === 0) throw new Error('the file has fewer bytes than before')
      read += bytesRead
    }
    response.writeHead(status, headers)
    response.end(bytes)
    return
  }
  if (response.socket) allowLongAnswer(response.socket)
  response.writeHead(status, headers)
  const stream = handle.createReadStream({ start, end: end - 1, highWaterMark: READ_BYTES, autoClose: false })
  // A caller that leaves is no fault.
  await withoutDeadline(() => pipeline(stream, response)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}

/** Whether the caller has these bytes: by If-None-Match, else by If-Modified-Since, whose times have no fractions. */
function isKnown({ headers }: Request, { etag, modifiedAt }: FileAnswer['file']): boolean {
  if (headers['if-none-match'] !== undefined) return matches(headers['if-none-match'], etag)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 <= since
}

/** Whether a part is wanted of this file: If-Range names it, by its strong ETag or the exact time. */
function isSameFile({ headers }: Request, { etag, modifiedAt }: FileAnswer['file']): boolean {
  const named = headers['if-range']
  return named === undefined || named === etag || named === modifiedAt.toUTCString()
}
