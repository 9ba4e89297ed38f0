// Long computations of the domain at once, which the service runs in steps.
import { linkNoticesSteps } from '../../src/domain/notices/link-notices.ts'
import { positionSteps } from '../../src/domain/positions/positions.ts'
import type { Steps } from '../../src/domain/shared/steps.ts'

/** Runs all steps and returns the result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const atOnce =
  <Input extends unknown[], Result>(steps: (...input: Input) => Steps<Result>) =>
  (...input: Input): Result =>
    runSteps(steps(...input))

export const linkNotices = atOnce(linkNoticesSteps)
export const positionsOf = atOnce(positionSteps)
