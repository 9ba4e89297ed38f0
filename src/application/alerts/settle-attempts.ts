// Recording of attempts in PostgreSQL, retried until it succeeds: a delivery whose result is not recorded is sent
// again.
import type { Deliveries, DisabledAddress, SettledAttempt } from '../ports/alerts.ts'
import { ServiceError } from '../errors.ts'
import type { Wait } from '../ports/system.ts'

const TRY_AGAIN_MS = 1_000

interface SettlingParts {
  deliveries: Pick<Deliveries, 'settle'>
  wait: Wait
  failed: (what: string, error: unknown) => void
}

/**
 * Records attempts, retrying while PostgreSQL is unavailable, but only once after the signal. Returns the addresses
 * disabled by them.
 */
export async function settleAttempts(
  { deliveries, wait, failed }: SettlingParts,
  attempts: SettledAttempt[],
  signal: AbortSignal,
): Promise<DisabledAddress[]> {
  for (;;) {
    try {
      return await deliveries.settle(attempts)
    } catch (error) {
      failed('recording attempts', error)
      if (signal.aborted) return []
      const isAway = error instanceof ServiceError && error.code === 'unavailable'
      if (!isAway) return settleEach({ deliveries, wait, failed }, attempts, signal)
      await wait(TRY_AGAIN_MS, signal)
    }
  }
}

/**
 * Records attempts one by one, so that one that can't be recorded does not block the others; it is sent again later.
 */
async function settleEach(
  parts: SettlingParts,
  attempts: SettledAttempt[],
  signal: AbortSignal,
): Promise<DisabledAddress[]> {
  if (attempts.length === 1) return []
  return (await Promise.all(attempts.map((attempt) => settleAttempts(parts, [attempt], signal)))).flat()
}
