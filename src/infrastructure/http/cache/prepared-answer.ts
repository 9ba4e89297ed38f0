// Answers as they are kept: their bytes, and the headers of a response with and without these.
import type { Headers } from '../response.ts'
import type { Variant } from './compression.ts'

/** An answer in one encoding, ready to be sent. */
export interface PreparedAnswer extends Variant {
  /** The headers of 200 and of 304 beside those that answers share, and those of a request. */
  ok: Headers
  notModified: Headers
  /** What the answer's head has beside what answers share. */
  headers: AnswerHeaders
}

export type AnswerHeaders = Readonly<Record<string, string>>

export function prepareAnswer(
  { bytes, etag }: Variant,
  { encoding, headers = {} }: { encoding?: 'gzip'; headers?: AnswerHeaders | undefined } = {},
): PreparedAnswer {
  const notModified = { ...headers, Vary: 'Accept-Encoding', ETag: etag }
  const content = { 'Content-Type': 'application/json', 'Content-Length': bytes.length }
  const ok = { ...notModified, ...(encoding && { 'Content-Encoding': encoding }), ...content }
  return { bytes, etag, ok, notModified, headers }
}
