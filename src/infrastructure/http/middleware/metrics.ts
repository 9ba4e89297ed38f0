// Metrics of HTTP requests, for Prometheus. Labels are operationIds and status classes: few, whatever callers send.
import type { RequestHandler } from 'express'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { Handler } from '../handler.ts'
import type { OperationId } from '../openapi/document.ts'
import { RequestDurations, type StatusClass } from './request-durations.ts'

export interface Metrics {
  observe: RequestHandler
  registry: Registry
  /** Counts a request that was answered from memory. */
  observeCached(operation: OperationId, status: StatusClass, milliseconds: number): void
  /** Counts a connection refused because its address has too many. */
  connectionRefused(): void
  handler: Handler<'getMetrics'>
}

const AT_CALLERS_PACE = new Set<OperationId | undefined>(['streamChanges', 'exportFeed', 'getExportFile'])

export function httpMetrics(registry: Registry = new Registry()): Metrics {
  // The owner of the registry may have registered the metrics of the process.
  if (!registry.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const durations = new RequestDurations(registers)
  // Counted here and handed over when asked for: prom-client's own way of counting takes 0.3 us each time.
  let inFlight = 0
  let fromMemory = 0
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests being answered now.',
    registers,
    collect() {
      this.set(inFlight)
    },
  })
  const refused = new Counter({
    name: 'http_connections_refused_total',
    help: 'Connections refused because their address had too many.',
    registers,
  })
  new Counter({
    name: 'http_answers_from_memory_total',
    help: 'Requests answered from memory, without a question to the stores.',
    registers,
    collect() {
      this.inc(fromMemory)
      fromMemory = 0
    },
  })
  return {
    registry,
    observeCached: (operation, status, milliseconds) => {
      durations.count(operation, status, milliseconds / 1000)
      fromMemory += 1
    },
    connectionRefused: () => refused.inc(),
    observe: (request, response, next) => {
      inFlight += 1
      response.once('close', () => {
        inFlight -= 1
        const { operation, startedAt } = request.context
        // How long a caller takes for a stream or a download says nothing about the service.
        if (AT_CALLERS_PACE.has(operation?.id) && response.statusCode < 300) return
        const status = `${Math.floor(response.statusCode / 100)}xx` as StatusClass
        durations.count(operation?.id ?? 'none', status, (performance.now() - startedAt) / 1000)
      })
      next()
    },
    handler: async () => {
      const content = { type: registry.contentType, bytes: Buffer.from(await registry.metrics()) }
      return { status: 200, content }
    },
  }
}
