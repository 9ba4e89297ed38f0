// The steps of a trace, by OpenTelemetry's API, which does nothing where no traces are kept.
import { SpanStatusCode, trace, type Attributes } from '@opentelemetry/api'

const tracer = trace.getTracer('insider-trading-data-service')

/** Runs work as a step of the trace that is open, or as the first of a new one. Facts must have no secret in them. */
export function traced<T>(name: string, facts: Attributes, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, { attributes: facts }, async (span) => {
    try {
      return await work()
    } catch (error) {
      // No message: it may have what was sent.
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name })
      throw error
    } finally {
      span.end()
    }
  })
}

/** Does so within an open trace only: what runs all the time begins none. */
export function tracedWithin<T>(name: string, facts: Attributes, work: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : traced(name, facts, work)
}
