// Requests that repeat an earlier one byte for byte, as those of a client that calls often do. The same bytes at the same
// place of a connection are the same request, so what node read in the first is known of the second. Reading it again,
// and making a request and a response object for it, takes node half of what an answer from memory costs. So each chunk
// of a connection is looked up here first, and where it is such a head and nothing else, the answer is written at once.
// Anything else is left to node: other heads, several in one chunk, parts of one, a body, and whatever comes while an
// answer is under way.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'

/** What is remembered of a request. */
export type KnownRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** Longer heads are those of browsers, which call rarely. */
const MAX_HEAD_BYTES = 1_024
const MAX_BYTES = 4 * 1024 * 1024
/** What an entry takes beside its text: the headers as node gives them. */
const OVERHEAD_BYTES = 2_000
/** With an id each head is the only one of its kind; secrets are not kept. */
const NEVER_KEPT = ['x-request-id', 'authorization', 'cookie']

const END = '\r\n\r\n'

/** A connection on which every chunk so far was one whole request. */
interface Connection {
  /** The chunk that node is reading, if it is short enough to be a head that is kept. */
  chunk: string
  /** How many requests node found in it, and the last of them. */
  requests: number
  request: IncomingMessage | null
  /** The last response that node was given for this connection; null before the first. */
  response: ServerResponse | null
}

/** Answers a known request by writing to its connection. Returns false where it did not, and wrote nothing. */
export type Repeat = (request: KnownRequest, socket: Socket) => boolean

export class RepeatedRequests {
  readonly #repeat: Repeat
  readonly #known = new LRUCache<string, KnownRequest>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_, head) => OVERHEAD_BYTES + head.length,
  })
  readonly #connections = new WeakMap<Socket, Connection>()

  constructor(repeat: Repeat) {
    this.#repeat = repeat
  }

  /** Looks up what comes on the connections of a server before node reads it. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#watch(socket))
  }

  /** Notes a request that node found in the chunk that it is reading. */
  note(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket)
    if (connection === undefined) return
    connection.requests += 1
    connection.request = request
    connection.response = response
  }

  /** Remembers a request that was answered from memory. To be called while node is reading it. */
  remember({ socket, method, url, headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
    const chunk = this.#connections.get(socket)?.chunk ?? ''
    // HTTP/1.0 and `Connection: close` end the connection.
    const isRepeatable = httpVersion === '1.1' && response.shouldKeepAlive && isHead(chunk)
    if (isRepeatable && !NEVER_KEPT.some((name) => headers[name] !== undefined))
      this.#known.set(chunk, { method, url, headers })
  }

  #watch(socket: Socket): void {
    // node's own listeners, which it added just before.
    const [read, ...others] = socket.listeners('data') as ((chunk: Buffer) => void)[]
    const end = socket.listeners('end').at(-1) as (() => void) | undefined
    if (read === undefined || end === undefined || others.length > 0) return
    const connection: Connection = { chunk: '', requests: 0, request: null, response: null }
    this.#connections.set(socket, connection)
    const look = (bytes: Buffer) => {
      if (this.#isAnswered(socket, connection, bytes)) return
      read(bytes)
      const isOneRequest = connection.requests === 1 && connection.request!.complete && isHead(connection.chunk)
      connection.request = null
      if (isOneRequest) return
      // node may be within a request now, or at the next of several.
      this.#connections.delete(socket)
      socket.off('data', look)
      socket.on('data', read)
    }
    socket.on('data', look)
    socket.off('data', read)
    // node stops reading while a caller takes its answers slowly. It is not to see the end of the connection before it
    // reads again: it would close the connection before the last answer.
    socket.on('end', () => (socket.isPaused() ? socket.once('resume', end) : end()))
    socket.off('end', end)
  }

  #isAnswered(socket: Socket, connection: Connection, bytes: Buffer): boolean {
    connection.chunk = bytes.length <= MAX_HEAD_BYTES ? bytes.toString('latin1') : ''
    connection.requests = 0
    const known = this.#known.get(connection.chunk)
    if (known === undefined || connection.response?.writableFinished !== true) return false
    return socket.writable && socket.writableLength === 0 && this.#repeat(known, socket)
  }
}

/** Returns whether the text is one head, from its beginning to its end. */
const isHead = (text: string): boolean => text.length > END.length && text.indexOf(END) === text.length - END.length
