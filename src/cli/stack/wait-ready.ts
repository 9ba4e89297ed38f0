// Whether a service answers, and waiting until it does.
import { setTimeout as sleep } from 'node:timers/promises'
import { POPULATING } from '../../service/readiness.ts'

/** `filling`: ClickHouse is empty and being filled from the record. */
export type Readiness = 'ready' | 'filling' | 'unready'

/** Null where nothing answers in two seconds. */
export async function askReady(address: string): Promise<Readiness | null> {
  try {
    const response = await fetch(`${address}/readyz`, {
      signal: AbortSignal.timeout(2_000),
      headers: { connection: 'close' },
    })
    return readinessIn(response.status, (await response.json()) as ReadyzBody)
  } catch {
    return null
  }
}

interface ReadyzBody {
  checks?: { clickhouse?: { error?: string } }
}

/** What an answer of /readyz says. */
export function readinessIn(status: number, { checks }: ReadyzBody): Readiness {
  if (status === 200) return 'ready'
  return checks?.clickhouse?.error === POPULATING ? 'filling' : 'unready'
}

/** The version of the service that answers there; null where none does in two seconds. */
export async function askVersion(address: string): Promise<string | null> {
  try {
    const response = await fetch(`${address}/metrics`, {
      signal: AbortSignal.timeout(2_000),
      headers: { connection: 'close' },
    })
    return /^service_info\{.*version="([^"]*)"/m.exec(await response.text())?.[1] ?? null
  } catch {
    return null
  }
}

/** How it came out: ready, ended before it was, still filling when the time was up, or too slow. */
export async function waitReady(
  address: string,
  isRunning: () => boolean,
  timeoutMs: number,
): Promise<'ready' | 'ended' | 'filling' | 'late'> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    if (!isRunning()) return 'ended'
    const readiness = await askReady(address)
    if (readiness === 'ready' && isRunning()) return 'ready'
    if (performance.now() >= deadline) return readiness === 'filling' ? 'filling' : 'late'
    await sleep(60)
  }
}

/** What `make up` says then, behind the address. */
export const POPULATING_LINE =
  'ClickHouse is still being filled from the record: answers are 503 until then, /readyz and the log tell'
