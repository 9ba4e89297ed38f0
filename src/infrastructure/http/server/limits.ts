// Per-connection resource limits: time, connections, headers, body. node's own defaults leave a connection five minutes
// for a request and unlimited time for reading the response.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { cutSlowReaders } from './slow-readers.ts'

/** Results per page if none is requested; the document says the same. */
export const DEFAULT_LIMIT = 20
export const BODY_BYTES = 16 * 1024

export interface ServerLimits {
  /** The time for the head of a request to arrive, from the connection or the previous response on. */
  headersMs: number
  /** The time for a whole request to arrive. */
  requestMs: number
  /** How often the two above are checked. */
  checkMs: number
  /**
   * How long an idle connection is kept: longer than common load balancers keep theirs, so that they never use one that
   * is closing.
   */
  keepAliveMs: number
  /** The time for a caller to read what was written to it; enough for the largest response over a slow connection. */
  drainMs: number
  /**
   * The time for answering a request to `/v1`, without the time for its body to arrive. After it, the answer is 503.
   */
  answerMs: number
  connections: number
  /** Connections of one address; those from this machine and from trusted proxies are not counted. */
  connectionsPerAddress: number
  headers: number
  headBytes: number
  requestsPerConnection: number
}

export const LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  checkMs: 1_000,
  keepAliveMs: 65_000,
  drainMs: 30_000,
  answerMs: 5_000,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  headers: 64,
  headBytes: 16 * 1024,
  requestsPerConnection: 1_000,
}

/** Returns the options that are needed when the server is created. */
export function creationOptions(limits: ServerLimits) {
  return {
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.keepAliveMs,
    requireHostHeader: false,
    // Spares requests without a body the events of a stream.
    optimizeEmptyRequests: true,
  }
}

export function applyLimits(server: Server, limits: ServerLimits) {
  server.maxConnections = limits.connections
  server.maxHeadersCount = limits.headers
  answerHalfClosed(server)
  cutSlowReaders(server, limits.drainMs)
}

/**
 * Makes the server answer a caller that has ended its side after a request, which by RFC 9112 §6.3 still wants the
 * answer. Without it the caller gets an answer from memory, and no other. Node has no option for it, and does not
 * document this property, which it has had from early on.
 */
function answerHalfClosed(server: Server) {
  Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Returns a function that counts a request, and says whether it is the last that its connection may send, which is
 * answered with `Connection: close`. With node's own maxRequestsPerSocket the connection stays open, and further
 * requests get a bare 503.
 */
export function lastRequestCheck({ requestsPerConnection }: ServerLimits): (socket: Socket) => boolean {
  const counts = new WeakMap<Socket, { requests: number }>()
  return (socket) => {
    const count = counts.get(socket) ?? { requests: 0 }
    if (count.requests === 0) counts.set(socket, count)
    count.requests += 1
    return count.requests >= requestsPerConnection
  }
}
