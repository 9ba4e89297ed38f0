// Requests that repeat an earlier one byte for byte, as those of a client that calls often do. The same bytes where a
// request begins are the same request, so what node read in the first is known of the second. Reading it again, and
// making a request and a response object for it, takes node half of the processor time of an answer from memory. So
// on connections that have had such an answer each chunk is looked up here first, and where it is a known head and
// nothing else, the answer is written at once. Anything else is left to node: other heads, several in one chunk,
// parts of one, a body, and whatever comes while an answer is under way.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'

/** What is remembered of a request. */
export type KnownRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** Longer heads are those of browsers, which call rarely. */
const MAX_HEAD_BYTES = 1_024
const MAX_BYTES = 4 * 1024 * 1024
/** What an entry takes beside its text, and for each of its headers. */
const ENTRY_BYTES = 1_000
const HEADER_BYTES = 120
/**
 * An X-Request-Id makes each head the only one of its kind; secrets are not kept; and a request for another protocol
 * ends its connection.
 */
const NEVER_KEPT = ['x-request-id', 'authorization', 'cookie', 'upgrade']

const END = '\r\n\r\n'

interface WatchedConnection {
  /** Whether all that came so far was whole requests: the next byte is the first of another one. */
  isBetween: boolean
  /** The chunk that node is reading, if it is short enough to be a head that is kept. */
  chunk: string
  /** How many requests node found in it, and the last of them. */
  requests: number
  request: IncomingMessage | null
  /** The last response that node was given for this connection. */
  response: ServerResponse | null
}

/** What node keeps of a socket beside its public properties. */
interface SocketInternals {
  _paused?: boolean
  _readableState: { highWaterMark: number }
}

/** Answers a known request by writing to its connection. Returns false where it did not, and wrote nothing. */
export type Repeat = (request: KnownRequest, socket: Socket) => boolean

export class RepeatedRequests {
  readonly #repeat: Repeat
  readonly #known = new LRUCache<string, KnownRequest>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ headers }, head) => ENTRY_BYTES + head.length + HEADER_BYTES * Object.keys(headers).length,
  })
  /** Null for those that are watched no more. */
  readonly #connections = new WeakMap<Socket, WatchedConnection | null>()

  constructor(repeat: Repeat) {
    this.#repeat = repeat
  }

  /** Notes each request that node found, before it is answered. */
  note(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket)
    if (!connection) return
    connection.requests += 1
    connection.request = request
    connection.response = response
  }

  /**
   * Remembers a request that is answered from memory, to be called right after `note`. Its connection is watched from
   * then on.
   */
  remember({ socket, method, url, headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
    // HTTP/1.0 and `Connection: close` end the connection.
    if (httpVersion !== '1.1' || !response.shouldKeepAlive) return
    const connection = this.#connections.get(socket)
    if (connection === undefined) return this.#watchSoon(socket)
    if (!connection?.isBetween || !isWholeHead(connection.chunk)) return
    if (!NEVER_KEPT.some((name) => headers[name] !== undefined))
      this.#known.set(connection.chunk, { method, url, headers })
  }

  /** Watches a connection when node has done with the bytes that it is reading. */
  #watchSoon(socket: Socket): void {
    this.#connections.set(socket, null)
    setImmediate(() => {
      if (!socket.destroyed) this.#watch(socket)
    })
  }

  #watch(socket: Socket): void {
    const internals = socket as unknown as SocketInternals
    // node's own listeners. It reads without the first while nobody else has one of that kind.
    const [read, ...others] = socket.listeners('data') as ((chunk: Buffer) => void)[]
    const [stop] = socket.listeners('pause') as (() => void)[]
    const [start] = socket.listeners('resume') as (() => void)[]
    if (read === undefined || stop === undefined || start === undefined || others.length > 0 || internals._paused)
      return
    const connection: WatchedConnection = { isBetween: false, chunk: '', requests: 0, request: null, response: null }
    this.#connections.set(socket, connection)
    const look = (bytes: Buffer) => {
      // node may have closed it over what came before.
      if (socket.destroyed || this.#isAnswered(socket, connection, bytes)) return
      read(bytes)
      const isOneRequest = connection.requests === 1 && connection.request!.complete && isWholeHead(connection.chunk)
      connection.request = null
      connection.isBetween = isOneRequest
      if (isOneRequest || socket.destroyed) return
      // node may be within a request now, or at the next of several.
      this.#connections.set(socket, null)
      socket.off('data', look)
      socket.on('data', read)
    }
    socket.on('data', look)
    socket.off('data', read)
    // While a caller takes its answers slowly, nothing more is read from it, neither bytes nor the connection's end, as
    // where node reads without a listener: node has just removed its listeners for that, and a stream would read ahead.
    socket.on('pause', stop)
    socket.on('resume', start)
    internals._readableState.highWaterMark = 0
  }

  #isAnswered(socket: Socket, connection: WatchedConnection, bytes: Buffer): boolean {
    connection.chunk = bytes.length <= MAX_HEAD_BYTES ? bytes.toString('latin1') : ''
    connection.requests = 0
    if (!connection.isBetween || connection.response?.writableFinished !== true) return false
    const known = this.#known.get(connection.chunk)
    return known !== undefined && socket.writable && socket.writableLength === 0 && this.#repeat(known, socket)
  }
}

/** Returns whether the text is one head, from its first byte to its last. */
const isWholeHead = (text: string): boolean =>
  text.length > END.length && text.indexOf(END) === text.length - END.length
