// Reads JSON bodies up to the limit. express.json would read all of a body that is too long before refusing it. Bodies
// are never decompressed: node's Brotli decoder had an out-of-bounds write (CVE-2026-111497), and a small body can
// unpack to a huge one.
import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import getRawBody from 'raw-body'
import { ServiceError } from '../../../application/errors.ts'
import { untimed } from '../../deadline.ts'
import { BODY_BYTES } from '../server/limits.ts'

const JSON_TYPE = /^application\/json *(; *charset="?utf-8"? *)?$/i

/** Reads the body into `request.body`, an object. The deadline of the request does not run meanwhile. */
export function readBody(): RequestHandler {
  return async (request, response, next) => {
    checkHead(request)
    // The validator keeps a compiled schema for each spelling of the type, so it must see only one.
    request.headers['content-type'] = 'application/json'
    if (awaitsContinue(request)) response.writeContinue()
    request.body = parsed(await bodyOf(request, BODY_BYTES))
    next()
  }
}

/** Returns whether the caller waits for `100 Continue` before it sends the body. */
export function awaitsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue'
}

/** Refuses a body by its headers, before it is read. */
function checkHead({ headers }: IncomingMessage): void {
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new ServiceError('unsupported_media_type', 'The body must be application/json')
  }
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    throw new ServiceError('unsupported_media_type', 'The body must not be compressed')
  }
  if (Number(headers['content-length'] ?? 0) > BODY_BYTES) throw tooLarge(BODY_BYTES)
}

/** Reads the body, up to the limit and no byte further. The deadline of the request does not run meanwhile. */
export function bodyOf(request: IncomingMessage, limit: number): Promise<Buffer> {
  return untimed(bytesOf(request, limit))
}

async function bytesOf(request: IncomingMessage, limit: number): Promise<Buffer> {
  // A request with neither header has no body.
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (length === undefined && encoding === undefined) return Buffer.alloc(0)
  try {
    return await getRawBody(request, { limit, length: length ?? null })
  } catch (cause) {
    if ((cause as getRawBody.RawBodyError).type === 'entity.too.large') throw tooLarge(limit)
    throw new ServiceError('invalid_body', 'The body was cut off', undefined, { cause })
  }
}

function parsed(bytes: Buffer): object {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new ServiceError('invalid_body', 'The body is not valid JSON in UTF-8', undefined, { cause })
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new ServiceError('invalid_body', 'The body must be a JSON object')
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('body_too_large', `The body has more than ${limit} bytes`)
}
