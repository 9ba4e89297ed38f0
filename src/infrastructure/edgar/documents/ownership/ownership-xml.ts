// Parses an ownershipDocument of Forms 3, 4 and 5 and their amendments, in every version of the schema. Only this XML
// tells the issuer and the owners: feeds, folders and headers list a filing under other parties too.
import type { Filing, FormType, Issuer, ReportingOwner, Signature } from '../../../../domain/filings/filing.ts'
import { derivativeRow, nonDerivativeRow } from './rows.ts'
import { OwnershipError, type Section } from './section.ts'
import { OwnershipSections } from './sections.ts'
import { dateText, quoted } from './scalars.ts'
import { XmlError, parseXml } from './parse-xml.ts'

/** A Filing without what only the submission's header has. */
type OwnershipDocument = Omit<Filing, 'accession' | 'kind' | 'header'>

/**
 * Reads one ownershipDocument. `headerForm` is the header's form type: it is used if the document has none (X0101),
 * and must not contradict it. Throws XmlError or OwnershipError; nothing is ever read in part.
 */
export function readOwnershipXml(xml: string, headerForm: string | null): OwnershipDocument {
  try {
    return read(xml, headerForm)
  } catch (error) {
    const documents = countOf(xml, /<ownershipDocument[\s/>]/g)
    if (documents > 1) throw new OwnershipError('file', `${documents} ownershipDocument elements, where one is allowed`)
    const unwrappedXml = error instanceof XmlError ? unwrapped(xml) : null
    if (unwrappedXml === null) throw error
    return secondTry(unwrappedXml, headerForm, error)
  }
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0
  while (pattern.test(text)) count += 1
  return count
}

function secondTry(xml: string, headerForm: string | null, first: unknown): OwnershipDocument {
  try {
    return read(xml, headerForm)
  } catch {
    throw first
  }
}

/** Returns the document from the sections that a parser has filled. */
function ownershipDocument(filled: OwnershipSections, headerForm: string | null): OwnershipDocument {
  const { document, sections } = filled
  const named = (...names: string[]) => sections.filter((each) => names.includes(each.name))
  return {
    formType: formType(document.text('documentType'), headerForm),
    schemaVersion: document.text('schemaVersion'),
    periodOfReport: document.date('periodOfReport'),
    periodRaw: document.text('periodOfReport'),
    dateOfOriginalSubmission: document.dateIfValid('dateOfOriginalSubmission'),
    noSecuritiesOwned: document.flag('noSecuritiesOwned'),
    notSubjectToSection16: document.flag('notSubjectToSection16'),
    aff10b5One: document.flag('aff10b5One'),
    issuer: issuer(named('issuer')),
    owners: owners(named('reportingOwner')),
    nonDerivative: named('nonDerivativeTransaction', 'nonDerivativeHolding', 'nonDerivativeSecurity').map(
      nonDerivativeRow,
    ),
    derivative: named('derivativeTransaction', 'derivativeHolding', 'derivativeSecurity').map(derivativeRow),
    footnotes: filled.footnotes,
    remarks: document.text('remarks'),
    signatures: named('ownerSignature').map(signature),
  }
}

function read(xml: string, headerForm: string | null): OwnershipDocument {
  const sections = new OwnershipSections()
  parseXml(xml, sections)
  return ownershipDocument(sections, headerForm)
}

/**
 * Undoes the line breaks of some documents of 2003, which were cut into lines of one width, through names and values
 * alike: every line of exactly that width is joined to the next. That can't repair a document broken in another way.
 * Returns null if nothing was cut.
 */
function unwrapped(xml: string): string | null {
  let [width, lines] = [0, 0]
  eachLine(xml, (start, end) => {
    if (end - start === width) lines += 1
    else if (end - start > width) [width, lines] = [end - start, 1]
  })
  if (width < 72 || lines < 2) return null
  const parts: string[] = []
  let from = 0
  eachLine(xml, (start, end, next) => {
    if (end - start !== width) return
    parts.push(xml.slice(from, end))
    from = next
  })
  return parts.join('') + xml.slice(from)
}

/** `end` is the end of the line, `next` the start of the next. */
function eachLine(text: string, visit: (start: number, end: number, next: number) => void): void {
  for (let start = 0; start < text.length;) {
    let end = start
    while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end += 1
    const next = end + (text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? 2 : 1)
    visit(start, end, next)
    start = next
  }
}

function formType(inDocument: string | null, inHeader: string | null): FormType {
  const form = inDocument ?? inHeader
  if (form === null) throw new OwnershipError('documentType', 'missing')
  if (!isFormType(form)) throw new OwnershipError('documentType', `${quoted(form)} is not one of Forms 3, 4 and 5`)
  if (inHeader !== null && inHeader !== form) {
    throw new OwnershipError('documentType', `${form}, but the header says ${inHeader}`)
  }
  return form
}

export function isFormType(text: string): text is FormType {
  return /^[345](?:\/A)?$/.test(text)
}

function issuer(sections: Section[]): Issuer {
  const [section] = sections
  if (section === undefined) throw new OwnershipError('issuer', 'missing')
  if (sections.length > 1) throw new OwnershipError('issuer', 'given twice')
  return {
    cik: section.cik('issuerCik'),
    name: section.text('issuerName') ?? '',
    tickerRaw: section.text('issuerTradingSymbol') ?? '',
    foreignTickerRaw: section.text('issuerForeignTradingSymbol'),
  }
}

function owners(sections: Section[]): ReportingOwner[] {
  if (sections.length === 0) throw new OwnershipError('reportingOwner', 'missing')
  return sections.map((section) => ({
    cik: section.cik('rptOwnerCik'),
    name: section.text('rptOwnerName') ?? '',
    isDirector: section.flag('isDirector'),
    isOfficer: section.flag('isOfficer'),
    isTenPercentOwner: section.flag('isTenPercentOwner'),
    isOther: section.flag('isOther'),
    officerTitle: section.text('officerTitle'),
    otherText: section.text('otherText'),
  }))
}

/** Reads a signature. Its date is only the last fallback for the filing day: an unreadable one counts as missing. */
function signature(section: Section): Signature {
  return { name: section.text('signatureName') ?? '', date: dateText(section.text('signatureDate')) ?? null }
}
