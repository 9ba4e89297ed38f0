// Sectors of companies whose filings show no SIC, from a simulated EDGAR that may misbehave, down to the company's profile.
import { expect } from 'chai'
import type { Wait } from '../../../src/application/ports/filings.ts'
import { makeFetchSectors } from '../../../src/application/sectors/fetch-sectors.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { openEdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { sicCounts } from '../../../src/infrastructure/postgres/filings/sic-list.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import type { FaultKind } from '../../support/edgar/simulator/faults.ts'
import { ownershipXml, submissionText } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

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

  const report = {
    projected: () => {},
    filling: () => {},
    job: () => {},
    failed: (_: string, error: unknown) => {
      throw error
    },
  }
  /** One turn of the process that holds the store: queued jobs, then what is recorded. */
  const work = async () => {
    const stop = new AbortController()
    await service.container.get(TYPES.projectionLoop).run(stop.signal, async () => stop.abort(), report)
  }
  /** Asks until nothing is due. */
  const ask = async () => {
    const source = openEdgarClient({
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
    expect(await jobs()).to.deep.equal(['sectors queued'])
    expect(await sectors(1, 2, 3, 4)).to.deep.equal(Array(4).fill('Unknown'))
    await work()
    expect(await counts()).to.deep.equal({ waiting: 4, found: 0, none: 0 })
    expect(await ask()).to.deep.equal([])
    expect(asked().toSorted()).to.deep.equal([1, 2, 3, 4].map((number) => `CIK${cikOf(number)}`))
    expect(await counts()).to.deep.equal({ waiting: 0, found: 3, none: 1 })
    await work()
    expect(await sectors(1, 2, 3, 4)).to.deep.equal(['Technology', 'Health Care', 'Unknown', 'Unknown'])
    expect(await jobs()).to.deep.equal(['sectors done', 'sectors done'])
    await service.record(bare(1, 20), bare(3, 20))
    await work()
    await ask()
    expect(await jobs()).to.have.length(2)
    expect(asked()).to.have.length(4)
    expect(edgar.mostInAnySecond()).to.be.at.most(10)
  })

  it('stay after a rebuild, and give way to the SIC of a filing', async () => {
    await service.record(bare(1))
    await work()
    await work()
    await ask()
    await service.container.get(TYPES.rebuild)(() => {})
    expect(await sectors(1)).to.deep.equal(['Technology'])
    await service.take({ path: 'submission.txt', text: whole(1) })
    expect(await sectors(1)).to.deep.equal(['Energy'])
  })

  it('are not asked for where a filing shows a SIC', async () => {
    await service.take({ path: 'submission.txt', text: whole(1) })
    await service.record(bare(1))
    await work()
    await work()
    expect(await ask()).to.deep.equal([])
    expect(asked()).to.deep.equal([])
  })

  it('are asked for again, later each time, where EDGAR fails', async () => {
    await service.record(bare(1))
    await work()
    await work()
    const kinds: FaultKind[] = ['unavailable', 'page', 'cut', 'reset', 'cut-silently']
    for (const [failures, kind] of kinds.entries()) {
      edgar.faults.next(kind, 1, { of: /^\/submissions\// })
      expect(await ask(), kind).to.have.length(1)
      const [{ minutes, problem } = { minutes: 0, problem: '' }] = await rows<{ minutes: number; problem: string }>(
        service.pool,
        `SELECT
        round(extract(epoch FROM next_ask_at - now()) / 60)::int AS minutes, problem FROM issuer_sic`,
      )
      expect(minutes, kind).to.equal([1, 60, 1_440, 10_080, 10_080][failures])
      expect(problem, kind).not.to.equal('')
      expect(await counts()).to.deep.equal({ waiting: 1, found: 0, none: 0 })
      expect(await ask(), 'not due').to.deep.equal([])
      await dueNow()
    }
    edgar.faults.clear()
    expect(await ask()).to.deep.equal([])
    await work()
    expect(await sectors(1)).to.deep.equal(['Technology'])
  })

  it('that EDGAR has not got are asked for again after a month', async () => {
    await service.record(bare(3), bare(9))
    await work()
    await work()
    expect(await ask()).to.deep.equal([])
    expect(await counts()).to.deep.equal({ waiting: 0, found: 0, none: 2 })
    const problems = await rows<{ problem: string }>(
      service.pool,
      `SELECT problem FROM issuer_sic
      WHERE next_ask_at BETWEEN now() + interval '29 d' AND now() + interval '31 d' ORDER BY issuer_cik`,
    )
    expect(problems.map(({ problem }) => problem.slice(0, 6))).to.deep.equal(['no SIC', '404, b'])
  })

  it('are looked for after history was loaded, which shows none', async () => {
    await service.container.get(TYPES.jobRunners).backfill(() => {}, { quarters: [] })
    expect(await jobs()).to.deep.equal(['sectors queued'])
  })

  it('wait behind every other job', async () => {
    const queue = service.container.get(TYPES.jobs)
    await queue.queueOnce('sectors')
    await queue.queueOnce('sectors')
    await queue.queue('companies')
    const first = await queue.next()
    expect(first!.kind).to.equal('companies')
    await queue.finish(first!.id, null)
    expect((await queue.next())!.kind).to.equal('sectors')
    expect(await queue.next()).to.equal(null)
  })

  it('are asked for newest filer first', async () => {
    const list = service.container.get(TYPES.sicList)
    expect(await list.add([cikOf(3), cikOf(1), cikOf(2)])).to.equal(3)
    expect(await list.add([cikOf(2), cikOf(4)])).to.equal(1)
    expect((await list.due(10)).map(({ issuerCik }) => issuerCik)).to.deep.equal([3, 1, 2, 4].map(cikOf))
    expect([await list.lacks([cikOf(1)]), await list.lacks([cikOf(1), cikOf(8)])]).to.deep.equal([false, true])
  })
})
