// Locks of companies and insiders: work on the same ones runs one after the other, and other work beside.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from 'chai'
import { PartyLocks } from '../../../../src/application/shared/locks.ts'

describe('locks of parties', () => {
  let locks: PartyLocks
  let seen: string[]
  beforeEach(() => {
    locks = new PartyLocks()
    seen = []
  })
  /** Work that ends when it is told to. */
  const work = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const run = async () => {
      seen.push(`${name} begins`)
      await promise
      seen.push(`${name} ends`)
      return name
    }
    return { run, end: resolve, fail: reject }
  }
  const settle = async () => {
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  }

  it('let a range and an issuer of it be worked on one after the other, as they asked', async () => {
    const [range, live, later] = [work('range'), work('live'), work('later')]
    const all = [
      locks.ofRange({ from: 10, to: 20 }, range.run),
      locks.ofIssuers(['0000000015', '0000000099'], live.run),
      locks.ofRange({ from: 90, to: 100 }, later.run),
    ]
    await settle()
    assert.deepEqual(seen, ['range begins'])
    range.end()
    await settle()
    assert.deepEqual(seen, ['range begins', 'range ends', 'live begins'])
    live.end()
    later.end()
    assert.deepEqual(await Promise.all(all), ['range', 'live', 'later'])
    assert.deepEqual(seen.slice(3), ['live ends', 'later begins', 'later ends'])
  })

  it('let other issuers be worked on beside', async () => {
    const [range, live] = [work('range'), work('live')]
    const all = [locks.ofRange({ from: 10, to: 20 }, range.run), locks.ofIssuers(['0000000021'], live.run)]
    live.end()
    await settle()
    assert.deepEqual(seen, ['range begins', 'live begins', 'live ends'])
    range.end()
    await Promise.all(all)
  })

  it('hold the list of a company apart from that of an insider with the same number', async () => {
    const [company, insider, both] = [work('company'), work('insider'), work('both')]
    const all = [
      locks.ofLists(['c0000000007'], company.run),
      locks.ofLists(['i0000000007'], insider.run),
      locks.ofLists(['c0000000007', 'i0000000007'], both.run),
    ]
    await settle()
    assert.deepEqual(seen, ['company begins', 'insider begins'])
    for (const each of [company, insider, both]) each.end()
    await Promise.all(all)
    assert.strictEqual(seen.at(-1), 'both ends')
  })

  it('are free again after work that fails', async () => {
    const [failing, next] = [work('failing'), work('next')]
    const failed = locks.ofIssuers(['0000000001'], failing.run).catch((error: Error) => error.message)
    const done = locks.ofIssuers(['0000000001'], next.run)
    next.end()
    failing.fail(new Error('broken'))
    assert.deepEqual(await Promise.all([failed, done]), ['broken', 'next'])
  })
})
