// Makes the rows of month files that are read from the filings. A worker thread does it: a month has tens of thousands
// of documents.
import { gunzipSync } from 'node:zlib'
import { balanceRows } from '../../../application/exports/balance-rows.ts'
import { contentOf, type ExportedFiling } from '../../../application/exports/filing-contents.ts'
import { derivativeRows, holdingRows } from '../../../application/exports/filing-rows.ts'
import type { Computations } from '../../../application/ports/computations.ts'
import type { PackedFiling, StagedDataset, StagedRows } from '../../../application/ports/exports.ts'
import type { DocumentReading } from '../../../application/ports/filings.ts'
import { newYorkDay } from '../../../domain/shared/new-york-time.ts'
import { parseRows } from '../connection/answer-shape.ts'
import { toFilingDetails } from '../data-sets/read-details.ts'

const ROWS_OF: Record<StagedDataset, (filing: ExportedFiling) => object[]> = {
  derivatives: derivativeRows,
  holdings: holdingRows,
  balances: balanceRows,
}

/** Rows of one insert. */
const ROWS_BATCH = 2_000

type ReadNow = (bytes: Buffer, path: string) => DocumentReading

export const rowsOfDocuments =
  (read: ReadNow): Computations['rowsOfDocuments'] =>
  ({ filings, datasets }) =>
    stagedRows(
      filings.flatMap((filing) => unpacked(filing, read) ?? []),
      datasets,
    )

/** Returns null for a document that can't be read, or whose stored bytes are damaged. */
function unpacked({ document, ...filing }: PackedFiling, read: ReadNow): ExportedFiling | null {
  let bytes: Buffer
  try {
    bytes = gunzipSync(document)
  } catch {
    return null
  }
  return contentOf(filing, (path) => read(bytes, path))
}

export const rowsOfDetails: Computations['rowsOfDetails'] = ({ filings, details, datasets }) => {
  const filingOf = new Map(filings.map((filing) => [filing.accession, filing]))
  const read = parseRows<[accession: string, content: string]>(details).map(([accession, content]): ExportedFiling => {
    const filing = filingOf.get(accession)!
    const { filedAt } = filing
    return { source: 'data_set', filedAt, filedDay: newYorkDay(filedAt), ...toFilingDetails(filing, content) }
  })
  return stagedRows(read, datasets)
}

function stagedRows(filings: ExportedFiling[], datasets: StagedDataset[]): StagedRows {
  const lines = filings.flatMap((filing) =>
    datasets.flatMap((dataset) =>
      ROWS_OF[dataset](filing).map((row, n) => {
        const { filedAt, content } = filing
        const key = { dataset, filed_at: filedAt, accession: content.accession, n }
        return `${JSON.stringify({ ...key, content: JSON.stringify(row) })}\n`
      }),
    ),
  )
  const encoder = new TextEncoder()
  const inserts: StagedRows['inserts'] = []
  for (let from = 0; from < lines.length; from += ROWS_BATCH)
    inserts.push(encoder.encode(lines.slice(from, from + ROWS_BATCH).join('')))
  return { read: filings.map(({ content }) => content.accession), inserts }
}
