// The goals of the benches against the benches that make bench runs.
import { existsSync, readFileSync } from 'node:fs'
import { assert } from 'chai'
import { GOALS } from '../../bench/goals.ts'

describe('the goals of the benches', () => {
  // Read as text: as a module it runs the benches.
  const runner = readFileSync(new URL('../../bench/run.ts', import.meta.url), 'utf8')
  const [, names = ''] = /const BENCHES = \[(.*)\]/.exec(runner) ?? []
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
})
