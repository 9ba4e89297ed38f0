// Whether a service answers, and waiting until it does.
import { setTimeout as sleep } from 'node:timers/promises'
import { FILLING } from './readiness.ts'

/** `filling`: ClickHouse is empty and being filled from the record. */
export type Readiness = 'ready' | 'filling' | 'unready'

/** Null where nothing answers in two seconds. */
export async function askReady(address: string): Promise<Readiness | null> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(2_000), headers: { connection: 'close' } })
    const { checks } = await response.json() as { checks?: { clickhouse?: { error?: string } } }
    if (response.status === 200) return 'ready'
    return checks?.clickhouse?.error === FILLING ? 'filling' : 'unready'
  } catch {
    return null
  }
}

/**
 * How it came out: ready, ended before it was, or too slow. Filling takes as long as it takes: of it `onFilling` is told,
 * once, and only what comes after it has the time limit.
 */
export async function waitReady(
  address: string, isRunning: () => boolean, timeoutMs: number, onFilling: () => void,
): Promise<'ready' | 'ended' | 'late'> {
  let deadline = performance.now() + timeoutMs
  for (let isTold = false; performance.now() < deadline; await sleep(60)) {
    if (!isRunning()) return 'ended'
    const readiness = await askReady(address)
    if (readiness === 'ready' && isRunning()) return 'ready'
    if (readiness !== 'filling') continue
    deadline = performance.now() + timeoutMs
    if (!isTold) onFilling()
    isTold = true
  }
  return 'late'
}

export const FILLING_NOTE = 'ClickHouse is being filled from the record; its progress is in the log'
