// What a load and a rebuild report of their progress, over real stores, and what a load says of a disk that is too
// small.
import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import type { Pace } from '../../../src/application/ports/system.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const QUARTERS = ['2024q1', '2024q2', '2024q3']
const ROWS = [300, 600, 450]
const ALL = 1_350

interface Report {
  done: number
  total: number | null
  pace: Pace
}

describe('the progress of a load of history', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'test-progress-'))
  let service: TestService
  before(async () => {
    service = await testService()
    for (const [place, quarter] of QUARTERS.entries()) {
      await writeInventedDataSet({ folder, quarter, rows: ROWS[place]!, issuers: 40, seed: 2 })
    }
    await service.container.get(TYPES.dataSets).take(folder)
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const loaded = async (quarters: string[]): Promise<Report[]> => {
    const reports: Report[] = []
    await service.container.get(TYPES.loadQuarters)(quarters, null, (done, total, pace) => {
      reports.push({ done, total, pace: pace! })
    })
    return reports
  }
  const phasesOf = (reports: Report[]) => [...new Set(reports.map(({ pace }) => pace.phase))]
  const heldBy = (reports: Report[]) => {
    const done = reports.map((report) => report.done)
    assert.deepEqual(
      done,
      done.toSorted((a, b) => a - b),
    )
    for (const { total, pace } of reports) {
      assert.isAtMost(pace.rows, pace.totalRows)
      assert.isAtMost(pace.totalRows, total!)
    }
  }

  it('counts rows in each phase, also while quarters are being staged, up to all', async () => {
    const reports = await loaded(QUARTERS)

    assert.deepEqual(phasesOf(reports), ['stage', 'record', 'write', 'parties'])
    const staged = reports.filter(({ pace: { phase } }) => phase === 'stage')
    assert.deepEqual([...new Set(staged.map(({ pace }) => pace.rows))], [0, 300, 900, 1_350])
    assert.isAbove(staged.at(-1)!.done, staged[0]!.done)
    // Expected by the sizes of the zips at first.
    assert.closeTo(reports[0]!.total!, ALL, ALL)
    const known = reports.slice(reports.findIndex(({ pace }) => pace.rows === ALL))
    heldBy(known)
    for (const { total } of known) assert.strictEqual(total, ALL)
    assert.deepInclude(reports.at(-1), { done: ALL, total: ALL })
    assert.deepInclude(reports.at(-1)!.pace, { phase: 'parties', rows: ALL, secondsLeft: 0 })
    for (const { pace } of reports.filter(({ pace: { phase } }) => phase === 'write'))
      assert.isNotNull(pace.secondsLeft)
  })

  it('expects the rows of a quarter that is still to be fetched, and counts it when it is there', async () => {
    const { container } = service
    const dataSets = container.get(TYPES.dataSets)
    const { path } = await writeInventedDataSet({ folder, quarter: '2024q4', rows: 500, issuers: 40, seed: 2 })
    const fetch = async (quarter: string) => {
      copyFileSync(path, await dataSets.pathOf(quarter))
      return { kind: 'ok' as const, value: null }
    }
    const reports: Report[] = []
    await container.get(TYPES.loadQuarters)(['2024q3', '2024q4'], fetch, (done, total, pace) => {
      reports.push({ done, total, pace: pace! })
    })

    assert.deepEqual(phasesOf(reports), ['stage', 'fetch', 'record', 'write', 'parties'])
    const fetching = reports.filter(({ pace: { phase } }) => phase === 'fetch')
    assert.deepEqual([...new Set(fetching.map(({ pace }) => pace.rows === pace.totalRows))], [false, true])
    assert.isAbove(fetching[0]!.total!, 0)
    assert.deepInclude(reports.at(-1), { done: 500, total: 500 })
  })

  it('expects nothing of quarters that are loaded already', async () => {
    const reports = await loaded(QUARTERS)

    assert.deepEqual(phasesOf(reports), ['stage', 'write', 'parties'])
    for (const report of reports) assert.deepInclude(report, { done: 0, total: 0 })
  })

  it('counts the same in a rebuild, whose rows are known from the start', async () => {
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    const reports: Report[] = []
    await service.container.get(TYPES.rebuild)((done, total, pace) => reports.push({ done, total, pace: pace! }))

    heldBy(reports)
    const phases = ['documents', 'stage', 'record', 'write', 'notices', 'parties']
    assert.deepEqual(phasesOf(reports), phases)
    // With the quarter that was fetched, and the document.
    for (const { total } of reports) assert.strictEqual(total, ALL + 500 + 1)
    assert.strictEqual(reports.at(-1)!.done, ALL + 500 + 1)
  })
})

describe('a load of history that does not fit on the disk', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.close())

  it('is refused before anything is staged, with what is missing, where, and what to do', async () => {
    const { container, pool } = service
    const folder = join(await container.get(TYPES.dataSets).pathOf('2024q1'), '..')
    for (const quarter of ['2024q1', '2024q2']) {
      const path = join(folder, `${quarter}_form345.zip`)
      writeFileSync(path, '')
      // Without blocks on the disk.
      truncateSync(path, 4e12)
    }
    const load = (...quarters: string[]) => container.get(TYPES.loadQuarters)(quarters, null, () => {})
    const messageOf = (...quarters: string[]) =>
      load(...quarters).then(
        () => '',
        (error: Error) => error.message,
      )

    const full = /^disk full: \S+ has \d+ MB free, \d+ MB are needed, of which \d+ MB stay free: \d+ MB are missing; /
    const two = await messageOf('2024q1', '2024q2')
    assert.match(two, full)
    assert.match(two, /; load fewer than 2 quarters at a time, or make room$/)
    assert.match(await messageOf('2024q1'), /; make room$/)
    assert.deepEqual((await pool.query('SELECT quarter FROM data_sets')).rows, [])
  })
})
