// What the benches share: order statistics, a shuffle, and the one line they print.
import { arch, cpus, platform } from 'node:os'

/** `share` from 0 to 1, nearest rank. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN
}

export const median = (values: number[]) => quantile(values, 0.5)

export function shuffled<T>(values: T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

/**
 * The unit that cold answers are measured in: the least statement as the engine runs it by default, with a thread that
 * formats beside it. The service's own statements do without that thread.
 */
export const SELECT_1 = 'SELECT 1 AS one SETTINGS output_format_parallel_formatting = 1'

/** Does it for each value, for eight at a time. */
export async function eightAtOnce<T>(values: T[], act: (value: T) => Promise<unknown>): Promise<void> {
  const left = values.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const value of left) await act(value)
    }),
  )
}

/** One JSON line: figures rounded to three places, with what they were measured on. */
export function printBench(name: string, figures: Record<string, unknown>): void {
  const round = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value)
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${platform()} ${arch()}, Node ${process.version}`
  process.stdout.write(`${JSON.stringify({ bench: name, ...figures, machine }, round)}\n`)
}
