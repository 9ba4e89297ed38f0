// Records the results of attempts in PostgreSQL, and retries until it succeeds: a delivery whose result is not recorded
// is sent again. An attempt that can't be recorded in full is counted at least, so that its delivery ends.
import type { Deliveries, DisabledAddress, FinishedAttempt } from '../ports/alerts.ts'
import { ServiceError } from '../errors.ts'
import type { Wait } from '../ports/system.ts'

const TRY_AGAIN_MS = 1_000

interface RecordingParts {
  deliveries: Pick<Deliveries, 'recordAttempts' | 'countAttempt'>
  wait: Wait
  failed: (what: string, error: unknown) => void
}

/**
 * Records attempts. Retries while PostgreSQL is unavailable, until the signal. Returns the addresses that the attempts
 * disabled.
 */
export async function recordAttempts(
  parts: RecordingParts,
  attempts: FinishedAttempt[],
  signal: AbortSignal,
): Promise<DisabledAddress[]> {
  const { deliveries } = parts
  const disabled = await whileAway(parts, 'recording attempts', () => deliveries.recordAttempts(attempts), signal)
  if (disabled !== 'failed') return disabled ?? []
  const [only, ...others] = attempts
  // One by one, so that an attempt that can't be recorded does not block the others.
  if (others.length > 0)
    return (await Promise.all(attempts.map((attempt) => recordAttempts(parts, [attempt], signal)))).flat()
  await whileAway(parts, 'counting an attempt', () => deliveries.countAttempt(only!), signal)
  return []
}

/**
 * Repeats `work` while PostgreSQL is unavailable, and returns its result: null if the signal came first, `failed` if
 * `work` failed for another reason, and so would fail again.
 */
async function whileAway<T>(
  { wait, failed }: RecordingParts,
  what: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | 'failed' | null> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      failed(what, error)
      if (signal.aborted) return null
      if (!(error instanceof ServiceError && error.code === 'unavailable')) return 'failed'
      await wait(TRY_AGAIN_MS, signal)
    }
  }
}
