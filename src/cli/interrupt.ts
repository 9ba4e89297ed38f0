// Handles Ctrl-C and SIGTERM in commands: only the innermost handler runs. A second signal ends the process.
import { JobCancelled } from '../application/shared/job-cancellation.ts'

const acts: (() => void)[] = []

function interrupted(): void {
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  acts.at(-1)?.()
}

/** Runs `act` at the first signal instead of the handlers of outer work, until the returned function is called. */
export function onInterrupt(act: () => void): () => void {
  if (acts.push(act) === 1) process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  return () => {
    acts.splice(acts.lastIndexOf(act), 1)
    if (acts.length === 0) process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

/** Runs `work` with a signal that Ctrl-C aborts, so that it can remove what it wrote before it ends. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const reason = Object.assign(new JobCancelled(), { message: 'this command was interrupted', exitCode: 130 })
  const settled = onInterrupt(() => stop.abort(reason))
  try {
    return await work(stop.signal)
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    settled()
  }
}
