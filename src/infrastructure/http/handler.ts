// Types of the handlers of operations: their requests and responses, derived from the contract, so that code and
// contract can't differ.
import type { IncomingHttpHeaders } from 'node:http'
import { JsonText } from '../../application/queries/json-text.ts'
import type { BodyOf, DataOf, JsonAnswer, PathOf, QueryOf } from '../contract-types.ts'
import type { DownloadAnswer } from './downloads.ts'
import type { FileAnswer } from './files/send-file.ts'
import type { StreamAnswer } from './event-stream.ts'
import type { OperationId } from './openapi/document.ts'
import type { AnswerHeaders, Content } from './response.ts'

export type { QueryOf }

/** A valid request, decoded, with defaults filled in. */
interface OperationRequest<Id extends OperationId> {
  path: PathOf<Id>
  query: QueryOf<Id>
  body: BodyOf<Id>
  headers: IncomingHttpHeaders
  /** The id of the caller's key, if one was required. */
  keyId: string | undefined
}

/** A documented JSON body with its status, its data as JSON text, bytes, or a stream, download or file. */
type OperationResponse<Id extends OperationId> =
  | JsonAnswer<Id>
  | { status: 200; data: JsonText<DataOf<Id>>; headers?: AnswerHeaders }
  | { status: 200; content: Content }
  | StreamAnswer
  | DownloadAnswer
  | FileAnswer

export type Handler<Id extends OperationId> = (
  request: OperationRequest<Id>,
) => OperationResponse<Id> | Promise<OperationResponse<Id>>
/** A handler that answers only holders of a key. */
export type KeyedHandler<Id extends OperationId> = (
  request: OperationRequest<Id> & { keyId: string },
) => OperationResponse<Id> | Promise<OperationResponse<Id>>

/** Answers with data that is JSON text already, and with `headers` if given. */
export const okText = <Data>(data: JsonText<Data>, headers?: AnswerHeaders) => ({
  status: 200 as const,
  data,
  ...(headers && { headers }),
})

/** Returns the header that names unknown symbols, if there are any. */
export const unknownTickers = (tickers: readonly string[]): AnswerHeaders | undefined =>
  tickers.length > 0 ? { 'X-Unknown-Tickers': tickers.join(',') } : undefined

/** Wraps data in the contract's envelope. */
export function ok<Data>(data: Data) {
  return { status: 200 as const, json: { success: true as const, data } }
}
