// Reading the log of changes from a real PostgreSQL: every change once and in order for any page size, positions that
// move past what a filter leaves out, and positions that are no longer kept.
import { assert } from 'chai'
import { changePasses } from '../../../../src/application/changes/change-facts.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import type { ChangeFilter } from '../../../../src/application/queries/change-queries.ts'
import type { ReportedChange } from '../../../../src/application/ports/changes.ts'
import { rows } from '../../../../src/infrastructure/postgres/pool.ts'
import { SEVERITIES } from '../../../../src/domain/trades/significance.ts'
import { OWNERSHIPS, PLANS, OWNER_ROLES } from '../../../../src/domain/trades/transaction-filter.ts'
import { hashOf, seeded } from '../../../support/edgar/invented/seeded.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

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
    await log.recordPending(
      reported.map((each) => ({ id: null, type: 'signal.changed', issuerCiks: [], data: '{}', ...each })),
    )
    await log.flushPending(true)
  }
  const fault = (asking: Promise<unknown>) =>
    asking.then(
      () => assert.fail('it was answered'),
      ({ code, details }) => [code, details[0].message],
    )

  it('are complete, each once and in order, with pages of any size', async () => {
    const { nextCursor } = await ask({})
    for (let number = 0; number < 7; number += 1) await report([{ id: `a/${number}` }, { id: `b/${number}` }])
    await service.container.get(TYPES.changeLog).append('everything')
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

  it('are filtered by type and issuer as by a predicate over all, and the position moves past the others', async () => {
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

  it('are filtered by transactions and signals as by a predicate over all', async () => {
    const after = Number((await ask({})).nextCursor)
    const chance = seeded(hashOf('filtered changes'))
    const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
    const row = () => ({
      type: of(['buy', 'sell', 'gift'] as const),
      code: of(['P', 'S', '']),
      roles: OWNER_ROLES.filter(() => chance() < 0.3),
      ownership: of(OWNERSHIPS),
      plan: of(PLANS),
      routine: chance() < 0.5,
      late: of([true, false, null]),
      firstBuyYears: of([null, 0, 3, 20]),
      ...of([
        { holdingChange: null, newHolding: true },
        ...[null, -1, -0.5, 0.1, 0.1001].map((holdingChange) => ({ holdingChange, newHolding: false })),
      ]),
      significance: of(SEVERITIES),
      credible: chance() < 0.8,
      totalValue: of(['0', '99.99', '100', '100.01', '123456789012345.67', '9007199254740993']),
      shares: of(['0.0001', '10', '10.5', '9007199254740993.0001']),
      tradeDay: null,
      insiders: [issuer(1), issuer(2), issuer(3)].filter(() => chance() < 0.4),
    })
    const entries = Array.from({ length: 400 }, (_, number): ReportedChange => {
      const common = { id: `f/${number}`, issuerCiks: [issuer(number % 3)], data: '{}' }
      const rows = Array.from({ length: of([0, 1, 1, 2, 3]) }, row)
      const persons = [issuer(1), issuer(2)].filter(() => chance() < 0.5)
      const kind = chance()
      if (kind < 0.6) return { ...common, type: 'transaction.created', facts: { rows } }
      if (kind < 0.9) return { ...common, type: 'signal.detected', facts: { severity: of(SEVERITIES), persons } }
      return { ...common, type: kind < 0.95 ? 'dataset.changed' : 'transaction.changed' }
    })
    await report(entries)

    const filters: ChangeFilter[] = [
      { transactions: { types: ['buy', 'gift'] } },
      { transactions: { codes: [''] } },
      { transactions: { roles: ['ceo', 'cfo'], plans: ['no', 'unknown'] } },
      { transactions: { ownership: 'indirect', routine: false } },
      { transactions: { routine: true, minSignificance: 'high' }, issuers: [issuer(2)] },
      { transactions: { late: true } },
      { transactions: { late: false, firstBuyYears: 3 } },
      { transactions: { holdingChange: { max: -0.5 } } },
      { transactions: { holdingChange: { min: 0.1 }, routine: true } },
      { transactions: { holdingChange: { min: -0.5, max: 0.1 } } },
      { transactions: { value: { min: '100' } } },
      { transactions: { value: { min: '99.99', max: '100' }, shares: { min: '10' } } },
      { transactions: { value: { min: '9007199254740993' } } },
      { transactions: { shares: { min: '9007199254740993.0001' } } },
      { transactions: { shares: { max: '10' } }, insiders: [issuer(3)] },
      { insiders: [issuer(1), issuer(2)] },
      { insiders: [issuer(2)], minSeverity: 'high', types: ['signal.detected'] },
      { minSeverity: 'critical' },
    ]
    for (const filter of filters) {
      const { changes } = await ask({ after, limit: 1_000, ...filter })
      const passing = entries.filter((entry) =>
        changePasses(filter, { ...entry, facts: entry.facts ?? null }, () => 'Unknown'),
      )
      assert.deepEqual(
        changes.map(({ id }) => id),
        passing.map(({ id }) => id!),
        JSON.stringify(filter),
      )
      assert.isNotEmpty(passing)
      assert.isBelow(passing.length, entries.length)
    }
  })

  it('are scanned 5,000 at a time if a filter leaves them out', async () => {
    const { nextCursor } = await ask({})
    const after = Number(nextCursor)
    await report(Array.from({ length: 5_500 }, (_, number) => ({ issuerCiks: [issuer(number === 5_400 ? 1 : 2)] })))

    const first = await ask({ after, issuers: [issuer(1)] })
    assert.deepEqual([first.changes, first.hasMore, first.nextCursor], [[], true, String(after + 5_000)])
    const second = await ask({ after: after + 5_000, issuers: [issuer(1)] })
    assert.lengthOf(second.changes, 1)
    assert.isFalse(second.hasMore)
  })

  it('end at 4 MiB, but have at least one change', async () => {
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

  it('are refused before what is kept, and above the last unless a crash may have lost it', async () => {
    await report([{ id: 'd/1' }, { id: 'd/2' }])
    const last = Number((await ask({})).nextCursor)
    await rows(service.pool, `UPDATE changes SET at = now() - interval '8 days' WHERE seq < $1`, [last])
    await service.container.get(TYPES.changeLog).prune(7)

    assert.deepEqual(await fault(ask({ after: last - 2 })), [
      'cursor_expired',
      `The oldest position kept is ${last - 1}.`,
    ])
    assert.lengthOf((await ask({ after: 'earliest' })).changes, 1)
    const isRefused = async (after: number, more: ChangeFilter = {}) =>
      assert.strictEqual((await fault(ask({ after, ...more })))[0], 'invalid_cursor')
    await rows(service.pool, 'UPDATE change_position SET began_at = NULL')
    assert.deepEqual(await ask({ after: last + 5 }), { changes: [], hasMore: false, nextCursor: String(last + 5) })
    await isRefused(last + 2 ** 30 + 1)

    await service.container.get(TYPES.changeLog).takeOver()
    const begun = Number((await ask({})).nextCursor)
    assert.isEmpty((await ask({ after: begun })).changes)
    for (const filter of [{}, { types: ['signal.detected' as const] }, { sectors: ['Energy' as const] }]) {
      await isRefused(begun + 1, filter)
    }
  })
})
