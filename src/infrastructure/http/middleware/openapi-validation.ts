// Validation of requests, and in tests of responses, against the document, by express-openapi-validator. Our routing
// has found the operation before; the validator looks for it at the first request for each path and method alone.
import type { RequestHandler } from 'express'
import { middleware } from 'express-openapi-validator'
import { LRUCache } from 'lru-cache'
import { ServiceError, type ErrorDetail } from '../../../application/errors.ts'
import { parseRankings, parseSentiment } from '../controllers/aggregates.ts'
import { parseChangeFilter } from '../controllers/changes.ts'
import { parseFeed } from '../controllers/feed.ts'
import { parseFilingFilter } from '../controllers/filings.ts'
import { parseCompanyList, parseSearch } from '../controllers/profiles.ts'
import { parseSignalFilter } from '../controllers/signals.ts'
import { faultsOf, invalidRequest } from '../invalid-request.ts'
import { inOrder } from '../in-order.ts'
import { resolve, type ApiDocument, type OperationId } from '../openapi/document.ts'
import { parseQuery } from '../openapi/request-target.ts'
import { faultsOfValidator } from '../openapi/validation-messages.ts'
import { parseAsOf } from '../parameters.ts'

/** Validates requests; after it `request.openapi` marks a valid one. Needs a route with an operation. */
export function validate(document: ApiDocument, validateResponses: boolean): RequestHandler {
  const chain = middleware({
    apiSpec: documentOf(document, validateResponses),
    validateApiSpec: false,
    // Unknown and empty ones are refused before; the validator would list all that it knows at each request.
    validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false, removeAdditional: false },
    validateResponses,
    validateSecurity: false,
    fileUploader: false,
  }) as RequestHandler[]
  const [findOperation, ...rest] = chain.filter(({ name }) => !IDLE.has(name))
  const validated = inOrder([foundOnce(findOperation!), givenAlone(), ...rest])
  return (request, response, next) => {
    const { route, target } = request.context
    if (!route?.operation || !target) throw new ServiceError('not_found', 'There is nothing at this path')
    const { values, faults } = parseQuery(target.query, route.operation)
    Object.defineProperty(request, 'query', { value: values, writable: true, configurable: true, enumerable: true })
    const parse = PARSERS[route.operation.id]
    return validated(request, response, (error?: unknown) => {
      if (error === undefined && faults.length === 0) return next()
      const found = error === undefined ? [] : faultsOfValidator(error)
      if (found === null) return next(error)
      // Parsers take required parameters for given.
      const isComplete = found.every(({ message }) => message !== 'is required')
      const parsed = parse && isComplete ? faultsOf(() => parse(values)) : []
      return next(invalidRequest([faults, parsed, found].reduce(withOthers), error))
    })
  }
}

/** Adds faults of parameters that are not named yet. */
function withOthers(faults: ErrorDetail[], others: ErrorDetail[]): ErrorDetail[] {
  const named = new Set(faults.map(({ path }) => path))
  return [...faults, ...others.filter(({ path }) => !named.has(path))]
}

/** Parsers of parameters that hold more than the schema says, by operation. */
const PARSERS: { readonly [Id in OperationId]?: (query: any) => unknown } = {
  listFeed: parseFeed,
  exportFeed: parseFeed,
  listCompanies: parseCompanyList,
  getCompany: parseAsOf,
  getInsider: parseAsOf,
  getSentiment: parseSentiment,
  getRankings: parseRankings,
  search: parseSearch,
  listSignals: parseSignalFilter,
  listFilings: parseFilingFilter,
  listChanges: parseChangeFilter,
  streamChanges: parseChangeFilter,
}

interface FoundOperation {
  openapi?: { schema: Schema; pathParams: Record<string, string> }
}

interface Schema {
  parameters: { in: string; name: string; schema: { type?: string } }[]
}

/**
 * Has the validator look for the operation of a path and method once. It compiles the pattern of every path that it
 * compares, about 2.3 us each, at each request; what differs from request to request are the values in the path.
 */
