// Forms 3, 5 and 144 are followed live like Form 4, never in its way, and a day's completeness counts each form.
import { assert } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectEdgar } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { EdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { newYork } from '../../support/edgar/simulator/new-york.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { submissionText } from '../../support/filings/filing-builder.ts'
import { noticeSubmission } from '../../support/notices/notice-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const USER_AGENT = 'Example Tests tests@example.com'
const HELD = { rows: [], derivativeRows: [] }

describe('Forms 3, 5 and 144 at EDGAR', function () {
  this.timeout(120_000)
  let edgar: SimulatedEdgar
  let service: TestService
  let published = 0

  beforeEach(async () => {
    edgar = await startSimulatedEdgar({ seed: 9, clock: '2026-11-24 11:00:00' })
    service = await testService(() => edgar.clock.now())
    connectEdgar(service.container, new EdgarClient({ baseUrl: edgar.url, userAgent: USER_AGENT }), 0.3)
  })
  afterEach(async () => {
    await service.close()
    await edgar.close()
  })

  const publish = (formType: '3' | '4' | '5') => {
    published += 1
    const accession = `0001999001-26-${String(published).padStart(6, '0')}`
    const { date, stamp } = newYork(edgar.clock.now())
    const rows = formType === '3' ? HELD : {}
    edgar.publish(
      submissionText({ accession, formType, acceptedAt: stamp, filedAsOf: date.replaceAll('-', ''), ...rows }),
    )
    return accession
  }
  const publishNotice = () => {
    published += 1
    const accession = `0001999001-26-${String(published).padStart(6, '0')}`
    const { date, stamp } = newYork(edgar.clock.now())
    const text = noticeSubmission({ accession, acceptedAt: stamp, filedAsOf: date.replaceAll('-', '') })
    edgar.publish(text)
    return { accession, path: `${accession}.txt`, text }
  }
  /** `missing`: a filing that EDGAR lists and does not have. */
  const follow = async (isEnough: () => Promise<boolean>, missing?: string) => {
    const stop = new AbortController()
    const problem = (what: string, reason: string) => assert.strictEqual(what, missing, reason)
    const { watch, fetch } = service.container.get(TYPES.followEdgar)
    const report = { found: () => {}, recorded: () => {}, problem }
    const following = Promise.all([watch(stop.signal, report), fetch(stop.signal, report)])
    for (const end = performance.now() + 60_000; !(await isEnough()); await sleep(50))
      assert.isBelow(performance.now(), end, 'the filings did not come')
    stop.abort()
    await following
  }
  const isRecorded = async (...accessions: string[]) =>
    (await service.container.get(TYPES.fetchQueue).missing(accessions)).length === 0

  it('are answered as soon as EDGAR lists them', async () => {
    const [initial, annual] = [publish('3'), publish('5')]
    await follow(() => isRecorded(initial, annual))
    await service.project()
    for (const [accession, form] of [
      [initial, '3'],
      [annual, '5'],
    ] as const) {
      const filing = await service.queries.filing(accession)
      assert.deepInclude(filing, { accessionNumber: accession, form })
    }
  })

  it('are notices of proposed sales, live and by the daily index', async () => {
    const live = publishNotice().accession
    await follow(() => isRecorded(live))
    edgar.clock.set('2026-11-24 20:00:00')
    const missed = publishNotice().accession
    edgar.clock.set('2026-11-25 08:00:00')
    const compare = async () => (await service.container.get(TYPES.catchUp).day('2026-11-24')).forms
    assert.deepEqual(await compare(), { 144: { listed: 2, known: 1 } })
    const nobody = new AbortController()
    const report = { found: () => {}, recorded: () => {}, problem: assert.fail }
    await service.container.get(TYPES.followEdgar).fetch(nobody.signal, report, true)
    assert.deepEqual(await compare(), { 144: { listed: 2, known: 2 } })
    await service.linkNotices()
    const { page } = await service.textQueries.notices({ limit: 5 })
    assert.deepEqual(
      page.value.notices.map(({ accessionNumber }) => accessionNumber),
      [missed, live],
    )
  })

  it('never keep a Form 4 waiting', async () => {
    for (let each = 0; each < 60; each += 1) publish('3')
    let form4: string | null = null
    await follow(async () => {
      const fetched = edgar.requests().filter(({ path }) => path.includes('/Archives/edgar/data/'))
      if (form4 === null && fetched.length >= 3) form4 = publish('4')
      return form4 !== null && isRecorded(form4)
    })
    const paths = edgar.requests().map(({ path }) => path)
    const fetched = paths.findIndex((path) => path.includes(form4!))
    const listed = paths.findLastIndex((path, index) => path.includes('type=4') && index < fetched)
    // Those that were under way or already granted when the feed came.
    assert.isAtMost(fetched - listed, 4, paths.slice(listed, fetched + 1).join('\n'))
    assert.isBelow(paths.filter((path) => path.includes('/Archives/edgar/data/')).length, 50)
  })

  it('count in the completeness of a day, each form by itself', async () => {
    await service.record(publishNotice())
    const [form4, initial, withheld] = [publish('4'), publish('3'), publish('3')]
    edgar.withdraw(withheld, { listed: true })
    edgar.clock.set('2026-11-25 08:00:00')
    const progress = service.container.get(TYPES.sourceProgress)
    const compare = async () => (await service.container.get(TYPES.catchUp).day('2026-11-24')).forms
    const incomplete = async () => (await progress.incomplete()).map(({ day }) => day)
    const month = () => service.container.get(TYPES.exportRecord).wholeMonths(['2026-11'])
    for (const day of ['2026-10-30', '2026-12-01']) await progress.checked(day, {}, {})

    assert.deepEqual(await compare(), {
      3: { listed: 2, known: 0 },
      4: { listed: 1, known: 0 },
      144: { listed: 1, known: 1 },
    })
    assert.deepEqual(await incomplete(), ['2026-11-24'])
    assert.deepEqual(await month(), [])

    await follow(() => isRecorded(form4, initial), withheld)
    assert.deepEqual(await compare(), {
      3: { listed: 2, known: 1 },
      4: { listed: 1, known: 1 },
      144: { listed: 1, known: 1 },
    })
    assert.deepEqual(await incomplete(), ['2026-11-24'])
    assert.deepEqual(await month(), [{ month: '2026-11', ofAllForms: false, ofNotices: true }])

    await service.record({ accession: withheld, formType: '3', ...HELD })
    assert.deepEqual(await compare(), {
      3: { listed: 2, known: 2 },
      4: { listed: 1, known: 1 },
      144: { listed: 1, known: 1 },
    })
    assert.deepEqual(await incomplete(), [])
    assert.deepEqual(await month(), [{ month: '2026-11', ofAllForms: true, ofNotices: true }])
  })
})
