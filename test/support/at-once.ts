// Long computations of the domain at once, which the service runs in steps.
import type { Steps } from '../../src/domain/shared/steps.ts'

/** Runs all steps and returns the result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
