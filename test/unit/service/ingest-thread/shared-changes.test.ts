// The trackers of two threads: what one of them recorded is known to the other in its next question, without a turn of
// the event loop, and both agree on everything.
import { Worker } from 'node:worker_threads'
import { assert } from 'chai'
import fc from 'fast-check'
import { ChangeTracker, type Extent } from '../../../../src/application/changes/change-tracker.ts'
import type { DataPart } from '../../../../src/application/changes/dependence.ts'
import { changesChannel, ReceivedChanges, SentChanges } from '../../../../src/service/ingest-thread/shared-changes.ts'

type Change = { parts: DataPart[]; feed: number[] } | { extent: Extent }

const PARTS: DataPart[] = ['issuer:0000000001', 'issuer:0000000002', 'insider:0000000003', 'symbol:EXA', 'signals']
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ parts: fc.subarray(PARTS), feed: fc.array(fc.nat(30), { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ extent: fc.constantFrom<Extent>('filings', 'everything') }) },
)
const dependence = fc.record({
  parts: fc.subarray(PARTS),
  feed: fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
})

function apply(tracker: ChangeTracker, step: Change): void {
  if ('extent' in step) tracker.recordExtent(step.extent)
  else tracker.record(step)
}

describe('trackers of changes in two threads', () => {
  let open: ReceivedChanges[] = []
  const pair = () => {
    const { own, other } = changesChannel()
    const received = new ReceivedChanges(own)
    open.push(received)
    return { sent: new SentChanges(other), received }
  }
  afterEach(() => {
    for (const each of open) each.close()
    open = []
  })

  it('agree with one tracker, whatever is recorded and asked in any order', () => {
    const question = fc.oneof(
      change,
      dependence.map((asked) => ({ asked })),
    )
    fc.assert(
      fc.property(fc.array(question, { maxLength: 40 }), fc.array(fc.nat(40), { maxLength: 40 }), (steps, places) => {
        const { sent, received } = pair()
        const single = new ChangeTracker()
        // Versions of both at the same instants, which need not be equal.
        const since: [number, number][] = [[received.version(), single.version()]]
        for (const [place, step] of steps.entries()) {
          if (!('asked' in step)) {
            apply(sent, step)
            apply(single, step)
            if (place % 3 === 0) since.push([received.version(), single.version()])
            continue
          }
          const [one, other] = since[(places[place] ?? 0) % since.length]!
          assert.strictEqual(received.isCurrent(step.asked, one), single.isCurrent(step.asked, other))
          assert.strictEqual(received.areListsCurrent(one), single.areListsCurrent(other))
          assert.deepEqual(received.issuersSince(one)?.toSorted(), single.issuersSince(other)?.toSorted())
        }
      }),
    )
  })

  it('know at once what another thread has recorded, however long this one was busy', async () => {
    const { own, other } = changesChannel()
    const received = new ReceivedChanges(own)
    open.push(received)
    const done = new Int32Array(new SharedArrayBuffer(8))
    const code = `
      import { workerData } from 'node:worker_threads'
      const { SentChanges } = await import(workerData.module)
      const changes = new SentChanges(workerData.other)
      for (let number = 1; number <= 1000; number += 1) changes.record({ parts: ['issuer:' + number], feed: [] })
      Atomics.store(workerData.done, 0, 1)
      Atomics.notify(workerData.done, 0)`
    const module = new URL('../../../../src/service/ingest-thread/shared-changes.ts', import.meta.url).href
    const since = received.version()
    const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
      workerData: { module, other, done },
      transferList: [other.port],
    })
    try {
      const failed = new Promise((_, reject) => thread.once('error', reject))
      // This thread is blocked here: no message can reach it by the event loop.
      await Promise.race([failed, new Promise((resolve) => thread.once('online', resolve))])
      assert.notStrictEqual(Atomics.wait(done, 0, 0, 20_000), 'timed-out')

      assert.isFalse(received.isCurrent({ parts: ['issuer:1000'] }, since))
      assert.lengthOf(received.issuersSince(since)!, 1_000)
      assert.isTrue(received.isCurrent({ parts: ['issuer:1000'] }, received.version()))
    } finally {
      await thread.terminate()
    }
  })

  it('read what was sent without a question, too, so that nothing piles up', async () => {
    const { sent, received } = pair()
    sent.record({ parts: ['signals'], feed: [] })

    // Not by a question of this test.
    const version = () => ChangeTracker.prototype.version.call(received)
    const begun = performance.now()
    while (version() === 0 && performance.now() - begun < 5_000) await new Promise((resolve) => setTimeout(resolve, 20))

    assert.strictEqual(version(), 1)
  })
})
