// Builds the sections of an ownershipDocument from XML events: flat maps of field texts and footnote references.
// Filled while the text is scanned, so no tree is ever built; ambiguous content rejects the document.
import { NEVER_IGNORED, ROOT, type KnownElement } from './schema.ts'
import { OwnershipError, Section } from './section.ts'
import { quoted } from './scalars.ts'
import type { XmlEvents } from './parse-xml.ts'

/**
 * Several times what EDGAR accepts: 30 rows a table, 10 owners, 99 footnotes of 1,000 characters, remarks of 2,000,
 * titles of 30. What is derived from a filing grows with the product of some of them, so one beyond them is rejected.
 */
export const OWNERSHIP_LIMITS = {
  owners: 50,
  sectionsOfAName: 300,
  footnotes: 300,
  footnoteIds: 5000,
  /** Characters of a field, and of a footnote or the remarks. */
  field: 500,
  prose: 10_000,
}
const PROSE: ReadonlySet<string> = new Set(['footnote', 'remarks'])
/** Fields that are text, in which "&" can stand. */
const TEXTS: ReadonlySet<string> = new Set([
  ...PROSE,
  'issuerName',
  'issuerTradingSymbol',
  'rptOwnerName',
  'officerTitle',
  'otherText',
  'securityTitle',
  'underlyingSecurityTitle',
  'natureOfOwnership',
  'signatureName',
])

/** Collects the events of one document. Throws OwnershipError on anything that would have to be guessed. */
export class OwnershipSections implements XmlEvents {
  readonly document = new Section(ROOT.name, 0)
  /** All but the document's own, in document order. */
  readonly sections: Section[] = []
  readonly footnotes: { id: string; text: string }[] = []
  private readonly path: KnownElement[] = []
  private readonly counts = new Map<string, number>()
  private footnoteIds = 0
  private section = this.document
  /** Depth inside ignored elements. */
  private ignoredDepth = 0
  private field: KnownElement | null = null
  private footnoteId = ''
  /** The field's own text, and that of its `value`. */
  private bare = ''
  private value: string | null = null
  private inValue = false
  /** The field contains an ignored element. */
  private marked = false
  private readonly isRepaired: boolean

  /** In a repaired document no number, date, box or code may have an "&", also where its text would be passed over. */
  constructor(isRepaired: boolean) {
    this.isRepaired = isRepaired
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const known = this.ignoredDepth > 0 ? undefined : this.lookUp(name)
    if (known === undefined) return this.ignore(name)
    if (known.role === 'field') this.openField(known, attributes)
    else if (known.role === 'value') this.openValue()
    else if (known.role === 'reference') this.refer(attributes)
    else if (known.role === 'section' && known !== ROOT) this.openSection(known)
    this.path.push(known)
  }

  text(text: string): void {
    if (this.ignoredDepth > 0) return
    if (this.inValue) this.value += text
    else if (this.field !== null) this.bare += text
    else if (text.trim() !== '') throw new OwnershipError(this.section.place, `stray text ${quoted(text.trim())}`)
  }

  close(): void {
    if (this.ignoredDepth > 0) {
      this.ignoredDepth--
      return
    }
    const { role } = this.path.pop()!
    if (role === 'field') this.closeField()
    else if (role === 'value') this.inValue = false
    else if (role === 'section') this.section = this.document
  }

  private lookUp(name: string): KnownElement | undefined {
    const parent = this.path[this.path.length - 1]
    if (parent !== undefined) return parent.children.get(name)
    if (name !== ROOT.name) throw new OwnershipError('root element', `<${name}>, not <${ROOT.name}>`)
    return ROOT
  }

  private ignore(name: string): void {
    if (NEVER_IGNORED.has(name)) throw new OwnershipError(this.section.place, `<${name}> where it has no place`)
    if (this.inValue) this.refuse(`<${name}> inside the value`)
    this.marked = this.field !== null
    this.ignoredDepth++
  }

  private openSection({ name }: KnownElement): void {
    const nth = (this.counts.get(name) ?? 0) + 1
    const most = name === 'reportingOwner' ? OWNERSHIP_LIMITS.owners : OWNERSHIP_LIMITS.sectionsOfAName
    if (nth > most) throw new OwnershipError('document', `more than ${most} ${name} elements`)
    this.counts.set(name, nth)
    this.section = new Section(name, name === 'issuer' ? 0 : nth)
    this.sections.push(this.section)
  }

  private openField(known: KnownElement, attributes: Readonly<Record<string, string>>): void {
    this.field = known
    this.footnoteId = attributes.id?.trim() ?? ''
    this.bare = ''
    this.value = null
    this.marked = false
  }

  private openValue(): void {
    if (this.value !== null) this.refuse('two values')
    this.value = ''
    this.inValue = true
  }

  private refer(attributes: Readonly<Record<string, string>>): void {
    const id = attributes.id?.trim()
    if (id && ++this.footnoteIds > OWNERSHIP_LIMITS.footnoteIds) {
      throw new OwnershipError('document', `more than ${OWNERSHIP_LIMITS.footnoteIds} footnoteId elements`)
    }
    if (id) this.section.references.push({ at: this.path[this.path.length - 1]!.name, id })
  }

  private closeField(): void {
    const bare = this.bare.trim()
    if (this.value !== null && bare !== '') this.refuse('text beside the value')
    if (this.value === null && this.marked) this.refuse('unknown elements instead of a value')
    const text = this.value === null ? bare : this.value.trim()
    const { name } = this.field!
    const most = PROSE.has(name) ? OWNERSHIP_LIMITS.prose : OWNERSHIP_LIMITS.field
    if (this.isRepaired && text.includes('&') && !TEXTS.has(name)) this.refuse('"&" where no text stands')
    if (text.length > most) this.refuse(`longer than ${most} characters`)
    if (name === 'footnote') this.keepFootnote(text)
    else if (text !== '') this.section.set(name, text)
    this.field = null
    this.bare = ''
  }

  private keepFootnote(text: string): void {
    const { footnotes: most } = OWNERSHIP_LIMITS
    if (this.footnotes.push({ id: this.footnoteId, text }) > most) {
      throw new OwnershipError('document', `more than ${most} footnotes`)
    }
  }

  private refuse(problem: string): never {
    return this.section.refuse(this.field!.name, problem)
  }
}
