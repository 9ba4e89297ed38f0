// Graceful shutdown: answers the requests that were received, while load balancers send new ones elsewhere.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const CHECK_MS = 50

export function closer() {
  let stopping = false
  const sockets = new Set<Socket>()
  // Node takes a connection for idle, and closes it, as soon as its response has ended, even if not all is sent.
  const isSending = () => sockets.values().some(({ writableLength }) => writableLength > 0)
  return {
    stopping: () => stopping,
    /** Has to be called before the server listens. */
    watch: (server: Server) => {
      server.on('connection', (socket: Socket) => {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
      })
    },
    /** Keeps serving for the first `drainMs` of `graceMs`, not ready, so that load balancers notice. */
    close: async (server: Server, graceMs: number, drainMs = 0): Promise<void> => {
      stopping = true
      const cutAt = performance.now() + graceMs
      if (drainMs > 0) await sleep(drainMs)
      while (isSending() && performance.now() < cutAt) await sleep(CHECK_MS)
      return new Promise((done) => {
        const cut = setTimeout(() => server.closeAllConnections(), Math.max(0, cutAt - performance.now()))
        // Connections that were busy when the stop began become idle later; node would close them only after
        // keepAliveTimeout.
        const sweep = setInterval(() => {
          if (!isSending()) server.closeIdleConnections()
        }, CHECK_MS)
        server.close(() => {
          clearTimeout(cut)
          clearInterval(sweep)
          done()
        })
      })
    },
  }
}
