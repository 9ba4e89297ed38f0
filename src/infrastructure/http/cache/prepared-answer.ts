// Answers as they are kept: the body as text in Latin-1, a character for each byte, and the heads that it is sent with,
// in the order of those that http/response.ts makes.
import { headersOf } from '../response.ts'
import type { Variant } from './compression.ts'
import { headerLines, prepareHead, type PreparedHead } from './prepared-response.ts'

/** An answer in one encoding, ready to be sent. */
export interface PreparedAnswer {
  text: string
  etag: string
  ok: PreparedHead
  notModified: PreparedHead
  /** What the answer's head has beside what answers share. */
  headers: AnswerHeaders
}

export type AnswerHeaders = Readonly<Record<string, string>>

const SHARED = headerLines(headersOf('revalidate', {}))

export function prepareAnswer(
  { bytes, etag }: Variant,
  { encoding, headers = {} }: { encoding?: 'gzip'; headers?: AnswerHeaders | undefined } = {},
): PreparedAnswer {
  const validators = { ...headers, Vary: 'Accept-Encoding', ETag: etag }
  const content = { 'Content-Type': 'application/json', 'Content-Length': bytes.length }
  const all = { ...validators, ...(encoding && { 'Content-Encoding': encoding }), ...content }
  return {
    text: bytes.toString('latin1'),
    etag,
    ok: prepareHead(200, SHARED, headerLines(all)),
    notModified: prepareHead(304, SHARED, headerLines(validators)),
    headers,
  }
}

/** Returns what the answer was prepared from. */
export function variantOf({ text, etag }: PreparedAnswer): Variant {
  return { bytes: Buffer.from(text, 'latin1'), etag }
}
