// The histogram of durations, against prom-client's own with the same observations.
import { assert } from 'chai'
import { Histogram, Registry } from 'prom-client'
import { RequestDurations } from '../../../../../src/infrastructure/http/middleware/request-durations.ts'

const SECONDS = [0, 0.0005, 0.00051, 0.004, 0.01, 0.9, 2.5, 15, 15.1, 400]

describe('the histogram of request durations', () => {
  it('is written as prom-client would write it, and read as it is read', async () => {
    const [own, theirs] = [new Registry(), new Registry()]
    const durations = new RequestDurations([own])
    const { buckets } = await bucketsOf(own, durations)
    const histogram = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'From the head of the request to the end of the answer, by operationId and status class.',
      labelNames: ['operation', 'status'],
      buckets,
      registers: [theirs],
    })
    histogram.observe({ operation: 'getHealth', status: '2xx' }, 0)
    for (const seconds of SECONDS) {
      durations.count('listFeed', '2xx', seconds)
      durations.count('listFeed', '4xx', seconds * 2)
      histogram.observe({ operation: 'listFeed', status: '2xx' }, seconds)
      histogram.observe({ operation: 'listFeed', status: '4xx' }, seconds * 2)
    }

    assert.deepEqual((await own.metrics()).split('\n').sort(), (await theirs.metrics()).split('\n').sort())
    assert.deepEqual((await own.getMetricsAsJSON())[0]!.name, 'http_request_duration_seconds')
  })
})

/** The bounds, as a first observation shows them. */
async function bucketsOf(registry: Registry, durations: RequestDurations) {
  durations.count('getHealth', '2xx', 0)
  const text = await registry.metrics()
  return { buckets: [...text.matchAll(/_bucket\{le="([\d.]+)"/g)].map(([, bound]) => Number(bound)) }
}
