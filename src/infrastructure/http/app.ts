// The Express application, with its middleware in order. It gets the requests that were not answered from memory, after
// logging and metrics.
import express, { type Express, type Request, type RequestHandler } from 'express'
import { ServiceError } from '../../application/errors.ts'
import { withDeadline } from '../deadline.ts'
import { answerOperation, type Senders } from './answer-operation.ts'
import { answerProtocol, type Protocol } from './controllers/mcp.ts'
import { identify, requireKey, type NeedsKey, type VerifyKey } from './middleware/authentication.ts'
import { errorResponder } from './middleware/error-handler.ts'
import { readBody } from './middleware/json-body.ts'
import { redirect, handleMethod } from './middleware/method-not-allowed.ts'
import { nameAllFaults, readQuery, refuseFaults, validator } from './middleware/openapi-validation.ts'
import {
  loadDocument,
  PROTOCOL_PATH,
  type ApiDocument,
  type DocumentedPath,
  type Method,
  type OperationId,
} from './openapi/document.ts'
import type { Operation, Operations } from './operations.ts'
import { limitRate, type CountRequest } from './rate-limit/limit-rate.ts'

/** The contract, and the validation of requests by it. */
export interface LoadedContract {
  document: ApiDocument
  validation: RequestHandler[]
}

/** Loads the contract. The validator compiles it in the background, while the service waits for its stores. */
export function loadContract(): LoadedContract {
  const document = loadDocument()
  return { document, validation: validator(document) }
}

export interface AppParts {
  contract: LoadedContract
  /** A path is served only if all its operations are among these. */
  operations: Partial<Operations>
  senders: Senders
  verifyKey: VerifyKey
  needs: NeedsKey
  /** Undefined if requests are not limited. */
  count: CountRequest | undefined
  /** How many proxies in front add to X-Forwarded-For. */
  trustProxy: number
  /** Whether the dashboard at `/` is served. */
  hasDashboard: boolean
  /** Whether the guides were built. */
  hasGuides: boolean
  /** The Model Context Protocol; absent if it is not served. */
  protocol?: Protocol | undefined
  /** The time limit for answering a request to `/v1`, in milliseconds. */
  answerMs: number
}

export function createApp(parts: AppParts): Express {
  const { contract, operations, senders, needs, count, trustProxy } = parts
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('strict routing')
  app.enable('case sensitive routing')
  app.set('query parser', false)

  app.use(refuseMalformed(needs))
  app.use(['/v1', PROTOCOL_PATH], (_request, _response, next) => withDeadline(parts.answerMs, next))
  if (!parts.hasDashboard) app.get('/', redirect('docs'))
  if (!parts.hasGuides) app.get('/docs', redirect('docs/reference'))
  app.get('/docs/', redirect('../docs'))

  // Guards run for unknown paths too, so that callers without a key can't find out which paths exist below a keyed one.
  const guards = [
    identify(parts.verifyKey, count !== undefined, needs),
    ...(count ? [limitRate(count, trustProxy)] : []),
    requireKey(needs),
  ]
  const validation = [readQuery(), ...contract.validation, refuseFaults()]
  for (const path of contract.document.paths.toSorted(byParameters)) {
    if (!isServed(path, operations)) continue
    const route = app.route(path.template.replaceAll(/\{(\w+)\}/g, ':$1'))
    route.all(nameOperation(path, operations), guards)
    if (path.template === PROTOCOL_PATH) {
      if (parts.protocol) route.all(answerProtocol(parts.protocol, operations))
      continue
    }
    for (const [method, { id, takesBody }] of path.operations) {
      const answer = answerOperation(id, operations[id] as Operation<OperationId>, senders)
      route[inLowerCase(method)](takesBody ? readBody() : [], validation, nameAllFaults(), answer)
    }
    route.all(handleMethod(path, needs))
  }
  app.use(guards, () => {
    throw new ServiceError('not_found', 'There is nothing at this path')
  })
  app.use(errorResponder())
  return app
}

const inLowerCase = (method: Method) => method.toLowerCase() as Lowercase<Method>

/** Compares paths so that `/v1/feed/stats` comes before `/v1/feed/{name}`; others keep their order in the document. */
const byParameters = (a: DocumentedPath, b: DocumentedPath): number =>
  Number(a.template.includes('{')) - Number(b.template.includes('{'))

const isServed = (path: DocumentedPath, operations: Partial<Operations>): boolean =>
  [...path.operations.values()].every(({ id }) => operations[id] !== undefined)

/** Refuses a request whose head is unusable. */
function refuseMalformed(needs: NeedsKey): RequestHandler {
  return ({ context }, _response, next) => {
    if (context.target === null) throw context.fault
    if (needs(context.target.path)) context.caching = 'private'
    next()
  }
}

/** Sets the operation in the request's context, for the log, the metrics and error messages. */
function nameOperation(path: DocumentedPath, operations: Partial<Operations>): RequestHandler {
  return ({ context }: Request, _response, next) => {
    const method = context.method === 'HEAD' ? 'GET' : context.method
    context.operation = path.operations.get(method as 'GET')
    if (context.operation && context.caching !== 'private') context.caching = operations[context.operation.id]!.caching
    next()
  }
}
