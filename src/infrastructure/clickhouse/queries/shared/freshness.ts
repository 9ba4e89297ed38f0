// How current what queries keep in memory is.
import type { ChangeTracker } from '../../../../application/changes/change-tracker.ts'

export interface Freshness {
  changes: ChangeTracker
  /** Whether changes by other processes are known up to a second ago. */
  isUpToDate: () => boolean
}
