// Jobs that the operator cancels: a queued one never begins, one that runs ends at its next step, and what it leaves
// behind is as after a run that was cut short, so that the same job gives the same result when it is started again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import type { Runner } from '../../../src/application/projection/projection-loop.ts'
import type { JobKind } from '../../../src/application/ports/jobs.ts'
import { connectEdgar } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { EdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { writeDataSet } from '../../support/edgar/invented/data-set-files.ts'
import { difference, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { documentsOf, setsOf, tangledHistory } from '../../support/edgar/invented/related-trades.ts'
import { startSimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { testServices, loopReport, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

/** Of the four that the history has. */
const QUARTERS = volume('quarters whose load is cancelled', 2, 4)
/** How much later the next cancellation comes. */
const HAS_EXPORTS = volume('month files after cancelled loads', false, true)
const GROWTH = volume('growth between cancelled steps of a load', 40, 3)

describe('a job that is cancelled', function () {
  this.timeout(600_000)
  const fresh = testServices()
  let service: TestService
  beforeEach(async () => {
    service = await fresh()
  })

  const jobs = () => service.container.get(TYPES.jobs)
  const statusOf = async (id: number) => (await jobs().state(id))!.status

  /** The service at work until nothing is queued; what it reported of jobs. */
  const work = async (stop = new AbortController()) => {
    const told: unknown[] = []
    // Month files follow each load, and nothing of them is looked at.
    if (!HAS_EXPORTS) service.container.get(TYPES.jobRunners).exports = async () => null
    const report = loopReport({
      job: (kind, result) => told.push([kind, result]),
      failed: (_, error) => told.push(error),
    })
    await service.container.get(TYPES.projectionLoop).run(stop.signal, async () => stop.abort(), report)
    return told
  }
  /**
   * Has the job cancelled as it begins, and noticed in its `step`th report of progress; how many reports there were.
   */
  const cancelAt = async (kind: JobKind, args: Record<string, unknown>, step: number) => {
    const runners = service.container.get(TYPES.jobRunners)
    const whole = runners[kind]!
    const id = await jobs().queue(kind, args)
    let steps = 0
    const cancelling: Runner = async (progress, given, signal) => {
      assert.strictEqual(await jobs().cancel(id), 'cancelling')
      for (let isNoticed = false; !isNoticed; await sleep(20)) {
        try {
          progress(0, null)
        } catch {
          isNoticed = true
        }
      }
      const counted: typeof progress = (done, total) => {
        if ((steps += 1) >= step) progress(done, total)
      }
      return whole(counted, given, signal)
    }
    runners[kind] = cancelling
    try {
      return { id, told: await work(), steps }
    } finally {
      runners[kind] = whole
    }
  }

  it('while it waits is never begun, and those behind it are', async () => {
    const [first, second] = [await jobs().queue('companies'), await jobs().queue('companies')]
    assert.strictEqual(await jobs().cancel(first), 'cancelled')
    assert.strictEqual(await jobs().cancel(first), null, 'it has ended')
    assert.strictEqual((await work()).length, 1)
    assert.deepEqual([await statusOf(first), await statusOf(second)], ['cancelled', 'done'])
    assert.deepEqual(
      (await jobs().list(10)).map(({ id, attempts }) => [id, attempts]),
      [
        [second, 1],
        [first, 0],
      ],
    )
  })

  it('after the process that ran it is gone, is ended by the next', async () => {
    const id = await jobs().queue('companies')
    await jobs().next()
    assert.strictEqual(await jobs().cancel(id), 'cancelling')
    assert.deepEqual(
      (await jobs().list(0)).map(({ status }) => status),
      ['cancelling'],
    )
    assert.deepEqual(await work(), [])
    assert.strictEqual(await statusOf(id), 'cancelled')
  })

  describe('while it waits for EDGAR, which asked for a long pause', () => {
    const WAITING = [
      ['backfill', { quarters: ['2024q1'] }],
      ['catch-up', { from: '2026-11-02', to: '2026-11-02' }],
    ] as const

    /** Runs the service until the job waits; `end` ends the wait. Returns the status of the job. */
    const waitIn = async (
      kind: JobKind,
      args: Record<string, unknown>,
      end: (id: number, stop: AbortController) => unknown,
    ) => {
      const edgar = await startSimulatedEdgar({ seed: 3 })
      const stop = new AbortController()
      try {
        const client = new EdgarClient({ baseUrl: edgar.url, userAgent: 'Example Tests tests@example.com' })
        edgar.faults.next('too-many', 1, { retryAfter: 3_600 })
        assert.strictEqual((await client.currentFeed(0)).kind, 'unavailable')
        connectEdgar(service.container, client)
        const id = await jobs().queue(kind, args)
        const working = work(stop)
        while ((await statusOf(id)) === 'queued') await sleep(20)
        await end(id, stop)
        await working
        return await statusOf(id)
      } finally {
        stop.abort()
        await edgar.close()
      }
    }

    for (const [kind, args] of WAITING) {
      it(`is ended: ${kind}`, async () => {
        const status = await waitIn(kind, args, (id) => jobs().cancel(id))
        assert.strictEqual(status, 'cancelled')
      })

      it(`does not hold up the end of the service, and begins again with the next: ${kind}`, async () => {
        const status = await waitIn(kind, args, (_, stop) => stop.abort())
        assert.strictEqual(status, 'queued')
      })
    }
  })

  it('too late is done', async () => {
    const { id } = await cancelAt('companies', {}, 1_000)
    assert.strictEqual(await statusOf(id), 'done')
  })

  it('of a rebuild leaves the tables in use as they are and none beside them; the next rebuild is whole', async () => {
    await service.take(...documentsOf(tangledHistory(43, 30)))
    await service.detectSignals()
    // Companies without a SIC have queued a job.
    await work()
    const before = await service.dump()
    for (let step = 1, isCut = true; isCut; step += 1) {
      const { id, told } = await cancelAt('rebuild', {}, step)
      isCut = (await statusOf(id)) === 'cancelled'
      assert.include(told[0] as string[], 'rebuild')
      assert.strictEqual(isCut || step > 2, true)
      const beside = await service.store.rows<{ name: string }>(
        sql`SELECT name FROM system.databases WHERE name = ${`${service.store.database}_next`}`,
      )
      assert.deepEqual(beside, [])
      assert.strictEqual(difference(before, await service.dump()), '', `at step ${step}`)
    }
  })

  it('of a load of history leaves what a later one completes', async () => {
    const history = tangledHistory(44, 60)
    const sets = setsOf(history).slice(0, QUARTERS)
    await loadSets(service, sets)
    await service.take(...documentsOf(history))
    const whole = await service.dump()
    const folder = mkdtempSync(join(tmpdir(), 'cancelled-'))
    let isCut = true
    for (let step = 1; isCut; step = GROWTH * step + 1) {
      service = await fresh()
      for (const [quarter, tables] of sets) {
        await service.container.get(TYPES.dataSets).take(await writeDataSet(folder, quarter, tables))
      }
      const quarters = sets.map(([quarter]) => quarter)
      const { id } = await cancelAt('backfill', { quarters }, step)
      isCut = (await statusOf(id)) === 'cancelled'
      assert.strictEqual(isCut || step > 2, true)
      await service.take(...documentsOf(history))
      const again = await jobs().queue('backfill', { quarters })
      await work()
      assert.strictEqual(await statusOf(again), 'done')
      assert.strictEqual(difference(whole, await service.dump()), '', `at step ${step}`)
    }
    rmSync(folder, { recursive: true, force: true })
  })
})
