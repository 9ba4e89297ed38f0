// Publishes changes of great extent, such as a rebuild or a part of a quarter, to other processes. What is projected or
// detected needs no publishing: the statement that marks it adds it to the log.
import type { ChangeLog } from '../ports/changes.ts'
import type { Wait } from '../ports/system.ts'
import type { ChangeTracker, Extent } from './change-tracker.ts'

const RETRY_MS = 1_000

/**
 * Adds each change of great extent to the log from now on; several at once become one. While the log can't be written
 * it tries again each second until `signal` aborts, and `failed` receives the error. What is given up then is covered
 * by the entry that the next process to write begins with.
 */
export function publishChanges(
  changes: ChangeTracker,
  log: Pick<ChangeLog, 'append'>,
  { wait, failed, signal }: { wait: Wait; failed: (error: unknown) => void; signal: AbortSignal },
): { settled(): Promise<void> } {
  let due: Extent | null = null
  let isRunning = false
  let running = Promise.resolve()
  const add = (extent: Extent) => {
    due = due === 'everything' ? due : extent
  }
  const publish = async () => {
    isRunning = true
    while (due !== null) {
      const extent: Extent = due
      due = null
      await log.append(extent).catch(async (error: unknown) => {
        failed(error)
        if (signal.aborted) return
        add(extent)
        await wait(RETRY_MS, signal)
      })
    }
    isRunning = false
  }
  changes.onExtent((extent) => {
    add(extent)
    if (!isRunning) running = publish()
  })
  return { settled: () => running }
}
