// Graceful shutdown: requests already received are answered, later ones go elsewhere.
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export function closer() {
  let stopping = false
  return {
    stopping: () => stopping,
    /** For `drainMs` of `graceMs` it keeps serving, not ready, so that a balancer can notice. */
    close: async (server: Server, graceMs: number, drainMs = 0): Promise<void> => {
      stopping = true
      if (drainMs > 0) await sleep(drainMs)
      return new Promise((done) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs - drainMs)
        // A connection that was answering when the stop began becomes idle later; node closes it only after
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
