// TCP ports of this machine, and talking to the process behind an address.
import { connect, createServer, type IpcNetConnectOpts, type NetConnectOpts, type TcpNetConnectOpts } from 'node:net'
import { join } from 'node:path'

/** Returns null if one can listen there, else the system's reason such as `EADDRINUSE`. */
export function whyNotListen(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer().once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

const USUAL_PORTS: Record<string, number> = { postgres: 5432, postgresql: 5432, redis: 6379, rediss: 6379, https: 443 }

/**
 * Returns where the server of a URL listens. A socket's path is percent-encoded in the place of the host, and as with
 * PostgreSQL's own clients it is the folder of the socket there.
 */
export function serverTarget(url: string): TcpNetConnectOpts | IpcNetConnectOpts {
  const { protocol, hostname, port: given } = new URL(url)
  const host = decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1'))
  const scheme = protocol.slice(0, -1)
  const port = Number(given) || USUAL_PORTS[scheme] || 80
  if (!host.startsWith('/')) return { host, port }
  return { path: scheme.startsWith('postgres') ? join(host, `.s.PGSQL.${port}`) : host }
}

/**
 * Connects, sends `request`, and passes everything received so far to `decide` until it returns a value. Returns null
 * if nothing listens, the other side closes first, or `timeoutMs` passes.
 */
export function converse<T>(
  target: NetConnectOpts & { timeoutMs: number },
  request: Buffer | string,
  decide: (received: string) => T | null,
): Promise<T | null> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(target)
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
