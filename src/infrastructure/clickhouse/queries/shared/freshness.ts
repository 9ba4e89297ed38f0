// Tells whether data that queries hold in memory is still current.
import type { ChangeTracker } from '../../../../application/changes/change-tracker.ts'

export interface Freshness {
  changes: ChangeTracker
  /** Returns whether this process knows the changes that other processes have made. */
  isUpToDate: () => boolean
}
