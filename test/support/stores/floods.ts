// Answers that never end, as text to write repeatedly on a connection: what comes first, and what is repeated.
import type { Socket } from 'node:net'

export interface Flood {
  head: string
  again: string
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

export const CONTINUES: Flood = { head: '', again: 'HTTP/1.1 100 Continue\r\n\r\n' }
/** Each of a size that a single head may have. */
export const LONG_HINTS: Flood = { head: '', again: `HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(15_000)}\r\n\r\n` }
export const HEADERS: Flood = { head: 'HTTP/1.1 200 OK\r\n', again: 'a: b\r\n' }
/** Fifteen thousand bytes for one of the body. */
export const CHUNK_EXTENSIONS: Flood = { head: CHUNKED, again: `1;${'e'.repeat(15_000)}\r\na\r\n` }
export const TINY_CHUNKS: Flood = { head: CHUNKED, again: '1\r\na\r\n' }
export const TRAILERS: Flood = { head: `${CHUNKED}0\r\n`, again: 'a: b\r\n' }

/** Writes as fast as it is read, until the connection closes. */
export function pour(socket: Socket, { head, again }: Flood): void {
  socket.on('error', () => {})
  socket.write(head)
  const many = again.repeat(Math.ceil(65_536 / again.length))
  const more = (): void => {
    while (socket.writable && socket.write(many));
    if (socket.writable) socket.once('drain', more)
  }
  more()
}
