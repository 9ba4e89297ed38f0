// Work that costs about the same for one thing as for many, such as a statement: whatever comes while it is under way
// is done together next. No timer, so that a single thing never waits.

export interface Batcher<T> {
  add(...items: T[]): void
  /** Resolves once nothing is left. */
  idle(): Promise<void>
}

/** One run of `work` at a time, with all that came since the last; it must not reject. */
export function coalesce<T>(work: (items: T[]) => Promise<void>): Batcher<T> {
  let waiting: T[] = []
  let running: Promise<void> | null = null
  const run = async () => {
    while (waiting.length > 0) {
      const items = waiting
      waiting = []
      await work(items)
    }
    running = null
  }
  return {
    add: (...items) => {
      waiting.push(...items)
      if (waiting.length > 0) running ??= run()
    },
    idle: async () => {
      while (running) await running
    },
  }
}
