// For how long work holds the event loop.

/**
 * Turns take 20 ms at most on a machine of its own; what a computation takes that is not divided is many times this.
 */
export const LONGEST_TURN_MS = 50

/**
 * Returns the processor time of the longest turn of the event loop while the work runs, in milliseconds: what requests
 * would have waited for, without what other processes took.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let [longest, isDone] = [0, false]
  let before = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.threadCpuUsage()
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
  } finally {
    isDone = true
    turn()
  }
  return longest
}
