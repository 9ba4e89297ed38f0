// SignalStore on ClickHouse: signals, and the trades from which they are detected.
import { cikNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { readTradeLines } from './trade-rows.ts'
import { jointFilingsSql, parseSignals, signalsSql } from './signal-inserts.ts'
import { sql } from '../connection/sql.ts'
import type {
  ShownSignal,
  SignalInserts,
  SignalStore,
  StoredSignals,
  TableInserts,
} from '../../../application/ports/analytics.ts'

const NOTHING = new Uint8Array()

export class ClickHouseSignalStore implements SignalStore {
  readonly #store: ClickHouse
  /** The connections for long statements, since a load of history reads and marks many trades at a time. */
  readonly #bulk: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
    this.#bulk = store.forBulk
  }

  trades(issuers: Cik[]): Promise<Uint8Array> {
    const condition = sql`issuer_cik IN ${issuers.map(cikNumber)} AND code IN ('P', 'S')`
    return readTradeLines(this.#bulk, condition, sql`SETTINGS max_execution_time = 0`)
  }

  async stored(issuers: Cik[]): Promise<StoredSignals> {
    if (issuers.length === 0) return { joint: NOTHING, signals: NOTHING }
    const [joint, signals] = await Promise.all([
      this.#store.lines(jointFilingsSql(issuers)),
      this.#store.lines(signalsSql(issuers)),
    ])
    return { joint, signals }
  }

  async signals(issuers: Cik[]): Promise<ShownSignal[]> {
    return parseSignals(await this.#store.lines(signalsSql(issuers)))
  }

  // Changes are found by comparing with `signals` and `trades`, the last of each part, so a process killed in between
  // writes all again.
  async write({ signals, marks }: SignalInserts): Promise<void> {
    await insertInOrder(this.#store, signals)
    for (const tables of [marks.shown, marks.beside, marks.last]) await insertInOrder(this.#bulk, tables)
  }
}

async function insertInOrder(store: ClickHouse, tables: TableInserts[]): Promise<void> {
  for (const { table, inserts } of tables) for (const rows of inserts) await store.insertLines(table, rows)
}
