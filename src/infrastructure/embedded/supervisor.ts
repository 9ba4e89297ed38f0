// The supervisor of the embedded stores: starts those again that end under the running service.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { findStores, restartStore, type EmbeddedStore, type StoresWanted } from './stores.ts'

const LOOK_MS = 1_000
/** One that ends at once again, as on a full disk, is not started all the time. */
const RESTART_MS = 60_000

/** Stopping waits for a start in progress, and nothing is started after. */
export function superviseStores(
  { dataDir, databaseUrl, redisUrl }: StoresWanted,
  log: Logger,
): { stop(): Promise<unknown> } {
  const stop = new AbortController()
  const stores: EmbeddedStore[] = []
  if (databaseUrl === null) stores.push('postgres')
  if (redisUrl === null) stores.push('redis')
  const running = Promise.all(stores.map((store) => supervise(dataDir, store, log, stop.signal)))
  return {
    stop: () => {
      stop.abort()
      return running
    },
  }
}

async function supervise(dataDir: string, store: EmbeddedStore, log: Logger, signal: AbortSignal): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})
  for (await pause(LOOK_MS); !signal.aborted; await pause(LOOK_MS)) {
    const found = await findStores(dataDir).catch(() => null)
    if (found?.[store] !== null || signal.aborted) continue
    log.warn({ store }, 'a store has ended and is started again')
    await restartStore(dataDir, store).then(
      (pid) => log.info({ store, process: pid }, 'the store runs again'),
      (error: unknown) => log.error({ store, err: error }, 'the store could not be started'),
    )
    await pause(RESTART_MS)
  }
}
