// Answers requests that never reach the application because they are not HTTP, have too large a head, or do not arrive
// in time. Node would send a bare status line; these answers have the contract's envelope.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../../application/errors.ts'
import { envelope } from '../middleware/error-handler.ts'

type Fault = [status: number, message: string]

const FAULTS: Record<string, Fault> = {
  HPE_HEADER_OVERFLOW: [431, 'The head of the request has more than 64 fields or 16384 bytes'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
}

/**
 * Returns whether the request asks for another protocol. Its connection must end with the response, because after an
 * upgrade node's parser drops the bytes that follow, and reports no faults any more.
 */
export function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined
}

export function answerProtocolFaults(server: Server) {
  const answering = new WeakMap<Duplex, ServerResponse>()
  const remember = ({ socket }: IncomingMessage, response: ServerResponse) => {
    answering.set(socket, response)
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, remember)
  const refuse = (socket: Duplex, [status, message]: Fault) => {
    const response = answering.get(socket)
    // In the middle of a response, a second one would be read as its rest.
    const isAnswering = response?.headersSent === true && !response.writableFinished
    if (!socket.writable || isAnswering) return socket.destroy()
    socket.end(faultResponse(status, new ServiceError('invalid_parameter', message)), () => socket.destroy())
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET') return socket.destroy()
    refuse(socket, FAULTS[error.code ?? ''] ?? [400, 'This is not a well-formed HTTP request'])
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    // Node no longer handles errors of this connection.
    socket.on('error', () => socket.destroy())
    refuse(socket, [400, 'This is no proxy: CONNECT is not supported'])
  })
}

/** Formats a complete response, after which the connection ends. */
export function faultResponse(status: number, error: ServiceError, headers: string[] = []): string {
  const id = randomUUID()
  const body = JSON.stringify(envelope(error, id))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${id}`,
    'Connection: close',
    ...headers,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
