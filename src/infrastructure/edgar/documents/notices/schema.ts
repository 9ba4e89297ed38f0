// The elements of a Form 144 that are read. Everything else is ignored.

export interface NoticeElement {
  /** An `item` is a section with one field, which is its own text. A group's fields are those of its section. */
  role: 'section' | 'group' | 'field' | 'item'
  children: ReadonlyMap<string, NoticeElement>
}

type Named = [name: string, element: NoticeElement]

const leaf = (role: 'field' | 'item', name: string): Named => [name, { role, children: new Map() }]
const fields = (...names: string[]): Named[] => names.map((name) => leaf('field', name))
const node = (role: 'section' | 'group', name: string, children: Named[]): Named => [
  name,
  { role, children: new Map(children) },
]

const HEADER = node('group', 'headerData', [
  ...fields('submissionType', 'previousAccessionNumber'),
  node('group', 'filerInfo', [
    node('group', 'filer', [node('group', 'filerCredentials', fields('cik'))]),
    ...fields('liveTestFlag'),
  ]),
])

const ISSUER = node('section', 'issuerInfo', [
  ...fields('issuerCik', 'issuerName', 'secFileNumber', 'nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold'),
  node('group', 'relationshipsToIssuer', [leaf('item', 'relationshipToIssuer')]),
])

const LINE = node('section', 'securitiesInformation', [
  ...fields(
    'securitiesClassTitle',
    'noOfUnitsSold',
    'aggregateMarketValue',
    'noOfUnitsOutstanding',
    'approxSaleDate',
    'securitiesExchangeName',
  ),
  node('group', 'brokerOrMarketmakerDetails', fields('name')),
])

const ACQUISITION = node('section', 'securitiesToBeSold', [
  ...fields(
    'securitiesClassTitle',
    'acquiredDate',
    'natureOfAcquisitionTransaction',
    'nameOfPersonfromWhomAcquired',
    'isGiftTransaction',
    'donarAcquiredDate',
    'amountOfSecuritiesAcquired',
    'paymentDate',
    'natureOfPayment',
  ),
])

const PAST_SALE = node('section', 'securitiesSoldInPast3Months', [
  ...fields('securitiesClassTitle', 'saleDate', 'amountOfSecuritiesSold', 'grossProceeds'),
  node('group', 'sellerDetails', fields('name')),
])

const SIGNATURE = node('group', 'noticeSignature', [
  ...fields('noticeDate'),
  node('group', 'planAdoptionDates', [leaf('item', 'planAdoptionDate')]),
])

export const ROOT: NoticeElement = node('group', 'edgarSubmission', [
  HEADER,
  node('group', 'formData', [
    ISSUER,
    LINE,
    ACQUISITION,
    ...fields('nothingToReportFlagOnSecuritiesSoldInPast3Months', 'remarks'),
    PAST_SALE,
    SIGNATURE,
  ]),
])[1]

/** Elements that must not be lost: a document with one in an unknown place is rejected. */
export const NEVER_IGNORED: ReadonlySet<string> = new Set([
  'edgarSubmission',
  'headerData',
  'formData',
  ...[ISSUER, LINE, ACQUISITION, PAST_SALE, SIGNATURE].map(([name]) => name),
])
