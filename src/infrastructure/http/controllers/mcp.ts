// The handler of the Model Context Protocol. The protocol's library works with the Request and Response of the fetch
// standard. This file converts between those and Node's, and gives the library the operations as functions.
import type { Request, RequestHandler } from 'express'
import type { Ask, ProtocolCaller } from '../../tool-operations.ts'
import { inTime } from '../../deadline.ts'
import type { Handler } from '../handler.ts'
import { awaitsContinue, bodyOf } from '../middleware/json-body.ts'
import type { Operations } from '../operations.ts'
import { end, headersOf, type Headers } from '../response.ts'

type WebRequest = globalThis.Request

export interface Protocol {
  /** Loads the library with the first request, so that it takes no memory if nobody uses it. */
  load: () => Promise<(request: WebRequest, caller: ProtocolCaller) => Promise<globalThis.Response>>
}

const BODY_BYTES = 64 * 1024

export function answerProtocol({ load }: Protocol, operations: Partial<Operations>): RequestHandler {
  return async (request, response) => {
    const { context } = request
    const message = await webRequest(request)
    const answer = await load()
    const { keyId } = context
    const result = await answer(message, { ask: askOf(operations, keyId), hasKey: keyId !== undefined })
    const bytes = Buffer.from(await result.arrayBuffer())
    // RFC 9110 §8.6 forbids a length with 204.
    const length = result.status === 204 ? {} : { 'Content-Length': bytes.length }
    const own = headersOf('none', { ...context.headers, 'X-Request-Id': context.id, ...length })
    context.bodyBytes = context.method === 'HEAD' ? 0 : bytes.length
    end(response, result.status, { ...headersOfLibrary(result, own), ...own }, bytes)
  }
}

/** Is in the table of operations, but never called: `answerProtocol` answers this path. */
export const answerMcp: Handler<'answerMcp'> = () => {
  throw new Error('answerMcp was called, but answerProtocol should have answered')
}

// RFC 9110 §7.6.1: these are about one connection, and the library does not know the one to the caller.
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']

/** Returns the headers that the library gave, without those of a connection and those that `own` has. */
function headersOfLibrary({ headers }: globalThis.Response, own: Headers): Headers {
  const named = (headers.get('connection') ?? '').split(',').map((name) => name.trim())
  const dropped = new Set([...HOP_BY_HOP, ...named, ...Object.keys(own)].map((name) => name.toLowerCase()))
  return Object.fromEntries([...headers].filter(([name]) => !dropped.has(name)))
}

async function webRequest(request: Request): Promise<WebRequest> {
  const { method } = request.context
  const hasBody = method === 'POST'
  if (hasBody && awaitsContinue(request)) request.res!.writeContinue()
  const body = hasBody ? await bodyOf(request, BODY_BYTES) : undefined
  const headers = new globalThis.Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const url = new URL(request.url, `http://${request.headers.host || 'localhost'}`)
  return new globalThis.Request(url, { method, headers, ...(body && { body: new Uint8Array(body) }) })
}

/** Returns a function that calls operations by their name, on behalf of the caller with this key. */
function askOf(operations: Partial<Operations>, keyId: string | undefined): Ask {
  const ask = async (operation: keyof Operations, { path = {}, query = {}, body }: Record<string, object> = {}) => {
    const handler = operations[operation]!.handler as (request: object) => unknown
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
    const answering = Promise.resolve(handler({ path, query: given, body, headers: {}, keyId }))
    const answer = (await inTime(answering)) as {
      data?: { value: unknown }
      json?: { data?: unknown }
      headers?: Record<string, string>
    }
    const unknown = answer.headers?.['X-Unknown-Tickers']
    return {
      data: answer.data === undefined ? answer.json?.data : answer.data.value,
      unknownTickers: unknown === undefined ? [] : unknown.split(','),
    }
  }
  return ask as Ask
}
