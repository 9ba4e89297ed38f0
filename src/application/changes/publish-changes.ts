// Publishes changes of everything, such as a rebuild or a part of a quarter, to other processes. What is projected or
// detected needs no publishing: the statement that marks it adds it to the log.
import type { ChangeLog } from '../ports/changes.ts'
import type { Wait } from '../ports/system.ts'
import type { ChangeTracker } from './change-tracker.ts'

const RETRY_MS = 1_000

/**
 * Adds each change of everything to the log from now on; several at once become one. While the log can't be written it
 * tries again each second until `signal` aborts, and `failed` receives the error. What is given up then is covered by
 * the entry that the next process to write begins with.
 */
export function publishChanges(
  changes: ChangeTracker,
  log: Pick<ChangeLog, 'appendEverything'>,
  { wait, failed, signal }: { wait: Wait; failed: (error: unknown) => void; signal: AbortSignal },
): { settled(): Promise<void> } {
  let [isDue, isRunning] = [false, false]
  let running = Promise.resolve()
  const publish = async () => {
    isRunning = true
    while (isDue) {
      isDue = false
      await log.appendEverything().catch(async (error: unknown) => {
        failed(error)
        if (signal.aborted) return
        isDue = true
        await wait(RETRY_MS, signal)
      })
    }
    isRunning = false
  }
  changes.onEverything(() => {
    isDue = true
    if (!isRunning) running = publish()
  })
  return { settled: () => running }
}
