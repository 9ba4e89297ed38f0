// A receiver of webhooks that does to the connection whatever a test wants, and counts: what no HTTP server would do.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface ReceivedRequest {
  head: string
  headers: Record<string, string>
  body: Buffer
}

export interface RawReceiver {
  port: number
  url: string
  /** Made so far, whether or not a request came. */
  connections: number
  requests: ReceivedRequest[]
  /** Resolves once no connection is open any more. */
  allClosed(): Promise<void>
  close(): Promise<void>
}

export interface RawReceiverOptions {
  tls?: { key: string; cert: string }
  onConnection?: (socket: Socket) => void
}

/** On 127.0.0.1; `answer` is called with each whole request, `number` from 1 counts those of all connections. */
export async function rawReceiver(
  answer: (socket: Socket, request: ReceivedRequest, number: number) => void,
  options: RawReceiverOptions = {},
): Promise<RawReceiver> {
  const open = new Set<Socket>()
  const onConnection = (socket: Socket) => {
    receiver.connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    options.onConnection?.(socket)
    let pending = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      for (let request = wholeRequest(pending); request; request = wholeRequest(pending)) {
        pending = pending.subarray(request.bytes)
        receiver.requests.push(request)
        answer(socket, request, receiver.requests.length)
      }
    })
  }
  const server = options.tls
    ? createTlsServer(options.tls, onConnection).on('tlsClientError', () => {})
    : createServer(onConnection)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: RawReceiver = {
    port,
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    connections: 0,
    requests: [],
    async allClosed() {
      while (open.size > 0)
        await new Promise<void>((resolve) => {
          ;[...open][0]!.once('close', () => resolve())
        })
    },
    async close() {
      for (const socket of open) socket.destroy()
      if (server.listening) await once(server.close(), 'close')
    },
  }
  return receiver
}

function wholeRequest(bytes: Buffer): (ReceivedRequest & { bytes: number }) | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [head = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const whole = end + 4 + Number(headers['content-length'] ?? 0)
  return bytes.length < whole ? null : { head, headers, body: bytes.subarray(end + 4, whole), bytes: whole }
}

/** An answer as text, with its length. */
export function answerOf(status: number, body = '', headers: Record<string, string> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers })
  return `HTTP/1.1 ${status} Told\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}
