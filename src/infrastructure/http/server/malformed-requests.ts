// Answers requests that never reach the application because they are not HTTP, have too large a head, or do not arrive
// in time. Node would send a bare status line; these answers have the contract's envelope. None takes the place of the
// answer to a request before it on the connection.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Response } from 'express'
import { ServiceError } from '../../../application/errors.ts'
import { envelope } from '../middleware/error-handler.ts'
import { isSupportedVersion } from '../request-context.ts'

type Fault = [status: number, message: string]

const FAULTS: Record<string, Fault> = {
  HPE_HEADER_OVERFLOW: [431, 'The head of the request has more than 64 fields or 16384 bytes'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
}

/**
 * Returns whether the connection must end with the response to this request. After one that asks for another protocol,
 * node's parser drops the bytes that follow, and reports no faults any more. Of other versions, and of HTTP/1.0 with
 * Transfer-Encoding (RFC 9112 §6.1), a proxy in front may have read another end.
 */
export function isLastByForm(request: IncomingMessage): boolean {
  const { headers, httpVersionMinor } = request
  if (headers.upgrade !== undefined || !isSupportedVersion(request)) return true
  return httpVersionMinor === 0 && headers['transfer-encoding'] !== undefined
}

export function answerProtocolFaults(server: Server) {
  const begun = new WeakMap<Duplex, Response>()
  const ending = new WeakSet<Duplex>()
  const remember = ({ socket }: IncomingMessage, response: ServerResponse) => {
    begun.set(socket, response as Response)
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, remember)
  const refuse = (socket: Duplex, [status, message]: Fault, isAfterLast = false) => {
    if (ending.has(socket) || !socket.writable) return
    ending.add(socket)
    const close = () => socket.end(() => socket.destroy())
    const response = begun.get(socket)
    if (response?.req.complete) {
      // The fault comes after requests that are still to be answered: in place of their answers, or after an answer
      // that was to be the last, a response would be taken for another one.
      if (!response.writableFinished) return void response.once('finish', close)
      if (isAfterLast || response.req.context.headers.Connection === 'close') return close()
    } else if (response) {
      // The fault is in the body of a request whose answer has begun, and is often written already, or is not the next.
      if (response.headersSent || response.socket === null) return close()
    }
    socket.end(faultResponse(status, new ServiceError('invalid_parameter', message)), () => socket.destroy())
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET') return socket.destroy()
    const fault = FAULTS[error.code ?? ''] ?? [400, 'This is not a well-formed HTTP request']
    refuse(socket, fault, error.code === 'HPE_CLOSED_CONNECTION')
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
