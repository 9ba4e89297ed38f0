// Reads the filings of a month in batches, from their documents or else from a data set's details, and stages the rows
// from which a file is made.
import type { DocumentContents, ExportedFiling } from '../../../application/exports/filing-contents.ts'
import type { FormType } from '../../../domain/filings/filing.ts'
import { cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import { newYorkDay } from '../../../domain/shared/new-york-time.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { toFilingDetails } from '../data-sets/read-details.ts'
import { keysOfMonth, timeInKey, type Month } from './columns.ts'

interface MonthFiling {
  accession: AccessionNumber
  filedAt: number
  issuerCik: Cik
  form: FormType
}

/** Filings whose documents and details are in memory together. */
const FILINGS_BATCH = 500
const ROWS_BATCH = 2_000

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

export type RowsOf = (filing: ExportedFiling) => object[]

interface Staged {
  /** Filings of which neither a document nor details are stored. */
  leftOut: number
  /** Removes the rows. */
  empty(): Promise<void>
}

/** Stages the rows of a month, by dataset. While rows are made here, ClickHouse reads and writes others. */
export async function stageRows(
  { store, contents }: { store: ClickHouse; contents: DocumentContents },
  month: Month,
  rowsOf: Record<string, RowsOf>,
): Promise<Staged> {
  // A run that was killed may have left rows.
  await store.command(EMPTY)
  const rows = new RowWriter(store)
  let leftOut = 0
  try {
    const filings = await monthFilings(store, month)
    leftOut = filings.length
    for await (const read of oneAhead(contentsOf(store, contents, filings))) {
      leftOut -= read.length
      for await (const filing of inSlices(read)) await rows.write(stagedRows(filing, rowsOf))
    }
    await rows.end()
  } catch (error) {
    await rows.settled()
    // The first error says more. The next run removes the rows.
    await store.command(EMPTY).catch(() => {})
    throw error
  }
  return { leftOut, empty: async () => (rows.written > 0 ? store.command(EMPTY) : undefined) }
}

/** Collects rows and inserts many at once, one insert at a time. */
class RowWriter {
  readonly #store: ClickHouse
  #rows: InsertRow[] = []
  #writing: Promise<void> = Promise.resolve()
  written = 0

  constructor(store: ClickHouse) {
    this.#store = store
  }

  /** Waits for the insert before this one, where there are enough rows for one. */
  async write(rows: InsertRow[]): Promise<void> {
    this.#rows.push(...rows)
    if (this.#rows.length >= ROWS_BATCH) await this.#insert()
  }

  async end(): Promise<void> {
    await this.#insert()
    await this.#writing
  }

  /** Resolves when nothing is being written, whether or not it failed. */
  settled(): Promise<void> {
    return this.#writing.catch(() => {})
  }

  async #insert(): Promise<void> {
    const rows = this.#rows
    this.#rows = []
    await this.#writing
    this.written += rows.length
    this.#writing = this.#store.insert('staged_export_rows', rows)
    // It is awaited before the next one.
    this.#writing.catch(() => {})
  }
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

async function* contentsOf(
  store: ClickHouse,
  documents: DocumentContents,
  filings: MonthFiling[],
): AsyncGenerator<ExportedFiling[]> {
  for (let at = 0; at < filings.length; at += FILINGS_BATCH) {
    const rest = new Map(filings.slice(at, at + FILINGS_BATCH).map((filing) => [filing.accession, filing]))
    for await (const read of documents([...rest.keys()])) {
      // The time is that of the list, which other files have as well.
      yield read.map((filing) => ({ ...filing, filedAt: rest.get(filing.content.accession)!.filedAt }))
      for (const { content } of read) rest.delete(content.accession)
    }
    if (rest.size > 0) yield await detailsOf(store, rest)
  }
}

async function detailsOf(store: ClickHouse, filings: ReadonlyMap<string, MonthFiling>): Promise<ExportedFiling[]> {
  const read: ExportedFiling[] = []
  const found = await store.texts<[accession: string, content: string]>(
    detailsSql([...filings.values()]),
    2,
    FILINGS_BATCH,
  )
  for await (const [accession, content] of inSlices(found)) {
    const filing = filings.get(accession)!
    const { filedAt } = filing
    const details = toFilingDetails(filing, content)
    read.push({ source: 'data_set', filedAt, filedDay: newYorkDay(filedAt), ...details })
  }
  return read
}

function stagedRows(filing: ExportedFiling, rowsOf: Record<string, RowsOf>): InsertRow[] {
  const { filedAt, content } = filing
  return Object.entries(rowsOf).flatMap(([dataset, of]) =>
    of(filing).map((row, n) => ({
      dataset,
      filed_at: filedAt,
      accession: content.accession,
      n,
      content: JSON.stringify(row),
    })),
  )
}
