// Reads one Form 144: returns a Notice, a rejection with its reason, or that the bytes are no Form 144.
import type { Notice } from '../../../domain/notices/notice.ts'
import type { AccessionNumber } from '../../../domain/shared/identifiers.ts'
import { isNoticeForm, readNoticeXml } from './notices/notice-xml.ts'
import { NOTICE_LIMITS } from './notices/sections.ts'
import { OwnershipError } from './ownership/section.ts'
import {
  accessionOf,
  documentKind,
  headerFor,
  MAX_SUBMISSION_BYTES,
  oneLine,
  rejected,
  SNIFFED_BYTES,
  unreadable,
  xmlText,
} from './read-document.ts'
import { locateXml, readEnvelope, type EnvelopeKind, type FormFamily } from './submission.ts'

/** The result of reading a document. */
export type NoticeReading =
  | { kind: 'notice'; notice: Notice }
  /** A Form 144 that can't be trusted; it is recorded under `accession` with the reason. */
  | { kind: 'rejected'; accession: AccessionNumber; reason: string }
  /** Not a Form 144 as XML, so nothing to record. */
  | { kind: 'not-notice'; reason: string }

const NOTICE_ROOT = /<(?:[\w.-]{1,64}:)?edgarSubmission[\s/>]/
/** Other forms have the same root. */
const SUBMISSION_TYPE = /<(?:[\w.-]{1,64}:)?submissionType>\s{0,40}([^<]{1,40})/
const NOTICE_FORMS: FormFamily = { has: isNoticeForm, names: '144 or 144/A', issuerLabel: 'SUBJECT COMPANY' }

/**
 * Reads a document. Never throws: any error becomes the reason of its rejection. `path` may show the accession number.
 */
export function readNotice(bytes: Buffer, path: string): NoticeReading {
  try {
    return read(bytes, path)
  } catch (error) {
    return unreadable(bytes, path, error)
  }
}

function read(bytes: Buffer, path: string): NoticeReading {
  const head = bytes.toString('latin1', 0, SNIFFED_BYTES)
  const kind = documentKind(head, path, NOTICE_ROOT)
  if (kind === null) return notNotice('no edgarSubmission in its first 64 KiB')
  const isLarge = bytes.length > MAX_SUBMISSION_BYTES
  if (kind === 'bare' || isLarge) {
    const form = kind === 'bare' ? bareForm(head) : readEnvelope(head, kind, NOTICE_FORMS).formType
    if (form !== null && !isNoticeForm(form)) return notNotice(`form ${form}`)
  }
  if (isLarge) {
    throw new OwnershipError('document', `${bytes.length} bytes, more than ${MAX_SUBMISSION_BYTES}`)
  }
  if (kind !== 'bare') return readSubmission(bytes, path, kind)
  const document = readNoticeXml(xmlText(bytes, NOTICE_LIMITS.characters), null)
  return { kind: 'notice', notice: { accession: accessionOf(bytes, path), kind, ...document, header: null } }
}

function bareForm(head: string): string | null {
  return SUBMISSION_TYPE.exec(head)?.[1]?.trim() ?? null
}

function readSubmission(bytes: Buffer, path: string, kind: EnvelopeKind): NoticeReading {
  // One character per byte: offsets in the text are offsets in the bytes, in any encoding of the exhibits.
  const text = bytes.toString('latin1')
  const envelope = readEnvelope(text, kind, NOTICE_FORMS)
  const accession = envelope.accession ?? accessionOf(bytes, path)
  try {
    const xml = locateXml(text, kind, envelope, NOTICE_FORMS)
    if (xml === null) return notNotice(`form ${envelope.formType}, without the XML of a Form 144`)
    const part = bytes.subarray(xml.start, xml.end)
    const document = readNoticeXml(xmlText(part, NOTICE_LIMITS.characters), envelope.formType)
    return {
      kind: 'notice',
      notice: { accession, kind, ...document, header: headerFor(envelope, document.issuer.cik) },
    }
  } catch (error) {
    return rejected(accession, error)
  }
}

function notNotice(reason: string): NoticeReading {
  return { kind: 'not-notice', reason: oneLine(reason) }
}
