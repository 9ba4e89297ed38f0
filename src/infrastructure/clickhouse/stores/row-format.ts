// The answers and rows of ClickHouse, for the computations.
import type { RowFormat } from '../../../application/ports/analytics.ts'
import { stagedFilings } from '../data-sets/staged-filing.ts'
import { changeInserts, relatedFilings } from './change-inserts.ts'
import { parseJointFilings, parseSignals, signalInserts } from './signal-inserts.ts'
import { tradesOfLines } from './trade-rows.ts'

export const clickHouseRows: RowFormat = {
  trades: tradesOfLines,
  relatedFilings,
  jointFilings: parseJointFilings,
  signals: parseSignals,
  stagedFilings,
  changeInserts,
  signalInserts,
}
