// Long computations of the domain at once, which the service runs in steps.
import type { Steps } from '../../src/domain/shared/steps.ts'
import { followSignals } from '../../src/domain/signals/detect-signals.ts'
import { amendmentSteps } from '../../src/domain/trades/reconciliation/amendments.ts'
import { sameEventSteps } from '../../src/domain/trades/reconciliation/duplicate-events.ts'
import { reconcileIssuerSteps } from '../../src/domain/trades/reconciliation/reconcile-issuer.ts'

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

export const amendmentOutcome = atOnce(amendmentSteps)
export const reconcileIssuer = atOnce(reconcileIssuerSteps)
export const sameEvents = atOnce(sameEventSteps)
export const detectSignals = (...history: Parameters<typeof followSignals>) =>
  runSteps(followSignals(...history)).signals
