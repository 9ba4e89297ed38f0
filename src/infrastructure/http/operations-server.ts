// What probes and Prometheus ask of a process that does not serve the API: is it up, can it do its work, its figures.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import { closer } from './closing.ts'
import { isAble, type Health } from './controllers/health.ts'
import type { HttpService } from './server.ts'

/** `/healthz`, `/readyz` and `/metrics`, answered as by the API's server; anything else is 404. */
export function createOperationsServer(health: Health, registry: Registry): HttpService {
  const closing = closer()
  const server = operationsServer(health, registry, closing.stopping)
  return { server, close: (graceMs, drainMs) => closing.close(server, graceMs, drainMs) }
}

function operationsServer(health: Health, registry: Registry, stopping: () => boolean): Server {
  const answers: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/healthz': async (response) => json(response, 200, { status: 'up' }),
    '/readyz': async (response) => {
      if (stopping()) return json(response, 503, { status: 'stopping', checks: {} })
      const report = await health.ready()
      const able = isAble(report) && !stopping()
      json(response, able ? 200 : 503, { status: able ? 'ready' : stopping() ? 'stopping' : 'unavailable', ...report })
    },
    '/metrics': async (response) => {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics())
    },
  }
  return createServer({ requestTimeout: 15_000, headersTimeout: 10_000 }, (request, response) => {
    const path = (request.url ?? '').split('?')[0]!
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!answer || !isRead) return json(response, 404, { status: 'this process serves /healthz, /readyz and /metrics only' })
    answer(response).catch(() => response.destroy())
  })
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body))
}
