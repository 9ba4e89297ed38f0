// Types of the handlers of operations: their requests and responses, derived from the contract, so that code and
// contract can't differ.
import type { IncomingHttpHeaders } from 'node:http'
import type { operations } from '../../contract.ts'
import { JsonText } from '../../application/queries/json-text.ts'
import type { OperationId } from './openapi/document.ts'
import type { DownloadAnswer } from './downloads.ts'
import type { FileAnswer } from './files/send-file.ts'
import type { StreamAnswer } from './event-stream.ts'
import type { AnswerHeaders, Content } from './response.ts'

type Parameters<Id extends OperationId> = operations[Id] extends { parameters: infer P } ? P : object
type Part<Id extends OperationId, In extends string> = In extends keyof Parameters<Id>
  ? Present<NonNullable<Parameters<Id>[In]>>
  : object
// The generator writes an optional parameter as absent or undefined; here it is absent.
type Present<T> = { [Name in keyof T]: Exclude<T[Name], undefined> }
type JsonBody<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? Body
  : undefined

/** The query parameters of an operation, as the contract has them. */
export type QueryOf<Id extends OperationId> = Part<Id, 'query'>

/** A valid request, decoded, with defaults filled in. */
interface OperationRequest<Id extends OperationId> {
  path: Part<Id, 'path'>
  query: QueryOf<Id>
  body: JsonBody<Id>
  headers: IncomingHttpHeaders
  /** The id of the caller's key, if one was required. */
  keyId: string | undefined
}

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never
type JsonAnswers<R> = { [Status in keyof R]: { status: Status & number; json: JsonOf<R[Status]> } }
type Responses<Id extends OperationId> = operations[Id] extends { responses: infer R } ? R : never

type DataOf<Id extends OperationId> = JsonAnswers<Responses<Id>>[keyof Responses<Id>] extends infer Answer
  ? Answer extends { json: { data: infer Data } }
    ? Data
    : never
  : never

/** A documented JSON body with its status, its data as JSON text, bytes, or a stream, download or file. */
type OperationResponse<Id extends OperationId> =
  | JsonAnswers<Responses<Id>>[keyof Responses<Id>]
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
