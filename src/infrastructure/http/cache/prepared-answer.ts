// Answers as they are kept: responses in bytes, their headers in the order of those that http/response.ts makes.
import { headersOf } from '../response.ts'
import type { Variant } from './compression.ts'
import { headerLines } from '../response-head.ts'
import { PreparedResponse } from './prepared-response.ts'

/** An answer in one encoding, ready to be sent. */
export interface PreparedAnswer {
  etag: string
  ok: PreparedResponse
  notModified: PreparedResponse
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
    etag,
    ok: new PreparedResponse(200, { before: SHARED, after: headerLines(all) }, bytes),
    notModified: new PreparedResponse(304, { before: SHARED, after: headerLines(validators) }),
    headers,
  }
}

/** Returns what the answer was prepared from. */
export function variantOf({ ok, etag }: PreparedAnswer): Variant {
  return { bytes: ok.body, etag }
}
