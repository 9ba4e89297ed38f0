// Work in slices of time: items are processed in order, requests are served after each slice, and of several works one
// continues in each turn of the event loop.
import { assert } from 'chai'
import { inSlices, runInSlices, SLICE_MS, timeSlices } from '../../../../src/application/shared/time-slices.ts'
import type { Steps } from '../../../../src/domain/shared/steps.ts'

/** Returns a clock that stands still until it is set forward. */
function handClock() {
  let time = 0
  return {
    now: () => time,
    forward: (milliseconds: number) => {
      time += milliseconds
    },
  }
}

/** Notes every turn of something else while the work runs. */
async function besideOther(seen: unknown[], work: () => Promise<unknown>): Promise<void> {
  let other = setImmediate(function again() {
    seen.push('other')
    other = setImmediate(again)
  })
  await work()
  clearImmediate(other)
}

describe('work in slices of time', () => {
  it('lets other work run once a slice is over, and not before', async () => {
    const clock = handClock()
    const seen: (number | 'other')[] = []

    await besideOther(seen, async () => {
      for await (const item of inSlices([1, 2, 3, 4, 5], clock.now)) {
        seen.push(item)
        clock.forward(SLICE_MS / 2)
      }
    })

    assert.deepStrictEqual(seen, [1, 2, 'other', 3, 4, 'other', 5])
  })

  it('pauses after each item that takes longer than a slice', async () => {
    const clock = handClock()
    const seen: (number | 'other')[] = []

    await besideOther(seen, async () => {
      for await (const item of inSlices([9, 1, 9, 1], clock.now)) {
        seen.push(item)
        clock.forward(item)
      }
    })

    assert.deepStrictEqual(seen, [9, 1, 'other', 9, 1])
  })

  it('counts from the end of the last pause', async () => {
    const clock = handClock()
    const pause = timeSlices(clock.now)

    assert.isUndefined(pause())
    clock.forward(SLICE_MS)
    const paused = pause()
    assert.instanceOf(paused, Promise)
    clock.forward(SLICE_MS)
    await paused
    assert.isUndefined(pause())
  })

  it('lets one of several works continue in each turn', async () => {
    const clock = handClock()
    const seen: string[] = []
    const work = async (name: string) => {
      for await (const item of inSlices([1, 2, 3], clock.now)) {
        seen.push(`${name}${item}`)
        clock.forward(SLICE_MS)
      }
    }

    await besideOther(seen, () => Promise.all([work('a'), work('b')]))

    const turns = seen
      .join(' ')
      .split('other')
      .map((turn) => turn.trim().split(' '))
    for (const items of turns.slice(1)) assert.isAtMost(items.length, 1, seen.join(' '))
    assert.sameMembers(
      seen.filter((each) => each !== 'other'),
      ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'],
    )
  })
})

describe('a computation in steps', () => {
  it('pauses once a slice is over, and returns its result', async () => {
    const clock = handClock()
    const seen: (number | 'other')[] = []
    function* steps(): Steps<string> {
      for (const step of [1, 2, 3, 4]) {
        seen.push(step)
        clock.forward(SLICE_MS / 2)
        yield
      }
      return 'all'
    }

    await besideOther(seen, async () => assert.strictEqual(await runInSlices(steps(), timeSlices(clock.now)), 'all'))

    assert.deepStrictEqual(seen, [1, 2, 'other', 3, 4, 'other'])
  })

  it('passes on what a step throws', async () => {
    function* steps(): Steps<never> {
      yield
      throw new Error('broken')
    }

    const reason = await runInSlices(steps()).catch((error: unknown) => (error as Error).message)
    assert.strictEqual(reason, 'broken')
  })
})
