// What the filings of month files say: read from their documents again, by the reader that every filing passes.
import type { DateText } from '../../domain/shared/identifiers.ts'
import { filingTime } from '../../domain/filings/acceptance-time.ts'
import type { PackedFiling } from '../ports/exports.ts'
import type { DocumentReading } from '../ports/filings.ts'
import type { FilingContent } from '../queries/filings/filing-answer.ts'

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

/** Returns what a document says; null if it can't be read. */
export function contentOf(
  { accession, filedAt, filedBasis, seenAt, source }: Omit<PackedFiling, 'document'>,
  read: (path: string) => DocumentReading,
): ExportedFiling | null {
  const reading = read(source)
  if (reading.kind !== 'filing') return null
  const content = { ...reading.filing, accession }
  return { source: 'document', filedAt, filedBasis, filedDay: filingTime(content, seenAt).day, content }
}
