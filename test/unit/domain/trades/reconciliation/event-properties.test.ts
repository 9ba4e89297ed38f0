// Duplicate events in random filings, held against a slow search through all pairs of rows, and in very many.
import { assert } from 'chai'
import fc from 'fast-check'
import { addMonths } from '../../../../../src/domain/shared/calendar.ts'
import { newYorkDay } from '../../../../../src/domain/shared/new-york-time.ts'
import type { Holding } from '../../../../../src/domain/trades/holding.ts'
import type { EventRow } from '../../../../../src/domain/trades/reconciliation/duplicate-events.ts'
import type { FilingOwners } from '../../../../../src/domain/trades/reconciliation/event-evidence.ts'
import { filed, hidden, numbered, profile, START, type Paper } from '../../../../support/filings/event-rows.ts'
import { sameEvents } from '../../../../../src/domain/trades/reconciliation/duplicate-events.ts'

describe('events among random rows', () => {
  it('thousands of equal rows are compared with few others each', () => {
    const many = (count: number, paper: (index: number) => Partial<Paper>) =>
      Array.from({ length: count }, (_, index): Paper => ({
        name: `p${index}-`,
        owners: [`${index}`],
        ...paper(index),
      }))
    const mention = { names: ['~J NUMBER', '~MR OTHER'], accession: '' }
    const papers = many(20_000, (index) => ({ ...mention, accession: `local-${String(index).padStart(16, '0')}` }))
    assert.strictEqual(hidden(filed(...papers)), '')
    const near = many(20_000, (index) => ({
      accession: numbered(Math.floor(index / 200), String(index % 200).padStart(10, '0')),
    }))
    assert.strictEqual(hidden(filed(...near)), '')
    const chain = many(20_000, (index) => ({
      names: ['SPECIMEN HOLDINGS'],
      holding: 'entity',
      accession: numbered(index * 60),
    }))
    assert.strictEqual(sameEvents(filed(...chain), []).duplicateOf.size, 19_999)
    const [first, second] = many(2, () => ({ rows: 10_000, group: true }))
    assert.strictEqual(sameEvents(filed(first!, second!), []).duplicateOf.get('p1-10000'), 'p0-10000')
    const joint = many(5_000, (index) => ({ owners: ['0', `${index + 1}`], accession: numbered(index * 60) }))
    const rows = filed(...joint)
    assert.strictEqual(sameEvents(rows, rows).duplicateOf.size, 4_999)
    const alone = rows.map((row) => ({ ...row, ownerCiks: row.ownerCiks.slice(1) }))
    assert.strictEqual(sameEvents(alone, rows).duplicateOf.size, 0)
  })

  const called: Record<string, string> = {
    '1': 'EXAMPLE ANN',
    '2': 'SAMPLE ROBERT',
    '3': 'Specimen Fund, L.P.',
    '4': 'Specimen GP, LLC',
  }
  const naming: Record<string, string[]> = {
    '1': ['~MS EXAMPLE'],
    '2': ['~R SAMPLE', '~ROBERT SAMPLE'],
    '3': ['SPECIMEN FUND', '~SPECIMEN FUND'],
    '4': ['SPECIMEN GP'],
  }
  const owners = fc.uniqueArray(fc.constantFrom('1', '2', '3', '4'), { minLength: 1, maxLength: 2 })
  const paper = fc.record({
    owners,
    rows: fc.integer({ min: 1, max: 3 }),
    group: fc.boolean(),
    insiders: fc.boolean(),
    holding: fc.constantFrom<Holding>('direct', 'spouse', 'personal', 'entity', 'unnamed'),
    names: fc.uniqueArray(fc.constantFrom('PARAGON', ...Object.values(naming).flat()), { maxLength: 1 }),
    number: fc.constantFrom(1, 3, 5, 6),
    agent: fc.constantFrom('0001000001-24', '0001000001-24', '0001000001-24', '0001000001-25', 'local'),
    code: fc.constantFrom('A', 'P', 'P'),
    amendment: fc.boolean(),
    key: fc.constantFrom('x', 'x', 'x', 'y'),
  })
  const MONTH = 31 * 86_400
  const anyRows = fc.array(paper, { minLength: 1, maxLength: 7 }).map((papers) =>
    filed(
      ...papers.map(({ number, agent, code, key, ...one }, index) => ({
        ...one,
        name: `p${index}-`,
        called: one.owners.map((owner) => called[owner]!),
        accession: agent === 'local' ? `local-${index}` : numbered(number * 10 + index, agent),
        at: START + index * 7 * MONTH,
        code,
        key: `${key} ${code}`,
      })),
    ),
  )
  const anyJoint = fc.array(
    fc.record({
      filedAt: fc.integer({ min: -30, max: 50 }).map((months) => START + months * MONTH),
      ownerCiks: owners,
    }),
    { maxLength: 3 },
  )

  it('the order of arrival does not matter', () => {
    const shuffled = anyRows.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    )
    fc.assert(
      fc.property(shuffled, anyJoint, ([rows, otherwise], joint) => {
        assert.strictEqual(hidden(otherwise, joint.toReversed()), hidden(rows, joint))
        for (const owner of ['1', '2', '3', '4']) {
          assert.sameMembers(profile(otherwise, owner).split(' '), profile(rows, owner).split(' '))
        }
      }),
    )
  })

  it('what was accepted later changes nothing of what was before', () => {
    fc.assert(
      fc.property(anyRows, anyJoint, fc.integer({ min: 0, max: 50 }), (rows, joint, months) => {
        const until = START + months * MONTH
        const before = rows.filter((row) => row.filedAt <= until)
        const later = sameEvents(rows, joint).duplicateOf
        const kept = [...later].filter(([id]) => before.some((row) => row.id === id))
        const known = joint.filter(({ filedAt }) => filedAt <= until)
        assert.deepEqual([...sameEvents(before, known).duplicateOf].sort(), kept.sort())
      }),
    )
  })

  it('rows are in the events that trying all pairs puts them into', () => {
    const share = (a: EventRow, b: EventRow) => a.ownerCiks.some((owner) => b.ownerCiks.includes(owner))
    const named = (a: EventRow, b: EventRow) =>
      b.ownerCiks.some((owner) => naming[owner]!.some((name) => a.holderNames.includes(name)))
    const evident = (a: EventRow, b: EventRow, joint: FilingOwners[]) => {
      const [agent, other] = [a.accession.slice(0, 13), b.accession.slice(0, 13)]
      const apart = Math.abs(Number(a.accession.slice(14)) - Number(b.accession.slice(14)))
      const near = !agent.startsWith('local') && agent === other && apart <= 50
      const some = (holding: Holding) => a.holding === holding || b.holding === holding
      const since = addMonths(newYorkDay(b.filedAt), -24)
      const held = a.holderNames.filter((name) => !name.startsWith('~') && b.holderNames.includes(name))
      return (
        joint.some(
          ({ filedAt, ownerCiks }) =>
            filedAt <= b.filedAt &&
            newYorkDay(filedAt) >= since &&
            a.ownerCiks.some((owner) => ownerCiks.includes(owner)) &&
            b.ownerCiks.some((owner) => ownerCiks.includes(owner)),
        ) ||
        (near && some('spouse') && some('direct')) ||
        (near && a.groupHint && b.groupHint && !(a.code === 'A' && a.insidersOnly && b.insidersOnly)) ||
        (near &&
          !some('personal') &&
          !some('spouse') &&
          (some('entity') || (some('unnamed') && (a.groupHint || b.groupHint))) &&
          !(a.code === 'A' && a.insidersOnly && b.insidersOnly)) ||
        named(a, b) ||
        named(b, a) ||
        (held.length > 0 && !(a.holding === 'direct' && b.holding === 'direct'))
      )
    }
    const slowly = (rows: EventRow[], joint: FilingOwners[]) => {
      const events: EventRow[][] = []
      for (const row of rows) {
        const open = events.filter(
          (event) =>
            event[0]!.eventKey === row.eventKey &&
            event.every((one) => one.accession !== row.accession) &&
            !(row.amendment && share(event[0]!, row)),
        )
        const event =
          open.find(([first]) => share(first!, row)) ??
          open.find((event) => event.some((one) => share(one, row))) ??
          open.find(([first, ...others]) => {
            const more = others.length === 0 || others.some((one) => evident(one, row, joint))
            return more && evident(first!, row, joint)
          })
        if (event) event.push(row)
        else events.push([row])
      }
      return events.flatMap(([first, ...others]) => others.map((row) => `${row.id}=${first!.id}`))
    }
    fc.assert(
      fc.property(anyRows, anyJoint, (rows, joint) => {
        assert.strictEqual(hidden(rows, joint), slowly(rows, joint).sort().join(' '))
      }),
      { numRuns: 2000 },
    )
  })

  it("an owner's profile has each event once, 4/As aside", () => {
    fc.assert(
      fc.property(anyRows, fc.constantFrom('1', '2', '3', '4'), (rows, owner) => {
        const { duplicateOf, inProfile } = sameEvents(rows, [])
        const named = rows.filter((row) => row.ownerCiks.includes(owner))
        const events = Map.groupBy(named, (row) => duplicateOf.get(row.id) ?? row.id)
        for (const event of events.values()) {
          const counted = event.filter((row) => inProfile(row.id, owner))
          assert.include(counted, event[0])
          assert.isAtMost(counted.filter((row) => !row.amendment).length, 1)
        }
      }),
    )
  })
})
