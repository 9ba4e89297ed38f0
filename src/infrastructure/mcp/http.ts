// The Model Context Protocol over HTTP: who may ask, and the answer to one request. Stateless: a server for each
// request, no sessions, nothing shared between processes.
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { isIPv6 } from 'node:net'
import type { ProtocolCaller } from '../tool-operations.ts'
import { protocolServer } from './server.ts'

export interface ProtocolOptions {
  version: string
  /** Names besides those of this machine under which the service is reached. */
  hosts: readonly string[]
  /** Hosts of web pages that may ask, besides those of this machine and of `hosts`. */
  origins: readonly string[]
  onFailure: (error: unknown) => void
}

/** Answers a request of any method. */
export type AnswerProtocol = (request: Request, caller: ProtocolCaller) => Promise<Response>

export function protocolAnswers({ version, hosts, origins, onFailure }: ProtocolOptions): AnswerProtocol {
  const names = [...localhostAllowedHostnames(), ...hosts.map(bracketed)]
  const pages = [...names, ...origins.map(bracketed)]
  return async (request, caller) => {
    // A page of another site could have its name lead to this machine.
    const refused = hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, pages)
    if (refused) return refused
    const answer = request.method === 'OPTIONS' ? preflight() : await answerTo(request, caller)
    return withOrigin(answer, request.headers.get('origin'))
  }

  function answerTo(request: Request, caller: ProtocolCaller): Promise<Response> {
    const handler = createMcpHandler(() => protocolServer({ ...caller, version, onFailure }), {
      keepAliveMs: 0,
      // Lists never change while the service runs, and a stream would outlive the request.
      maxSubscriptions: 0,
      onerror: () => {},
    })
    return handler.fetch(request)
  }
}

/** The SDK compares IPv6 addresses with brackets. */
const bracketed = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      Allow: 'POST, OPTIONS',
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
      'Access-Control-Max-Age': '86400',
    },
  })

/** Lets the page that asked read the answer. */
function withOrigin(answer: Response, origin: string | null): Response {
  if (origin !== null) {
    answer.headers.set('Access-Control-Allow-Origin', origin)
    answer.headers.set('Vary', 'Origin')
  }
  return answer
}
