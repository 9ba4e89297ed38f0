// The job `sectors`: queues issuers whose filings show no SIC for requests to EDGAR, and writes to ClickHouse what
// EDGAR answered so far. Done in a second, so that it delays nothing; the requests continue independently.
import { sectorOf } from '../../domain/filings/sector.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { JobQueue } from '../ports/jobs.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import { reportedIssuers } from '../changes/reported-extents.ts'
import type { ChangeLog } from '../ports/changes.ts'
import type { SectorStore, SicList } from '../ports/sectors.ts'

interface SectorsFilled {
  /** Issuers queued now. */
  added: number
  /** Sectors written now. */
  written: number
}

/** Queues the job where one of these issuers is not entered yet. */
export type QueueSectors = (issuers: Cik[]) => Promise<void>

export function makeQueueSectors(list: Pick<SicList, 'lacks'>, jobs: Pick<JobQueue, 'queueOnce'>): QueueSectors {
  return async (issuers) => {
    if (await list.lacks(issuers)) await jobs.queueOnce('sectors')
  }
}

export type FillSectors = () => Promise<SectorsFilled>

interface FillSectorsParts {
  list: SicList
  store: SectorStore
  nextVersion: () => Promise<number>
  changes: ChangeTracker
  log: Pick<ChangeLog, 'recordPending' | 'flushPending'>
}

export function makeFillSectors({ list, store, nextVersion, changes, log }: FillSectorsParts): FillSectors {
  return async () => {
    const added = await list.add(await store.issuersWithoutSic())
    const written = await copySectors(list, store, nextVersion).finally(() => changes.recordExtent('everything'))
    if (written.length > 0) {
      await log.recordPending(reportedIssuers('sectors', written))
      await log.flushPending(true)
    }
    return { added, written: written.length }
  }
}

/**
 * Writes what the store lacks or has differently, as after a change of our table of sectors. Returns the issuers
 * concerned.
 */
export async function copySectors(
  list: Pick<SicList, 'known'>,
  store: Pick<SectorStore, 'stored' | 'write'>,
  nextVersion: () => Promise<number>,
): Promise<Cik[]> {
  const [known, stored] = await Promise.all([list.known(), store.stored()])
  const present = new Map(stored.map(({ issuerCik, sic, sector }) => [issuerCik, `${sic} ${sector}`]))
  const sectors = known.map((each) => ({ ...each, sector: sectorOf(each.sic, null).sector }))
  const changed = sectors.filter(({ issuerCik, sic, sector }) => present.get(issuerCik) !== `${sic} ${sector}`)
  if (changed.length > 0) await store.write(changed, await nextVersion())
  return changed.map(({ issuerCik }) => issuerCik)
}
