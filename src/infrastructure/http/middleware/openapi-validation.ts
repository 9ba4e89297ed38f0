// Validation of requests, and in tests of responses, against the document, by express-openapi-validator. One validator
// per path: it compiles a pattern for every path it scans on every request (about 2.3 us each), so it gets one.
import { parse } from 'node:url'
import type { RequestHandler } from 'express'
import { middleware } from 'express-openapi-validator'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../application/errors.ts'
import { inOrder } from '../in-order.ts'
import { resolve, type ApiDocument } from '../openapi/document.ts'
import { parseQuery } from '../openapi/request-target.ts'
import type { ValidationFault } from '../openapi/validation-messages.ts'

/** Validates requests; after it `request.openapi` marks a valid one. Needs a route with an operation. */
export function validate(document: ApiDocument, validateResponses: boolean): RequestHandler {
  warnOfParseNow()
  const chains = new Map<string, RequestHandler>()
  // Made at the first request for a path: each compiles the schema of OpenAPI itself, 20 to 35 ms, which all at once
  // would delay the start.
  const chainOf = (template: string) => {
    const chain = chains.get(template) ?? chainFor(document, template, validateResponses)
    chains.set(template, chain)
    return chain
  }
  return (request, response, next) => {
    const { route, target } = request.context
    if (!route?.operation || !target) throw new ServiceError('not_found', 'There is nothing at this path')
    const query = parseQuery(target.query, route.operation)
    refuseEmpty(query)
    Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true, enumerable: true })
    return chainOf(route.template)(request, response, next)
  }
}

function chainFor(document: ApiDocument, template: string, validateResponses: boolean): RequestHandler {
  const chain = middleware({
    apiSpec: onePath(document, template, validateResponses),
    validateApiSpec: false,
    // Unknown and empty ones are refused before; the validator would list all that it knows at each request.
    validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false, removeAdditional: false },
    validateResponses,
    validateSecurity: false,
    fileUploader: false,
  }) as RequestHandler[]
  const [findOperation, ...rest] = chain.filter(({ name }) => !IDLE.has(name))
  return inOrder([foundOnce(findOperation!), givenAlone(), ...rest])
}

/** Throws as the validator does for the first parameter that is given without a value. */
function refuseEmpty(query: Record<string, string>): void {
  const empty = Object.keys(query).find((name) => query[name] === '')
  if (empty === undefined) return
  const errors: ValidationFault[] = [{ path: `/query/${empty}`, message: 'Empty value found' }]
  throw Object.assign(new Error(`${empty} is empty`), { status: 400, errors })
}

interface FoundOperation {
  openapi?: { schema: Schema; pathParams: Record<string, string> }
}

interface Schema {
  parameters: { in: string; name: string }[]
}

/**
 * Has the validator look for the operation of a path and method once. It compiles the pattern of the path each time,
 * and our routing has matched it already: what differs from request to request are the values in the path.
 */
function foundOnce(find: RequestHandler): RequestHandler {
  const found = new Map<string, FoundOperation['openapi']>()
  return (request, response, next) => {
    const { context, method } = request
    const known = found.get(method)
    const validated = request as unknown as FoundOperation
    if (known === undefined)
      return find(request, response, (fault?: unknown) => {
        if (!fault && validated.openapi) found.set(method, { ...validated.openapi })
        next(fault)
      })
    const pathParams = { ...context.route!.params }
    validated.openapi = { ...known, pathParams }
    request.params = pathParams
    next()
  }
}

/** Combinations of parameters that are remembered, for each operation. Callers use few. */
const MAX_COMBINATIONS = 200

/**
 * Leaves the validator the query parameters that a GET request has. It looks at how each may be written, given or not,
 * which with the 27 of the feed takes a third of what a request costs. What is required, and what is meant where
 * nothing is given, is in the schema that it compiles at the first GET of an operation, for which all are left. Of
 * other methods it compiles one for each Content-Type.
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

function withGiven(schema: Schema, query: object, known: LRUCache<string, Schema>): Schema {
  const names = Object.keys(query).join()
  const made = known.get(names)
  if (made) return made
  const parameters = schema.parameters.filter((each) => each.in !== 'query' || each.name in query)
  const given = { ...schema, parameters }
  known.set(names, given)
  return given
}

/**
 * Steps of the validator that do nothing here and wait for a promise each: values for Express's own routes, which there
 * are none of, and keys, which are checked before.
 */
const IDLE = new Set(['pathParamsMiddleware', 'securityMiddleware'])

/**
 * Extracts one path with the components it refers to, for the validator alone, which writes into what it is given. The
 * whole document for each path would double the time it takes.
 */
function onePath({ json }: ApiDocument, template: string, withResponses: boolean) {
  const item = structuredClone(json.paths[template])
  for (const operation of Object.values<any>(item)) {
    // A parameter whose schema is a reference would be read as JSON first: `?type="cluster_buy"` would pass.
    operation.parameters = (operation.parameters ?? []).map((reference: any) => {
      const parameter = resolve(json, reference)
      return structuredClone({ ...parameter, schema: resolve(json, parameter.schema) })
    })
    if (!withResponses) operation.responses = { default: { description: 'any' } }
  }
  const { openapi, info } = json
  return { openapi, info, servers: [{ url: '/' }], paths: { [template]: item }, components: referredTo(json, item) }
}

function referredTo(json: any, from: unknown): Record<string, Record<string, unknown>> {
  const components: Record<string, Record<string, unknown>> = { schemas: {} }
  const visit = (node: any) => {
    if (typeof node !== 'object' || node === null) return
    if (typeof node.$ref !== 'string') return Object.values(node).forEach(visit)
    const [, , kind, name] = node.$ref.split('/')
    const found = (components[kind] ??= {})
    if (name in found) return
    found[name] = structuredClone(json.components[kind][name])
    visit(found[name])
  }
  visit(from)
  return components
}

/**
 * Uses up node's warning of `url.parse`. The validator calls it at each request, and until node has warned once it
 * looks for the caller in a trace of the stack, which takes as long as all the rest of the validation.
 */
function warnOfParseNow(): void {
  const { noDeprecation } = process
  process.noDeprecation = true
  parse('/')
  process.noDeprecation = noDeprecation ?? false
}
