// Bindings of the ledger in PostgreSQL, and of the work queues stored there.
import { ContainerModule } from 'inversify'
import { PostgresChangeLog } from '../infrastructure/postgres/changes/change-log.ts'
import { PostgresJobQueue } from '../infrastructure/postgres/coordination/job-queue.ts'
import { IdentifiedPostgres } from '../infrastructure/postgres/coordination/store-identity.ts'
import { PostgresCompanyList } from '../infrastructure/postgres/filings/company-list.ts'
import { PostgresFilingLedger } from '../infrastructure/postgres/filings/filing-ledger.ts'
import { PostgresSicList } from '../infrastructure/postgres/filings/sic-list.ts'
import { PostgresSignalQueue } from '../infrastructure/postgres/filings/signal-queue.ts'
import { PostgresFilingRecords } from '../infrastructure/postgres/queries/filing-records.ts'
import { PostgresNoticeLedger } from '../infrastructure/postgres/notices/notice-ledger.ts'
import { PostgresPriceLedger } from '../infrastructure/postgres/prices/price-ledger.ts'
import { TYPES } from './tokens.ts'

export const ledgerModule = new ContainerModule(({ bind }) => {
  bind(TYPES.ledger).toResolvedValue((pool) => new PostgresFilingLedger(pool), [TYPES.pool])
  bind(TYPES.filingRecords).toResolvedValue((pool) => new PostgresFilingRecords(pool), [TYPES.callersPool])
  bind(TYPES.nextVersion).toResolvedValue((ledger) => () => ledger.nextVersion(), [TYPES.ledger])
  bind(TYPES.recordIdentity).toResolvedValue((pool) => new IdentifiedPostgres(pool), [TYPES.pool])
  bind(TYPES.changeLog).toResolvedValue((pool) => new PostgresChangeLog(pool), [TYPES.pool])
  bind(TYPES.noticeLedger).toResolvedValue((pool) => new PostgresNoticeLedger(pool), [TYPES.pool])
  bind(TYPES.jobs).toResolvedValue((pool) => new PostgresJobQueue(pool), [TYPES.pool])
  bind(TYPES.signalQueue).toResolvedValue((pool) => new PostgresSignalQueue(pool), [TYPES.pool])
  bind(TYPES.companyList).toResolvedValue((pool) => new PostgresCompanyList(pool), [TYPES.pool])
  bind(TYPES.priceLedger).toResolvedValue((pool) => new PostgresPriceLedger(pool), [TYPES.pool])
  bind(TYPES.sicList).toResolvedValue((pool) => new PostgresSicList(pool), [TYPES.pool])
})
