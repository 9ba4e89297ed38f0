// What the worker threads run: each export is a computation of the port, by its name.
import { projectHistory as projectHistoryBy } from './application/data-sets/history-computation.ts'
import {
  projectFilings as projectFilingsBy,
  readFilings as readFilingsBy,
  type ProjectionFormats,
} from './application/projection/projection-computations.ts'
import { detectSignals as detectSignalsBy } from './application/projection/signal-computations.ts'
import type { SignalInserts, StagedInserts, TableInserts } from './application/ports/analytics.ts'
import type { Computations } from './application/ports/computations.ts'
import { retractionsOf } from './application/projection/retractions.ts'
import type { Derived } from './application/projection/derive-rows.ts'
import { clickHouseRows } from './infrastructure/clickhouse/stores/row-format.ts'
import { readAnyDocument } from './infrastructure/edgar/documents/read-any-document.ts'
import { answering } from './infrastructure/workers/answer.ts'
import { matchSharedRules, needsOfSharedRules } from './application/alerts/match-rules.ts'
import {
  rowsOfDetails as rowsOfDetailsOf,
  rowsOfDocuments as rowsOfDocumentsOf,
} from './infrastructure/clickhouse/exports/staged-rows.ts'
import { recordOfRows } from './infrastructure/clickhouse/queries/aggregates/insider-record.ts'
import { companyHoldersOfRows, insiderHoldingsOfRows } from './infrastructure/clickhouse/queries/evidence-rows.ts'
import { linksOfRows } from './infrastructure/clickhouse/queries/notices/known-links.ts'
import { bytesOfLinked, linkNoticesOfRows } from './infrastructure/clickhouse/stores/notice-rows.ts'

const formats: ProjectionFormats = {
  // A copy in another thread is no Buffer any more.
  read: ({ buffer, byteOffset, length }, path) => readAnyDocument(Buffer.from(buffer, byteOffset, length), path),
  rows: clickHouseRows,
  // Plain values all through, of which the main thread then has no objects.
  pack: (derived) => new TextEncoder().encode(JSON.stringify(derived)),
  unpack: (packed) => JSON.parse(new TextDecoder().decode(packed)) as Derived,
}

const insertsOf = (tables: TableInserts[]) => tables.flatMap(({ inserts }) => inserts)
const ofStages = ({ shown, beside, last }: StagedInserts) => insertsOf([...shown, ...beside, ...last])
const ofSignals = ({ signals, marks }: SignalInserts) => [...insertsOf(signals), ...ofStages(marks)]

export const readFilings = answering<Computations['readFilings']>(
  (asked) => readFilingsBy(formats, asked),
  ({ derived }) => [derived],
)
export const projectFilings = answering<Computations['projectFilings']>(
  (asked) => projectFilingsBy(formats, asked),
  ({ rows }) => (rows ? ofStages(rows) : []),
)
export const detectSignals = answering<Computations['detectSignals']>(
  (asked) => detectSignalsBy(clickHouseRows, asked),
  ({ rows }) => (rows ? ofSignals(rows) : []),
)
export const retract = answering<Computations['retract']>(
  ({ filings, version }) => clickHouseRows.changeInserts(retractionsOf(filings), version),
  ofStages,
)
export const projectHistory = answering<Computations['projectHistory']>(
  (asked) => projectHistoryBy(formats, asked),
  ({ rows, signals }) => [...ofStages(rows), ...ofSignals(signals)],
)
export const insiderHoldings = answering(insiderHoldingsOfRows)
export const insiderRecord = answering(recordOfRows)
export const companyHolders = answering(companyHoldersOfRows)
export const linkNotices = answering(linkNoticesOfRows, bytesOfLinked)
export const rowsOfDocuments = answering(rowsOfDocumentsOf(readAnyDocument), ({ inserts }) => inserts)
export const rowsOfDetails = answering(rowsOfDetailsOf, ({ inserts }) => inserts)
export const needsOfRules = answering(needsOfSharedRules)
export const matchRules = answering(matchSharedRules)
export const linksAsOf = answering(linksOfRows)
