// A graceful stop: what was asked is answered, what comes later goes elsewhere.
import type { Server } from 'node:http'

export function closer() {
  let stopping = false
  return {
    stopping: () => stopping,
    close: (server: Server, graceMs: number): Promise<void> => {
      stopping = true
      return new Promise(done => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs)
        // A connection that was answering when the stop began becomes idle later; node closes it by itself only after
        // keepAliveTimeout.
        const sweep = setInterval(() => server.closeIdleConnections(), 50)
        server.close(() => {
          clearTimeout(cut)
          clearInterval(sweep)
          done()
        })
      })
    }
  }
}
