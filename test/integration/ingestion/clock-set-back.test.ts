// The time of day is set back by a day while EDGAR's feed is read: the next reading follows as soon as ever.
import { assert } from 'chai'
import { makeFollowEdgar } from '../../../src/application/ingestion/follow-live-feed.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { EdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { startSimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { testService } from '../../support/service/service.ts'

describe('following EDGAR while the clock is set back', function () {
  this.timeout(30_000)

  it('reads the feed again after the usual pause', async () => {
    const edgar = await startSimulatedEdgar({ seed: 5 })
    const service = await testService()
    try {
      let time = Date.now()
      const source = new EdgarClient({ baseUrl: edgar.url, userAgent: 'Example Tests tests@example.com' })
      const currentFeed: EdgarClient['currentFeed'] = async (...asked) => {
        time -= 86_400_000
        return source.currentFeed(...asked)
      }
      const submission: EdgarClient['submission'] = (...asked) => source.submission(...asked)
      const [pauses, stop] = [[] as number[], new AbortController()]
      const follow = makeFollowEdgar({
        source: { currentFeed, submission, dailyIndex: (...asked) => source.dailyIndex(...asked) },
        queue: service.container.get(TYPES.fetchQueue),
        progress: service.container.get(TYPES.sourceProgress),
        record: service.container.get(TYPES.recordFilings),
        clock: () => time,
        monotonic: () => performance.now(),
        wait: async (milliseconds) => {
          pauses.push(milliseconds)
          if (pauses.length >= 3) stop.abort()
        },
        pollSeconds: 10,
      })
      const problem = (what: string, reason: string) => assert.fail(`${what}: ${reason}`)
      await follow.watch(stop.signal, { found: () => {}, recorded: () => {}, problem })
      assert.isAtLeast(pauses.length, 3)
      for (const pause of pauses) assert.isAtMost(pause, 10_000)
    } finally {
      await service.close()
      await edgar.close()
    }
  })
})
