// Records the results of attempts in PostgreSQL, and retries until it succeeds: a delivery whose result is not recorded
// is sent again.
import type { Deliveries, DisabledAddress, FinishedAttempt } from '../ports/alerts.ts'
import { ServiceError } from '../errors.ts'
import type { Wait } from '../ports/system.ts'

const TRY_AGAIN_MS = 1_000

interface RecordingParts {
  deliveries: Pick<Deliveries, 'recordAttempts'>
  wait: Wait
  failed: (what: string, error: unknown) => void
}

/**
 * Records attempts. Retries while PostgreSQL is unavailable, until the signal. Returns the addresses that the attempts
 * disabled.
 */
export async function recordAttempts(
  { deliveries, wait, failed }: RecordingParts,
  attempts: FinishedAttempt[],
  signal: AbortSignal,
): Promise<DisabledAddress[]> {
  for (;;) {
    try {
      return await deliveries.recordAttempts(attempts)
    } catch (error) {
      failed('recording attempts', error)
      if (signal.aborted) return []
      const isAway = error instanceof ServiceError && error.code === 'unavailable'
      if (!isAway) return recordEach({ deliveries, wait, failed }, attempts, signal)
      await wait(TRY_AGAIN_MS, signal)
    }
  }
}

/**
 * Records attempts one by one, so that one that can't be recorded does not block the others. Its delivery is sent again
 * when the lease ends.
 */
async function recordEach(
  parts: RecordingParts,
  attempts: FinishedAttempt[],
  signal: AbortSignal,
): Promise<DisabledAddress[]> {
  if (attempts.length === 1) return []
  return (await Promise.all(attempts.map((attempt) => recordAttempts(parts, [attempt], signal)))).flat()
}
