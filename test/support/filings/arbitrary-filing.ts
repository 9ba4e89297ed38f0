// Random filings as EDGAR could carry them, for tests that hold for all of them.
import fc from 'fast-check'
import type { DerivativeRowSpec, FilingSpec, RowSpec } from './filing-builder.ts'

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.stringMatching(/^[ -~\n]{1,60}$/),
    fc.constantFrom('P & L <Holdings>', ']]>', '&amp;', '"\'', '<!-- -->', '</value>', '__proto__', 'Ünïcödé'),
  )
  .map((each) => each.replace(/[\r\uFFFE\uFFFF]/g, '').trim())
  .filter((each) => each !== '')

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null })

const digits = (least: number, most: number) => fc.stringMatching(new RegExp(`^\\d{${least},${most}}$`))

const decimal = fc.oneof(
  digits(1, 12),
  fc.tuple(digits(0, 12), digits(1, 4)).map(([whole, part]) => `${whole}.${part}`),
  fc.constantFrom('0', '.5', '0.00', '7.'),
)

const padded = (least: number, most: number, length: number) =>
  fc.integer({ min: least, max: most }).map((number) => String(number).padStart(length, '0'))

const date = fc.tuple(padded(1, 9999, 4), padded(1, 12, 2), padded(1, 28, 2)).map((parts) => parts.join('-'))

const zoned = fc.tuple(date, fc.constantFrom('', '', '-05:00', '+14:00', 'Z')).map(([day, zone]) => day + zone)

const cik = fc.integer({ min: 1, max: 2_147_483_647 }).map((number) => String(number).padStart(10, '0'))

const footnoteId = fc.integer({ min: 1, max: 99 }).map((number) => `F${number}`)

const ids = fc.uniqueArray(footnoteId, { maxLength: 3 })

const rowParts = {
  kind: fc.constantFrom('transaction' as const, 'holding' as const),
  securityTitle: text,
  dateRaw: zoned,
  deemedExecutionDate: maybe(date),
  formType: maybe(fc.constantFrom('3', '4', '5')),
  code: maybe(fc.constantFrom('P', 'S', 'A', 'M', 'F', 'G', 'J')),
  equitySwap: maybe(fc.boolean()),
  timeliness: maybe(fc.constantFrom('E', 'L')),
  shares: maybe(decimal),
  price: maybe(decimal),
  acquiredDisposed: maybe(fc.constantFrom('A' as const, 'D' as const)),
  sharesAfter: maybe(decimal),
  valueAfter: maybe(decimal),
  directIndirect: maybe(fc.constantFrom('D' as const, 'I' as const)),
  nature: maybe(text),
  footnotes: fc.record({ title: ids, coding: ids, price: ids, nature: ids }),
}

const row: fc.Arbitrary<RowSpec> = fc.record(rowParts)

const derivativeRow: fc.Arbitrary<DerivativeRowSpec> = fc.record({
  ...rowParts,
  totalValue: maybe(decimal),
  conversionPrice: maybe(decimal),
  exerciseDate: maybe(date),
  expirationDate: maybe(date),
  underlyingTitle: maybe(text),
  underlyingShares: maybe(decimal),
  underlyingValue: maybe(decimal),
  derivativeFootnotes: fc.record({ conversionPrice: ids, exerciseDate: ids, expirationDate: ids }),
})

const box = maybe(fc.boolean())

const owner = fc.record({
  cik,
  name: text,
  isDirector: box,
  isOfficer: box,
  isTenPercentOwner: box,
  isOther: box,
  officerTitle: maybe(text),
  otherText: maybe(text),
})

export const arbitraryFiling: fc.Arbitrary<FilingSpec> = fc.record({
  accession: fc.tuple(digits(10, 10), digits(2, 2), digits(6, 6)).map((parts) => parts.join('-')),
  formType: fc.constantFrom('3' as const, '3/A' as const, '4' as const, '4/A' as const, '5' as const, '5/A' as const),
  schemaVersion: maybe(fc.constantFrom('X0201', 'X0306', 'X0508', 'X0609')),
  periodRaw: zoned,
  dateOfOriginalSubmission: maybe(date),
  noSecuritiesOwned: box,
  notSubjectToSection16: box,
  aff10b5One: box,
  issuer: fc.record({ cik, name: text, tickerRaw: fc.oneof(text, fc.constant('')), foreignTickerRaw: maybe(text) }),
  owners: fc.array(owner, { minLength: 1, maxLength: 12 }),
  rows: fc.array(row, { maxLength: 4 }),
  derivativeRows: fc.array(derivativeRow, { maxLength: 3 }),
  footnotes: fc.array(fc.record({ id: footnoteId, text }), { maxLength: 3 }),
  remarks: maybe(text),
  signatures: fc.array(fc.record({ name: text, date: maybe(date) }), { maxLength: 3 }),
  acceptedAt: maybe(digits(14, 14)),
  filedAsOf: maybe(digits(8, 8)),
  documentCount: fc.integer({ min: 1, max: 99 }),
  sic: maybe(fc.constantFrom('STATE COMMERCIAL BANKS [6022]', '3674')),
  office: maybe(fc.constantFrom('06 Technology', '02 Finance')),
  dress: fc.record({ issuerFirst: fc.boolean(), pem: fc.boolean(), exhibits: fc.integer({ min: 0, max: 2 }) }),
})
