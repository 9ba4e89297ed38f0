// The handler of the Model Context Protocol. The protocol's library works with the Request and Response of the fetch
// standard. This file converts between those and Node's, and gives the library the operations as functions.
import type { Request, RequestHandler } from 'express'
import type { Ask, ProtocolCaller } from '../../tool-operations.ts'
import { inTime } from '../../deadline.ts'
import type { Handler } from '../handler.ts'
import { awaitsContinue, bodyOf } from '../middleware/json-body.ts'
import type { Operations } from '../operations.ts'
import { end, headersOf } from '../response.ts'

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
    const headers = Object.fromEntries(result.headers)
    const own = { ...headers, ...context.headers, 'X-Request-Id': context.id, 'Content-Length': bytes.length }
    context.bodyBytes = context.method === 'HEAD' ? 0 : bytes.length
    end(response, result.status, headersOf('none', own), bytes)
  }
}

/** Is in the table of operations, but never called: `answerProtocol` answers this path. */
export const answerMcp: Handler<'answerMcp'> = () => {
  throw new Error('answerMcp was called, but answerProtocol should have answered')
}

async function webRequest(request: Request): Promise<WebRequest> {
  const { method } = request.context
  const hasBody = method === 'POST'
  if (hasBody && awaitsContinue(request)) request.res!.writeContinue()
  const body = hasBody ? await bodyOf(request, BODY_BYTES) : undefined
  const headers = new Headers()
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
