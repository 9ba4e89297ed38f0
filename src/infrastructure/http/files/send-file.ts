// Sends files from disk with Express's `sendFile`, which handles ranges, If-Range, conditions and HEAD. A path always
// leads to the same bytes: a new version of a file has a new path.
import { basename, dirname } from 'node:path'
import type { Request, Response } from 'express'
import { ServiceError } from '../../../application/errors.ts'
import { withoutDeadline } from '../../deadline.ts'
import { CORS_HEADERS, headersOf, type Caching } from '../response.ts'
import { allowLongAnswer } from '../server/slow-readers.ts'

export interface FileAnswer {
  status: 200
  file: {
    path: string
    bytes: number
    type: string
    /** The ETag in quotes, which changes with the bytes only. */
    etag: string
    modifiedAt: Date
    /** Whether the URL always returns these bytes. */
    isImmutable: boolean
  }
}

const EXPOSED = `${CORS_HEADERS['Access-Control-Expose-Headers']}, Accept-Ranges, Content-Length, Content-Range`
const IMMUTABLE = 'public, max-age=31536000, immutable'

/**
 * Sends the file or the requested part. Throws `precondition_failed`, `range_not_satisfiable`, or `unavailable` if it
 * can't be opened, and what was thrown if it can't be read to its end.
 */
export async function sendFile(
  { context, headers: requested }: Request,
  response: Response,
  caching: Caching,
  { file }: FileAnswer,
): Promise<void> {
  // Clients that follow the fetch standard add no-cache to each conditional request, and would never see a 304.
  delete requested['cache-control']
  // RFC 9110 §13.1.5 compares strongly, and Express does not.
  if (String(requested['if-range']).startsWith('W/')) delete requested.range
  if (requested.range !== undefined) requested.range = plainRange(requested.range, file.bytes)
  const headers = {
    ...headersOf(caching, { 'X-Request-Id': context.id, ...context.headers }),
    ...(file.isImmutable && caching === 'revalidate' && { 'Cache-Control': IMMUTABLE }),
    ...(caching === 'revalidate' && { 'Access-Control-Expose-Headers': EXPOSED }),
    ETag: file.etag,
    'Last-Modified': file.modifiedAt.toUTCString(),
    'Content-Type': file.type,
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (response.socket) allowLongAnswer(response.socket)
  const options = { root: dirname(file.path), etag: false, cacheControl: false }
  const fault = await withoutDeadline(
    () => new Promise<unknown>((resolve) => response.sendFile(basename(file.path), options, resolve)),
  )
  if (context.method !== 'HEAD') context.bodyBytes = Number(response.getHeader('Content-Length') ?? 0)
  // The caller has left.
  if (fault === undefined || response.destroyed) return
  if (response.headersSent) throw fault
  const size = String(response.getHeader('Content-Range')).slice('bytes */'.length)
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  const { status } = fault as { status?: number }
  if (status === 412)
    throw new ServiceError('precondition_failed', 'The file is not the one that If-Match or If-Unmodified-Since allows')
  if (status !== 416) throw new ServiceError('unavailable', 'the file cannot be opened', undefined, { cause: fault })
  context.headers['Content-Range'] = `bytes */${size}`
  throw new ServiceError('range_not_satisfiable', 'The file has no bytes in this range', [
    { path: 'header.Range', message: `must begin before byte ${size}` },
  ])
}

/**
 * Rewrites a range that Express reads differently from RFC 9110 §14: a suffix longer than the file means all of it, and
 * a range that ends before it begins is ignored.
 */
function plainRange(range: string, size: number): string {
  const [, first, last] = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i.exec(range) ?? []
  if (first === undefined || last === '') return range
  if (first === '') return Number(last) > size ? 'bytes=0-' : range
  return Number(last) < Number(first) ? '' : range
}
