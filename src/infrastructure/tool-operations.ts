// The contract's operations that tools for language models call, as typed functions. In the service they are answered
// by the handlers of the operations, elsewhere by a client over HTTP.
import type { operations } from '../contract.ts'

type ToolOperation =
  | 'search'
  | 'getCompany'
  | 'getInsider'
  | 'listFeed'
  | 'getSentiment'
  | 'getRankings'
  | 'listSignals'
  | 'getSignal'
  | 'getFiling'
  | 'listNotices'
  | 'getStatus'
  | 'listWatchlist'
  | 'addToWatchlist'
  | 'removeFromWatchlist'
  | 'listDeliveries'

type ParametersOf<Id extends ToolOperation> = NonNullable<operations[Id]['parameters']>
type Part<Parameters, In extends string> = Parameters extends { [Name in In]?: infer Given }
  ? NonNullable<Given>
  : object
type BodyOf<Id extends ToolOperation> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? Body
  : undefined

/** Optional parameters may also be given as undefined. */
type Given<Parameters> = { [Name in keyof Parameters]: Parameters[Name] | undefined }

/** The parameters of a request, which are valid by the contract's schemas. */
export interface ToolRequest<Id extends ToolOperation> {
  path?: Part<ParametersOf<Id>, 'path'>
  query?: Given<Part<ParametersOf<Id>, 'query'>>
  body?: BodyOf<Id>
}

/** What an operation answers, without its envelope. */
type DataOf<Id extends ToolOperation> =
  Extract<operations[Id]['responses'][keyof operations[Id]['responses'] & (200 | 201)], object> extends {
    content: { 'application/json': infer Body }
  }
    ? Body extends { data: infer Data }
      ? Data
      : undefined
    : undefined

interface Answered<Id extends ToolOperation> {
  data: DataOf<Id>
  /** Requested symbols that lead to no company. */
  unknownTickers: string[]
}

/** Calls an operation. Its errors have the contract's `code`, a `message`, and maybe `details`. */
export type Ask = <Id extends ToolOperation>(operation: Id, request: ToolRequest<Id>) => Promise<Answered<Id>>

/** A caller over the Model Context Protocol. */
export interface ProtocolCaller {
  ask: Ask
  /** Whether the caller has a valid key, so that there is a watchlist to ask for. */
  hasKey: boolean
}
