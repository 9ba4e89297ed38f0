// Metrics of HTTP requests, for Prometheus. Labels are operationIds and status classes: few, whatever callers send.
import type { RequestHandler } from 'express'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Handler } from '../handler.ts'
import type { OperationId } from '../openapi/document.ts'

export interface Metrics {
  observe: RequestHandler
  registry: Registry
  /** Counts a request that was answered from memory. */
  answeredFromMemory(): void
  /** Counts a connection refused because its address has too many. */
  connectionRefused(): void
  handler: Handler<'getMetrics'>
}

const CLIENT_PACED_OPERATIONS = new Set<OperationId | undefined>(['streamChanges', 'exportFeed', 'getExportFile'])

// The buckets reach from an answer out of memory to the time limit of a query.
const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]

export function httpMetrics(registry: Registry = new Registry()): Metrics {
  // The owner of the registry may have registered the metrics of the process.
  if (!registry.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the head of the request to the end of the answer, by operationId and status class.',
    labelNames: ['operation', 'status'],
    buckets: BUCKETS_SECONDS,
    registers,
  })
  const inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests being answered now.',
    registers,
  })
  const refused = new Counter({
    name: 'http_connections_refused_total',
    help: 'Connections refused because their address had too many.',
    registers,
  })
  const fromMemory = new Counter({
    name: 'http_answers_from_memory_total',
    help: 'Requests answered from memory, without a question to the stores.',
    registers,
  })
  return {
    registry,
    answeredFromMemory: () => fromMemory.inc(),
    connectionRefused: () => refused.inc(),
    observe: (request, response, next) => {
      inFlight.inc()
      response.once('close', () => {
        inFlight.dec()
        const { operation: { id } = { id: undefined }, startedAt } = request.context
        // How long a caller takes for a stream or a download says nothing about the service.
        if (CLIENT_PACED_OPERATIONS.has(id) && response.statusCode < 300) return
        const status = `${Math.floor(response.statusCode / 100)}xx`
        durations.observe({ operation: id ?? 'none', status }, (performance.now() - startedAt) / 1000)
      })
      next()
    },
    handler: async () => {
      const content = { type: registry.contentType, bytes: Buffer.from(await registry.metrics()) }
      return { status: 200, content }
    },
  }
}
