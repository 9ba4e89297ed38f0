// Priorities of threads: what the ingesting thread does gives way to answers where processors are few.
import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Below that of the thread that answers: where both are busy, it gets a tenth of what that one gets. */
const NICE = 10
/** Of those that collect garbage: with 10 they fall behind, and a backfill takes up to 1,247 instead of 1,155 MiB. */
const COLLECTOR_NICE = 5

/** Threads of this process, of which Linux gives one folder each, with its name. */
const THREADS = '/proc/self/task'
const COLLECTOR = 'V8Worker'

/**
 * Lowers the priority of the calling thread and of V8's own threads. While a backfill keeps two processors busy, cold
 * answers take 54 instead of 70 ms at p99 with the first. V8's threads collect the garbage of all threads, nearly all
 * of it that of history, for up to 30 ms at a time: with the second cold answers take 24 instead of 27 ms at p99. Only
 * on Linux, elsewhere a priority is that of a process. To be called once the engine and libuv have started their
 * threads, which would inherit it.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return
  setPriority(NICE)
  for (const thread of readdirSync(THREADS)) {
    if (nameOf(thread) === COLLECTOR) setPriority(Number(thread), COLLECTOR_NICE)
  }
}

/** Returns undefined for a thread that has ended since. */
function nameOf(thread: string): string | undefined {
  try {
    return readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trimEnd()
  } catch {
    return undefined
  }
}
