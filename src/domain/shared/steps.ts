// Long computations in steps, between which the caller may do something else.

/** Returns its result at the end. */
export type Steps<Result> = Generator<undefined, Result, undefined>
