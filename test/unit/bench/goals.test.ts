// The goals of the benches against the benches that make bench runs.
import { existsSync, readFileSync } from 'node:fs'
import { assert } from 'chai'
import { GOALS } from '../../bench/goals.ts'
import { goalTable } from '../../bench/table.ts'

describe('the goals of the benches', () => {
  // Read as text: as a module it runs the benches.
  const runner = readFileSync(new URL('../../bench/run.ts', import.meta.url), 'utf8')
  const [, names = ''] = /const BENCHES = \[([^\]]*)\]/.exec(runner) ?? []
  const benches = [...names.matchAll(/'([\w-]+)'/g)].map(([, name]) => name!)

  it('are each measured by a bench that make bench runs, and every bench has one', () => {
    assert.sameMembers([...new Set(GOALS.map(({ bench }) => bench))], benches)
  })

  it('have benches that are there', () => {
    assert.deepEqual(
      benches.filter((name) => !existsSync(new URL(`../../bench/${name}.ts`, import.meta.url))),
      [],
    )
  })

  it('are not held against volumes that a run did not have', () => {
    const history = { quarters: 8, perSecond: 100, peakMiB: 900 }
    const bare = { quarters: 8, toBare: 0.3 }
    const table = goalTable({ 'growth-of-history': { histories: [history], bare: [bare] } })

    assert.match(table, /8 quarters into a new store +\| 0\.3 +\| ≥ 0\.25 +\| yes/)
    assert.match(table, /40 quarters into a new store +\| – +\| ≥ 0\.25 +\| not measured/)
    assert.match(table, /over 80 quarters ÷ over 8 +\| – +\| ≥ 0\.8 +\| not measured/)
  })

  it('compare the longest history with one of eight quarters', () => {
    const histories = [
      { quarters: 8, perSecond: 100, peakMiB: 900 },
      { quarters: 80, perSecond: 70, peakMiB: 2_100 },
    ]
    const table = goalTable({ 'growth-of-history': { histories, bare: [] } })

    assert.match(table, /over 80 quarters ÷ over 8 +\| 0\.7 +\| ≥ 0\.8 +\| no /)
    assert.match(table, /of the longest history +\| 2,100 MiB \| ≤ 2,048 MiB \| no /)
  })
})
