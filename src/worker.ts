// What the worker threads run: each export is a computation of the port, by its name.
import { deserialize, serialize } from 'node:v8'
import { projectHistory as projectHistoryBy } from './application/data-sets/history-computation.ts'
import {
  projectFilings as projectFilingsBy,
  readFilings as readFilingsBy,
  type ProjectionFormats,
} from './application/projection/projection-computations.ts'
import { detectSignals as detectSignalsBy } from './application/projection/signal-computations.ts'
import type { ChangeRows, SignalRows, TableRows } from './application/ports/analytics.ts'
import type { Computations } from './application/ports/computations.ts'
import { retractionsOf } from './application/projection/retractions.ts'
import type { Derived } from './application/projection/derive-rows.ts'
import { clickHouseRows } from './infrastructure/clickhouse/stores/row-format.ts'
import { readAnyDocument } from './infrastructure/edgar/documents/read-any-document.ts'
import { answering } from './infrastructure/workers/answer.ts'

const formats: ProjectionFormats = {
  // A copy in another thread is no Buffer any more.
  read: ({ buffer, byteOffset, length }, path) => readAnyDocument(Buffer.from(buffer, byteOffset, length), path),
  rows: clickHouseRows,
  pack: (derived) => new Uint8Array(serialize(derived)),
  unpack: (packed) => deserialize(packed) as Derived,
}

const insertsOf = (tables: TableRows[]) => tables.flatMap(({ inserts }) => inserts)
const ofChange = ({ shown, parties, trades, details }: ChangeRows) => insertsOf([...shown, ...parties, trades, details])
const ofSignals = ({ signals, marks }: SignalRows) => insertsOf([...signals, ...marks])

export const readFilings = answering<Computations['readFilings']>(
  (asked) => readFilingsBy(formats, asked),
  ({ derived }) => [derived],
)
export const projectFilings = answering<Computations['projectFilings']>(
  (asked) => projectFilingsBy(formats, asked),
  ({ rows }) => (rows ? ofChange(rows) : []),
)
export const detectSignals = answering<Computations['detectSignals']>(
  (asked) => detectSignalsBy(clickHouseRows, asked),
  ({ rows }) => (rows ? ofSignals(rows) : []),
)
export const retract = answering<Computations['retract']>(
  ({ filings, version }) => clickHouseRows.changeRows(retractionsOf(filings), version, false),
  ofChange,
)
export const projectHistory = answering<Computations['projectHistory']>(
  (asked) => projectHistoryBy(formats, asked),
  ({ rows, signals }) => [...ofChange(rows), ...ofSignals(signals)],
)
