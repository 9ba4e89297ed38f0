// The rows of detected signals and of the trades that they mark, and what is stored of signals. Pure, and computed
// beside what the service answers.
import { combined, scopeOfMarks, scopeOfSignals } from '../../../application/changes/change-scope.ts'
import type { ShownSignal, SignalChange, SignalInserts, TableInserts } from '../../../application/ports/analytics.ts'
import { cikNumber, cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import { newYorkDay } from '../../../domain/shared/new-york-time.ts'
import type { JointFiling } from '../../../domain/signals/signal.ts'
import { parseRows } from '../connection/answer-shape.ts'
import type { InsertRow } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { markedInserts } from './change-inserts.ts'
import { goneSignalListRow, goneSignalRow, signalListRow, signalRow, signalStatesRow } from './signal-rows.ts'
import { tableInserts } from './table-inserts.ts'

const SIGNALS_PER_INSERT = 5_000

/** Returns the rows of signals that are new, changed or gone, and of trades with other marks, with all their copies. */
export const signalInserts = (
  { signals, gone, formerStates = [], marked = [] }: SignalChange,
  version: number,
): SignalInserts => ({
  signals: [
    inserts('signal_list', [
      gone.values().map((signal) => goneSignalListRow(signal, version)),
      signals.values().map((shown) => signalListRow(shown, version)),
    ]),
    inserts('signal_states', [
      [...gone, ...formerStates].values().map((signal) => goneSignalListRow(signal, version)),
      signals.values().map((shown) => signalStatesRow(shown, version)),
    ]),
    // Last: changes are found by comparing with it, so a process killed in between writes all again.
    inserts('signals', [
      gone.values().map((signal) => goneSignalRow(signal, version)),
      signals.values().map((shown) => signalRow(shown, version)),
    ]),
  ],
  marks: markedInserts(marked, version),
  scope: combined(scopeOfSignals(signals, gone), scopeOfMarks(marked)),
})

const inserts = (table: string, sources: Iterable<InsertRow>[]): TableInserts =>
  tableInserts(
    table,
    sources.values().flatMap((rows) => rows),
    SIGNALS_PER_INSERT,
  )

export const signalsSql = (issuers: Cik[]): Sql => sql`
  SELECT whole
  FROM signals FINAL
  WHERE path = 'issuer' AND subject IN ${issuers.map(cikNumber)}`

export const parseSignals = (stored: Uint8Array): ShownSignal[] =>
  parseRows<[whole: string]>(stored).map(([whole]) => JSON.parse(whole) as ShownSignal)

/** Selects standing filings of any form with two or more owners. */
export const jointFilingsSql = (issuers: Cik[]): Sql => sql`
  SELECT
    key AS issuerCik, accession, toUnixTimestamp(filed_at) AS filedAt, owner_ciks AS owners,
    NOT estimated AS isDayKnown
  FROM directory FINAL
  WHERE kind = 'issuer' AND key IN ${issuers} AND length(owner_ciks) > 1 AND NOT withdrawn`

export function parseJointFilings(stored: Uint8Array): (JointFiling & { issuerCik: Cik })[] {
  const filings =
    parseRows<[issuerCik: Cik, accession: AccessionNumber, filedAt: number, owners: number[], isDayKnown: boolean]>(
      stored,
    )
  return filings.map(([issuerCik, accession, filedAt, owners, isDayKnown]) => ({
    ...{ issuerCik, accession, filedAt, isDayKnown },
    filedDay: newYorkDay(filedAt),
    ownerCiks: owners.map(cikOf),
  }))
}
