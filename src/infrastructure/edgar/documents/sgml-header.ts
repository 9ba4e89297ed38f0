// Parser of a submission's SGML header in both of its forms: labelled lines (`FILED AS OF DATE:`) in the archive's
// .txt, bare tags (`<FILING-DATE>`) in .nc files. Only what the XML lacks is taken from it.
import type { SubmissionHeader } from '../../../domain/filings/filing.ts'
import { parseAccession, parseCik, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'

export interface Envelope {
  accession: AccessionNumber | null
  /** CONFORMED SUBMISSION TYPE, such as `4` or `424B2`. */
  formType: string | null
  /** The issuer whose SIC and office the header gives. */
  issuerCik: Cik | null
  header: SubmissionHeader
}

/** Reads a header of labelled lines. `text` is the submission up to its first DOCUMENT, with any line endings. */
export function readLabelledHeader(text: string, issuerLabel = 'ISSUER'): Envelope {
  const issuer = labelledBlock(text, `${issuerLabel}:`)
  const title = /<SEC-DOCUMENT>([\d-]{1,40})\.txt/.exec(text)?.[1] ?? null
  return {
    accession: accession(after(text, 'ACCESSION NUMBER:')) ?? accession(title),
    formType: after(text, 'CONFORMED SUBMISSION TYPE:'),
    issuerCik: cik(after(issuer, 'CENTRAL INDEX KEY:')),
    header: {
      acceptedAt: digits(after(text, '<ACCEPTANCE-DATETIME>'), 14),
      filedAsOf: digits(after(text, 'FILED AS OF DATE:'), 8),
      documentCount: count(after(text, 'PUBLIC DOCUMENT COUNT:')),
      sic: after(issuer, 'STANDARD INDUSTRIAL CLASSIFICATION:'),
      office: after(issuer, 'ORGANIZATION NAME:'),
    },
  }
}

/** Reads the header of an .nc or .corr file. Only tags around blocks are closed. */
export function readTaggedHeader(text: string, issuerLabel = 'ISSUER'): Envelope {
  const issuer = taggedBlock(text, issuerLabel.replace(' ', '-'))
  return {
    accession: accession(after(text, '<ACCESSION-NUMBER>')),
    formType: after(text, '<TYPE>'),
    issuerCik: cik(after(issuer, '<CIK>')),
    header: {
      acceptedAt: digits(after(text, '<ACCEPTANCE-DATETIME>'), 14),
      filedAsOf: digits(after(text, '<FILING-DATE>'), 8),
      documentCount: count(after(text, '<PUBLIC-DOCUMENT-COUNT>')),
      sic: after(issuer, '<ASSIGNED-SIC>'),
      office: after(issuer, '<ORGANIZATION-NAME>'),
    },
  }
}

/** Returns whether the header of an .nc or .corr file has this tag, at the start of a line and without a value. */
export function hasHeaderTag(text: string, tag: 'CORRECTION' | 'DELETION'): boolean {
  const end = text.indexOf('<DOCUMENT>')
  return new RegExp(`^<${tag}>[ \\t]*$`, 'm').test(end === -1 ? text : text.slice(0, end))
}

/**
 * Returns the block from the label at the start of a line to the next line that starts with a letter: blocks are
 * indented.
 */
function labelledBlock(text: string, label: string): string {
  const start = text.search(new RegExp(`[\\r\\n]${label}`))
  if (start === -1) return ''
  const rest = text.slice(start + 1 + label.length)
  const end = rest.search(/[\r\n][A-Z<]/)
  return end === -1 ? rest : rest.slice(0, end)
}

/** Returns the block of a tag, to the end of the text if it is not closed. */
function taggedBlock(text: string, tag: string): string {
  const start = text.indexOf(`<${tag}>`)
  if (start === -1) return ''
  const end = text.indexOf(`</${tag}>`, start)
  return text.slice(start + tag.length + 2, end === -1 ? text.length : end)
}

/** Characters of a line that are read, far more than real values have. */
const VALUE = /[^\r\n<]{0,200}/y

/** Returns the value after a label or tag, up to the next tag or line. Null if there is none. */
function after(text: string, label: string): string | null {
  const at = text.indexOf(label)
  if (at === -1) return null
  VALUE.lastIndex = at + label.length
  return VALUE.exec(text)![0].trim() || null
}

function accession(text: string | null): AccessionNumber | null {
  return text === null ? null : parseAccession(text)
}

function cik(text: string | null): Cik | null {
  return text === null ? null : parseCik(text)
}

function digits(text: string | null, length: number): string | null {
  return text !== null && text.length === length && /^\d+$/.test(text) ? text : null
}

function count(text: string | null): number | null {
  return text !== null && /^\d{1,4}$/.test(text) ? Number(text) : null
}
