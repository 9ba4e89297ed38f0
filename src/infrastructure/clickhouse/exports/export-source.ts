// What the month files are made from: which months may have changed, and each file's bytes.
import { createHash } from 'node:crypto'
import type {
  DatasetDescription,
  DatasetName,
  ExportPart,
  ExportRecord,
  ExportSource,
} from '../../../application/ports/exports.ts'
import type { ClickHouse } from '../connection/client.ts'
import type { Sql } from '../connection/sql.ts'
import type { IssuerSectors } from '../queries/shared/issuer-sectors.ts'
import { isCurrent } from '../stores/generation.ts'
import { monthOf, type Column } from './columns.ts'
import { COMPANY_COLUMNS, companyFileSql, SYMBOL_COLUMNS, symbolFileSql } from './directories.ts'
import { FILING_COLUMNS, filingFileSql, filingMonthsSql } from './filings.ts'
import { rowsOfParquet } from './parquet-rows.ts'
import { SIGNAL_COLUMNS, signalFileSql, signalMonthsSql } from './signals.ts'
import { VERSION_COLUMNS, versionFileSql, versionMonthsSql } from './transaction-versions.ts'
import { TRANSACTION_COLUMNS, transactionFileSql, transactionMonthsSql } from './transactions.ts'

const ROWS: Record<DatasetName, { row: string; columns: readonly Column[] }> = {
  transactions: { row: 'a transaction that the feed lists', columns: TRANSACTION_COLUMNS },
  'transaction-versions': { row: 'a state of a transaction, listed or not', columns: VERSION_COLUMNS },
  signals: { row: 'a state of a signal', columns: SIGNAL_COLUMNS },
  filings: { row: 'a filing of any of the six forms', columns: FILING_COLUMNS },
  symbols: { row: 'a symbol as filed with an issuer', columns: SYMBOL_COLUMNS },
  companies: { row: 'an issuer with a filing', columns: COMPANY_COLUMNS },
}
const SCHEMA_VERSION = 1

type MonthlyDataset = Exclude<DatasetName, 'symbols' | 'companies'>

export class ClickHouseExportSource implements ExportSource {
  readonly #store: ClickHouse
  readonly #sectors: IssuerSectors
  readonly #record: Pick<ExportRecord, 'seenAt'>

  constructor(store: ClickHouse, sectors: IssuerSectors, record: Pick<ExportRecord, 'seenAt'>) {
    this.#store = store.forBulk
    this.#sectors = sectors
    this.#record = record
  }

  describe(dataset: DatasetName): DatasetDescription {
    const { row, columns } = ROWS[dataset]
    const shown = columns.map(({ name, type, description }) => ({ name, type, description }))
    return { name: dataset, row, schemaVersion: SCHEMA_VERSION, columns: shown }
  }

  async parts(dataset: DatasetName): Promise<ExportPart[]> {
    if (dataset === 'symbols' || dataset === 'companies') return [{ period: 'all', source: null }]
    const isOfStates = dataset === 'transaction-versions' || dataset === 'signals'
    // Rows of an earlier version do not say what was shown before, until the rebuild that follows an upgrade.
    if (isOfStates && !(await isCurrent(this.#store))) return []
    const found = await this.#store.rows<ExportPart & { filled?: boolean }>(await this.#months(dataset))
    return found.filter(({ filled = true }) => filled).map(({ period, source }) => ({ period, source }))
  }

  async #months(dataset: MonthlyDataset): Promise<Sql> {
    switch (dataset) {
      case 'transactions':
        return transactionMonthsSql(await this.#sectors())
      case 'transaction-versions':
        return versionMonthsSql(await this.#sectors())
      case 'signals':
        return signalMonthsSql
      case 'filings':
        return filingMonthsSql
    }
  }

  async file(dataset: DatasetName, period: string): Promise<{ bytes: Buffer; rows: number; sha256: string }> {
    const bytes = await this.#store.bytes(await this.#statement(dataset, period))
    return { bytes, rows: rowsOfParquet(bytes), sha256: createHash('sha256').update(bytes).digest('hex') }
  }

  async #statement(dataset: DatasetName, period: string): Promise<Sql> {
    switch (dataset) {
      case 'transactions':
        return transactionFileSql(monthOf(period), await this.#sectors())
      case 'transaction-versions':
        return versionFileSql(monthOf(period), await this.#sectors())
      case 'signals':
        return signalFileSql(monthOf(period))
      case 'filings':
        return filingFileSql(monthOf(period), await this.#record.seenAt(period))
      case 'symbols':
        return symbolFileSql
      case 'companies':
        return companyFileSql(await this.#sectors())
    }
  }
}
