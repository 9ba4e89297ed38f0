// One section of an ownershipDocument (the issuer, an owner, a row, a signature, or the document around them): its
// fields by name, read as the domain's scalars, with errors that name the place.
import { dateText, decimalText, flag, letter, quoted } from './scalars.ts'
import { parseCik, type Cik, type DateText, type DecimalText } from '../../../../domain/shared/identifiers.ts'

/** An ownership document that is well-formed XML but can't be trusted. The message names the row and the element. */
export class OwnershipError extends Error {
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`)
  }
}

export class Section {
  readonly name: string
  /** The field of a footnote reference (or the group around it) and its id, in document order. */
  readonly references: { at: string; id: string }[] = []
  private readonly nth: number
  private readonly texts = new Map<string, string>()

  /** `nth` of its name in the document, from 1; 0 where there is only one. */
  constructor(name: string, nth: number) {
    this.name = name
    this.nth = nth
  }

  /** For messages, such as `nonDerivativeTransaction 2`. */
  get place(): string {
    return this.nth === 0 ? this.name : `${this.name} ${this.nth}`
  }

  set(field: string, text: string): void {
    if (this.texts.has(field)) this.refuse(field, 'given twice')
    this.texts.set(field, text)
  }

  /** Returns the trimmed text; null if the field is absent, blank, or only a footnote. */
  text(field: string): string | null {
    return this.texts.get(field) ?? null
  }

  flag(field: string): boolean | null {
    return flag(this.text(field))
  }

  cik(field: string): Cik {
    const text = this.text(field)
    if (text === null) this.refuse(field, 'missing')
    return parseCik(text) ?? this.refuseText(field, 'is not a CIK')
  }

  decimal(field: string): DecimalText | null {
    const value = decimalText(this.text(field))
    return value === undefined ? this.refuseText(field, 'is not a decimal number of zero or more') : value
  }

  date(field: string): DateText | null {
    const value = dateText(this.text(field))
    return value === undefined ? this.refuseText(field, 'is not a date') : value
  }

  /** Returns null also for text that is no date. For dates by which something is only looked for. */
  dateIfValid(field: string): DateText | null {
    return dateText(this.text(field)) ?? null
  }

  letter<T extends string>(field: string, allowed: readonly T[]): T | null {
    const value = letter(this.text(field), allowed)
    return value === undefined ? this.refuseText(field, `is neither ${allowed.join(' nor ')}`) : value
  }

  /** Returns ids of the footnotes at these fields. */
  referencesAt(...places: string[]): string[] {
    const ids: string[] = []
    for (const { at, id } of this.references) if (places.includes(at)) ids.push(id)
    return ids
  }

  refuse(field: string, problem: string): never {
    throw new OwnershipError(`${this.place}, ${field}`, problem)
  }

  refuseText(field: string, problem: string): never {
    return this.refuse(field, `${quoted(this.text(field) ?? '')} ${problem}`)
  }
}
