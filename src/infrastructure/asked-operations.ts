// Operations of the contract as functions: what the tools for language models ask. In the service the handlers of the
// operations answer, elsewhere a client over HTTP.
import type { operations } from '../contract.ts'

type AskedOperation =
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

type ParametersOf<Id extends AskedOperation> = NonNullable<operations[Id]['parameters']>
type Part<Parameters, In extends string> = Parameters extends { [Name in In]?: infer Given }
  ? NonNullable<Given>
  : object
type BodyOf<Id extends AskedOperation> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? Body
  : undefined

/** Optional parameters may also be given as undefined. */
type Given<Parameters> = { [Name in keyof Parameters]: Parameters[Name] | undefined }

/** The parameters of a request, which are valid by the contract's schemas. */
export interface Asked<Id extends AskedOperation> {
  path?: Part<ParametersOf<Id>, 'path'>
  query?: Given<Part<ParametersOf<Id>, 'query'>>
  body?: BodyOf<Id>
}

/** What an operation answers, without its envelope. */
type DataOf<Id extends AskedOperation> =
  Extract<operations[Id]['responses'][keyof operations[Id]['responses'] & (200 | 201)], object> extends {
    content: { 'application/json': infer Body }
  }
    ? Body extends { data: infer Data }
      ? Data
      : undefined
    : undefined

interface Answered<Id extends AskedOperation> {
  data: DataOf<Id>
  /** Symbols asked for that lead to no company. */
  unknownTickers: string[]
}

/** Asks an operation. What it throws has the contract's `code`, a `message`, and maybe `details`. */
export type Ask = <Id extends AskedOperation>(operation: Id, asked: Asked<Id>) => Promise<Answered<Id>>

/** Who asks over the Model Context Protocol. */
export interface ProtocolCaller {
  ask: Ask
  /** Whether the caller has a valid key, so that there is a watchlist to ask for. */
  hasKey: boolean
}
