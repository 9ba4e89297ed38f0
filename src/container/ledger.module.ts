// The record in PostgreSQL, and the queues of work that stand in it.
import { ContainerModule } from 'inversify'
import { openJobs } from '../infrastructure/postgres/coordination/job-queue.ts'
import { openCompanyList } from '../infrastructure/postgres/filings/company-list.ts'
import { openFilingLedger } from '../infrastructure/postgres/filings/filing-ledger.ts'
import { openSicList } from '../infrastructure/postgres/filings/sic-list.ts'
import { openSignalQueue } from '../infrastructure/postgres/filings/signal-queue.ts'
import { TYPES } from './tokens.ts'

export const ledgerModule = new ContainerModule(({ bind }) => {
  bind(TYPES.ledger).toResolvedValue(openFilingLedger, [TYPES.pool])
  bind(TYPES.jobs).toResolvedValue(openJobs, [TYPES.pool])
  bind(TYPES.signalQueue).toResolvedValue(openSignalQueue, [TYPES.pool])
  bind(TYPES.companyList).toResolvedValue(openCompanyList, [TYPES.pool])
  bind(TYPES.sicList).toResolvedValue(openSicList, [TYPES.pool])
})
