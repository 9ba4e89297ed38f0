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
import { monthOf, type Column } from './columns.ts'
import { COMPANY_COLUMNS, companyFileSql, SYMBOL_COLUMNS, symbolFileSql } from './directories.ts'
import { FILING_COLUMNS, filingFileSql, filingMonthsSql } from './filings.ts'
import { rowsOfParquet } from './parquet-rows.ts'
import { TRANSACTION_COLUMNS, transactionFileSql, transactionMonthsSql } from './transactions.ts'

const ROWS: Record<DatasetName, { row: string; columns: readonly Column[] }> = {
  transactions: { row: 'a transaction that the feed lists', columns: TRANSACTION_COLUMNS },
  filings: { row: 'a filing of any of the six forms', columns: FILING_COLUMNS },
  symbols: { row: 'a symbol as filed with an issuer', columns: SYMBOL_COLUMNS },
  companies: { row: 'an issuer with a filing', columns: COMPANY_COLUMNS },
}
const SCHEMA_VERSION = 1

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
    const months = dataset === 'filings' ? filingMonthsSql : transactionMonthsSql(await this.#sectors())
    const found = await this.#store.rows<ExportPart & { filled?: boolean }>(months)
    return found.filter(({ filled = true }) => filled).map(({ period, source }) => ({ period, source }))
  }

  async file(dataset: DatasetName, period: string): Promise<{ bytes: Buffer; rows: number; sha256: string }> {
    const bytes = await this.#store.bytes(await this.#statement(dataset, period))
    return { bytes, rows: rowsOfParquet(bytes), sha256: createHash('sha256').update(bytes).digest('hex') }
  }

  async #statement(dataset: DatasetName, period: string): Promise<Sql> {
    switch (dataset) {
      case 'transactions':
        return transactionFileSql(monthOf(period), await this.#sectors())
      case 'filings':
        return filingFileSql(monthOf(period), await this.#record.seenAt(period))
      case 'symbols':
        return symbolFileSql
      case 'companies':
        return companyFileSql(await this.#sectors())
    }
  }
}
