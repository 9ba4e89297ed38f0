// The server for probes and Prometheus of a process that does not serve the API: health, readiness, metrics.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import { closer } from './graceful-shutdown.ts'
import { isAble, type Health } from '../controllers/health.ts'
import { applyLimits, creationOptions, LIMITS } from './limits.ts'
import { answerProtocolFaults, asksForUpgrade } from './malformed-requests.ts'
import type { HttpService } from '../server.ts'
import { endAfterBody, leavesUnread } from './unread-body.ts'

/** Serves `/healthz`, `/readyz` and `/metrics` as the API's server does; anything else is 404. */
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
      const closes = asksForUpgrade(response.req) && { connection: 'close' }
      response.writeHead(200, { 'content-type': registry.contentType, ...closes }).end(await registry.metrics())
    },
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').split('?')[0]!
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!answer || !isRead)
      return json(response, 404, { status: 'this process serves /healthz, /readyz and /metrics only' })
    answer(response).catch(() => response.destroy())
  }
  const server = createServer({ ...creationOptions(LIMITS), requireHostHeader: true }, listener)
  // Without it node would request every body that is announced.
  server.on('checkContinue', listener)
  applyLimits(server, LIMITS)
  answerProtocolFaults(server)
  return server
}

function json(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body))
  const isUnread = leavesUnread(response.req)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    ...((isUnread || asksForUpgrade(response.req)) && { connection: 'close' }),
  })
  if (isUnread) endAfterBody(response.req, response, bytes)
  else response.end(bytes)
}
