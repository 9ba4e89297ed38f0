// Reads a JSON body where the operation has one. Never decompressed: node's Brotli decoder had an out-of-bounds write
// (CVE-2026-111497), and a small body can unpack to a huge one.
import express, { type RequestHandler } from 'express'
import { ServiceError } from '../../application/errors.ts'
import { BODY_BYTES } from './limits.ts'

const JSON_TYPE = /^application\/json *(; *charset="?utf-8"? *)?$/i

export function readBody(): RequestHandler {
  const read = express.json({ inflate: false, limit: BODY_BYTES, strict: true, type: 'application/json' })
  return (request, response, next) => {
    if (!request.exchange.route?.operation?.takesBody) return next()
    if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
      throw new ServiceError('unsupported_media_type', 'The body must be application/json')
    }
    // The validator keeps a compiled schema per spelling of the type, so it sees one only.
    request.headers['content-type'] = 'application/json'
    read(request, response, next)
  }
}
