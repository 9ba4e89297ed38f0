// The contract's operations that tools for language models call, as typed functions. In the service they are answered
// by the handlers of the operations, elsewhere by a client over HTTP.
import type { BodyOf, DataOf, PathOf, QueryOf } from './contract-types.ts'

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

/** Optional parameters may also be given as undefined. */
type Given<Parameters> = { [Name in keyof Parameters]: Parameters[Name] | undefined }

/** The parameters of a request, which are valid by the contract's schemas. */
export interface ToolRequest<Id extends ToolOperation> {
  path?: PathOf<Id>
  query?: Given<QueryOf<Id>>
  body?: BodyOf<Id>
}

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
