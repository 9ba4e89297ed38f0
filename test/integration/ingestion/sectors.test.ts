// Sectors of companies whose filings show no SIC, from a simulated EDGAR that may misbehave, down to the company's
// profile.
import { assert } from 'chai'
import { makeFetchSectors } from '../../../src/application/sectors/fetch-sectors.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { EdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { sicCounts } from '../../../src/infrastructure/postgres/filings/sic-list.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import type { FaultKind } from '../../support/edgar/simulator/faults.ts'
import { ownershipXml, submissionText } from '../../support/filings/filing-builder.ts'
import { runTurn, testService, type TestService } from '../../support/service/service.ts'
import type { Wait } from '../../../src/application/ports/system.ts'

const cikOf = (number: number) => `00019990${String(number).padStart(2, '0')}`
const company = (number: number, sic?: string) => ({
  cik: cikOf(number),
  name: `Example ${number} Inc`,
  ticker: `EX${number}`,
  exchange: 'NYSE',
  ...(sic && { sic }),
})

describe('sectors of companies whose filings show none', function () {
  this.timeout(60_000)
  let service: TestService
  let edgar: SimulatedEdgar
  beforeEach(async () => {
    service = await testService()
    edgar = await startSimulatedEdgar({
      companies: [company(1, '3571'), company(2, '6324'), company(3), company(4, '9999')],
    })
  })
  afterEach(async () => {
    await edgar.close()
    await service.close()
  })

  /** A document without the header that has the SIC. */
  const bare = (number: number, day = 10) => {
    const filing = {
      issuer: { cik: cikOf(number), name: `Example ${number} Inc`, tickerRaw: `EX${number}` },
      rows: [{ shares: String(number) }],
    }
    return { path: `0001999001-25-0000${day + number}.xml`, text: ownershipXml(filing) }
  }
  const whole = (number: number) =>
    submissionText({
      accession: '0001999001-25-000077',
      acceptedAt: '20250312120000',
      sic: 'CRUDE PETROLEUM & NATURAL GAS [1311]',
      issuer: { cik: cikOf(number), name: `Example ${number} Inc`, tickerRaw: `EX${number}` },
    })
  const sectors = async (...numbers: number[]) => {
    const profiles = await Promise.all(numbers.map((number) => service.queries.company(`CIK${cikOf(number)}`)))
    return profiles.map((profile) => profile!.sector)
  }
  const jobs = async () =>
    (await rows<{ job: string }>(service.pool, `SELECT kind || ' ' || status AS job FROM jobs ORDER BY id`)).map(
      ({ job }) => job,
    )
  const asked = () =>
    edgar
      .requests()
      .filter(({ path }) => path.startsWith('/submissions/'))
      .map(({ path }) => path.slice(13, 26))
  const counts = () => sicCounts(service.pool)

  const work = () => runTurn(service)
  /** Asks until nothing is due. */
  const ask = async () => {
    const source = new EdgarClient({
      baseUrl: 'http://localhost.invalid',
      dataUrl: edgar.url,
      userAgent: 'Example Tests tests@example.com',
      maxPerSecond: 10,
    })
    const stop = new AbortController()
    const problems: string[] = []
    // Pauses are waited for; being idle ends it.
    const wait: Wait = async (milliseconds) => {
      if (milliseconds === 10_000) stop.abort()
    }
    const { container } = service
    await makeFetchSectors(source, container.get(TYPES.sicList), container.get(TYPES.jobs), wait).run(
      stop.signal,
      (issuer, reason) => problems.push(`${issuer} ${reason}`),
    )
    return problems
  }
  const dueNow = () => service.pool.query('UPDATE issuer_sic SET next_ask_at = now()')

  it('are asked for when such a company appears, once, and shown', async () => {
    await service.record(bare(1), bare(2), bare(3), bare(4))
    await work()
    assert.deepEqual(await jobs(), ['sectors queued'])
    assert.deepEqual(await sectors(1, 2, 3, 4), Array(4).fill('Unknown'))
    await work()
    assert.deepEqual(await counts(), { waiting: 4, found: 0, none: 0 })
    assert.deepEqual(await ask(), [])
    assert.deepEqual(
      asked().toSorted(),
      [1, 2, 3, 4].map((number) => `CIK${cikOf(number)}`),
    )
    assert.deepEqual(await counts(), { waiting: 0, found: 3, none: 1 })
    await work()
    assert.deepEqual(await sectors(1, 2, 3, 4), ['Technology', 'Health Care', 'Unknown', 'Unknown'])
    assert.deepEqual(await jobs(), ['sectors done', 'sectors done'])
    await service.record(bare(1, 20), bare(3, 20))
    await work()
    await ask()
    assert.lengthOf(await jobs(), 2)
    assert.lengthOf(asked(), 4)
    assert.isAtMost(edgar.mostInAnySecond(), 10)
  })

  it('stay after a rebuild, and give way to the SIC of a filing', async () => {
    await service.record(bare(1))
    await work()
    await work()
    await ask()
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(await sectors(1), ['Technology'])
    await service.take({ path: 'submission.txt', text: whole(1) })
    assert.deepEqual(await sectors(1), ['Energy'])
  })

  it('are not asked for where a filing shows a SIC', async () => {
    await service.take({ path: 'submission.txt', text: whole(1) })
    await service.record(bare(1))
    await work()
    await work()
    assert.deepEqual(await ask(), [])
    assert.deepEqual(asked(), [])
  })

  it('are asked for again, later each time, where EDGAR fails', async () => {
    await service.record(bare(1))
    await work()
    await work()
    const kinds: FaultKind[] = ['unavailable', 'page', 'cut', 'reset', 'cut-silently']
    for (const [failures, kind] of kinds.entries()) {
      edgar.faults.next(kind, 1, { of: /^\/submissions\// })
      assert.lengthOf(await ask(), 1, kind)
      const [{ minutes, problem } = { minutes: 0, problem: '' }] = await rows<{ minutes: number; problem: string }>(
        service.pool,
        `SELECT
        round(extract(epoch FROM next_ask_at - now()) / 60)::int AS minutes, problem FROM issuer_sic`,
      )
      assert.strictEqual(minutes, [1, 60, 1_440, 10_080, 10_080][failures], kind)
      assert.notStrictEqual(problem, '', kind)
      assert.deepEqual(await counts(), { waiting: 1, found: 0, none: 0 })
      assert.deepEqual(await ask(), [], 'not due')
      await dueNow()
    }
    edgar.faults.clear()
    assert.deepEqual(await ask(), [])
    await work()
    assert.deepEqual(await sectors(1), ['Technology'])
  })

  it('are asked for later where the answer that is stored as the reason has a NUL', async () => {
    await service.record(bare(1))
    await work()
    await work()
    const { pool, container } = service
    const list = container.get(TYPES.sicList)
    await list.failed(cikOf(1), 'the HTML page "down\0"', 60)
    assert.deepEqual(await list.due(1), [])
    const progress = container.get(TYPES.sourceProgress)
    await progress.move('edgar-fault', 'the HTML page "down\0"')
    assert.strictEqual(await progress.position('edgar-fault'), 'the HTML page "down\ufffd"')
    const [stored] = await rows<{ problem: string }>(pool, 'SELECT problem FROM issuer_sic')
    assert.strictEqual(stored!.problem, 'the HTML page "down\ufffd"')
  })

  it('that EDGAR has not got are asked for again after a month', async () => {
    await service.record(bare(3), bare(9))
    await work()
    await work()
    assert.deepEqual(await ask(), [])
    assert.deepEqual(await counts(), { waiting: 0, found: 0, none: 2 })
    const problems = await rows<{ problem: string }>(
      service.pool,
      `SELECT problem FROM issuer_sic
      WHERE next_ask_at BETWEEN now() + interval '29 d' AND now() + interval '31 d' ORDER BY issuer_cik`,
    )
    assert.deepEqual(
      problems.map(({ problem }) => problem.slice(0, 6)),
      ['no SIC', '404, b'],
    )
  })

  it('are looked for after history was loaded, which shows none, and month files made', async () => {
    await service.container.get(TYPES.jobRunners).backfill(() => {}, { quarters: [] }, new AbortController().signal)
    assert.deepEqual(await jobs(), ['sectors queued', 'exports queued'])
  })

  it('wait behind every other job', async () => {
    const queue = service.container.get(TYPES.jobs)
    await queue.queueOnce('sectors')
    await queue.queueOnce('sectors')
    await queue.queue('companies')
    const first = await queue.next()
    assert.strictEqual(first!.kind, 'companies')
    await queue.finish(first!.id, null)
    assert.strictEqual((await queue.next())!.kind, 'sectors')
    assert.strictEqual(await queue.next(), null)
  })

  it('are asked for newest filer first', async () => {
    const list = service.container.get(TYPES.sicList)
    assert.strictEqual(await list.add([cikOf(3), cikOf(1), cikOf(2)]), 3)
    assert.strictEqual(await list.add([cikOf(2), cikOf(4)]), 1)
    assert.deepEqual(
      (await list.due(10)).map(({ issuerCik }) => issuerCik),
      [3, 1, 2, 4].map(cikOf),
    )
    assert.deepEqual([await list.lacks([cikOf(1)]), await list.lacks([cikOf(1), cikOf(8)])], [false, true])
  })
})
