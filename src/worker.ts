// What the worker threads run: each export is a computation of the port, by its name.
import { matchSharedRules, needsOfSharedRules } from './application/alerts/match-rules.ts'
import {
  rowsOfDetails as rowsOfDetailsOf,
  rowsOfDocuments as rowsOfDocumentsOf,
} from './infrastructure/clickhouse/exports/staged-rows.ts'
import { recordOfRows } from './infrastructure/clickhouse/queries/aggregates/insider-record.ts'
import { companyHoldersOfRows, insiderHoldingsOfRows } from './infrastructure/clickhouse/queries/evidence-rows.ts'
import { linksOfRows } from './infrastructure/clickhouse/queries/notices/known-links.ts'
import { bytesOfLinked, linkNoticesOfRows } from './infrastructure/clickhouse/stores/notice-rows.ts'
import { answering } from './infrastructure/workers/answer.ts'

export const insiderHoldings = answering(insiderHoldingsOfRows)
export const insiderRecord = answering(recordOfRows)
export const companyHolders = answering(companyHoldersOfRows)
export const linkNotices = answering(linkNoticesOfRows, bytesOfLinked)
export const rowsOfDocuments = answering(rowsOfDocumentsOf, ({ inserts }) => inserts)
export const rowsOfDetails = answering(rowsOfDetailsOf, ({ inserts }) => inserts)
export const needsOfRules = answering(needsOfSharedRules)
export const matchRules = answering(matchSharedRules)
export const linksAsOf = answering(linksOfRows)
