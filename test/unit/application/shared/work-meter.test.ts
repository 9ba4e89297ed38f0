// The meter of long work: what it reports of a load whose speed is known, by a clock that the test moves.
import { assert } from 'chai'
import { WorkMeter } from '../../../../src/application/shared/work-meter.ts'
import type { Pace } from '../../../../src/application/ports/system.ts'

interface Report extends Pace {
  done: number
  total: number | null
  /** Of the clock, in seconds. */
  at: number
}

const COSTS = { fetch: 0, stage: 2, write: 5, sum: 1 }
type Phase = keyof typeof COSTS

/** A meter, its reports, and work that takes a row of the present phase so many milliseconds. */
function metered(speeds: Record<Phase, number>) {
  const reports: Report[] = []
  let now = 0
  let present: Phase = 'fetch'
  const report = (done: number, total: number | null, pace?: Pace) =>
    void reports.push({ ...pace!, done, total, at: now / 1_000 })
  const meter = new WorkMeter<Phase>(report, () => now, COSTS)
  const enter = (phase: Phase) => meter.enter((present = phase))
  const work = (rows: number) => {
    now += rows * speeds[present]
    meter.add(rows)
  }
  return { meter, reports, enter, work, wait: (milliseconds: number) => (now += milliseconds) }
}

/** Loads quarters of these rows: fetched and staged by turns, then written in ranges, then summed up. */
function load(quarters: number[], speeds: Record<Phase, number>): Report[] {
  const { meter, reports, enter, work } = metered(speeds)
  const total = quarters.reduce((sum, rows) => sum + rows, 0)
  meter.expect(total)
  for (const rows of quarters) {
    enter('fetch')
    work(rows)
    enter('stage')
    work(rows)
  }
  enter('write')
  for (let range = 0; range < 20; range += 1) work(total / 20)
  enter('sum')
  for (let step = 0; step < 4; step += 1) work(total / 4)
  return reports
}

describe('the meter of long work', () => {
  it('counts in every phase, never back, up to all rows', () => {
    const reports = load([1_000, 3_000, 2_000], { fetch: 1, stage: 1, write: 1, sum: 1 })

    const done = reports.map((report) => report.done)
    assert.deepEqual(
      done,
      done.toSorted((a, b) => a - b),
    )
    assert.isAbove(reports.findLast(({ phase }) => phase === 'stage')!.done, 0)
    assert.deepEqual([done[0], done.at(-1), reports.at(-1)!.total], [0, 6_000, 6_000])
    assert.deepEqual([...new Set(reports.map(({ phase }) => phase))], ['fetch', 'stage', 'write', 'sum'])
  })

  it('estimates the rest rightly where phases cost what was assumed, and never more than before', () => {
    const reports = load([1_000, 3_000, 2_000], { fetch: 4, stage: 2, write: 5, sum: 1 })

    const end = reports.at(-1)!.at
    const estimated = reports.filter(({ secondsLeft }) => secondsLeft !== null)
    assert.isAbove(estimated.length, 25)
    for (const { at, secondsLeft } of estimated) assert.closeTo(secondsLeft!, end - at, 1)
    const left = estimated.map(({ secondsLeft }) => secondsLeft!)
    assert.deepEqual(
      left,
      left.toSorted((a, b) => b - a),
    )
  })

  it('estimates no more than before within a phase, whatever the phases cost, and never too little', () => {
    const reports = load([4_000, 4_000], { fetch: 90, stage: 30, write: 2, sum: 2 / 5 })

    const end = reports.at(-1)!.at
    const writing = reports.filter(({ phase, rows }) => phase === 'write' && rows > 0)
    for (const { at, secondsLeft } of writing.slice(0, -1)) assert.isAtLeast(secondsLeft!, Math.floor(end - at))
    const left = writing.map(({ secondsLeft }) => secondsLeft!)
    assert.deepEqual(
      left,
      left.toSorted((a, b) => b - a),
    )
    assert.strictEqual(reports.at(-1)!.secondsLeft, 0)
  })

  it('estimates nothing from a download alone, nor from what an earlier run has done', () => {
    const { meter, reports, enter, work, wait } = metered({ fetch: 1, stage: 1, write: 10, sum: 1 })
    meter.expect(1_000, { fetch: 500, sum: 0 })
    work(500)
    assert.deepInclude(reports.at(-1), { rowsPerSecond: 1_000, secondsLeft: null, totalRows: 500 })

    enter('stage')
    work(1_000)
    enter('write')
    meter.skip(800)
    wait(1)
    assert.deepInclude(reports.at(-1), { phase: 'write', rowsPerSecond: null })
    work(100)

    // The hundred that are left take ten milliseconds each.
    assert.deepInclude(reports.at(-1), { rows: 900, totalRows: 1_000, secondsLeft: 1 })
    assert.approximately(reports.at(-1)!.rowsPerSecond!, 100, 1)
  })

  it('leaves the time of what a phase has only begun out of the estimate', () => {
    const { meter, reports, enter, work, wait } = metered({ fetch: 1, stage: 1, write: 1, sum: 1 })
    meter.expect(4_000, { fetch: 0 })
    enter('stage')
    work(2_000)
    const before = reports.at(-1)!.secondsLeft
    wait(60_000)
    meter.repeat()
    assert.strictEqual(reports.at(-1)!.secondsLeft, before)
  })

  it('follows a better count of the rows', () => {
    const { meter, reports, enter, work } = metered({ fetch: 1, stage: 2, write: 5, sum: 1 })
    meter.expect(1_000, { fetch: 0 })
    enter('stage')
    work(500)
    assert.deepInclude(reports.at(-1), { total: 1_000, secondsLeft: 7 })
    meter.expect(3_000, { fetch: 0 })
    meter.repeat()
    assert.deepInclude(reports.at(-1), { total: 3_000, secondsLeft: 23 })
  })
})
