// A filing that could not be read, or was not there, is fetched again by the daily index: EDGAR may have a complete
// document by then, or this version a better reader. The day becomes complete when it can.
import { assert } from 'chai'
import { makeCatchUp } from '../../../src/application/ingestion/follow-daily-index.ts'
import { makeFollowEdgar } from '../../../src/application/ingestion/follow-live-feed.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { EdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { PostgresFetchQueue } from '../../../src/infrastructure/postgres/filings/fetch-queue.ts'
import { newYork } from '../../support/edgar/simulator/new-york.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { submissionText } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const READER = 1
const DAY = '2026-11-24'

/** Gives documents that end early, and so can't be read, until it is repaired. */
class FaultyEdgar extends EdgarClient {
  isRepaired = false

  override async submission(...asked: Parameters<EdgarClient['submission']>) {
    const answer = await super.submission(...asked)
    if (this.isRepaired || answer.kind !== 'ok') return answer
    const text = answer.value.toString('latin1').replace('</ownershipDocument>', '')
    return { ...answer, value: Buffer.from(text, 'latin1') }
  }
}

describe('a filing that was fetched in vain', function () {
  this.timeout(60_000)
  let edgar: SimulatedEdgar
  let service: TestService
  let source: FaultyEdgar
  let published = 0

  beforeEach(async () => {
    edgar = await startSimulatedEdgar({ seed: 11, clock: `${DAY} 11:00:00` })
    service = await testService(() => edgar.clock.now())
    source = new FaultyEdgar({ baseUrl: edgar.url, userAgent: 'Example Tests tests@example.com' })
  })
  afterEach(async () => {
    await service.close()
    await edgar.close()
  })

  const publish = () => {
    published += 1
    const accession = `0001999001-26-${String(published).padStart(6, '0')}`
    const { date, stamp } = newYork(edgar.clock.now())
    edgar.publish(submissionText({ accession, acceptedAt: stamp, filedAsOf: date.replaceAll('-', '') }))
    return accession
  }
  const parts = (reader = READER) => ({
    source,
    queue: new PostgresFetchQueue(service.pool, reader),
    progress: service.container.get(TYPES.sourceProgress),
    clock: () => edgar.clock.now(),
  })
  /** Reads the live feed once, as the service does every ten seconds. */
  const readFeed = async () => {
    const stop = new AbortController()
    const wait = async () => stop.abort()
    await follower(wait).watch(stop.signal, { found: () => {}, recorded: () => {}, problem: assert.fail })
  }
  const follower = (wait: () => Promise<void>) =>
    makeFollowEdgar({
      ...parts(),
      record: service.container.get(TYPES.recordFilings),
      monotonic: () => performance.now(),
      wait,
      pollSeconds: null,
    })
  /** Follows the daily index for one round. */
  const readIndex = async (reader?: number) => {
    const stop = new AbortController()
    await makeCatchUp({ ...parts(reader), wait: async () => stop.abort() }).run(stop.signal, () => {}, assert.fail)
  }
  const catchUp = () => makeCatchUp({ ...parts(), wait: async () => {} }).day(DAY)
  /** Fetches what waits; returns the outcomes. */
  const fetch = async () => {
    const outcomes: string[] = []
    const report = {
      found: () => {},
      recorded: (_: string, outcome: string) => void outcomes.push(outcome),
      problem: (_: string, reason: string) => void outcomes.push(reason.slice(0, 4)),
    }
    await follower(async () => {}).fetch(new AbortController().signal, report, true)
    return outcomes
  }
  const known = async () =>
    (await service.pool.query('SELECT known, listed FROM index_days WHERE day = $1', [DAY])).rows[0] as object
  const passADay = () => service.pool.query(`UPDATE fetches SET settled_at = settled_at - interval '1 day 1 minute'`)
  const indexRequests = () => edgar.requests().filter(({ path }) => path.includes(`.${DAY.replaceAll('-', '')}.`))

  it('is fetched again at once by catching up, after which its day is complete', async () => {
    publish()
    edgar.clock.set('2026-11-25 08:00:00')
    assert.deepInclude(await catchUp(), { listed: 1, known: 0, missing: 1 })
    assert.deepEqual(await fetch(), ['rejected'])
    source.isRepaired = true
    assert.deepInclude(await catchUp(), { listed: 1, known: 0, missing: 1 })
    assert.deepEqual(await fetch(), ['ingested'])
    assert.deepInclude(await catchUp(), { listed: 1, known: 1, missing: 0 })
  })

  it('is fetched again once a day by the daily index, without reading the index again', async () => {
    publish()
    edgar.clock.set('2026-11-25 08:00:00')
    await readIndex()
    assert.deepEqual(await fetch(), ['rejected'])
    await readIndex()
    assert.deepEqual(await fetch(), [], 'on the same day')
    await passADay()
    const requests = indexRequests().length
    assert.isAbove(requests, 0)
    await readIndex()
    assert.deepEqual(await fetch(), ['rejected'])
    source.isRepaired = true
    await readIndex()
    assert.deepEqual(await fetch(), [], 'on the same day')
    await passADay()
    await readIndex()
    assert.deepEqual(await fetch(), ['ingested'])
    assert.deepEqual(await known(), { known: 0, listed: 1 })
    await readIndex()
    assert.deepEqual(await known(), { known: 1, listed: 1 })
    assert.lengthOf(indexRequests(), requests)
  })

  it('is fetched again at once by a newer reader, however long ago its day was, and then not again', async () => {
    publish()
    edgar.clock.set('2026-11-25 08:00:00')
    await readIndex()
    assert.deepEqual(await fetch(), ['rejected'])
    edgar.clock.set('2026-12-21 08:00:00')
    await passADay()
    await readIndex()
    assert.deepEqual(await fetch(), [], 'by the same reader, after more than a week')
    source.isRepaired = true
    await readIndex(READER + 1)
    assert.deepEqual(await fetch(), ['ingested'])
    await readIndex()
    assert.deepEqual(await known(), { known: 1, listed: 1 })
  })

  it('is not fetched again by the live feed, which shows it at each reading', async () => {
    publish()
    edgar.clock.set(`${DAY} 11:05:00`)
    await readFeed()
    assert.deepEqual(await fetch(), ['rejected'])
    await passADay()
    await readFeed()
    assert.deepEqual(await fetch(), [])
  })

  it('is fetched again where it was gone for days, and has come back', async () => {
    const accession = publish()
    edgar.clock.set('2026-11-25 08:00:00')
    await readIndex()
    source.isRepaired = true
    edgar.faults.next('missing', 2, { of: new RegExp(accession) })
    edgar.clock.set('2026-11-28 12:00:00')
    await service.pool.query(`UPDATE fetches SET found_at = $1`, [new Date(edgar.clock.now() - 73 * 3_600_000)])
    assert.deepEqual(await fetch(), ['gone'])
    await passADay()
    await readIndex()
    assert.deepEqual(await fetch(), ['gone'], 'by the first answer that it is not there')
    await passADay()
    await readIndex()
    assert.deepEqual(await fetch(), ['ingested'])
    await readIndex()
    assert.deepEqual(await known(), { known: 1, listed: 1 })
  })

  it('no longer counts as missing once it was read from its stored copy, or the SEC has deleted it', async () => {
    const [read, deleted] = [publish(), publish()]
    edgar.clock.set('2026-11-25 08:00:00')
    await readIndex()
    assert.deepEqual(await fetch(), ['rejected', 'rejected'])
    edgar.clock.set('2026-12-21 08:00:00')
    await service.record({ accession: read })
    await service.container
      .get(TYPES.ledger)
      .withdrawals.record([{ accession: deleted, source: 'x', firstSeenAt: new Date(edgar.clock.now()) }])
    await readIndex()
    assert.deepEqual(await known(), { known: 2, listed: 2 })
  })

  it('is found for a day that an earlier version compared, whose index is read once more', async () => {
    publish()
    edgar.clock.set('2026-11-25 08:00:00')
    await readIndex()
    assert.deepEqual(await fetch(), ['rejected'])
    edgar.clock.set('2026-12-21 08:00:00')
    await service.pool.query('UPDATE index_days SET missing = NULL')
    await service.pool.query('UPDATE fetches SET reader = NULL')
    source.isRepaired = true
    await readIndex()
    assert.deepEqual(await fetch(), ['ingested'])
    await readIndex()
    assert.deepEqual(await known(), { known: 1, listed: 1 })
  })
})
