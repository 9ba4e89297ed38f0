// Whether a service answers, and waiting until it does.
import { setTimeout as sleep } from 'node:timers/promises'

/** Null where nothing answers in two seconds, else whether it called itself ready. */
export async function askReady(address: string): Promise<boolean | null> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(2_000), headers: { connection: 'close' } })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return null
  }
}

/** How it came out: ready, ended before it was, or too slow. */
export async function waitReady(address: string, isRunning: () => boolean, timeoutMs: number): Promise<'ready' | 'ended' | 'late'> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    if (!isRunning()) return 'ended'
    if ((await askReady(address)) === true && isRunning()) return 'ready'
    await sleep(60)
  }
  return 'late'
}
