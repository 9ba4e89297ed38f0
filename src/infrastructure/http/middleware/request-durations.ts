// The histogram of requests' durations. prom-client checks, copies and hashes the labels of each observation, which
// takes 1.3 us of the 20 that an answer from memory costs; here they are counted, and put in its form when asked for.
import { Histogram, type Registry } from 'prom-client'

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx'
type Label = 'operation' | 'status'

interface Series {
  /** One for each bound, and one for what is above all of them. */
  counts: number[]
  sum: number
}

// From a cached page (below 1 ms) to the time-out of a query.
const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]
const NAME = 'http_request_duration_seconds'
const HELP = 'From the head of the request to the end of the answer, by operationId and status class.'

export class RequestDurations extends Histogram<Label> {
  readonly #series = new Map<StatusClass, Map<string, Series>>()

  constructor(registers: Registry[]) {
    super({
      name: NAME,
      help: HELP,
      labelNames: ['operation', 'status'],
      buckets: BOUNDS_SECONDS,
      registers,
    })
  }

  /** Counts a request. Operations are few, whatever callers send. */
  count(operation: string, status: StatusClass, seconds: number): void {
    const series = this.#series.get(status)?.get(operation) ?? this.#add(operation, status)
    let place = 0
    while (place < BOUNDS_SECONDS.length && seconds > BOUNDS_SECONDS[place]!) place += 1
    series.counts[place]! += 1
    series.sum += seconds
  }

  #add(operation: string, status: StatusClass): Series {
    const series = { counts: Array<number>(BOUNDS_SECONDS.length + 1).fill(0), sum: 0 }
    const ofStatus = this.#series.get(status) ?? new Map<string, Series>()
    this.#series.set(status, ofStatus.set(operation, series))
    return series
  }

  /** What prom-client and its registry read a histogram by. */
  async getForPromString() {
    const values = [...this.#series].flatMap(([status, ofStatus]) =>
      [...ofStatus].flatMap(([operation, series]) => valuesOf({ operation, status }, series)),
    )
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values }
  }
}

function valuesOf(sharedLabels: Record<Label, string>, { counts, sum }: Series) {
  let count = 0
  const buckets = [...BOUNDS_SECONDS, '+Inf'].map((bound, place) => {
    count += counts[place]!
    return { labels: { le: bound }, sharedLabels, value: count, metricName: `${NAME}_bucket` }
  })
  return [
    ...buckets,
    { labels: {}, sharedLabels, value: sum, metricName: `${NAME}_sum` },
    { labels: {}, sharedLabels, value: count, metricName: `${NAME}_count` },
  ]
}
