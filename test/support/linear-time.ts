// Whether work grows faster than what it is done on, by processor time.

const SMALL = 125_000,
  LARGE = 1_000_000
/** Processor time for a megabyte: many times what any shape takes, and a fraction of what a quadratic reader took. */
const AMPLE_MS = 250

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/**
 * Why the work grows faster than its size, eight times as large costing over twenty times as much; null where it
 * doesn't.
 */
export function superlinear(work: (size: number) => () => void): string | null {
  for (let tries = 1; ; tries += 1) {
    const large = cpuMs(work(LARGE))
    if (large < AMPLE_MS) return null
    const small = cpuMs(work(SMALL))
    if (large < 20 * small) return null
    if (tries === 3) return `${Math.round(small)} ms for ${SMALL} bytes, ${Math.round(large)} ms for ${LARGE}`
  }
}
