// Queues the making of the month files every night, half an hour after EDGAR has accepted the last filing of the day.
import type { JobQueue } from '../../application/ports/jobs.ts'
import { newYorkDay, newYorkToUtc } from '../../domain/shared/new-york-time.ts'

/** 22:30 in New York. */
const SECOND_OF_DAY = 22 * 3_600 + 30 * 60
const DAY = 86_400
/** How often the clock is looked at. */
const LOOK_MS = 30_000

/** Returns the next time to make them after `now`, both in milliseconds since 1970. */
export function nextExports(now: number): number {
  const today = newYorkToUtc(newYorkDay(now / 1000), SECOND_OF_DAY) * 1000
  if (today > now) return today
  // From a time of day, so that the day that is an hour longer or shorter is met as well.
  return newYorkToUtc(newYorkDay(today / 1000 + DAY), SECOND_OF_DAY) * 1000
}

/** Queues them at their time until `signal`. `failed` gets what kept one from being queued. */
export function queueExportsNightly(
  jobs: Pick<JobQueue, 'queueOnce'>,
  clock: () => number,
  failed: (error: unknown) => void,
  signal: AbortSignal,
): void {
  // A timer that is set after the stop would keep the process.
  if (signal.aborted) return
  let next = nextExports(clock())
  // Not one timer for the whole time until then: the clock may be set meanwhile.
  const timer = setInterval(() => {
    const now = clock()
    if (now >= next) jobs.queueOnce('exports').catch(failed)
    next = nextExports(now)
  }, LOOK_MS)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
