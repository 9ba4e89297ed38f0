// Parses a full submission (.txt of the archive, or a PDS .nc or .corr file): its header and the position of the form's
// XML. Checks by the closing tags that it is complete: an interrupted download must not pass for a filing with fewer
// rows.
import type { DocumentKind } from '../../../domain/filings/filing.ts'
import { isFormType } from './ownership/ownership-xml.ts'
import { OwnershipError } from './ownership/section.ts'
import { hasHeaderTag, readLabelledHeader, readTaggedHeader, type Envelope } from './sgml-header.ts'

export type EnvelopeKind = Exclude<DocumentKind, 'bare'>

const ROOTS = { submission: 'SEC-DOCUMENT', dissemination: 'SUBMISSION', correction: 'SUBMISSION' } as const
const PEM_END = '-----END PRIVACY-ENHANCED MESSAGE-----'

/** The forms that a reader takes, and the party of the header that is the issuer. */
export interface FormFamily {
  has(form: string): boolean
  /** For messages. */
  names: string
  issuerLabel: 'ISSUER' | 'SUBJECT COMPANY'
}

const OWNERSHIP_FORMS: FormFamily = { has: isFormType, names: '3, 4 or 5', issuerLabel: 'ISSUER' }

export function readEnvelope(text: string, kind: EnvelopeKind, { issuerLabel } = OWNERSHIP_FORMS): Envelope {
  const end = text.indexOf('<DOCUMENT>')
  const head = end === -1 ? text : text.slice(0, end)
  return kind === 'submission' ? readLabelledHeader(head, issuerLabel) : readTaggedHeader(head, issuerLabel)
}

/**
 * Returns start and end of the XML of the form in `text`; null if the submission legitimately has none: another form,
 * or one as text from before there was XML. Throws OwnershipError on a damaged one.
 */
export function locateXml(
  text: string,
  kind: EnvelopeKind,
  envelope: Envelope,
  forms: FormFamily = OWNERSHIP_FORMS,
): Span | null {
  if (envelope.formType !== null && !forms.has(envelope.formType)) return null
  checkWhole(text, ROOTS[kind])
  const { documents, sections, first } = xmlSections(text, forms)
  if (documents === 0) throw new OwnershipError('submission', `no DOCUMENT of TYPE ${forms.names}`)
  if (sections > 1) throw new OwnershipError('submission', `${sections} ownership documents, one is allowed`)
  return first
}

/** Throws OwnershipError if this is not the complete record of a deletion, and of nothing else. */
export function checkDeletion(text: string, { accession }: Envelope): void {
  if (accession === null) throw new OwnershipError('deletion', 'no ACCESSION-NUMBER')
  checkWhole(text, ROOTS.dissemination)
  if (text.includes('<DOCUMENT>')) throw new OwnershipError('deletion', 'a DOCUMENT, where none is allowed')
  if (hasHeaderTag(text, 'CORRECTION')) throw new OwnershipError('deletion', 'a CORRECTION as well')
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

interface Span {
  start: number
  end: number
}

/** EDGAR's types have at most 10 characters. */
const TYPE = /<TYPE>([^\r\n<]{0,40})/y

/**
 * Counts the DOCUMENTs of the form (a few of 2003 have no TYPE at all) and the XML sections in them, without exhibits.
 * Collects no list of them: there can be half a million.
 */
function xmlSections(text: string, forms: FormFamily): { documents: number; sections: number; first: Span | null } {
  const tags = new TagFinder(text)
  const counts = { documents: 0, sections: 0, first: null as Span | null }
  for (let start = tags.next('<DOCUMENT>', 0); start !== NONE;) {
    const end = tags.next('</DOCUMENT>', start)
    if (end === NONE) throw new OwnershipError('submission', 'truncated: a DOCUMENT is not closed')
    const type = typeOf(text, tags, start, end)
    if (type === null || forms.has(type)) {
      const section = xmlSection(tags, start, end)
      counts.documents += 1
      if (section !== null) counts.sections += 1
      counts.first ??= section
    }
    start = tags.next('<DOCUMENT>', end)
  }
  return counts
}

function typeOf(text: string, tags: TagFinder, start: number, end: number): string | null {
  const at = tags.next('<TYPE>', start)
  if (at >= Math.min(tags.next('<TEXT>', start), end)) return null
  TYPE.lastIndex = at
  return TYPE.exec(text)![1]!.trim()
}

/** Returns the text between `<XML>` and `</XML>`; null if the document is text or HTML. */
function xmlSection(tags: TagFinder, from: number, to: number): Span | null {
  const open = tags.next('<XML>', from)
  if (open >= to) return null
  const end = tags.next('</XML>', open)
  if (end >= to) throw new OwnershipError('submission', 'truncated: the XML section is not closed')
  if (tags.next('<XML>', end) < to) throw new OwnershipError('submission', 'two XML sections in one DOCUMENT')
  return { start: open + 5, end }
}

type Tag = '<DOCUMENT>' | '</DOCUMENT>' | '<TYPE>' | '<TEXT>' | '<XML>' | '</XML>'
const NONE = Number.POSITIVE_INFINITY

/** Finds tags from left to right. Each tag is searched for once over the text, however often `next` is called. */
class TagFinder {
  readonly #text: string
  readonly #positions = new Map<Tag, number>()

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Returns the first at or after `from`, which must not be before that of an earlier call for this tag; else NONE.
   */
  next(tag: Tag, from: number): number {
    const last = this.#positions.get(tag) ?? -1
    if (last >= from) return last
    const at = this.#text.indexOf(tag, from)
    const position = at === -1 ? NONE : at
    this.#positions.set(tag, position)
    return position
  }
}
