// Port of the log of changes, which tells other processes what became visible in the analytics store.

/** The numbered log (PostgreSQL). What is projected or detected is added by the statement that marks it. */
export interface ChangeLog {
  /** Adds a change of everything, such as a rebuild or a quarter of a data set. */
  appendEverything(): Promise<void>
  /** Begins writing after another process did: entries that were lost in a crash are covered by one of everything. */
  takeOver(): Promise<void>
  /** Removes entries older than a reader may be away. */
  prune(): Promise<void>
}
