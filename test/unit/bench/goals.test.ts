// The goals of the benches against the list of benches that make bench runs.
import { existsSync, readFileSync } from 'node:fs'
import { assert } from 'chai'
import { GOALS } from '../../bench/goals.ts'

describe('the goals of the benches', () => {
  // Read as text: as a module it runs the benches.
  const runner = readFileSync(new URL('../../bench/run.ts', import.meta.url), 'utf8')
  const listed = [...runner.matchAll(/folder: '([\w-]+)',\s*name: '([\w-]+)'/g)].map(([, folder, name]) => ({
    folder: folder!,
    name: name!,
  }))

  it('are each measured by a bench that make bench runs', () => {
    const names = listed.map(({ name }) => name)

    assert.includeMembers(
      names,
      GOALS.map(({ bench }) => bench),
    )
    assert.lengthOf(new Set(names), names.length)
  })

  it('have benches that are there', () => {
    const missing = listed.filter(
      ({ folder, name }) => !existsSync(new URL(`../../bench/${folder}/${name}.ts`, import.meta.url)),
    )

    assert.isAbove(listed.length, 20)
    assert.deepEqual(missing, [])
  })
})
