// Announces changes of many or unknown parts, such as a rebuild or a loaded quarter, to other processes. Projected
// filings and detected signals need no announcement: the statement that marks them adds them to the log.
import type { ChangeLog } from '../ports/changes.ts'
import type { Wait } from '../ports/system.ts'
import { coalesce } from '../shared/batcher.ts'
import type { ChangeTracker, Extent } from './change-tracker.ts'

const RETRY_MS = 1_000

/**
 * Adds each `recordExtent` to the log from now on; several at once become one entry. While the log can't be written, it
 * reports the error to `failed` and tries again until `signal` aborts. The next process that writes to ClickHouse begins
 * with an entry that covers what was not added.
 */
export function publishChanges(
  changes: ChangeTracker,
  log: Pick<ChangeLog, 'append'>,
  { wait, failed, signal }: { wait: Wait; failed: (error: unknown) => void; signal: AbortSignal },
): { settled(): Promise<void> } {
  const publishing = coalesce<Extent>(async (extents) => {
    const extent = extents.includes('everything') ? 'everything' : 'filings'
    await log.append(extent).catch(async (error: unknown) => {
      failed(error)
      if (signal.aborted) return
      publishing.add(extent)
      await wait(RETRY_MS, signal)
    })
  })
  changes.onExtent((extent) => publishing.add(extent))
  return { settled: () => publishing.idle() }
}
