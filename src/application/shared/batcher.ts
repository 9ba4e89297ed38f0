// A batcher for work that costs about the same for one item as for many, such as a statement: items that arrive while
// it is running are processed together next. No timer, so that a single item never waits.

interface Batcher<T> {
  add(...items: T[]): void
  /** Resolves once nothing is left. */
  idle(): Promise<void>
}

/** Runs `work` once at a time, with all that arrived since the last run; it must not reject. */
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
