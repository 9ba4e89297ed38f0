// The retry schedule of webhooks: when an attempt is repeated, and when a delivery is given up.

/** The outcome of an attempt. `status` is that of the response; without one, `error` says why there was none. */
export type AttemptOutcome =
  | { kind: 'answered'; status: number; retryAfterSeconds: number | null }
  | { kind: 'failed'; error: string }

export type NextStep =
  | { kind: 'delivered' }
  /** `at` in milliseconds since 1970. `holdsAddress`: until then nothing else is sent to the address either. */
  | { kind: 'retry'; at: number; holdsAddress: boolean }
  /** `disable`: nothing more is sent to this address. */
  | { kind: 'dead'; reason: string; disable: boolean }

/** Seconds from one attempt to the next; the first comes at once. 8 attempts over 27.6 hours. */
export const RETRY_STEPS = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]
const JITTER = 0.2
/** An address that has failed continuously for this time is disabled. */
export const DISABLE_AFTER_SECONDS = 5 * 86_400

export interface AttemptMade {
  outcome: AttemptOutcome
  /** The number of this attempt; 1 is the first. */
  number: number
  /** Now, in milliseconds since 1970. */
  at: number
  /** Since when all attempts at this address have failed, in milliseconds since 1970; null if the last one did not. */
  failingSince: number | null
  /** 0 to 1, for the jitter. */
  random: number
}

/**
 * Decides what follows an attempt. Only 2xx is success; a redirect is not. 410 disables the address. `Retry-After` of
 * 429 and 503 holds the address, up to twice the step.
 */
export function nextStep({ outcome, number, at, failingSince, random }: AttemptMade): NextStep {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) return { kind: 'delivered' }
  if (outcome.kind === 'answered' && outcome.status === 410)
    return { kind: 'dead', reason: 'the address answered 410', disable: true }
  if (failingSince !== null && at - failingSince >= DISABLE_AFTER_SECONDS * 1000) {
    return { kind: 'dead', reason: 'the address has failed for 5 days', disable: true }
  }
  const step = RETRY_STEPS[number - 1]
  if (step === undefined) return { kind: 'dead', reason: `${number} attempts failed`, disable: false }
  const seconds = step * (1 - JITTER + 2 * JITTER * random)
  const requested =
    outcome.kind === 'answered' && (outcome.status === 429 || outcome.status === 503) ? outcome.retryAfterSeconds : null
  return {
    kind: 'retry',
    at: at + 1000 * (requested === null ? seconds : Math.min(Math.max(seconds, requested), 2 * step)),
    holdsAddress: requested !== null && requested > 0,
  }
}
