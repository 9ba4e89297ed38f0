// Reading the log of changes from a real PostgreSQL: every change once and in order by any page size, positions that
// move over what a filter leaves out, and positions that are no longer kept.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import type { ChangeFilter } from '../../../src/application/queries/change-queries.ts'
import type { ReportedChange } from '../../../src/application/ports/changes.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const issuer = (number: number) => String(number).padStart(10, '0')

describe('the changes after a position', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const ask = async (more: ChangeFilter & { after?: number | 'earliest'; limit?: number }) =>
    (await service.container.get(TYPES.changeQueries).changes({ limit: 100, ...more })).value
  const report = async (reported: Partial<ReportedChange>[]) => {
    const log = service.container.get(TYPES.changeLog)
    await log.owe(reported.map((each) => ({ id: null, type: 'signal.changed', issuerCiks: [], data: '{}', ...each })))
    await log.settle(true)
  }
  const fault = (asking: Promise<unknown>) =>
    asking.then(
      () => assert.fail('it was answered'),
      ({ code, details }) => [code, details[0].message],
    )

  it('are all there, once and in order, by pages of any size', async () => {
    const { nextCursor } = await ask({})
    for (let number = 0; number < 7; number += 1) await report([{ id: `a/${number}` }, { id: `b/${number}` }])
    await service.container.get(TYPES.changeLog).appendEverything()
    const expected = (await ask({ after: Number(nextCursor) })).changes.map(({ id }) => id)
    assert.lengthOf(expected, 14)

    for (const limit of [1, 3, 14, 20]) {
      const ids: string[] = []
      for (let after = Number(nextCursor), hasMore = true; hasMore;) {
        const page = await ask({ after, limit })
        ids.push(...page.changes.map(({ id }) => id))
        assert.isAbove(Number(page.nextCursor), after)
        ;({ hasMore } = page)
        after = Number(page.nextCursor)
      }
      assert.deepEqual(ids, expected, `pages of ${limit}`)
    }
    assert.deepEqual((await ask({ after: 'earliest' })).changes.map(({ id }) => id).slice(-14), expected)
  })

  it('pass by type and issuer as the predicate over all says, and the position moves over the others', async () => {
    const { nextCursor } = await ask({})
    const after = Number(nextCursor)
    await report(
      Array.from({ length: 60 }, (_, number) => ({
        id: `c/${number}`,
        type: number % 2 === 0 ? ('signal.detected' as const) : ('dataset.changed' as const),
        issuerCiks: number % 5 === 0 ? null : [issuer(number % 3), issuer(number % 7)],
      })),
    )
    const all = await rows<{ id: string; type: string; issuers: string[] | null }>(
      service.pool,
      'SELECT id, type, issuer_ciks AS issuers FROM changes WHERE seq > $1 AND type IS NOT NULL ORDER BY seq',
      [after],
    )

    for (const filter of [
      { types: ['signal.detected'] },
      { issuers: [issuer(2)] },
      { types: ['dataset.changed'], issuers: [issuer(1), issuer(6)] },
      { issuers: [issuer(9)] },
    ] as ChangeFilter[]) {
      const found = await ask({ after, ...filter })
      const passes = ({ type, issuers }: (typeof all)[number]) =>
        (filter.types?.includes(type as never) ?? true) &&
        (filter.issuers === undefined || issuers === null || issuers.some((cik) => filter.issuers!.includes(cik)))
      assert.deepEqual(
        found.changes.map(({ id }) => id),
        all.filter(passes).map(({ id }) => id),
      )
      assert.strictEqual(Number(found.nextCursor), after + 60)
    }
  })

  it('are looked at 5,000 at a time where a filter leaves them out', async () => {
    const { nextCursor } = await ask({})
    const after = Number(nextCursor)
    await report(Array.from({ length: 5_500 }, (_, number) => ({ issuerCiks: [issuer(number === 5_400 ? 1 : 2)] })))

    const first = await ask({ after, issuers: [issuer(1)] })
    assert.deepEqual([first.changes, first.hasMore, first.nextCursor], [[], true, String(after + 5_000)])
    const second = await ask({ after: after + 5_000, issuers: [issuer(1)] })
    assert.lengthOf(second.changes, 1)
    assert.isFalse(second.hasMore)
  })

  it('end at 4 MiB, with one change at least', async () => {
    const after = Number((await ask({})).nextCursor)
    const large = (megabytes: number) => JSON.stringify({ text: 'x'.repeat(megabytes * 1024 * 1024) })
    await report([{ data: large(5) }, { data: large(3) }, { data: large(2) }])

    const sizes: number[] = []
    for (let position = after, hasMore = true; hasMore;) {
      const page = await ask({ after: position })
      sizes.push(page.changes.length)
      ;({ hasMore } = page)
      position = Number(page.nextCursor)
    }
    assert.deepEqual(sizes, [1, 1, 1])
  })

  it('are refused before what is kept, awaited a little above the last, and refused far above', async () => {
    await report([{ id: 'd/1' }, { id: 'd/2' }])
    const last = Number((await ask({})).nextCursor)
    await rows(service.pool, `UPDATE changes SET at = now() - interval '8 days' WHERE seq < $1`, [last])
    await service.container.get(TYPES.changeLog).prune(7)

    assert.deepEqual(await fault(ask({ after: last - 2 })), [
      'cursor_expired',
      `The oldest position kept is ${last - 1}.`,
    ])
    assert.lengthOf((await ask({ after: 'earliest' })).changes, 1)
    assert.deepEqual(await ask({ after: last + 5 }), { changes: [], hasMore: false, nextCursor: String(last + 5) })
    assert.strictEqual((await fault(ask({ after: last + 2 ** 30 + 1 })))[0], 'invalid_cursor')
  })
})
