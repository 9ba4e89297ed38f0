// Validates requests against the contract with express-openapi-validator. Query strings are parsed before, more
// strictly than the validator does; one error names all faults of a request.
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { middleware } from 'express-openapi-validator'
import type { ErrorDetail } from '../../../application/errors.ts'
import { parseRankings, parseSentiment } from '../controllers/aggregates.ts'
import { parseChangeFilter } from '../controllers/changes.ts'
import { parseFeed } from '../controllers/feed.ts'
import { parseFilingFilter } from '../controllers/filings.ts'
import { parseNoticeFilter } from '../controllers/notices.ts'
import { parseCompanyList, parseSearch } from '../controllers/profiles.ts'
import { parseSignalFilter } from '../controllers/signals.ts'
import { faultsOf, invalidRequest } from '../invalid-request.ts'
import type { ApiDocument, DocumentedOperation, OperationId } from '../openapi/document.ts'
import { parseQuery } from '../openapi/request-target.ts'
import { faultsOfValidator } from '../openapi/validation-messages.ts'
import { parseAsOf } from '../parameters.ts'

/** Returns the validator of the document, to be passed after `readQuery`. */
export function validator(document: ApiDocument): RequestHandler[] {
  return middleware({
    // The validator changes the document that it gets.
    apiSpec: structuredClone(document.json) as Parameters<typeof middleware>[0]['apiSpec'],
    validateApiSpec: false,
    // `readQuery` has refused unknown parameters, with a suggestion.
    validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false, removeAdditional: false },
    validateResponses: false,
    // Keys are checked before the body is read, and also below paths that do not exist.
    validateSecurity: false,
    fileUploader: false,
    // A parameter whose schema is a reference would be read as JSON first: `?type="cluster_buy"` would pass.
    $refParser: { mode: 'dereference' },
  })
}

/** Sets `request.query` to the parameters that the operation has, and records the faults of all others. */
export function readQuery(): RequestHandler {
  return (request, _response, next) => {
    const { operation, target } = request.context
    const { values, faults } = parseQuery(target!.query, operation!)
    Object.assign(request.context, { query: values, queryFaults: faults })
    const value = withLists(values, operation!)
    Object.defineProperty(request, 'query', { value, writable: true, configurable: true, enumerable: true })
    // The validator takes HEAD for a method that the document does not have.
    if (request.method === 'HEAD') request.method = 'GET'
    next()
  }
}

/** Splits list parameters into arrays, as the validator expects them. */
function withLists(values: Record<string, string>, { query }: DocumentedOperation): Record<string, string | string[]> {
  const entries = Object.entries(values)
  return Object.fromEntries(entries.map(([name, text]) => [name, query.get(name)!.isList ? text.split(',') : text]))
}

/** Refuses a request that passed the validator if `readQuery` found faults. */
export function refuseFaults(): RequestHandler {
  return (request, _response, next) => {
    request.method = request.context.method
    if (request.context.queryFaults.length > 0) throw invalidRequest(faultsOfRequest(request, []))
    next()
  }
}

/** Adds the query's other faults to the validator's. */
export function nameAllFaults(): ErrorRequestHandler {
  return (error: unknown, request, _response, next) => {
    request.method = request.context.method
    const faults = faultsOfValidator(error, request.context.operation?.id)
    next(faults === null ? error : invalidRequest(faultsOfRequest(request, faults), error))
  }
}

function faultsOfRequest(request: Request, faults: ErrorDetail[]): ErrorDetail[] {
  const { operation, queryFaults } = request.context
  const parse = PARSERS[operation!.id]
  // Parsers assume that required parameters are present.
  const isComplete = faults.every(({ message }) => message !== 'is required')
  const parsed = parse && isComplete ? faultsOf(() => parse(request.query)) : []
  return [queryFaults, parsed, faults].reduce(withOthers)
}

/** Adds faults of parameters that are not named yet. */
function withOthers(faults: ErrorDetail[], others: ErrorDetail[]): ErrorDetail[] {
  const named = new Set(faults.map(({ path }) => path))
  return [...faults, ...others.filter(({ path }) => !named.has(path))]
}

/** Parsers of parameters whose meaning the schema can't check, by operation. */
const PARSERS: { readonly [Id in OperationId]?: (query: any) => unknown } = {
  listFeed: parseFeed,
  getFeedAtom: parseFeed,
  getFeedCsv: parseFeed,
  exportFeed: parseFeed,
  listCompanies: parseCompanyList,
  getCompany: parseAsOf,
  getInsider: parseAsOf,
  listPositions: parseAsOf,
  listHolders: parseAsOf,
  getSentiment: parseSentiment,
  getRankings: parseRankings,
  search: parseSearch,
  listSignals: parseSignalFilter,
  getSignalsAtom: parseSignalFilter,
  listNotices: parseNoticeFilter,
  getNotice: parseAsOf,
  listFilings: parseFilingFilter,
  listChanges: parseChangeFilter,
  streamChanges: parseChangeFilter,
}
