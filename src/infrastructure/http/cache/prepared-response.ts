// Responses that are bytes already, head and body in one piece, in which a request replaces the few lines that are its
// own. Joined for each response, head and body would cost their length once more in garbage.
//
// All else is left to node: the order of pipelined responses, back pressure, the end of the connection.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endOfHead, endOfKept, flat, internalsOf, statusLine } from '../response-head.ts'

const NO_BODY = Buffer.alloc(0)
/** What the lines of a request and those of the connection take: an id of 64 characters, the limits, the date. */
const ROOM_BYTES = 512

/** Lines of a response that differ from request to request. */
interface OfRequest {
  /** Complete header lines. They say so where `isLast`. */
  own: string
  /** The connection ends with this response; else it stays or ends as the caller asked. */
  isLast: boolean
}

/** A response of one status with all its headers but those of a request. */
export class PreparedResponse {
  readonly #status: 200 | 304
  readonly #before: string
  readonly #after: string
  /** Room for a head, and the body behind it; null until there is something to send or to keep. */
  #bytes: Buffer | null = null
  readonly #bodyLength: number
  /** Where the head begins that is in the bytes now, and what it was made of. */
  #start = 0
  #own = ''
  #end = ''
  #whole: Buffer = NO_BODY

  /** `before` and `after` are the header lines before and after those of a request. Copies the body. */
  constructor(status: 200 | 304, lines: { before: string; after: string }, body: Buffer = NO_BODY) {
    this.#status = status
    this.#before = flat(statusLine(status) + lines.before)
    this.#after = flat(lines.after)
    this.#bodyLength = body.length
    if (body.length > 0) this.#reserve(ROOM_BYTES, body)
  }

  /** The body, not to be written to. */
  get body(): Buffer {
    return this.#bytes?.subarray(this.#bytes.length - this.#bodyLength) ?? NO_BODY
  }

  get bodyLength(): number {
    return this.#bodyLength
  }

  /** Sends it, without the body where the request is a HEAD. */
  send(response: ServerResponse, isHead: boolean, { own, isLast }: OfRequest): void {
    const whole = this.#with(own, endOfHead(response, this.#status === 200, isLast))
    const internals = internalsOf(response)
    response.statusCode = this.#status
    // To node, head and body are the body of a response whose head it has sent.
    internals._header = this.#before
    internals._headerSent = true
    internals._hasBody = true
    const { socket } = response
    response.end(this.#sent(whole, isHead))
    if (socket?.writableLength !== 0) this.#takeOthers()
  }

  /** Writes it to a connection that is kept for `keepAliveMs`, where nothing else is being sent. */
  write(socket: Socket, isHead: boolean, { own, keepAliveMs }: { own: string; keepAliveMs: number }): void {
    socket.write(this.#sent(this.#with(own, endOfKept(keepAliveMs)), isHead))
    if (socket.writableLength !== 0) this.#takeOthers()
  }

  #sent(whole: Buffer, isHead: boolean): Buffer {
    return isHead ? whole.subarray(0, whole.length - this.#bodyLength) : whole
  }

  /** Takes other bytes for the next response, as node still holds these. */
  #takeOthers(): void {
    this.#reserve(ROOM_BYTES, this.body)
  }

  /** Returns the response with these lines, in bytes that the next call changes. */
  #with(own: string, end: string): Buffer {
    const isAsLong = own.length === this.#own.length && end.length === this.#end.length
    if (!isAsLong || this.#whole.length === 0) this.#place(own, end)
    else {
      const ownStart = this.#start + this.#before.length
      if (own !== this.#own) this.#bytes!.write(own, ownStart, 'latin1')
      if (end !== this.#end) this.#bytes!.write(end, ownStart + own.length + this.#after.length, 'latin1')
    }
    this.#own = own
    this.#end = end
    return this.#whole
  }

  /** Puts the head in front of the body. */
  #place(own: string, end: string): void {
    const head = this.#before + own + this.#after + end
    const room = this.#bytes === null ? 0 : this.#bytes.length - this.#bodyLength
    if (head.length > room) this.#reserve(own.length + end.length + ROOM_BYTES, this.body)
    const bytes = this.#bytes!
    this.#start = bytes.length - this.#bodyLength - head.length
    bytes.write(head, this.#start, 'latin1')
    this.#whole = bytes.subarray(this.#start)
  }

  /** Takes bytes that nothing else refers to. */
  #reserve(room: number, body: Buffer): void {
    const length = this.#before.length + this.#after.length + room
    const bytes = Buffer.allocUnsafeSlow(length + body.length)
    body.copy(bytes, length)
    this.#bytes = bytes
    this.#whole = NO_BODY
  }
}
