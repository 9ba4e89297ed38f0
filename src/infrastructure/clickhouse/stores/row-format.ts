// The answers and rows of ClickHouse, for the computations.
import type { RowFormat } from '../../../application/ports/analytics.ts'
import { stagedFilings } from '../data-sets/staged-filing.ts'
import { changeRows, relatedFilings } from './change-rows.ts'
import { parseJointFilings, parseSignals, signalRows } from './signal-change-rows.ts'
import { tradesOfLines } from './trade-rows.ts'

export const clickHouseRows: RowFormat = {
  trades: tradesOfLines,
  relatedFilings,
  jointFilings: parseJointFilings,
  signals: parseSignals,
  stagedFilings,
  changeRows,
  signalRows,
}
