// Handlers of operations: the requests they take and the responses they give, typed from the contract, so that neither
// side can drift from the document.
import type { operations } from '../../contract.ts'
import type { OperationId } from './openapi/document.ts'
import type { Content } from './response.ts'

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

/** A valid request, decoded, with defaults filled in. */
interface OperationRequest<Id extends OperationId> {
  path: Part<Id, 'path'>
  query: Part<Id, 'query'>
  body: JsonBody<Id>
  /** The id of the caller's key, if one was required. */
  keyId: string | undefined
}

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never
type JsonAnswers<R> = { [Status in keyof R]: { status: Status & number; json: JsonOf<R[Status]> } }
type Responses<Id extends OperationId> = operations[Id] extends { responses: infer R } ? R : never

/** One of the operation's documented JSON bodies with its status, or bytes. */
type OperationResponse<Id extends OperationId> =
  JsonAnswers<Responses<Id>>[keyof Responses<Id>] | { status: 200; content: Content }

export type Handler<Id extends OperationId> = (
  request: OperationRequest<Id>,
) => OperationResponse<Id> | Promise<OperationResponse<Id>>
/** A handler that answers only holders of a key. */
export type KeyedHandler<Id extends OperationId> = (
  request: OperationRequest<Id> & { keyId: string },
) => OperationResponse<Id> | Promise<OperationResponse<Id>>

/** Wraps data in the contract's envelope. */
export function ok<Data>(data: Data) {
  return { status: 200 as const, json: { success: true as const, data } }
}
