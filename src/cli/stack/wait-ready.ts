// Asks a service whether it is ready and which version it has, and waits until it is ready.
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobState } from '../../application/ports/jobs.ts'
import type { Config } from '../../config.ts'
import type { components } from '../../contract.ts'
import { POPULATING } from '../../service/readiness.ts'

/** What a service says about itself at `/readyz`. */
export interface ServiceState {
  /** `filling`: ClickHouse is being rebuilt from PostgreSQL. */
  state: 'ready' | 'filling' | 'unready'
  /** Why it is not ready, such as `redis unreachable`; null if it is ready. */
  reason: string | null
}

/** `/readyz` waits at most 1 s for the stores and 1 s for the state of ingestion; a busy machine takes longer. */
const ANSWER_MS = 5_000

/** Returns what `read` makes of the answer; null if there is none in time, or `read` fails. */
export async function ask<T>(url: string, read: (response: Response) => Promise<T>): Promise<T | null> {
  try {
    return await read(await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), headers: { connection: 'close' } }))
  } catch {
    return null
  }
}

/** Returns the readiness of the service at `address`; it is not ready if nothing answers in five seconds. */
async function askReady(address: string): Promise<ServiceState> {
  const answer = await ask(`${address}/readyz`, readState)
  return answer ?? { state: 'unready', reason: 'no answer' }
}

async function readState(response: Response): Promise<ServiceState> {
  const { status, checks = {} } = (await response.json()) as Partial<components['schemas']['Readiness']>
  if (response.status === 200) return { state: 'ready', reason: null }
  const failed = Object.entries(checks).filter(([, check]) => !check.ok)
  return {
    state: checks.clickhouse?.error === POPULATING ? 'filling' : 'unready',
    reason: failed.map(([store, { error }]) => `${store} ${error}`).join(', ') || (status ?? `HTTP ${response.status}`),
  }
}

/** Returns the readiness, for `status`; while ClickHouse is being filled, the reason says how far that is. */
export async function askReadiness(address: string): Promise<ServiceState> {
  const readiness = await askReady(address)
  if (readiness.state !== 'filling') return readiness
  const share = await ask(`${address}/v1/status`, readShare)
  return share === null ? readiness : { ...readiness, reason: `${readiness.reason}, ${share}` }
}

async function readShare(response: Response): Promise<string | null> {
  const { data } = (await response.json()) as { data?: Partial<components['schemas']['ServiceStatus']> }
  const { done = 0, total } = data?.filling ?? {}
  return total ? `${Math.floor((100 * done) / total)} %` : null
}

/** Returns the readiness in words, for `status`. */
export const readinessText = ({ state, reason }: ServiceState): string =>
  state === 'ready' ? 'ready' : `not ready (${reason})`

/** Returns the version of the service at `address`; null if none answers in five seconds. */
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
    const { state } = await askReady(address)
    if (state === 'ready' && isRunning()) return 'ready'
    if (performance.now() >= deadline) return state === 'filling' ? 'filling' : 'late'
    await sleep(60)
  }
}

/** Returns the line with the address that `up` prints: what state the service is in, and whether there is a page. */
export const addressLine = (state: string, address: string, { dashboard }: Pick<Config, 'dashboard'>): string =>
  `${state} at ${address}${dashboard ? ' (open it in a browser)' : ''}`

/** The line that `make up` prints below the address while ClickHouse is being rebuilt. */
export const POPULATING_LINE =
  'ClickHouse is being rebuilt from PostgreSQL: the service answers 503 until it is done; see make status and the log'

/** Returns the line that `make up` prints if a rebuild is among the unfinished jobs, as after an upgrade. */
export const rebuildLines = (jobs: readonly Pick<JobState, 'kind'>[]): string[] =>
  jobs.some(({ kind }) => kind === 'rebuild')
    ? ['a rebuild writes all rows again in the background: see make status']
    : []
