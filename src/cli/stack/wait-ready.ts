// Asks a service whether it is ready and which version it has, and waits until it is ready.
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobState } from '../../application/ports/jobs.ts'
import type { Config } from '../../config.ts'
import { POPULATING } from '../../service/readiness.ts'

/** `filling`: ClickHouse is being rebuilt from PostgreSQL. */
export type ServiceState = 'ready' | 'filling' | 'unready'

/** Returns what `read` makes of the answer; null if there is none in time, or `read` fails. */
export async function ask<T>(url: string, read: (response: Response) => Promise<T>, ms = 2_000): Promise<T | null> {
  try {
    return await read(await fetch(url, { signal: AbortSignal.timeout(ms), headers: { connection: 'close' } }))
  } catch {
    return null
  }
}

/** Returns the readiness of the service at `address`; null if nothing answers in two seconds. */
export function askReady(address: string): Promise<ServiceState | null> {
  return ask(`${address}/readyz`, async (response) => {
    const { checks } = (await response.json()) as { checks?: { clickhouse?: { error?: string } } }
    if (response.status === 200) return 'ready'
    return checks?.clickhouse?.error === POPULATING ? 'filling' : 'unready'
  })
}

/** Returns the version of the service at `address`; null if none answers in two seconds. */
export function askVersion(address: string): Promise<string | null> {
  return ask(
    `${address}/metrics`,
    async (response) => /^service_info\{.*version="([^"]*)"/m.exec(await response.text())?.[1] ?? null,
  )
}

/** Waits until the service is ready. Returns `ended` if it stopped before, `filling` or `late` at the timeout. */
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

/** Returns the line with the address that `up` prints: what state the service is in, and whether there is a page. */
export const addressLine = (state: string, address: string, { dashboard }: Pick<Config, 'dashboard'>): string =>
  `${state} at ${address}${dashboard ? ' (open it in a browser)' : ''}`

/** The line that `make up` prints below the address while ClickHouse is being rebuilt. */
export const POPULATING_LINE =
  'ClickHouse is being rebuilt from PostgreSQL: the service answers 503 until it is done; see /readyz and the log'

/** Returns the line that `make up` prints if a rebuild is among the unfinished jobs, as after an upgrade. */
export const rebuildLines = (jobs: readonly Pick<JobState, 'kind'>[]): string[] =>
  jobs.some(({ kind }) => kind === 'rebuild')
    ? ['a rebuild writes all rows again in the background: see make status']
    : []
