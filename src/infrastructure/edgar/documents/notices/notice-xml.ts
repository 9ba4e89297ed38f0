// Parser of a Form 144's edgarSubmission. Issuer and seller are read from here only. A number, date or flag that can't
// be read becomes null and is named in `unreadable`; what identifies the notice must be there.
import { relationshipRoles } from '../../../../domain/notices/relationship-roles.ts'
import type { Notice, NoticeAcquisition, NoticeForm, NoticeLine, PastSale } from '../../../../domain/notices/notice.ts'
import { isRealDate } from '../../../../domain/shared/calendar.ts'
import { parseAccession, type DateText, type DecimalText } from '../../../../domain/shared/identifiers.ts'
import { OwnershipError, type Section } from '../ownership/section.ts'
import { decimalText, letter, quoted } from '../ownership/scalars.ts'
import { parseXml, XML_LIMITS } from '../ownership/parse-xml.ts'
import { NOTICE_LIMITS, NoticeSections } from './sections.ts'

/** A Notice without what only the submission's header has. */
type NoticeDocument = Omit<Notice, 'accession' | 'kind' | 'header'>

/**
 * Reads one edgarSubmission of a Form 144. `headerForm`, the header's form type, must not contradict it. Throws
 * XmlError or OwnershipError; nothing is ever read in part.
 */
export function readNoticeXml(xml: string, headerForm: string | null): NoticeDocument {
  const sections = new NoticeSections()
  parseXml(xml, sections, { ...XML_LIMITS, characters: NOTICE_LIMITS.characters })
  return notice(sections, headerForm)
}

export function isNoticeForm(text: string): text is NoticeForm {
  return text === '144' || text === '144/A'
}

function notice({ document, sections }: NoticeSections, headerForm: string | null): NoticeDocument {
  const named = (name: string) => sections.filter((each) => each.name === name)
  const form = noticeForm(document, headerForm)
  refuseTest(document)
  const [issuer, ...others] = named('issuerInfo')
  if (issuer === undefined) throw new OwnershipError('issuerInfo', 'missing')
  if (others.length > 0) throw new OwnershipError('issuerInfo', 'given twice')
  const unreadable: string[] = []
  const lines = named('securitiesInformation').map((section) => line(new Fields(section, unreadable)))
  if (lines.length === 0) throw new OwnershipError('securitiesInformation', 'missing')
  const fields = new Fields(document, unreadable)
  return {
    form,
    previousAccession: form === '144/A' ? fields.accession('previousAccessionNumber') : null,
    issuer: {
      cik: issuer.cik('issuerCik'),
      name: issuer.text('issuerName') ?? '',
      fileNumber: issuer.text('secFileNumber'),
    },
    seller: {
      cik: document.cik('cik'),
      name: issuer.text('nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold') ?? '',
      relationships: named('relationshipToIssuer').flatMap((section) => {
        const text = section.text('relationshipToIssuer')
        return text === null ? [] : [{ text, roles: relationshipRoles(text) }]
      }),
    },
    lines,
    acquisitions: named('securitiesToBeSold').map((section) => acquisition(new Fields(section, unreadable))),
    pastSales: named('securitiesSoldInPast3Months').map((section) => pastSale(new Fields(section, unreadable))),
    nothingSold: fields.flag('nothingToReportFlagOnSecuritiesSoldInPast3Months'),
    remarks: document.text('remarks'),
    noticeDate: fields.date('noticeDate'),
    planAdoptionDates: named('planAdoptionDate').flatMap((section) => {
      const date = new Fields(section, unreadable).date('planAdoptionDate')
      return date === null ? [] : [date]
    }),
    unreadable,
  }
}

function noticeForm(document: Section, inHeader: string | null): NoticeForm {
  const form = document.text('submissionType')
  if (form === null) throw new OwnershipError('submissionType', 'missing')
  if (!isNoticeForm(form)) throw new OwnershipError('submissionType', `${quoted(form)} is not Form 144`)
  if (inHeader !== null && inHeader !== form) {
    throw new OwnershipError('submissionType', `${form}, but the header says ${inHeader}`)
  }
  return form
}

function refuseTest(document: Section): void {
  const flag = document.text('liveTestFlag')
  if (flag === null || flag === 'LIVE') return
  throw new OwnershipError('liveTestFlag', flag === 'TEST' ? 'a test filing' : `${quoted(flag)} is not LIVE`)
}

function line(fields: Fields): NoticeLine {
  return {
    classTitle: fields.text('securitiesClassTitle') ?? '',
    units: fields.units('noOfUnitsSold'),
    marketValue: fields.money('aggregateMarketValue'),
    unitsOutstanding: fields.units('noOfUnitsOutstanding'),
    saleDate: fields.date('approxSaleDate'),
    exchange: fields.text('securitiesExchangeName'),
    broker: fields.text('name'),
  }
}

function acquisition(fields: Fields): NoticeAcquisition {
  return {
    classTitle: fields.text('securitiesClassTitle') ?? '',
    acquiredDate: fields.date('acquiredDate'),
    nature: fields.text('natureOfAcquisitionTransaction'),
    from: fields.text('nameOfPersonfromWhomAcquired'),
    gift: fields.flag('isGiftTransaction'),
    donorAcquiredDate: fields.date('donarAcquiredDate'),
    units: fields.units('amountOfSecuritiesAcquired'),
    paymentDate: fields.date('paymentDate'),
    payment: fields.text('natureOfPayment'),
  }
}

function pastSale(fields: Fields): PastSale {
  return {
    seller: fields.text('name') ?? '',
    classTitle: fields.text('securitiesClassTitle') ?? '',
    saleDate: fields.date('saleDate'),
    units: fields.units('amountOfSecuritiesSold'),
    grossProceeds: fields.money('grossProceeds'),
  }
}

/** The schema's type of numbers of units; also what doubles add up exactly. */
const UNITS = /^\d{1,12}$/
const DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** The fields of a section as scalars: null for one that is absent or unreadable, which is noted. */
class Fields {
  readonly #section: Section
  readonly #unreadable: string[]

  constructor(section: Section, unreadable: string[]) {
    this.#section = section
    this.#unreadable = unreadable
  }

  text(field: string): string | null {
    return this.#section.text(field)
  }

  units(field: string): number | null {
    return this.#read(field, (text) => (UNITS.test(text) ? Number(text) : null))
  }

  money(field: string): DecimalText | null {
    return this.#read(field, (text) => decimalText(text) ?? null)
  }

  date(field: string): DateText | null {
    return this.#read(field, (text) => {
      const [, month, day, year] = DATE.exec(text) ?? []
      if (year === undefined || year < '1900' || year > '2100') return null
      const date = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`
      return isRealDate(date) ? date : null
    })
  }

  flag(field: string): boolean | null {
    return this.#read(field, (text) => {
      const answer = letter(text, ['Y', 'N'])
      return answer ? answer === 'Y' : null
    })
  }

  accession(field: string): string | null {
    return this.#read(field, parseAccession)
  }

  #read<T>(field: string, parse: (text: string) => T | null): T | null {
    const text = this.#section.text(field)
    const value = text === null ? null : parse(text)
    if (text !== null && value === null) this.#unreadable.push(`${this.#section.place}, ${field}`)
    return value
  }
}
