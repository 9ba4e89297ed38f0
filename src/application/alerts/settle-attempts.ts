// Recording attempts in PostgreSQL, which is tried until it succeeds: what was sent and not recorded is sent again.
import type { Deliveries, DisabledAddress, SettledAttempt } from '../ports/alerts.ts'
import { ServiceError } from '../errors.ts'
import type { Wait } from '../ports/system.ts'

const TRY_AGAIN_MS = 1_000

export interface SettlingParts {
  deliveries: Pick<Deliveries, 'settle'>
  wait: Wait
  failed: (what: string, error: unknown) => void
}

/**
 * Records attempts until PostgreSQL has taken them; after the signal once more. Returns the addresses that they
 * disabled.
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

/** One that can't be recorded must not keep the others; its lease runs out and it is sent again. */
async function settleEach(
  parts: SettlingParts,
  attempts: SettledAttempt[],
  signal: AbortSignal,
): Promise<DisabledAddress[]> {
  if (attempts.length === 1) return []
  return (await Promise.all(attempts.map((attempt) => settleAttempts(parts, [attempt], signal)))).flat()
}
