// Jobs as the process that holds the store does them: begun again where they were cut short, given up in the end, left
// alone where the right is lost; and what came in has its turn in between.
import { assert } from 'chai'
import { ServiceError } from '../../../src/application/errors.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { loopReport, runTurn, testService, type TestService } from '../../support/service/service.ts'

describe('jobs in the database', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const queue = () => service.container.get(TYPES.jobs).queue('companies')
  const stateOf = async (id: number) => (await service.container.get(TYPES.jobs).state(id))!
  const dueNow = () =>
    service.pool.query(`UPDATE jobs SET started_at = now() - interval '1 d' WHERE status = 'running'`)
  /** So many turns with `companies` done by that. */
  const turns = async (runner: () => Promise<unknown>, count: number, between: () => Promise<unknown> = dueNow) => {
    service.container.get(TYPES.jobRunners).companies = runner
    const stop = new AbortController()
    const failures: string[] = []
    let turn = 0
    const wait = async () => {
      turn += 1
      if (turn === count) stop.abort()
      else await between()
    }
    const report = loopReport({ failed: (_, error) => failures.push((error as Error).message) })
    await service.container.get(TYPES.projectionLoop).run(stop.signal, wait, report)
    return failures
  }
  const away = async () => {
    throw new ServiceError('unavailable', 'ClickHouse does not answer', undefined, {
      cause: new Error('no space left'),
    })
  }

  it('are begun again where a store is away, and given up after 8 times with the reason', async () => {
    const id = await queue()
    const failures = await turns(away, 12)
    assert.deepEqual(failures, Array(8).fill('ClickHouse does not answer'))
    assert.deepInclude(await stateOf(id), {
      status: 'failed',
      error: 'ClickHouse does not answer (no space left)',
    })
  })

  it('wait a while before they are begun again', async () => {
    await queue()
    const justBegun = () => service.pool.query(`UPDATE jobs SET started_at = now() WHERE status = 'running'`)
    assert.lengthOf(await turns(away, 3, justBegun), 1)
  })

  it('delay no filing: what is recorded is projected between two tries', async () => {
    await queue()
    await service.record({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    await turns(away, 1)
    assert.lengthOf(await service.listed(), 1)
  })

  it('are done in their order, those on which nothing depends last and after the signals', async () => {
    const [jobs, runners] = [service.container.get(TYPES.jobs), service.container.get(TYPES.jobRunners)]
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    const waiting = async () =>
      (await service.pool.query('SELECT count(*)::int AS issuers FROM signal_queue')).rows[0].issuers as number
    const done: [string, number][] = []
    for (const kind of ['sectors', 'exports', 'companies', 'rebuild'] as const) {
      runners[kind] = async () => done.push([kind, await waiting()])
      await jobs.queue(kind)
    }
    assert.deepEqual(
      (await jobs.list(0)).map(({ kind }) => kind),
      ['companies', 'rebuild', 'exports', 'sectors'],
    )
    await runTurn(service)
    assert.deepEqual(done, [
      ['companies', 1],
      ['rebuild', 1],
      ['exports', 0],
      ['sectors', 0],
    ])
  })

  it('that take the process with them each time are not begun a ninth time', async () => {
    const id = await queue()
    await service.pool.query(`UPDATE jobs SET status = 'running', attempts = 8, started_at = now() - interval '1 d'`)
    let begun = 0
    await turns(async () => {
      begun += 1
    }, 2)
    assert.strictEqual(begun, 0)
    assert.include((await stateOf(id)).error, 'gave up after 8 attempts')
  })

  it('that are begun when the right is lost or the service stops are left to the next holder, uncounted', async () => {
    const id = await queue()
    const stop = new AbortController()
    service.container.get(TYPES.jobRunners).companies = async (progress) => {
      stop.abort()
      progress(1, 2)
    }
    await service.container.get(TYPES.projectionLoop).run(stop.signal, async () => {}, loopReport())
    assert.deepEqual((await service.pool.query('SELECT status, attempts FROM jobs')).rows, [
      { status: 'queued', attempts: 0 },
    ])
    await turns(async () => ({}), 1)
    assert.deepInclude(await stateOf(id), { status: 'done' })
  })

  it('of a rebuild that is left touch neither the tables in use nor those of the next holder', async () => {
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    await service.detectSignals()
    const before = await service.dump()
    const calls: number[] = []
    const rebuild = (endAt: number) =>
      service.container
        .get(TYPES.rebuild)((done) => {
          calls.push(done)
          if (calls.length > endAt) throw new Error('the right is lost')
        })
        .then(
          () => 'whole',
          (error: Error) => error.message,
        )
    const all = (await rebuild(Infinity), calls.splice(0).length)
    assert.isAbove(all, 1)
    for (let end = 0; end < all; end += 1) {
      calls.splice(0)
      assert.strictEqual(await rebuild(end), 'the right is lost')
      const databases = await service.store.rows<{ name: string }>(
        sql`SELECT name FROM system.databases WHERE name = ${`${service.store.database}_next`}`,
      )
      assert.lengthOf(databases, 1, 'left for whoever fills it by now')
      assert.deepEqual(await service.dump(), before)
    }
    assert.strictEqual(await rebuild(Infinity), 'whole')
    assert.deepEqual(await service.dump(), before)
  })
})
