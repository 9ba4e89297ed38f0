// A Notice -> its text, as EDGAR disseminates it: the XML of Form 144 and the full submission. What must not be kept of
// a document stands in it, too: see PRIVATE.
import type { Notice, NoticeAcquisition, NoticeLine, PastSale } from '../../../src/domain/notices/notice.ts'

export interface NoticeDress {
  /** Before the names of the form's elements: none, `own:` or `ns2:`. */
  prefix?: string
  /** Of addresses. */
  addressPrefix?: string
  liveTestFlag?: string
  /** Base64 documents inside the XML. */
  attachments?: number
}

/** Texts of every document that its reader must not keep. */
export const PRIVATE = [
  '7 SECRET LANE',
  'HIDDENVILLE',
  '99999-0001',
  '212-555-0199',
  'someone@example.com',
  'S3CRET!!',
  'Contact Somebody',
  'Broker Employee',
  'QXR0YWNobWVudA==',
]

/** The bare edgarSubmission. */
export function noticeXmlOf(notice: Notice, dress: NoticeDress = {}): string {
  const writer = new Writer(dress.prefix ?? '', dress.addressPrefix ?? 'com:')
  const { element, leaf } = writer
  const own = (dress.prefix ?? '').replace(':', '')
  const root = `${dress.prefix ?? ''}edgarSubmission`
  const spaces =
    `xmlns${own && `:${own}`}="http://www.sec.gov/edgar/ownership" ` +
    `xmlns:${(dress.addressPrefix ?? 'com:').replace(':', '')}="http://www.sec.gov/edgar/common"`
  const header = element('headerData', [
    leaf('submissionType', notice.form),
    leaf('previousAccessionNumber', notice.previousAccession),
    element('filerInfo', [
      element('filer', [element('filerCredentials', [leaf('cik', notice.seller.cik), leaf('ccc', 'S3CRET!!')])]),
      leaf('liveTestFlag', dress.liveTestFlag ?? 'LIVE'),
      element('contact', [
        leaf('contactName', 'Contact Somebody'),
        leaf('contactPhoneNumber', '212-555-0199'),
        leaf('contactEmailAddress', 'someone@example.com'),
      ]),
      element('notifications', [leaf('notificationEmailAddress', 'someone@example.com')]),
    ]),
  ])
  const form = element('formData', [
    element('issuerInfo', [
      leaf('issuerCik', notice.issuer.cik),
      leaf('issuerName', notice.issuer.name),
      leaf('secFileNumber', notice.issuer.fileNumber),
      writer.address('issuerAddress'),
      leaf('issuerContactPhone', '212-555-0199'),
      leaf('nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold', notice.seller.name),
      element(
        'relationshipsToIssuer',
        notice.seller.relationships.map(({ text }) => leaf('relationshipToIssuer', text)),
      ),
    ]),
    ...notice.lines.map((line) => lineOf(writer, line)),
    ...notice.acquisitions.map((acquisition) => acquisitionOf(writer, acquisition)),
    leaf('nothingToReportFlagOnSecuritiesSoldInPast3Months', letter(notice.nothingSold)),
    ...notice.pastSales.map((sale) => pastSaleOf(writer, sale)),
    leaf('remarks', notice.remarks),
    element('noticeSignature', [
      leaf('noticeDate', usDate(notice.noticeDate)),
      notice.planAdoptionDates.length === 0
        ? ''
        : element(
            'planAdoptionDates',
            notice.planAdoptionDates.map((date) => leaf('planAdoptionDate', usDate(date))),
          ),
      leaf('signature', '/s/ Broker Employee, as attorney-in-fact'),
    ]),
  ])
  const attached = Array.from({ length: dress.attachments ?? 0 }, () =>
    element('document', [leaf('conformedName', 'poa.txt'), leaf('contents', 'QXR0YWNobWVudA==')]),
  )
  const documents = attached.length === 0 ? '' : element('documents', attached)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${spaces}>${header}${form}${documents}</${root}>\n`
}

/** The full .txt. Its header's SIC and office are those of the notice's header. */
export function noticeSubmissionOf(notice: Notice, dress: NoticeDress = {}): string {
  const { accession, form, header, issuer, seller } = notice
  return [
    `<SEC-DOCUMENT>${accession}.txt : ${header?.filedAsOf}`,
    `<SEC-HEADER>${accession}.hdr.sgml : ${header?.filedAsOf}`,
    `<ACCEPTANCE-DATETIME>${header?.acceptedAt}`,
    `ACCESSION NUMBER:\t\t${accession}`,
    `CONFORMED SUBMISSION TYPE:\t${form}`,
    `PUBLIC DOCUMENT COUNT:\t\t${header?.documentCount}`,
    `FILED AS OF DATE:\t\t${header?.filedAsOf}`,
    '',
    'SUBJECT COMPANY:\t',
    '',
    '\tCOMPANY DATA:\t',
    `\t\tCOMPANY CONFORMED NAME:\t\t\t${plain(issuer.name)}`,
    `\t\tCENTRAL INDEX KEY:\t\t\t${issuer.cik}`,
    ...(header?.sic ? [`\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\t${header.sic}`] : []),
    ...(header?.office ? [`\t\tORGANIZATION NAME:           \t${header.office}`] : []),
    '',
    'REPORTING-OWNER:\t',
    '',
    '\tCOMPANY DATA:\t',
    `\t\tCOMPANY CONFORMED NAME:\t\t\t${plain(seller.name)}`,
    `\t\tCENTRAL INDEX KEY:\t\t\t${seller.cik}`,
    '',
    '\tMAIL ADDRESS:\t',
    '\t\tSTREET 1:\t\t7 SECRET LANE',
    '\t\tCITY:\t\t\tHIDDENVILLE',
    '',
    '</SEC-HEADER>',
    '<DOCUMENT>',
    `<TYPE>${form}`,
    '<SEQUENCE>1',
    '<FILENAME>primary_doc.xml',
    '<TEXT>',
    '<XML>',
    noticeXmlOf(notice, dress).trim(),
    '</XML>',
    '</TEXT>',
    '</DOCUMENT>',
    '</SEC-DOCUMENT>',
    '',
  ].join('\n')
}

class Writer {
  readonly #prefix: string
  readonly #addressPrefix: string

  constructor(prefix: string, addressPrefix: string) {
    this.#prefix = prefix
    this.#addressPrefix = addressPrefix
  }

  readonly element = (name: string, children: readonly string[]): string =>
    `\n<${this.#prefix}${name}>${children.join('')}\n</${this.#prefix}${name}>`

  readonly leaf = (name: string, text: string | null): string =>
    text === null ? '' : `\n<${this.#prefix}${name}>${escaped(text)}</${this.#prefix}${name}>`

  readonly address = (name: string): string => {
    const common = (part: string, text: string) =>
      `\n<${this.#addressPrefix}${part}>${text}</${this.#addressPrefix}${part}>`
    return this.element(name, [
      common('street1', '7 SECRET LANE'),
      common('city', 'HIDDENVILLE'),
      common('stateOrCountry', 'NY'),
      common('zipCode', '99999-0001'),
    ])
  }
}

function lineOf({ element, leaf, address }: Writer, line: NoticeLine): string {
  return element('securitiesInformation', [
    leaf('securitiesClassTitle', line.classTitle),
    element('brokerOrMarketmakerDetails', [leaf('name', line.broker), address('address')]),
    leaf('noOfUnitsSold', number(line.units)),
    leaf('aggregateMarketValue', line.marketValue),
    leaf('noOfUnitsOutstanding', number(line.unitsOutstanding)),
    leaf('approxSaleDate', usDate(line.saleDate)),
    leaf('securitiesExchangeName', line.exchange),
  ])
}

function acquisitionOf({ element, leaf }: Writer, each: NoticeAcquisition): string {
  return element('securitiesToBeSold', [
    leaf('securitiesClassTitle', each.classTitle),
    leaf('acquiredDate', usDate(each.acquiredDate)),
    leaf('natureOfAcquisitionTransaction', each.nature),
    leaf('nameOfPersonfromWhomAcquired', each.from),
    leaf('isGiftTransaction', letter(each.gift)),
    leaf('donarAcquiredDate', usDate(each.donorAcquiredDate)),
    leaf('amountOfSecuritiesAcquired', number(each.units)),
    leaf('paymentDate', usDate(each.paymentDate)),
    leaf('natureOfPayment', each.payment),
  ])
}

function pastSaleOf({ element, leaf, address }: Writer, each: PastSale): string {
  return element('securitiesSoldInPast3Months', [
    element('sellerDetails', [leaf('name', each.seller), address('address')]),
    leaf('securitiesClassTitle', each.classTitle),
    leaf('saleDate', usDate(each.saleDate)),
    leaf('amountOfSecuritiesSold', number(each.units)),
    leaf('grossProceeds', each.grossProceeds),
  ])
}

const number = (value: number | null): string | null => (value === null ? null : String(value))
const letter = (value: boolean | null): string | null => (value === null ? null : value ? 'Y' : 'N')
const usDate = (date: string | null): string | null =>
  date && `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
/** The SGML header knows no escapes. */
const plain = (text: string): string => text.replace(/[<>\n\r]/g, ' ')
