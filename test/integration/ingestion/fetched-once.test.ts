// A filing whose fetch ends while the queue is being read: the answer, made before, still names it.
import { assert } from 'chai'
import { makeFollowEdgar } from '../../../src/application/ingestion/follow-live-feed.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { EdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { READER } from '../../../src/infrastructure/edgar/documents/read-any-document.ts'
import { PostgresFetchQueue } from '../../../src/infrastructure/postgres/filings/fetch-queue.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { startSimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { testService } from '../../support/service/service.ts'

/** Holds its answers back until `read`. */
class HeldEdgar extends EdgarClient {
  readonly read = Promise.withResolvers<void>()

  override async submission(...filing: Parameters<EdgarClient['submission']>) {
    await this.read.promise
    return super.submission(...filing)
  }
}

/** Gives its second answer, which names a filing that is being fetched, after the fetch has ended. */
class LateQueue extends PostgresFetchQueue {
  readonly settled = Promise.withResolvers<void>()
  readonly readings: string[][] = []
  onSecond = () => {}

  override async due(limit: number, others: number) {
    const due = await super.due(limit, others)
    this.readings.push(due.map(({ accession }) => accession))
    if (this.readings.length !== 2) return due
    this.onSecond()
    await this.settled.promise
    return due
  }
}

describe('a filing that is fetched while the queue is read', function () {
  this.timeout(30_000)

  it('is not fetched a second time', async () => {
    const edgar = await startSimulatedEdgar({ seed: 5 })
    const service = await testService()
    try {
      const source = new HeldEdgar({ baseUrl: edgar.url, userAgent: 'Example Tests tests@example.com' })
      const queue = new LateQueue(service.pool, READER)
      queue.onSecond = () => source.read.resolve()
      const { accession, text } = inventedFiling(1, { seed: 5, acceptedAt: () => edgar.clock.now() - 10_000 })
      edgar.publish(text)
      const page = await source.currentFeed(0, new AbortController().signal)
      if (page.kind !== 'ok') return assert.fail(page.kind)
      await queue.add(page.value.filings, 'live')
      const follow = makeFollowEdgar({
        source,
        queue,
        progress: service.container.get(TYPES.sourceProgress),
        record: service.container.get(TYPES.recordFilings),
        clock: Date.now,
        monotonic: () => performance.now(),
        wait: service.container.get(TYPES.wait),
        pollSeconds: null,
      })
      const recorded: string[] = []
      const report = {
        found: () => {},
        recorded: (which: string) => {
          recorded.push(which)
          // When the follower, too, counts it among the ended ones.
          setTimeout(queue.settled.resolve, 20)
        },
        problem: (what: string, reason: string) => assert.fail(`${what}: ${reason}`),
      }
      await follow.fetch(new AbortController().signal, report, true)
      assert.deepEqual(queue.readings.slice(0, 2), [[accession], [accession]], 'due while it is fetched')
      assert.deepEqual(recorded, [accession])
      const fetches = edgar.requests().filter((request) => request.path.includes('/Archives/edgar/data/'))
      assert.lengthOf(fetches, 1)
    } finally {
      await service.close()
      await edgar.close()
    }
  })
})
