// What a running backfill does and needs, seen from outside: the job's row in PostgreSQL, and the files of the stores.
// Works with versions that don't say their phase as well, which are `load` then.
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { queryStack } from '../../support/stores/embedded.ts'

export interface WatchedBackfill {
  /** Seconds by phase. `copy` is before the job begins, `signals` after it has ended. */
  phases: Record<string, number>
  /** Bytes of both stores at the end, of ClickHouse at most, and of its tables of staging at most. */
  disk: { stores: number; most: number; staging: number }
}

const LOOK_MS = 250
/** Reading the sizes of all files takes some time of the disk. */
const DISK_MS = 5_000

/** Watches the next backfill of this stack until `stop`, which may be called again. */
export function watchBackfill(dataDir: string): { stop(): Promise<WatchedBackfill> } {
  const ended = new AbortController()
  const phases: Record<string, number> = {}
  const disk = { stores: 0, most: 0, staging: 0 }
  const looking = (async () => {
    for (let since = performance.now(); !ended.signal.aborted;) {
      const phase = await phaseOf(dataDir)
      const now = performance.now()
      if (phase !== null) phases[phase] = (phases[phase] ?? 0) + (now - since) / 1_000
      since = now
      await sleep(LOOK_MS, undefined, { signal: ended.signal }).catch(() => {})
    }
  })()
  const weigh = async () => {
    const { all, staging } = await clickHouseBytes(dataDir)
    disk.most = Math.max(disk.most, all)
    disk.staging = Math.max(disk.staging, staging)
    return all
  }
  const weighing = (async () => {
    while (!ended.signal.aborted) {
      await weigh()
      await sleep(DISK_MS, undefined, { signal: ended.signal }).catch(() => {})
    }
  })()
  return {
    stop: async () => {
      ended.abort()
      await Promise.all([looking, weighing])
      disk.stores = (await weigh()) + (await bytesBelow(join(dataDir, 'postgres')))
      return { phases, disk }
    },
  }
}

async function phaseOf(dataDir: string): Promise<string | null> {
  const [row] = await queryStack<{ status: string | null; phase: string | null; waiting: number }>(
    dataDir,
    `SELECT job->>'status' AS status, job->'pace'->>'phase' AS phase,
       (SELECT count(*)::int FROM signal_queue) AS waiting
     FROM (SELECT to_jsonb(jobs) AS job FROM jobs WHERE kind = 'backfill' ORDER BY id DESC LIMIT 1) AS last
     RIGHT JOIN (SELECT) AS always ON true`,
  )
  const { status, phase, waiting } = row!
  if (status === null || status === 'queued') return 'copy'
  if (status === 'running') return phase ?? 'load'
  return waiting > 0 ? 'signals' : null
}

async function clickHouseBytes(dataDir: string): Promise<{ all: number; staging: number }> {
  const folder = join(dataDir, 'clickhouse')
  let staging = 0
  for (const database of await names(join(folder, 'data'))) {
    for (const table of await names(join(folder, 'data', database))) {
      if (!table.startsWith('staged_')) continue
      const path = await realpath(join(folder, 'data', database, table)).catch(() => null)
      if (path !== null) staging += await bytesBelow(path)
    }
  }
  return { all: await bytesBelow(folder), staging }
}

/** Files may go while they are counted. */
async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesBelow(path)
    else if (entry.isFile()) bytes += (await stat(path).catch(() => null))?.size ?? 0
  }
  return bytes
}

const names = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
