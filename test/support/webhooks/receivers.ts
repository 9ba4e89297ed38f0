// Receivers of webhooks on 127.0.0.1: one server, each path an address of its own, told how to behave.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Behaviour = (response: ServerResponse, id: string, body: string) => void

export interface Receivers {
  /** Of a path such as `/a`. */
  url(path: string): string
  /** For that path from now on; without one it answers 204. */
  behave(path: string, behaviour: Behaviour): void
  /** What came in whole, in order, whatever was answered. */
  received: { path: string; id: string; headers: IncomingHttpHeaders; body: string }[]
  /** Requests under way at a path, at most. */
  atOnce(path: string): number
  /** Begins to count the most again. */
  forgetMost(path: string): void
  close(): Promise<void>
}

export const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end()

/** Never answers. */
export const hangs: Behaviour = () => {}

/** Answers nothing until `release` is called, and 204 from then on. */
export function holds(): { behaviour: Behaviour; held: ServerResponse[]; release: () => void } {
  const held: ServerResponse[] = []
  let isReleased = false
  const end = (response: ServerResponse) => void response.writeHead(204).end()
  return {
    held,
    behaviour: (response) => {
      if (isReleased) end(response)
      else held.push(response)
    },
    release: () => {
      isReleased = true
      held.forEach(end)
    },
  }
}

export async function receivers(): Promise<Receivers> {
  const behaviours = new Map<string, Behaviour>()
  const received: Receivers['received'] = []
  const [most, now] = [new Map<string, number>(), new Map<string, number>()]
  const server = createServer((request, response) => {
    const path = request.url!
    const count = (change: number) => {
      const open = (now.get(path) ?? 0) + change
      now.set(path, open)
      most.set(path, Math.max(open, most.get(path) ?? 0))
    }
    count(1)
    response.once('close', () => count(-1))
    let body = ''
    request
      .setEncoding('utf8')
      .on('data', (text: string) => {
        body += text
      })
      .on('end', () => {
        const id = String(request.headers['webhook-id'])
        received.push({ path, id, headers: request.headers, body })
        const behave = behaviours.get(path) ?? answers(204)
        behave(response, id, body)
      })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    behave: (path, behaviour) => {
      behaviours.set(path, behaviour)
    },
    received,
    atOnce: (path) => most.get(path) ?? 0,
    forgetMost: (path) => {
      most.set(path, now.get(path) ?? 0)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
