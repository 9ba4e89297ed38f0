// What the filings of month files say: read from their documents again, by the reader that every filing passes.
import type { AccessionNumber, DateText } from '../../domain/shared/identifiers.ts'
import { filingTime } from '../../domain/filings/acceptance-time.ts'
import type { ExportRecord } from '../ports/exports.ts'
import type { ReadDocument, RecordedFiling } from '../ports/filings.ts'
import type { FilingContent } from '../queries/filings/filing-answer.ts'
import { inSlices } from '../shared/time-slices.ts'

/** A filing with all that it says. */
export interface ExportedFiling {
  source: 'document' | 'data_set'
  /** In seconds since 1970. */
  filedAt: number
  filedBasis: string
  /** The New York day of filing. */
  filedDay: DateText
  content: FilingContent
}

/** Returns those of these filings whose document is stored and can be read, in batches. */
export type DocumentContents = (accessions: AccessionNumber[]) => AsyncIterable<ExportedFiling[]>

export function makeDocumentContents(record: Pick<ExportRecord, 'documents'>, read: ReadDocument): DocumentContents {
  return async function* (accessions) {
    for await (const documents of record.documents(accessions)) {
      const filings: ExportedFiling[] = []
      for await (const recorded of inSlices(documents)) {
        const filing = await contentOf(recorded, read)
        if (filing) filings.push(filing)
      }
      yield filings
    }
  }
}

async function contentOf(recorded: RecordedFiling, read: ReadDocument): Promise<ExportedFiling | null> {
  const { accession, filedAt, filedBasis, seenAt } = recorded
  const reading = await read(recorded.document, recorded.source)
  if (reading.kind !== 'filing') return null
  const content = { ...reading.filing, accession }
  return { source: 'document', filedAt, filedBasis, filedDay: filingTime(content, seenAt).day, content }
}
