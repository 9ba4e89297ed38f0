// Duplicate events: one trade reported in two filings, counted once.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  eventKey,
  sameEvents,
  type EventFacts,
  type EventRow,
} from '../../../../../src/domain/trades/reconciliation/duplicate-events.ts'

const facts: EventFacts = {
  title: 'Common Stock',
  date: '2024-05-10',
  code: 'P',
  acquiredDisposed: 'A',
  shares: '5000',
  price: '9',
  sharesAfter: '12000',
}
const KEY = eventKey(facts)

interface Paper {
  /** Also orders the filings: acceptance is its number. */
  name: string
  owners: string[]
  rows?: number
  group?: boolean
  indirect?: boolean
  amendment?: boolean
  key?: string
}

/** Rows of invented filings, accepted in the order given, one second apart. */
function filed(...papers: Paper[]): EventRow[] {
  return papers.flatMap(({ name, owners, rows = 1, ...rest }, index) =>
    Array.from({ length: rows }, (_, at) => ({
      id: `${name}${at + 1}`,
      accession: name,
      place: at + 1,
      acceptedAt: 1000 + index,
      ownerCiks: owners,
      isAmendment: rest.amendment ?? false,
      groupHint: rest.group ?? false,
      indirect: rest.indirect ?? false,
      eventKey: rest.key ?? KEY,
    })),
  )
}

/** `b1=a1` for each hidden row. */
const hidden = (rows: EventRow[]): string =>
  [...sameEvents(rows).duplicateOf]
    .map((pair) => pair.join('='))
    .sort()
    .join(' ')

/** Which rows count in an owner's profile. */
function profile(rows: EventRow[], owner: string): string {
  const { inProfile } = sameEvents(rows)
  return rows
    .filter((row) => inProfile(row.id, owner))
    .map((row) => row.id)
    .join(' ')
}

