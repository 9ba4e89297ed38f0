// Reads one document: returns a Filing, a rejection with its reason, or that the bytes are no ownership document. The type
// is detected from the content, since names and extensions of EDGAR's documents are arbitrary.
import { createHash } from 'node:crypto'
import { isAscii, isUtf8 } from 'node:buffer'
import type { OwnershipReading } from '../../../application/ports/filings.ts'
import type { DocumentKind, SubmissionHeader } from '../../../domain/filings/filing.ts'
import { accessionInPath, type AccessionNumber } from '../../../domain/shared/identifiers.ts'
import { isNoticeForm } from './notices/notice-xml.ts'
import { isFormType, readOwnershipXml } from './ownership/ownership-xml.ts'
import { OwnershipError } from './ownership/section.ts'
import { hasHeaderTag, type Envelope } from './sgml-header.ts'
import { checkDeletion, locateXml, readEnvelope, type EnvelopeKind } from './submission.ts'
import { XML_LIMITS, XmlError } from './ownership/parse-xml.ts'

/**
 * Many times the size of real submissions, whose exhibits can be larger than their form.
 */
export const MAX_SUBMISSION_BYTES = 20 * 1024 * 1024
/** Bytes from the beginning within which a document's type must show. */
export const SNIFFED_BYTES = 64 * 1024
const MAX_REASON = 300

/** Reads a document. Never throws: any error becomes the reason of its rejection. */
export const readDocument = (bytes: Buffer, path: string): OwnershipReading => {
  try {
    return read(bytes, path)
  } catch (error) {
    return unreadable(bytes, path, error)
  }
}

/** Rejects a document for an error inside the reader or around it. */
export const unreadable = (bytes: Buffer, path: string, error: unknown): RejectedReading =>
  rejected(accessionOf(bytes, path), error)

function read(bytes: Buffer, path: string): OwnershipReading {
  const head = bytes.toString('latin1', 0, SNIFFED_BYTES)
  const kind = documentKind(head, path)
  if (kind === null) return notOurs(whatElse(head))
  if (bytes.length > MAX_SUBMISSION_BYTES) return tooLarge(head, kind, bytes, path)
  return kind === 'bare' ? readBare(bytes, path) : readSubmission(bytes, path, kind)
}

/**
 * Returns null if nothing shows a submission or a document with this root. `head` is Latin-1, so a byte order mark is
 * three characters.
 */
export function documentKind(head: string, path: string, xmlRoot = /<ownershipDocument[\s/>]/): DocumentKind | null {
  const start = head.replace(/^(?:\xEF\xBB\xBF)?\s*/, '')
  const wrapped = start.startsWith('-----BEGIN PRIVACY-ENHANCED MESSAGE-----')
  const root = (wrapped ? /^<(SEC-DOCUMENT|SUBMISSION)>/m : /^<(SEC-DOCUMENT|SUBMISSION)>/).exec(start)?.[1]
  if (root === 'SUBMISSION') return isCorrection(start, path) ? 'correction' : 'dissemination'
  if (root === 'SEC-DOCUMENT') return 'submission'
  return isHtml(start) ? null : xmlRoot.test(head) ? 'bare' : null
}

/** The file's name says so, as the content need not, or a tag of the header. */
function isCorrection(head: string, path: string): boolean {
  return /\.corr$/i.test(path) || hasHeaderTag(head, 'CORRECTION')
}

/** EDGAR also renders every ownership document as a page (the xslF345 folders), and answers errors with one. */
function isHtml(start: string): boolean {
  return /^<(?:!doctype\s+)?html\b/i.test(start.replace(/^<\?[^>]*>\s*/, ''))
}

function whatElse(head: string): string {
  if (head.trim() === '') return 'empty'
  if (/<html\b|<!doctype\s+html/i.test(head)) return 'an HTML page, not the XML'
  if (head.includes('\0')) return 'binary, or text in UTF-16'
  return 'no ownershipDocument in its first 64 KiB'
}

function tooLarge(head: string, kind: DocumentKind, bytes: Buffer, path: string): OwnershipReading {
  const reason = `${bytes.length} bytes, more than ${MAX_SUBMISSION_BYTES}`
  const envelope = kind === 'bare' ? null : readEnvelope(head, kind)
  if (envelope !== null && !isFormType(envelope.formType ?? '')) return notOurs(reason)
  return { kind: 'rejected', accession: envelope?.accession ?? accessionOf(bytes, path), reason }
}

