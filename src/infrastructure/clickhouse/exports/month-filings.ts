// Reads the filings of a month in batches, from their documents or else from a data set's details, and stages the rows
// from which a file is made.
import type { Compute } from '../../../application/ports/computations.ts'
import type { ExportRecord, MonthFiling, StagedDataset, StagedRows } from '../../../application/ports/exports.ts'
import type { FormType } from '../../../domain/filings/filing.ts'
import { cikOf } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { keysOfMonth, timeInKey, type Month } from './columns.ts'

/** Filings whose documents and details are in memory together. */
const FILINGS_BATCH = 500

/** Lists the filings of a month. */
const monthFilingsSql = (month: Month): Sql => sql`
  SELECT substring(key, 11), toUnixTimestamp(${new Sql(timeInKey('key'))}), issuer_cik, form
  FROM filing_lists FINAL
  WHERE ${keysOfMonth(month)}
  ORDER BY key DESC
  SETTINGS max_execution_time = 0`

/** Reads what data sets say of filings, which follow each other in the list. */
const detailsSql = (filings: MonthFiling[]): Sql => sql`
  SELECT accession, content
  FROM filing_details FINAL
  WHERE filed_at >= ${new Date(filings.at(-1)!.filedAt * 1000)} AND filed_at <= ${new Date(filings[0]!.filedAt * 1000)}
    AND accession IN ${filings.map(({ accession }) => accession)}`

const EMPTY = sql`TRUNCATE TABLE staged_export_rows`

interface Staged {
  /** Filings of which neither a document nor details are stored. */
  leftOut: number
  /** Removes the rows. */
  empty(): Promise<void>
}

/** What rows are made from and by. */
export interface RowSources {
  store: ClickHouse
  record: Pick<ExportRecord, 'documents'>
  compute: Compute
}

/** Stages the rows of a month, by dataset. While rows are inserted, the next ones are read and made. */
export async function stageRows(sources: RowSources, month: Month, datasets: StagedDataset[]): Promise<Staged> {
  const { store } = sources
  // A run that was killed may have left rows.
  await store.command(EMPTY)
  let [leftOut, written] = [0, 0]
  try {
    const filings = await monthFilings(store, month)
    leftOut = filings.length
    for await (const { read, inserts } of oneAhead(rowsOf(sources, filings, datasets))) {
      leftOut -= read.length
      written += inserts.length
      for (const lines of inserts) await store.insertLines('staged_export_rows', lines)
    }
  } catch (error) {
    // The first error says more. The next run removes the rows.
    await store.command(EMPTY).catch(() => {})
    throw error
  }
  return { leftOut, empty: async () => (written > 0 ? store.command(EMPTY) : undefined) }
}

/** Yields the items; while one is used, the next one is read. */
async function* oneAhead<T>(items: AsyncGenerator<T>): AsyncIterable<T> {
  try {
    for (let next = items.next(); ;) {
      const { value, done } = await next
      if (done) return
      next = items.next()
      // It is awaited, unless using this one fails.
      next.catch(() => {})
      yield value
    }
  } finally {
    await items.return(undefined)
  }
}

async function monthFilings(store: ClickHouse, month: Month): Promise<MonthFiling[]> {
  const found = await store.arrays<[string, number, number, FormType]>(monthFilingsSql(month))
  return found.map(([accession, filedAt, issuer, form]) => ({ accession, filedAt, issuerCik: cikOf(issuer), form }))
}

async function* rowsOf(
  { store, record, compute }: RowSources,
  filings: MonthFiling[],
  datasets: StagedDataset[],
): AsyncGenerator<StagedRows> {
  for (let at = 0; at < filings.length; at += FILINGS_BATCH) {
    const rest = new Map(filings.slice(at, at + FILINGS_BATCH).map((filing) => [filing.accession, filing]))
    for await (const packed of record.documents([...rest.keys()])) {
      // The time is that of the list, which other files have as well.
      const own = packed.map((filing) => ({ ...filing, filedAt: rest.get(filing.accession)!.filedAt }))
      const rows = await compute('history', 'rowsOfDocuments', { filings: own, datasets })
      for (const accession of rows.read) rest.delete(accession)
      yield rows
    }
    if (rest.size === 0) continue
    const others = [...rest.values()]
    const details = await store.lines(detailsSql(others))
    yield await compute('history', 'rowsOfDetails', { filings: others, details, datasets })
  }
}
