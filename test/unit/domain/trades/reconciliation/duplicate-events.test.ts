// Duplicate events: one trade reported in two filings, counted once.
import { assert } from 'chai'
import { eventKey, type EventFacts } from '../../../../../src/domain/trades/reconciliation/row-matching.ts'
import { facts, filed, hidden, KEY, profile } from '../../../../support/filings/event-rows.ts'
import { sameEvents } from '../../../../../src/domain/trades/reconciliation/duplicate-events.ts'

describe('one event in two filings', () => {
  describe('key', () => {
    it('is equal for equal facts, whatever their spelling', () => {
      assert.strictEqual(
        eventKey({ ...facts, priceFiled: '9.00', shares: '5000.0', securityTitle: ' COMMON  stock' }),
        KEY,
      )
      assert.strictEqual(eventKey({ ...facts, priceFiled: null }), eventKey({ ...facts, priceFiled: null }))
    })

    it('differs with each fact', () => {
      const others: Partial<EventFacts>[] = [
        { securityTitle: 'Class B' },
        { date: '2024-05-11' },
        { code: 'S' },
        { acquiredDisposed: 'D' },
        { shares: '5001' },
        { priceFiled: '9.0001' },
        { sharesAfter: '12001' },
        { priceFiled: null },
        { priceFiled: '0' },
        { date: '' },
      ]
      assert.strictEqual(
        new Set([KEY, ...others.map((other) => eventKey({ ...facts, ...other }))]).size,
        others.length + 1,
      )
    })

    it('can not be forged by a title', () => {
      assert.notStrictEqual(
        eventKey({ ...facts, securityTitle: 'a","b', date: '' }),
        eventKey({ ...facts, securityTitle: 'a', date: 'b' }),
      )
    })
  })

  describe('rows of one filing', () => {
    it('are never one event', () => {
      assert.strictEqual(hidden(filed({ name: 'a', owners: ['1'], rows: 3, group: true, holding: 'entity' })), '')
    })

    it('pair with those of another one by one; a surplus is new', () => {
      const [first, second] = [
        { name: 'a', owners: ['1'], rows: 2, group: true },
        { name: 'b', owners: ['2'], rows: 3, group: true },
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
        { name: 'b', owners: ['2'], group: true },
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
        { name: 'b', owners: ['2', '3'], group: true },
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
      const rows = filed(
        { name: 'a', owners: ['1'], group: true, rows: 2 },
        { name: 'b', owners: ['2'], group: true, rows: 2 },
      )
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
      assert.isFalse(sameEvents(rows, []).inProfile('nowhere', '1'))
    })
  })
})
