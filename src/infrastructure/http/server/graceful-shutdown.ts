// Graceful shutdown: answers the requests that were received, while load balancers send new ones elsewhere.
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export function closer() {
  let stopping = false
  return {
    stopping: () => stopping,
    /** Keeps serving for the first `drainMs` of `graceMs`, not ready, so that load balancers notice. */
    close: async (server: Server, graceMs: number, drainMs = 0): Promise<void> => {
      stopping = true
      if (drainMs > 0) await sleep(drainMs)
      return new Promise((done) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs - drainMs)
        // Connections that were busy when the stop began become idle later; node would close them only after
        // keepAliveTimeout.
        const sweep = setInterval(() => server.closeIdleConnections(), 50)
        server.close(() => {
          clearTimeout(cut)
          clearInterval(sweep)
          done()
        })
      })
    },
  }
}
