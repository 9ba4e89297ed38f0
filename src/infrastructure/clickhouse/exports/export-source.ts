// ExportSource on ClickHouse: tells which months may have changed since their files were made, and makes the files.
import { createHash } from 'node:crypto'
import type { Compute } from '../../../application/ports/computations.ts'
import {
  STAGED_DATASETS,
  type DatasetDescription,
  type DatasetName,
  type ExportPart,
  type ExportRecord,
  type ExportSource,
  type MadeFile,
  type StagedDataset,
} from '../../../application/ports/exports.ts'
import type { ClickHouse } from '../connection/client.ts'
import type { Sql } from '../connection/sql.ts'
import type { IssuerSectors } from '../queries/shared/issuer-sectors.ts'
import { monthOf, type Column } from './columns.ts'
import { COMPANY_COLUMNS, companyFileSql, SYMBOL_COLUMNS, symbolFileSql } from './directories.ts'
import { FILING_COLUMNS, filingFileSql, filingMonthsSql } from './filings.ts'
import {
  BALANCE_COLUMNS,
  DERIVATIVE_COLUMNS,
  filingRowFileSql,
  filingRowMonthsSql,
  HOLDING_COLUMNS,
} from './filing-rows.ts'
import { stageRows } from './month-filings.ts'
import { NOTICE_COLUMNS, noticeFileSql, noticeMonthsSql } from './notices.ts'
import { rowsOfParquet } from './parquet-rows.ts'
import { SIGNAL_COLUMNS, signalFileSql, signalMonthsSql } from './signals.ts'
import { VERSION_COLUMNS, versionFileSql } from './transaction-versions.ts'
import { TRANSACTION_COLUMNS, transactionFileSql, transactionMonthsSql } from './transactions.ts'

const ROWS: Record<DatasetName, { row: string; columns: readonly Column[] }> = {
  transactions: { row: 'a transaction that the feed lists', columns: TRANSACTION_COLUMNS },
  'transaction-versions': { row: 'a state of a transaction, listed or not', columns: VERSION_COLUMNS },
  signals: { row: 'a state of a signal', columns: SIGNAL_COLUMNS },
  filings: { row: 'a filing of any of the six forms', columns: FILING_COLUMNS },
  derivatives: { row: 'a transaction of Table II, of any of the six forms', columns: DERIVATIVE_COLUMNS },
  holdings: { row: 'a holding of either table, of any of the six forms', columns: HOLDING_COLUMNS },
  notices: { row: 'a notice of a proposed sale', columns: NOTICE_COLUMNS },
  balances: { row: 'a balance that a filing of any of the six forms reports', columns: BALANCE_COLUMNS },
  symbols: { row: 'a symbol as filed with an issuer', columns: SYMBOL_COLUMNS },
  companies: { row: 'an issuer with a filing', columns: COMPANY_COLUMNS },
}
const SCHEMA_VERSION = 1

type MonthlyDataset = Exclude<DatasetName, 'symbols' | 'companies'>

/** What is not in ClickHouse, and what reads it. */
interface Recorded {
  record: Pick<ExportRecord, 'seenAt' | 'documents'>
  compute: Compute
}

export class ClickHouseExportSource implements ExportSource {
  readonly #store: ClickHouse
  readonly #sectors: IssuerSectors
  readonly #recorded: Recorded

  constructor(store: ClickHouse, sectors: IssuerSectors, recorded: Recorded) {
    this.#store = store.forBulk
    this.#sectors = sectors
    this.#recorded = recorded
  }

  describe(dataset: DatasetName): DatasetDescription {
    const { row, columns } = ROWS[dataset]
    const shown = columns.map(({ name, type, description }) => ({ name, type, description }))
    return { name: dataset, row, schemaVersion: SCHEMA_VERSION, columns: shown }
  }

  async parts(dataset: DatasetName): Promise<ExportPart[]> {
    if (dataset === 'symbols' || dataset === 'companies') return [{ period: 'all', source: null }]
    const found = await this.#store.rows<ExportPart & { filled?: boolean }>(await this.#months(dataset))
    return found.filter(({ filled = true }) => filled).map(({ period, source }) => ({ period, source }))
  }

  async #months(dataset: MonthlyDataset): Promise<Sql> {
    switch (dataset) {
      case 'transactions':
      case 'transaction-versions':
        return transactionMonthsSql(await this.#sectors())
      case 'signals':
        return signalMonthsSql
      case 'filings':
        return filingMonthsSql
      case 'notices':
        return noticeMonthsSql
      case 'derivatives':
      case 'holdings':
      case 'balances':
        return filingRowMonthsSql
    }
  }

  async *files(period: string, datasets: DatasetName[]): AsyncIterable<MadeFile> {
    const isStaged = (dataset: DatasetName): dataset is StagedDataset =>
      (STAGED_DATASETS as readonly DatasetName[]).includes(dataset)
    for (const dataset of datasets.filter((each) => !isStaged(each))) yield this.#made(dataset, period, 0)
    const staged = datasets.filter(isStaged)
    if (staged.length === 0) return
    const { leftOut, empty } = await stageRows({ store: this.#store, ...this.#recorded }, monthOf(period), staged)
    try {
      for (const dataset of staged) yield await this.#made(dataset, period, leftOut)
    } finally {
      await empty()
    }
  }

  async #made(dataset: DatasetName, period: string, leftOut: number): Promise<MadeFile> {
    const bytes = await this.#store.parquet(await this.#statement(dataset, period))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { dataset, bytes, rows: rowsOfParquet(bytes), sha256, leftOut }
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
        return filingFileSql(monthOf(period), await this.#recorded.record.seenAt(period))
      case 'derivatives':
        return filingRowFileSql(dataset, DERIVATIVE_COLUMNS)
      case 'holdings':
        return filingRowFileSql(dataset, HOLDING_COLUMNS)
      case 'notices':
        return noticeFileSql(monthOf(period))
      case 'balances':
        return filingRowFileSql(dataset, BALANCE_COLUMNS)
      case 'symbols':
        return symbolFileSql
      case 'companies':
        return companyFileSql(await this.#sectors())
    }
  }
}
