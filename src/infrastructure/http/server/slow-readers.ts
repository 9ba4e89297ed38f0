// Cuts connections whose callers do not read what was written to them.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const longAnswers = new WeakSet<Socket>()

/**
 * From now on, cuts this connection only if its caller reads nothing at all for `drainMs`: a long answer need not be
 * read completely within that time.
 */
export function allowLongAnswer(socket: Socket): void {
  longAnswers.add(socket)
}

/**
 * Cuts connections that have had unread data for `drainMs`. Checking all of them in turns is cheaper than a timer per
 * response.
 */
export function cutSlowReaders(server: Server, drainMs: number): void {
  const waiting = new Map<Socket, { since: number; taken: number } | null>()
  server.on('connection', (socket: Socket) => {
    waiting.set(socket, null)
    socket.once('close', () => waiting.delete(socket))
  })
  const check = () => {
    const now = performance.now()
    for (const [socket, before] of waiting) {
      const taken = socket.bytesWritten - socket.writableLength
      const isReading = before !== null && longAnswers.has(socket) && taken > before.taken
      if (socket.writableLength === 0) waiting.set(socket, null)
      else if (before === null || isReading) waiting.set(socket, { since: now, taken })
      else if (now - before.since >= drainMs) socket.destroy()
    }
  }
  const timer = setInterval(check, Math.ceil(drainMs / 6)).unref()
  server.once('close', () => clearInterval(timer))
}
