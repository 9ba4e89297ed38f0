// Long work in JavaScript, divided into slices of time so that requests are served in between.
import type { Steps } from '../../domain/shared/steps.ts'
import type { Monotonic } from '../ports/system.ts'

/** For how long work keeps the event loop until it pauses. */
export const SLICE_MS = 10

let last: Promise<void> = Promise.resolve()

/**
 * Resolves in a later turn of the event loop. Of several callers that wait, one continues in each turn: an answer,
 * which takes some six turns, then waits for one slice each time, not for those of all.
 */
function nextTurn(): Promise<void> {
  return (last = last.then(() => new Promise((resolve) => setImmediate(resolve))))
}

/** Awaited between steps of long work: pauses once a slice is over. */
export type Pause = () => Promise<void> | undefined

/** Begins a slice. */
export function timeSlices(now: Monotonic = () => performance.now()): Pause {
  let begunAt = now()
  return () => {
    if (now() - begunAt < SLICE_MS) return undefined
    return nextTurn().then(() => {
      begunAt = now()
    })
  }
}

/** Yields the items. Pauses between two of them once a slice is over. */
export async function* inSlices<T>(items: Iterable<T>, now?: Monotonic): AsyncGenerator<T, void, undefined> {
  const pause = timeSlices(now)
  for (const item of items) {
    await pause()
    yield item
  }
}

/** Runs all steps of a computation. Pauses between two of them once a slice is over. */
export async function runInSlices<Result>(steps: Steps<Result>, pause = timeSlices()): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await pause()
  }
}
