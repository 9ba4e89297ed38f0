// Handles Ctrl-C and SIGTERM in commands: only the innermost handler runs. A second signal ends the process.
import { JobCancelled } from '../application/shared/job-cancellation.ts'

const handlers: (() => void)[] = []

function interrupted(): void {
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  handlers.at(-1)?.()
}

/** Runs `handler` at the first signal instead of the handlers of outer work, until the returned function is called. */
export function onInterrupt(handler: () => void): () => void {
  if (handlers.push(handler) === 1) process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  return () => {
    handlers.splice(handlers.lastIndexOf(handler), 1)
    if (handlers.length === 0) process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
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
