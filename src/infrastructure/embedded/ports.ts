// TCP ports of this machine: finding free ones, and talking to the process behind one.
import { connect, createServer } from 'node:net'

/** Returns the requested port of 127.0.0.1 if nothing listens there, else any free one. */
export async function freePort(wished?: number): Promise<number> {
  if (wished !== undefined && (await whyNotListen(wished, '127.0.0.1')) === null) return wished
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** Returns null if one can listen there, else the system's reason such as `EADDRINUSE`. */
export function whyNotListen(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer().once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

/**
 * Connects, sends `request`, and passes everything received so far to `decide` until it returns a value. Returns null
 * if nothing listens, the other side closes first, or `timeoutMs` passes.
 */
export function converse<T>(
  target: { host: string; port: number; timeoutMs: number },
  request: Buffer | string,
  decide: (received: string) => T | null,
): Promise<T | null> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(target.port, target.host)
    const finish = (verdict: T | null) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(verdict)
    }
    const timer = setTimeout(() => finish(null), target.timeoutMs)
    const look = () => {
      const verdict = decide(received)
      if (verdict !== null) finish(verdict)
    }
    socket.once('connect', () => (socket.write(request), look()))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      look()
    })
    socket.once('error', () => finish(null))
    socket.once('close', () => finish(null))
  })
}
