// Requests and responses of operations, as types derived from the contract.
import type { operations } from '../contract.ts'

type OperationId = keyof operations

type Parameters<Id extends OperationId> = operations[Id] extends { parameters: infer P } ? P : object
// The generator writes an optional parameter as absent or undefined; here it is absent.
type Present<T> = { [Name in keyof T]: Exclude<T[Name], undefined> }
type Part<Id extends OperationId, In extends string> = In extends keyof Parameters<Id>
  ? Present<NonNullable<Parameters<Id>[In]>>
  : object

/** The parameters in the path of an operation. */
export type PathOf<Id extends OperationId> = Part<Id, 'path'>

/** Those in its query string. */
export type QueryOf<Id extends OperationId> = Part<Id, 'query'>

/** The JSON body of its requests; undefined if they have none. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? Body
  : undefined

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never
type Responses<Id extends OperationId> = operations[Id] extends { responses: infer R } ? R : never
type JsonAnswers<R> = { [Status in keyof R]: { status: Status & number; json: JsonOf<R[Status]> } }

/** Its JSON responses, with their statuses. */
export type JsonAnswer<Id extends OperationId> = JsonAnswers<Responses<Id>>[keyof Responses<Id>]

/** What its responses have in the contract's envelope. */
export type DataOf<Id extends OperationId> =
  JsonAnswer<Id> extends infer Answer ? (Answer extends { json: { data: infer Data } } ? Data : never) : never
