// A full submission (.txt of the archive, or a PDS .nc file) -> its header and where in it the ownership XML lies.
// Completeness is checked by the closing tags: a download that broke off must not pass for a filing with fewer rows.
import type { DocumentKind } from '../../domain/filing.ts'
import { isFormType } from './ownership-xml.ts'
import { OwnershipError } from './ownership-section.ts'
import { readLabelledHeader, readTaggedHeader, type Envelope } from './sgml-header.ts'

export type EnvelopeKind = Exclude<DocumentKind, 'bare'>

const ROOTS = { submission: 'SEC-DOCUMENT', dissemination: 'SUBMISSION' } as const
const PEM_END = '-----END PRIVACY-ENHANCED MESSAGE-----'

export function readEnvelope(text: string, kind: EnvelopeKind): Envelope {
  const end = text.indexOf('<DOCUMENT>')
  const head = (end === -1 ? text : text.slice(0, end)).replace(/\r\n?/g, '\n')
  return kind === 'submission' ? readLabelledHeader(head) : readTaggedHeader(head)
}

/**
 * Start and end of the ownership XML in `text`; null where the submission has none, which is no fault:
 * another form, or a Form 3, 4 or 5 as text from before 2003. Throws OwnershipError on a damaged one.
 */
export function locateXml(text: string, kind: EnvelopeKind, envelope: Envelope): { start: number; end: number } | null {
  if (envelope.formType !== null && !isFormType(envelope.formType)) return null
  checkWhole(text, ROOTS[kind])
  const documents = ownershipDocuments(text)
  if (documents.length === 0) throw new OwnershipError('submission', 'no DOCUMENT of TYPE 3, 4 or 5')
  const found = documents.map(each => xmlSection(text, each.start, each.end)).filter(each => each !== null)
  if (found.length > 1) throw new OwnershipError('submission', `${found.length} ownership documents, one is allowed`)
  return found[0] ?? null
}

function checkWhole(text: string, root: string): void {
  const close = text.lastIndexOf(`</${root}>`)
  if (close === -1) throw new OwnershipError('submission', `truncated: no </${root}>`)
  if (text.includes(`<${root}>`, text.indexOf(`<${root}>`) + 1)) {
    throw new OwnershipError('submission', 'several submissions in one file')
  }
  const rest = text.slice(close + root.length + 3).trim()
  if (rest !== '' && rest !== PEM_END) throw new OwnershipError('submission', `something follows </${root}>`)
}

interface Span { start: number; end: number }

/** The DOCUMENTs of TYPE 3, 4 or 5 (a few of 2003 have no TYPE at all); exhibits are none of our business. */
function ownershipDocuments(text: string): Span[] {
  const found: Span[] = []
  for (let start = text.indexOf('<DOCUMENT>'); start !== -1;) {
    const end = text.indexOf('</DOCUMENT>', start)
    if (end === -1) throw new OwnershipError('submission', 'truncated: a DOCUMENT is not closed')
    const body = text.indexOf('<TEXT>', start)
    const type = /<TYPE>([^\r\n<]*)/.exec(text.slice(start, body === -1 ? end : Math.min(body, end)))?.[1]?.trim()
    if (type === undefined || isFormType(type)) found.push({ start, end })
    start = text.indexOf('<DOCUMENT>', end)
  }
  return found
}

/** What stands between `<XML>` and `</XML>`; null where the document is text or HTML. */
function xmlSection(text: string, from: number, to: number): Span | null {
  const open = text.indexOf('<XML>', from)
  if (open === -1 || open > to) return null
  const end = text.indexOf('</XML>', open)
  if (end === -1 || end > to) throw new OwnershipError('submission', 'truncated: the XML section is not closed')
  if (text.slice(end, to).includes('<XML>')) throw new OwnershipError('submission', 'two XML sections in one DOCUMENT')
  return { start: open + 5, end }
}