describe('one event in two filings', () => {
  describe('key', () => {
    it('is equal for equal facts, whatever their spelling', () => {
      assert.strictEqual(eventKey({ ...facts, price: '9.00', shares: '5000.0', title: ' COMMON  stock' }), KEY)
      assert.strictEqual(eventKey({ ...facts, price: null }), eventKey({ ...facts, price: null }))
    })

    it('differs with each fact', () => {
      const others: Partial<EventFacts>[] = [
        { title: 'Class B' },
        { date: '2024-05-11' },
        { code: 'S' },
        { acquiredDisposed: 'D' },
        { shares: '5001' },
        { price: '9.0001' },
        { sharesAfter: '12001' },
        { price: null },
        { price: '0' },
        { date: null },
      ]
      assert.strictEqual(
        new Set([KEY, ...others.map((other) => eventKey({ ...facts, ...other }))]).size,
        others.length + 1,
      )
    })

    it('can not be forged by a title', () => {
      assert.notStrictEqual(
        eventKey({ ...facts, title: 'a","b', date: null }),
        eventKey({ ...facts, title: 'a', date: 'b' }),
      )
    })
  })

  describe('filings of different owners', () => {
    it('are one event if one of them has a 10% or other owner', () => {
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'], group: true }, { name: 'b', owners: ['2'] })),
        'b1=a1',
      )
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'] }, { name: 'b', owners: ['2'], group: true })),
        'b1=a1',
      )
    })

    it('are one event if one of them reports the row as indirect', () => {
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'] }, { name: 'b', owners: ['2'], indirect: true })),
        'b1=a1',
      )
    })

    it('are different events if officers and directors alone hold directly', () => {
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'] }, { name: 'b', owners: ['2'] }, { name: 'c', owners: ['3'] })),
        '',
      )
    })

    it('are different events if any fact differs', () => {
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'], group: true }, { name: 'b', owners: ['2'], key: 'other' })),
        '',
      )
    })

    it('all point to the earliest accepted', () => {
      const chain = ['a', 'b', 'c', 'd'].map((name, index) => ({ name, owners: [String(index)], group: true }))
      assert.strictEqual(hidden(filed(...chain)), 'b1=a1 c1=a1 d1=a1')
    })

    it('stay apart where two of them may not be one, even if a third may be either', () => {
      const [ann, bob, fund] = [
        { name: 'a', owners: ['1'] },
        { name: 'b', owners: ['2'] },
        { name: 'f', owners: ['9'], group: true },
      ]
      assert.strictEqual(hidden(filed(ann, bob, fund)), 'f1=a1')
      assert.strictEqual(hidden(filed(fund, ann, bob)), 'a1=f1')
      assert.strictEqual(hidden(filed(ann, fund, bob)), 'f1=a1')
    })

    it('pair a fund that reports two grants with both directors', () => {
      const [ann, bob, fund] = [
        { name: 'a', owners: ['1'] },
        { name: 'b', owners: ['2'] },
        { name: 'f', owners: ['9'], group: true, rows: 2 },
      ]
      assert.strictEqual(hidden(filed(ann, bob, fund)), 'f1=a1 f2=b1')
      assert.strictEqual(hidden(filed(fund, ann, bob)), 'a1=f1 b1=f2')
    })
  })

  describe('rows of one filing', () => {
    it('are never one event', () => {
      assert.strictEqual(hidden(filed({ name: 'a', owners: ['1'], rows: 3, group: true, indirect: true })), '')
    })

    it('pair with those of another one by one; a surplus is new', () => {
      const [first, second] = [
        { name: 'a', owners: ['1'], rows: 2, group: true },
        { name: 'b', owners: ['2'], rows: 3 },
      ]
      assert.strictEqual(hidden(filed(first, second)), 'b1=a1 b2=a2')
      assert.strictEqual(
        hidden(filed(first, second, { name: 'c', owners: ['3'], rows: 4, group: true })),
        'b1=a1 b2=a2 c1=a1 c2=a2 c3=b3',
      )
      assert.strictEqual(hidden(filed(second, first)), 'a1=b1 a2=b2')
    })
  })

  describe('the same owner', () => {
    it('filing equal rows again repeats them, direct or not', () => {
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'], rows: 2 }, { name: 'b', owners: ['1'], rows: 2 })),
        'b1=a1 b2=a2',
      )
      assert.strictEqual(hidden(filed({ name: 'a', owners: ['1', '2'] }, { name: 'b', owners: ['2', '3'] })), 'b1=a1')
    })

    it('repeats its own row even if the event has rows that could not be one with it', () => {
      const rows = filed(
        { name: 'a', owners: ['1'], group: true },
        { name: 'b', owners: ['2'] },
        { name: 'c', owners: ['1', '4'] },
      )
      assert.strictEqual(hidden(rows), 'b1=a1 c1=a1')
    })

    it('repeats its own shown row rather than one in a joint filing', () => {
      const rows = filed(
        { name: 'a', owners: ['1'] },
        { name: 'b', owners: ['2'] },
        { name: 'j', owners: ['1', '2'] },
        { name: 'c', owners: ['2'] },
      )
      assert.strictEqual(hidden(rows), 'c1=b1 j1=a1')
    })

    it('repeats its own row rather than an earlier one of another owner', () => {
      const [ann, bob] = [
        { name: 'a', owners: ['1'] },
        { name: 'b', owners: ['2'] },
      ]
      assert.strictEqual(hidden(filed(ann, bob, { name: 'c', owners: ['2'] })), 'c1=b1')
      assert.strictEqual(hidden(filed(ann, bob, { name: 'c', owners: ['2', '9'], group: true })), 'c1=b1')
    })

    it('never repeats by a 4/A, which is for the amendment rule', () => {
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'], group: true }, { name: 'm', owners: ['1'], amendment: true })),
        '',
      )
      const twice = filed(
        { name: 'a', owners: ['1'] },
        { name: 'm', owners: ['1'], amendment: true },
        { name: 'n', owners: ['1'], amendment: true },
      )
      assert.strictEqual(hidden(twice), '')
    })

    it('repeats a 4/A by filing without /A', () => {
      assert.strictEqual(
        hidden(filed({ name: 'm', owners: ['1'], amendment: true }, { name: 'a', owners: ['1'] })),
        'a1=m1',
      )
    })
  })

  describe('a 4/A', () => {
    const [ann, bob] = [
      { name: 'a', owners: ['1'], group: true },
      { name: 'b', owners: ['2'], group: true },
    ]
    const amended = (name: string, owner: string) => ({ name, owners: [owner], group: true, amendment: true })

    it('repeats a row of a different owner, under the same condition', () => {
      assert.strictEqual(hidden(filed(ann, amended('m', '2'))), 'm1=a1')
      assert.strictEqual(hidden(filed({ name: 'a', owners: ['1'] }, { name: 'm', owners: ['2'], amendment: true })), '')
    })

    it('of a hidden row stays hidden, of the shown row is shown', () => {
      assert.strictEqual(hidden(filed(ann, bob, amended('m', '2'))), 'b1=a1 m1=a1')
      assert.strictEqual(hidden(filed(ann, bob, amended('m', '1'))), 'b1=a1')
    })

    it('by each of two owners is shown once', () => {
      assert.strictEqual(hidden(filed(ann, bob, amended('m', '1'), amended('n', '2'))), 'b1=a1 n1=a1')
      assert.strictEqual(hidden(filed(ann, bob, amended('n', '2'), amended('m', '1'))), 'b1=a1 n1=a1')
    })

    it('with new numbers, by each of two owners, is shown once', () => {
      const corrected = { key: 'corrected' }
      assert.strictEqual(
        hidden(filed(ann, bob, { ...amended('m', '1'), ...corrected }, { ...amended('n', '2'), ...corrected })),
        'b1=a1 n1=m1',
      )
    })
  })

  describe("in an owner's profile", () => {
    it('each event counts once, by the earliest row that names the owner', () => {
      const rows = filed(
        { name: 'a', owners: ['1'], group: true },
        { name: 'b', owners: ['2', '3'] },
        { name: 'c', owners: ['2'] },
        { name: 'd', owners: ['1', '4'] },
      )
      assert.strictEqual(hidden(rows), 'b1=a1 c1=a1 d1=a1')
      assert.deepEqual(
        ['1', '2', '3', '4'].map((owner) => profile(rows, owner)),
        ['a1', 'b1', 'b1', 'd1'],
      )
    })

    it('equal rows of one filing count each', () => {
      const rows = filed({ name: 'a', owners: ['1'], group: true, rows: 2 }, { name: 'b', owners: ['2'], rows: 2 })
      assert.strictEqual(profile(rows, '2'), 'b1 b2')
    })

    it('a 4/A counts beside what it amends, since one of them is superseded', () => {
      const rows = filed(
        { name: 'a', owners: ['1'], group: true },
        { name: 'b', owners: ['2'] },
        { name: 'm', owners: ['2'], amendment: true },
        { name: 'c', owners: ['2'] },
      )
      assert.strictEqual(profile(rows, '2'), 'b1 m1')
    })

    it('rows of other persons do not count', () => {
      const rows = filed({ name: 'a', owners: ['1'] })
      assert.strictEqual(profile(rows, '2'), '')
      assert.isFalse(sameEvents(rows).inProfile('nowhere', '1'))
    })
  })

  describe('always', () => {
    const paper = fc.record({
      owners: fc.uniqueArray(fc.constantFrom('1', '2', '3', '4'), { minLength: 1, maxLength: 3 }),
      rows: fc.integer({ min: 1, max: 3 }),
      group: fc.boolean(),
      indirect: fc.boolean(),
      amendment: fc.boolean(),
      key: fc.constantFrom('x', 'y'),
    })
    const anyRows = fc
      .array(paper, { minLength: 1, maxLength: 7 })
      .map((papers) => filed(...papers.map((one, index) => ({ ...one, name: `p${index}-` }))))
    const shown = (rows: EventRow[], id: string) => rows.find((row) => row.id === id)!

    it('the order of arrival does not matter', () => {
      const shuffled = anyRows.chain((rows) =>
        fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
      )
      fc.assert(
        fc.property(shuffled, ([rows, otherwise]) => {
          assert.strictEqual(hidden(otherwise), hidden(rows))
          for (const owner of ['1', '2', '3', '4']) {
            assert.sameMembers(profile(otherwise, owner).split(' '), profile(rows, owner).split(' '))
          }
        }),
      )
    })

    it('what was accepted later changes nothing of what was before', () => {
      fc.assert(
        fc.property(anyRows, fc.integer({ min: 1, max: 7 }), (rows, count) => {
          const before = rows.filter((row) => row.acceptedAt < 1000 + count)
          const later = sameEvents(rows).duplicateOf
          const kept = [...later].filter(([id]) => before.some((row) => row.id === id))
          assert.deepEqual([...sameEvents(before).duplicateOf].sort(), kept.sort())
        }),
      )
    })

    it('hidden rows point to shown ones of another filing, accepted no later, with the same key', () => {
      fc.assert(
        fc.property(anyRows, (rows) => {
          const { duplicateOf } = sameEvents(rows)
          for (const [id, target] of duplicateOf) {
            assert.isFalse(duplicateOf.has(target))
            const [row, first] = [shown(rows, id), shown(rows, target)]
            assert.notStrictEqual(row.accession, first.accession)
            assert.isAtMost(first.acceptedAt, row.acceptedAt)
            assert.strictEqual(row.eventKey, first.eventKey)
          }
        }),
      )
    })

    it('rows of one event lie in different filings; each repeats an owner or may be one with all before it', () => {
      fc.assert(
        fc.property(anyRows, (rows) => {
          const { duplicateOf } = sameEvents(rows)
          const group = (row: EventRow) => row.groupHint || row.indirect
          for (const event of Map.groupBy(rows, (row) => duplicateOf.get(row.id) ?? row.id).values()) {
            assert.strictEqual(new Set(event.map((row) => row.accession)).size, event.length)
            for (const [index, row] of event.entries()) {
              const before = event.slice(0, index)
              const again = before.some((one) => one.ownerCiks.some((owner) => row.ownerCiks.includes(owner)))
              assert.isTrue(again || group(row) || before.every(group))
            }
          }
        }),
      )
    })

    it("without 10% and other owners and indirect rows, no two owners' rows are one event", () => {
      const alone = anyRows.map((rows) =>
        rows.map((row) => ({ ...row, groupHint: false, indirect: false, ownerCiks: row.ownerCiks.slice(0, 1) })),
      )
      fc.assert(
        fc.property(alone, (rows) => {
          for (const [id, target] of sameEvents(rows).duplicateOf) {
            assert.deepEqual(shown(rows, id).ownerCiks, shown(rows, target).ownerCiks)
          }
        }),
      )
    })

    it("an owner's profile has each event once, 4/As aside", () => {
      fc.assert(
        fc.property(anyRows, fc.constantFrom('1', '2', '3', '4'), (rows, owner) => {
          const { duplicateOf, inProfile } = sameEvents(rows)
          const named = rows.filter((row) => row.ownerCiks.includes(owner))
          const events = Map.groupBy(named, (row) => duplicateOf.get(row.id) ?? row.id)
          for (const event of events.values()) {
            const counted = event.filter((row) => inProfile(row.id, owner))
            assert.include(counted, event[0])
            assert.isAtMost(counted.filter((row) => !row.isAmendment).length, 1)
          }
        }),
      )
    })
  })
})
