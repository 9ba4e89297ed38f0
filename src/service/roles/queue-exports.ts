// Queues the job that makes the month files every night, half an hour after EDGAR stops accepting filings.
import type { JobQueue } from '../../application/ports/jobs.ts'
import { newYorkDay, newYorkToUtc } from '../../domain/shared/new-york-time.ts'

/** 22:30 in New York. */
const SECOND_OF_DAY = 22 * 3_600 + 30 * 60
const DAY = 86_400
const CHECK_CLOCK_MS = 30_000

/** Returns the next time to queue the job after `now`, both in milliseconds since 1970. */
export function nextExports(now: number): number {
  const today = newYorkToUtc(newYorkDay(now / 1000), SECOND_OF_DAY) * 1000
  if (today > now) return today
  // A day later by the calendar: days on which the clock changes are an hour longer or shorter.
  return newYorkToUtc(newYorkDay(today / 1000 + DAY), SECOND_OF_DAY) * 1000
}

/** Queues the job at its time until `signal`. `failed` receives the error if it can't be queued, which is retried. */
export function queueExportsNightly(
  jobs: Pick<JobQueue, 'queueOnce'>,
  clock: () => number,
  failed: (error: unknown) => void,
  signal: AbortSignal,
): void {
  // A timer that is set after the signal would keep the process from ending.
  if (signal.aborted) return
  let next = nextExports(clock())
  let isDue = false
  // Not a single timer for the time until then: the clock may be set meanwhile.
  const timer = setInterval(() => {
    const now = clock()
    isDue ||= now >= next
    next = nextExports(now)
    if (!isDue) return
    isDue = false
    jobs.queueOnce('exports').catch((error: unknown) => {
      isDue = true
      failed(error)
    })
  }, CHECK_CLOCK_MS)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
