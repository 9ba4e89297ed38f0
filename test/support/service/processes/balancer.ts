// A balancer as operators put before several api processes: connections kept open, requests in turn to those that are
// ready, none tried twice, so that whatever a process drops is seen. Who stops or refuses gets nothing more; who only
// says that a store is slow, or answers late itself, is left out as long as another is ready.
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Balancer {
  address: string
  /** Addresses, by the last look. */
  ready(): string[]
  close(): Promise<void>
}

export async function startBalancer(backends: string[], checkEveryMs: number): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const [ready, slow] = [new Set<string>(), new Set<string>()]
  let isClosed = false
  let turn = 0
  const checks = backends.map(async (backend) => {
    for (; !isClosed; await sleep(checkEveryMs)) {
      const health = await healthOf(backend)
      if (health === 'ready') ready.add(backend)
      else ready.delete(backend)
      if (health === 'slow') slow.add(backend)
      else slow.delete(backend)
    }
  })
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const open = [...(ready.size > 0 ? ready : slow)]
    const backend = open[turn++ % open.length]
    const fail = (reason: string) => void response.writeHead(502).end(`${backend}: ${reason}`)
    if (!backend) return fail('none is ready')
    const { method, headers } = request
    const passed = httpRequest(
      `${backend}${request.url}`,
      { method, headers: { ...headers, connection: 'keep-alive' }, agent },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.on('error', () => response.destroy()).pipe(response)
      },
    )
    passed.on('error', (error) => (response.headersSent ? response.destroy() : fail(String(error))))
    request.pipe(passed)
  }
  const server = createServer(pass)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: () => [...ready],
    close: async () => {
      isClosed = true
      await Promise.all(checks)
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

async function healthOf(backend: string): Promise<'ready' | 'slow' | 'gone'> {
  try {
    const answer = await fetch(`${backend}/readyz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(2_000),
    })
    const { status } = (await answer.json()) as { status: string }
    if (answer.status === 200) return 'ready'
    return status === 'stopping' ? 'gone' : 'slow'
  } catch (error) {
    return ((error as Error).cause as { code?: string } | undefined)?.code === 'ECONNREFUSED' ? 'gone' : 'slow'
  }
}
