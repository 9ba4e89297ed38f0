// Reads one document of any form that is followed: an ownership document or a notice of a proposed sale.
import type { DocumentReading } from '../../../application/ports/filings.ts'
import { readDocument } from './read-document.ts'
import { readNotice } from './read-notice.ts'

/** Raised by a release that reads documents which the one before rejected: those are then fetched once more. */
export const READER = 1

/** Reads a document. Never throws: any error becomes the reason of its rejection. */
export function readAnyDocument(bytes: Buffer, path: string): DocumentReading {
  const reading = readDocument(bytes, path)
  if (reading.kind !== 'not-ownership') return reading
  const notice = readNotice(bytes, path)
  return notice.kind === 'not-notice' ? reading : notice
}
