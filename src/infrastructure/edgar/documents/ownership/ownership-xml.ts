// Parses an ownershipDocument of Forms 3, 4 and 5 and their amendments, in every version of the schema. Only this XML
// tells the issuer and the owners: feeds, folders and headers list a filing under other parties too.
import type { Filing, FormType, Issuer, ReportingOwner, Signature } from '../../../../domain/filings/filing.ts'
import { filingTime, type DatedFiling } from '../../../../domain/filings/acceptance-time.ts'
import type { Envelope } from '../sgml-header.ts'
import { derivativeRow, nonDerivativeRow } from './rows.ts'
import { OwnershipError, type Section } from './section.ts'
import { OwnershipSections } from './sections.ts'
import { dateText, quoted } from './scalars.ts'
import { XmlError, parseXml } from './parse-xml.ts'
import { mended, unwrapped } from './repairs.ts'

/** A Filing without what only the submission's header has. */
type OwnershipDocument = Omit<Filing, 'accession' | 'kind' | 'header'>

/**
 * Reads one ownershipDocument. The header's form type is used if the document has none (X0101), and must not contradict
 * it. Throws XmlError or OwnershipError; nothing is ever read in part.
 */
export function readOwnershipXml(xml: string, envelope: Envelope | null): OwnershipDocument {
  const headerForm = envelope?.formType ?? null
  try {
    return read(xml, headerForm)
  } catch (error) {
    const documents = countOf(xml, /<ownershipDocument[\s/>]/g)
    if (documents > 1) throw new OwnershipError('file', `${documents} ownershipDocument elements, where one is allowed`)
    const repaired = error instanceof XmlError ? readRepaired(xml, headerForm, envelope?.header ?? null) : null
    if (repaired === null) throw error
    return repaired
  }
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0
  while (pattern.test(text)) count += 1
  return count
}

/** Returns null if no repair, or both together, makes it a document that can be read. */
function readRepaired(xml: string, headerForm: string | null, header: Filing['header']): OwnershipDocument | null {
  const joined = unwrapped(xml)
  const whole = joined === null ? null : tried(joined, headerForm)
  if (whole !== null) return whole
  for (const text of [mended(xml), joined === null ? null : mended(joined)]) {
    const document = text === null ? null : tried(text, headerForm)
    if (document !== null && isMendable({ ...document, header })) return document
  }
  return null
}

function tried(xml: string, headerForm: string | null): OwnershipDocument | null {
  try {
    return read(xml, headerForm, true)
  } catch {
    return null
  }
}

/** The years in which EDGAR let such faults pass. Later ones are of whoever copied the document. */
const MENDABLE_YEARS = { first: '2003', last: '2006' }
/** A time after all filings, since when the document was received does not matter here. */
const RECEIVED_AT = Date.UTC(2101, 0, 1) / 1000

function isMendable(filing: DatedFiling): boolean {
  const year = filingTime(filing, RECEIVED_AT).day.slice(0, 4)
  return year >= MENDABLE_YEARS.first && year <= MENDABLE_YEARS.last
}

/** Returns the document from the sections that a parser has filled. */
function ownershipDocument(filled: OwnershipSections, headerForm: string | null, repaired: boolean): OwnershipDocument {
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
    repaired,
  }
}

function read(xml: string, headerForm: string | null, isRepaired = false): OwnershipDocument {
  const sections = new OwnershipSections(isRepaired)
  parseXml(xml, sections)
  return ownershipDocument(sections, headerForm, isRepaired)
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
