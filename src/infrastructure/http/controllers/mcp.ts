// The handler of the Model Context Protocol. Its library takes a web request, and this file converts: Node's request to
// that, the operations to functions, and the library's response to an answer in one piece.
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
    const { status, headers, bytes } = await whole(
      answer(message, { ask: askOf(operations, keyId), hasKey: keyId !== undefined }),
    )
    const own = { ...headers, ...context.headers, 'X-Request-Id': context.id, 'Content-Length': bytes.length }
    context.bodyBytes = bytes.length
    end(response, status, headersOf('none', own), bytes)
  }
}

/** Nothing reaches it: the path has a way of its own. */
export const answerMcp: Handler<'answerMcp'> = () => {
  throw new Error('the protocol answers its requests itself')
}

async function whole(answering: Promise<globalThis.Response>) {
  const answer = await answering
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: Object.fromEntries(answer.headers), bytes }
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

/** Returns the operations as functions, as the caller with this key. */
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