function foundOnce(find: RequestHandler): RequestHandler {
  const found = new Map<string, FoundOperation['openapi']>()
  return (request, response, next) => {
    const { template, params } = request.context.route!
    const operation = `${request.method} ${template}`
    const known = found.get(operation)
    const validated = request as unknown as FoundOperation
    if (known === undefined)
      return find(request, response, (fault?: unknown) => {
        if (!fault && validated.openapi) found.set(operation, { ...validated.openapi })
        next(fault)
      })
    const pathParams = { ...params }
    validated.openapi = { ...known, pathParams }
    request.params = pathParams
    next()
  }
}

/** Combinations of parameters that are remembered, for each operation. Callers use few. */
const MAX_COMBINATIONS = 200

/**
 * Leaves the validator the query parameters that a GET request has. It looks at how each may be written, given or not,
 * which with the 27 of the feed takes a third of what a request costs. Single values in paths and headers can be
 * written in one way alone, and what each may be, what is required, and what is meant where nothing is given, is in the
 * schema that it compiles at the first GET of an operation, for which all are left. Of other methods it compiles one for
 * each Content-Type.
 */
function givenAlone(): RequestHandler {
  const compiled = new WeakMap<Schema, LRUCache<string, Schema>>()
  return (request, _response, next) => {
    const { openapi } = request as unknown as FoundOperation
    if (!openapi || request.method !== 'GET') return next()
    const { schema } = openapi
    const known = compiled.get(schema)
    if (known) openapi.schema = withGiven(schema, request.query, known)
    else compiled.set(schema, new LRUCache({ max: MAX_COMBINATIONS }))
    next()
  }
}

const SINGLE_VALUES: ReadonlySet<string | undefined> = new Set(['string', 'integer', 'number', 'boolean'])

function withGiven(schema: Schema, query: object, known: LRUCache<string, Schema>): Schema {
  const names = Object.keys(query).join()
  const made = known.get(names)
  if (made) return made
  const parameters = schema.parameters.filter((each) =>
    each.in === 'query' ? each.name in query : !SINGLE_VALUES.has(each.schema.type),
  )
  const given = { ...schema, parameters }
  known.set(names, given)
  return given
}

/**
 * Steps of the validator that do nothing here and wait for a promise each: values for Express's own routes, which there
 * are none of, and keys, which are checked before.
 */
const IDLE = new Set(['pathParamsMiddleware', 'securityMiddleware'])

/** Copies the document for the validator alone, which writes into what it is given. */
function documentOf({ json }: ApiDocument, withResponses: boolean) {
  const paths = structuredClone(json.paths)
  for (const operation of Object.values<any>(paths).flatMap((item) => Object.values<any>(item))) {
    // A parameter whose schema is a reference would be read as JSON first: `?type="cluster_buy"` would pass.
    operation.parameters = (operation.parameters ?? []).map((reference: any) => {
      const parameter = resolve(json, reference)
      return structuredClone({ ...parameter, schema: resolve(json, parameter.schema) })
    })
    if (!withResponses) operation.responses = { default: { description: 'any' } }
  }
  const { openapi, info, components } = json
  const used = withResponses ? components : componentsOf(paths, components)
  return { openapi, info, servers: [{ url: '/' }], paths, components: structuredClone(used) }
}

type Components = Record<string, Record<string, unknown>>

/**
 * Returns the components that these paths refer to, themselves or by others. Those of responses are most, and to
 * prepare them takes a second of a core at the start.
 */
function componentsOf(paths: object, components: Components): Components {
  const used: Components = {}
  const waiting: unknown[] = [paths]
  while (waiting.length > 0) {
    for (const [, kind, name] of JSON.stringify(waiting.pop()).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      if (used[kind!]?.[name!] !== undefined) continue
      const component = components[kind!]![name!]
      ;(used[kind!] ??= {})[name!] = component
      waiting.push(component)
    }
  }
  return used
}
