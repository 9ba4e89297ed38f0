// The guard against slow readers: it cuts connections whose callers do not take what was written to them.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const longAnswers = new WeakSet<Socket>()

/**
 * From now on the caller is cut only where it takes nothing at all in the time: what it is sent is more than can be
 * expected to be taken whole.
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
  const look = () => {
    const now = performance.now()
    for (const [socket, before] of waiting) {
      const taken = socket.bytesWritten - socket.writableLength
      const goesOn = before !== null && longAnswers.has(socket) && taken > before.taken
      if (socket.writableLength === 0) waiting.set(socket, null)
      else if (before === null || goesOn) waiting.set(socket, { since: now, taken })
      else if (now - before.since >= drainMs) socket.destroy()
    }
  }
  const timer = setInterval(look, Math.ceil(drainMs / 6)).unref()
  server.once('close', () => clearInterval(timer))
}
