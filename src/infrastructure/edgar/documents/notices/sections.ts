// Builds the sections of a Form 144's edgarSubmission from XML events. Elements are known by local name and parents,
// whatever their prefix: filing software writes none, `own:` or `ns2:`. What is not named here is not kept: addresses,
// phone numbers, e-mail addresses, access codes, signers and attachments among it.
import { NEVER_IGNORED, ROOT, type NoticeElement } from './schema.ts'
import { OwnershipError, Section } from '../ownership/section.ts'
import { quoted } from '../ownership/scalars.ts'
import type { XmlEvents } from '../ownership/parse-xml.ts'

/** Several times what EDGAR accepts: 40 lines, 40 acquisitions, 200 past sales, 5 relationships, 20 plan dates. */
export const NOTICE_LIMITS = {
  /** Of the document, which has its attachments in it. */
  characters: 5 * 1024 * 1024,
  sectionsOfAName: 500,
  /** Characters of a field, and of the remarks. */
  field: 500,
  prose: 10_000,
}

/** Collects the events of one document. Throws OwnershipError on anything that would have to be guessed. */
export class NoticeSections implements XmlEvents {
  readonly document = new Section('edgarSubmission', 0)
  /** All but the document's own, in document order. */
  readonly sections: Section[] = []
  readonly #path: NoticeElement[] = []
  readonly #counts = new Map<string, number>()
  /** Those that are open, the innermost last. */
  readonly #open = [this.document]
  #field: { name: string; text: string } | null = null
  /** Depth inside ignored elements. */
  #ignoredDepth = 0

  open(qualified: string): void {
    const name = localName(qualified)
    const known = this.#ignoredDepth > 0 ? undefined : this.#lookUp(name)
    if (known === undefined) return this.#ignore(name)
    if (known.role === 'section' || known.role === 'item') this.#openSection(name)
    if (known.role === 'field' || known.role === 'item') this.#field = { name, text: '' }
    this.#path.push(known)
  }

  text(text: string): void {
    if (this.#ignoredDepth > 0) return
    if (this.#field !== null) this.#field.text += text
    else if (text.trim() !== '') throw new OwnershipError(this.#section.place, `stray text ${quoted(text.trim())}`)
  }

  close(): void {
    if (this.#ignoredDepth > 0) {
      this.#ignoredDepth--
      return
    }
    const { role } = this.#path.pop()!
    if (role === 'field' || role === 'item') this.#closeField()
    if (role === 'section' || role === 'item') this.#open.pop()
  }

  get #section(): Section {
    return this.#open.at(-1)!
  }

  #lookUp(name: string): NoticeElement | undefined {
    const parent = this.#path.at(-1)
    if (parent !== undefined) return parent.children.get(name)
    if (name !== 'edgarSubmission') throw new OwnershipError('root element', `<${name}>, not <edgarSubmission>`)
    return ROOT
  }

  #ignore(name: string): void {
    if (NEVER_IGNORED.has(name)) throw new OwnershipError(this.#section.place, `<${name}> where it has no place`)
    if (this.#field !== null) this.#section.refuse(this.#field.name, `<${name}> inside the value`)
    this.#ignoredDepth++
  }

  #openSection(name: string): void {
    const nth = (this.#counts.get(name) ?? 0) + 1
    const { sectionsOfAName: most } = NOTICE_LIMITS
    if (nth > most) throw new OwnershipError('document', `more than ${most} ${name} elements`)
    this.#counts.set(name, nth)
    const section = new Section(name, nth)
    this.#open.push(section)
    this.sections.push(section)
  }

  #closeField(): void {
    const { name, text } = this.#field!
    const trimmed = text.trim()
    const most = name === 'remarks' ? NOTICE_LIMITS.prose : NOTICE_LIMITS.field
    if (trimmed.length > most) this.#section.refuse(name, `longer than ${most} characters`)
    if (trimmed !== '') this.#section.set(name, name === 'remarks' ? trimmed : trimmed.replace(/\s+/g, ' '))
    this.#field = null
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
