// The filings of a month with all that they say, in batches: from their documents, else from what a data set had of
// them; and the staging of the rows that a file is made from.
import type { DocumentContents, ExportedFiling } from '../../../application/exports/filing-contents.ts'
import type { FormType } from '../../../domain/filings/filing.ts'
import { cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import { newYorkDay } from '../../../domain/shared/new-york-time.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { toFilingDetails } from '../data-sets/read-details.ts'
import { sortKey } from '../sort-key.ts'
import { timeInKey, type Month } from './columns.ts'

interface MonthFiling {
  accession: AccessionNumber
  filedAt: number
  issuerCik: Cik
  form: FormType
}

/** Filings whose documents and details are read together: some 10 MB. */
const FILINGS_BATCH = 500
/** A filing can have 600 rows. */
const ROWS_BATCH = 2_000

/** Lists the filings of a month. */
const monthFilingsSql = ({ from, until }: Month): Sql => sql`
  SELECT substring(key, 11), toUnixTimestamp(${new Sql(timeInKey('key'))}), issuer_cik, form
  FROM filing_lists FINAL
  WHERE key >= ${`f:${sortKey(from)}`} AND key < ${`f:${sortKey(until)}`}
  ORDER BY key DESC
  SETTINGS max_execution_time = 0`

/** Reads what data sets say of filings, which follow each other in the list. */
const detailsSql = (filings: MonthFiling[]): Sql => sql`
  SELECT accession, content
  FROM filing_details FINAL
  WHERE filed_at >= ${new Date(filings.at(-1)!.filedAt * 1000)} AND filed_at <= ${new Date(filings[0]!.filedAt * 1000)}
    AND accession IN ${filings.map(({ accession }) => accession)}
  SETTINGS max_execution_time = 0`

const EMPTY = sql`TRUNCATE TABLE staged_export_rows`

export type RowsOf = (filing: ExportedFiling) => object[]

interface Staged {
  /** Filings of which neither a document nor details are stored. */
  leftOut: number
  /** Removes the rows. */
  empty(): Promise<void>
}

/** Stages the rows of a month, by dataset. */
export async function stageRows(
  { store, contents }: { store: ClickHouse; contents: DocumentContents },
  month: Month,
  rowsOf: Record<string, RowsOf>,
): Promise<Staged> {
  // A run that was killed may have left some.
  await store.command(EMPTY)
  const filings = await monthFilings(store, month)
  let leftOut = filings.length
  let rows = 0
  for (let at = 0; at < filings.length; at += FILINGS_BATCH) {
    for await (const read of contentsOf(store, contents, filings.slice(at, at + FILINGS_BATCH))) {
      leftOut -= read.length
      for (const [dataset, of] of Object.entries(rowsOf)) rows += await stage(store, dataset, read, of)
    }
  }
  return { leftOut, empty: async () => (rows > 0 ? store.command(EMPTY) : undefined) }
}

async function monthFilings(store: ClickHouse, month: Month): Promise<MonthFiling[]> {
  const found = await store.arrays<[string, number, number, FormType]>(monthFilingsSql(month))
  return found.map(([accession, filedAt, issuer, form]) => ({ accession, filedAt, issuerCik: cikOf(issuer), form }))
}

async function* contentsOf(
  store: ClickHouse,
  documents: DocumentContents,
  filings: MonthFiling[],
): AsyncIterable<ExportedFiling[]> {
  const rest = new Map(filings.map((filing) => [filing.accession, filing]))
  for await (const read of documents([...rest.keys()])) {
    // The time is that of the list, which other files have as well.
    yield read.map((filing) => ({ ...filing, filedAt: rest.get(filing.content.accession)!.filedAt }))
    for (const { content } of read) rest.delete(content.accession)
  }
  if (rest.size === 0) return
  const found = await store.rows<{ accession: string; content: string }>(detailsSql([...rest.values()]))
  yield found.map(({ accession, content }) => {
    const filing = rest.get(accession)!
    const details = toFilingDetails(filing, content)
    const { filedAt } = filing
    return { source: 'data_set', filedAt, filedDay: newYorkDay(filedAt), ...details }
  })
}

/** Returns how many rows there were. */
async function stage(store: ClickHouse, dataset: string, filings: ExportedFiling[], rowsOf: RowsOf): Promise<number> {
  const rows = filings.flatMap((filing) =>
    rowsOf(filing).map((row, n) => ({
      dataset,
      filed_at: filing.filedAt,
      accession: filing.content.accession,
      n,
      content: JSON.stringify(row),
    })),
  )
  for (let at = 0; at < rows.length; at += ROWS_BATCH) {
    await store.insert('staged_export_rows', rows.slice(at, at + ROWS_BATCH))
  }
  return rows.length
}
