// Bindings of recording filings in the ledger; the second module is for a process that may send requests to EDGAR.
import { ContainerModule } from 'inversify'
import { makeRecordFilings } from '../application/commands/record-filings.ts'
import { makeFetchQuarter } from '../application/data-sets/fetch-quarter.ts'
import { makeCatchUp } from '../application/ingestion/follow-daily-index.ts'
import { makeFollowEdgar } from '../application/ingestion/follow-live-feed.ts'
import { makeFetchSectors } from '../application/sectors/fetch-sectors.ts'
import { OwnershipDocumentReader } from '../infrastructure/edgar/documents/document-reader.ts'
import { READER } from '../infrastructure/edgar/documents/read-any-document.ts'
import { PostgresFetchQueue } from '../infrastructure/postgres/filings/fetch-queue.ts'
import { PostgresSourceProgress } from '../infrastructure/postgres/filings/source-progress.ts'
import { named } from './named.ts'
import { TYPES } from './tokens.ts'

export const ingestionModule = new ContainerModule(({ bind }) => {
  bind(TYPES.readDocument).toResolvedValue(() => new OwnershipDocumentReader().read, [])
  bind(TYPES.recordFilings).toResolvedValue(makeRecordFilings, [
    TYPES.readDocument,
    TYPES.ledger,
    TYPES.noticeLedger,
    TYPES.clock,
  ])
  bind(TYPES.fetchQueue).toResolvedValue((pool) => new PostgresFetchQueue(pool, READER), [TYPES.pool])
  bind(TYPES.sourceProgress).toResolvedValue((pool) => new PostgresSourceProgress(pool), [TYPES.pool])
})

export const edgarModule = new ContainerModule(({ bind }) => {
  bind(TYPES.followEdgar).toResolvedValue(
    ...named(makeFollowEdgar, {
      source: TYPES.edgar,
      queue: TYPES.fetchQueue,
      progress: TYPES.sourceProgress,
      record: TYPES.recordFilings,
      clock: TYPES.clock,
      monotonic: TYPES.monotonic,
      wait: TYPES.wait,
      pollSeconds: TYPES.pollSeconds,
    }),
  )
  bind(TYPES.catchUp).toResolvedValue(
    ...named(makeCatchUp, {
      source: TYPES.edgar,
      queue: TYPES.fetchQueue,
      progress: TYPES.sourceProgress,
      clock: TYPES.clock,
      wait: TYPES.wait,
    }),
  )
  bind(TYPES.fetchSectors).toResolvedValue(makeFetchSectors, [TYPES.edgar, TYPES.sicList, TYPES.jobs, TYPES.wait])
  bind(TYPES.fetchQuarter).toResolvedValue(makeFetchQuarter, [TYPES.edgar, TYPES.dataSets])
})
