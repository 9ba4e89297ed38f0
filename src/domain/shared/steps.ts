// Long computations in steps, between which the caller may do something else.

/** Returns its result at the end. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Runs all steps at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
