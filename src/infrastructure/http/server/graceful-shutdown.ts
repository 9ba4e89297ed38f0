// Graceful shutdown: answers the requests that were received, while load balancers send new ones elsewhere.
import type { Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const CHECK_MS = 50

export function closer() {
  let stopping = false
  const responses = new Set<ServerResponse>()
  // Node takes a connection for idle, and closes it, as soon as its response has ended, even if not all is sent.
  const isSending = () =>
    responses.values().some(({ writableEnded, writableFinished }) => writableEnded && !writableFinished)
  return {
    stopping: () => stopping,
    /** Has to be called with each response: a stop waits until all of it is sent. */
    add: (response: ServerResponse) => {
      responses.add(response)
      response.once('close', () => responses.delete(response))
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
