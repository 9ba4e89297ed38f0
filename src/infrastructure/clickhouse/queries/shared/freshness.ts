// Keeps data that queries hold in memory up to date.
import type { ChangeTracker } from '../../../../application/changes/change-tracker.ts'

export interface Freshness {
  changes: ChangeTracker
  /** Returns whether this process knows the changes that other processes have made. */
  isUpToDate: () => boolean
}

/** How long data is used while this process may not know the changes of others. */
const UNSURE_MS = 250

/** Returns a function that reads the data at its first call, and again once `isCurrent` is false for what was read. */
export function keepCurrent<T>(
  read: () => Promise<T>,
  { changes, isUpToDate }: Freshness,
  isCurrent: (version: number) => boolean,
): () => Promise<T> {
  let cached: { data: Promise<T>; version: number; at: number } | null = null
  return () => {
    const [version, at] = [changes.version(), performance.now()]
    if (cached && (isUpToDate() ? isCurrent(cached.version) : at - cached.at < UNSURE_MS)) return cached.data
    const reading = { data: read(), version, at }
    cached = reading
    reading.data.catch(() => {
      if (cached === reading) cached = null
    })
    return reading.data
  }
}
