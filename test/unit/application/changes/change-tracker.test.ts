// Which answers are current after which changes: by part, by filing time, and after a change of everything.
import { assert } from 'chai'
import fc from 'fast-check'
import { ChangeTracker } from '../../../../src/application/changes/change-tracker.ts'
import type { DataDependencies, DataPart } from '../../../../src/application/changes/data-dependencies.ts'

const PARTS: DataPart[] = ['issuer:0000000001', 'issuer:0000000002', 'insider:0000000003', 'symbol:EXMP', 'signals']

describe('the change tracker', () => {
  it('keeps an answer current while none of its parts changes', () => {
    const changes = new ChangeTracker()
    const since = changes.version()

    changes.record({ parts: ['issuer:0000000002'], feed: [] })

    assert.isTrue(changes.isCurrent({ parts: ['issuer:0000000001'] }, since))
    assert.isFalse(changes.isCurrent({ parts: ['issuer:0000000001', 'issuer:0000000002'] }, since))
    assert.isTrue(changes.isCurrent({ parts: ['issuer:0000000002'] }, changes.version()))
  })

  it('compares filing times with both ends included', () => {
    const changes = new ChangeTracker()
    const since = changes.version()

    changes.record({ parts: [], feed: [100, 200] })

    const isCurrent = (from: number, to: number) => changes.isCurrent({ parts: [], feed: { from, to } }, since)
    assert.deepEqual(
      [isCurrent(0, 99), isCurrent(101, 199), isCurrent(201, Number.POSITIVE_INFINITY)],
      [true, true, true],
    )
    assert.deepEqual([isCurrent(0, 100), isCurrent(100, 100), isCurrent(150, 200)], [false, false, false])
  })

  it('makes every earlier answer stale when everything changes', () => {
    const changes = new ChangeTracker()
    const since = changes.version()

    changes.recordExtent('everything')

    assert.isFalse(changes.isCurrent({ parts: [] }, since))
    assert.isTrue(changes.isCurrent({ parts: [] }, changes.version()))
  })

  it('keeps the company list and the sectors while all that changes is what filings say', () => {
    const changes = new ChangeTracker()
    const since = changes.version()

    changes.recordExtent('filings')

    assert.isFalse(changes.isCurrent({ parts: [] }, since))
    assert.isTrue(changes.areListsCurrent(since))
    assert.isTrue(changes.isCurrent({ parts: [], readsFilings: false }, since))
    changes.recordExtent('everything')
    assert.isFalse(changes.areListsCurrent(since))
    assert.isFalse(changes.isCurrent({ parts: [], readsFilings: false }, since))
    assert.isTrue(changes.areListsCurrent(changes.version()))
  })

  it('forgets filing times rather than grow without limit, and then keeps nothing of the feed', () => {
    const changes = new ChangeTracker()
    const since = changes.version()

    changes.record({ parts: [], feed: Array.from({ length: 10_001 }, (_, second) => second) })

    assert.isFalse(changes.isCurrent({ parts: [], feed: { from: 20_000, to: 20_001 } }, since))
    assert.isTrue(changes.isCurrent({ parts: ['issuer:0000000001'] }, since))
    assert.isTrue(changes.isCurrent({ parts: [], feed: { from: 0, to: 20_001 } }, changes.version()))
  })

  it('forgets details rather than grow without limit, and then keeps nothing', () => {
    const changes = new ChangeTracker()
    const since = changes.version()

    for (let number = 0; number <= 100_001; number += 1) {
      changes.record({ parts: [`issuer:${String(number).padStart(10, '0')}`], feed: [] })
    }

    assert.isFalse(changes.isCurrent({ parts: ['signals'] }, since))
    assert.isTrue(changes.areListsCurrent(since))
  })

  it('agrees with a list of all changes, whatever is recorded and asked', () => {
    const dependencies = fc.record({
      parts: fc.subarray(PARTS),
      feed: fc.option(
        fc.tuple(fc.nat(9), fc.nat(9)).map(([from, size]) => ({ from, to: from + size })),
        {
          nil: undefined,
        },
      ),
    })
    const change = fc.record({ parts: fc.subarray(PARTS), feed: fc.array(fc.nat(20), { maxLength: 3 }) })
    fc.assert(
      fc.property(fc.array(fc.option(change)), fc.array(fc.tuple(dependencies, fc.nat(30))), (steps, asked) => {
        const changes = new ChangeTracker()
        for (const step of steps) {
          if (step === null) changes.recordExtent('everything')
          else changes.record(step)
        }
        for (const [{ parts, feed }, place] of asked) {
          const since = Math.min(place, steps.length)
          const touched = steps
            .slice(since)
            .some(
              (step) =>
                step === null ||
                step.parts.some((part) => parts.includes(part)) ||
                (feed && step.feed.some((at) => at >= feed.from && at <= feed.to)),
            )
          const asking: DataDependencies = { parts, ...(feed && { feed }) }
          assert.strictEqual(changes.isCurrent(asking, since), !touched)
        }
      }),
    )
  })
})