function readBare(bytes: Buffer, path: string): OwnershipReading {
  const document = readOwnershipXml(xmlText(bytes), null)
  return { kind: 'filing', filing: { accession: accessionOf(bytes, path), kind: 'bare', ...document, header: null } }
}

function readSubmission(bytes: Buffer, path: string, kind: EnvelopeKind): OwnershipReading {
  // One character per byte: offsets in the text are offsets in the bytes, in any encoding of the exhibits.
  const text = bytes.toString('latin1')
  const envelope = readEnvelope(text, kind)
  const accession = envelope.accession ?? accessionOf(bytes, path)
  try {
    if (kind !== 'submission' && hasHeaderTag(text, 'DELETION')) return readDeletion(text, accession, envelope)
    const xml = locateXml(text, kind, envelope)
    if (xml === null) return notOurs(`form ${envelope.formType}, without ownership XML`)
    const document = readOwnershipXml(xmlText(bytes.subarray(xml.start, xml.end)), envelope)
    const header = headerFor(envelope, document.issuer.cik)
    return { kind: 'filing', filing: { accession, kind, ...document, header } }
  } catch (error) {
    return rejected(accession, error)
  }
}

function readDeletion(text: string, accession: AccessionNumber, envelope: Envelope): OwnershipReading {
  const { formType } = envelope
  const isOther = formType !== null && !isFormType(formType) && !isNoticeForm(formType)
  if (isOther) return notOurs(`deletion of a form ${formType}`)
  checkDeletion(text, envelope)
  return { kind: 'deletion', accession, reason: 'the record of a deletion' }
}

/** SIC and office are those of the header's issuer: dropped if the XML, which decides, names another. */
export function headerFor({ header, issuerCik }: Envelope, cik: string): SubmissionHeader {
  return issuerCik === null || issuerCik === cik ? header : { ...header, sic: null, office: null }
}

function notOurs(reason: string): OwnershipReading {
  return { kind: 'not-ownership', reason: oneLine(reason) }
}

type RejectedReading = Extract<OwnershipReading, { kind: 'rejected' }>

/** Rejects a document for an error of the parsers, or for any other. */
export function rejected(accession: AccessionNumber, error: unknown): RejectedReading {
  const isFault = error instanceof OwnershipError || error instanceof XmlError
  return {
    kind: 'rejected',
    accession,
    reason: oneLine(isFault ? error.message : `could not be read: ${String(error)}`),
  }
}

/** Returns the reason of a rejection as it may be shown. */
export function oneLine(reason: string): string {
  // Cut first, since it can quote megabytes, and well-formed, since a surrogate pair can be cut in two.
  return reason
    .slice(0, 2 * MAX_REASON)
    .replace(/\s+/g, ' ')
    .slice(0, MAX_REASON)
    .toWellFormed()
}

/** Returns the accession number in the path, else one made of the bytes. */
export function accessionOf(bytes: Buffer, path: string): AccessionNumber {
  return accessionInPath(path) ?? `local-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
}

const DECLARED_ENCODING = /^[\xEF\xBB\xBF\s]*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/
const WESTERN = /^(?:iso-8859-1|latin-?1|windows-1252|us-ascii)$/i

/**
 * Decodes ASCII, as nearly all are; else as the XML declaration says: Latin-1 and similar as windows-1252, everything
 * else must be UTF-8. Without a declared encoding, bytes that are not UTF-8 are read as windows-1252, as in old
 * filings.
 */
export function xmlText(bytes: Buffer, most = XML_LIMITS.characters): string {
  // Before decoding: no character takes less than a byte.
  if (bytes.length > most) throw new OwnershipError('document', `${bytes.length} bytes of XML, more than ${most}`)
  if (isAscii(bytes)) return bytes.toString('latin1').trim()
  const declared = DECLARED_ENCODING.exec(bytes.toString('latin1', 0, 256))?.[1]
  const western = declared === undefined ? !isUtf8(bytes) : WESTERN.test(declared)
  if (western) return new TextDecoder('windows-1252').decode(bytes).trim()
  if (!isUtf8(bytes)) throw new OwnershipError('encoding', `not ${declared ?? 'UTF-8'}, as the XML declaration says`)
  if (declared !== undefined && !/^utf-?8$/i.test(declared)) {
    throw new OwnershipError('encoding', `${declared} is not read here`)
  }
  return new TextDecoder().decode(bytes).trim()
}
