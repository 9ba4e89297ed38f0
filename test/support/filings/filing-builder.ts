// Filings of our own invention for tests: a compact description -> the Filing it must be read as, and its text in
// every dress.
// Everything has a default, so a test says only what it is about.
import type {
  DerivativeRow,
  DocumentKind,
  Filing,
  Issuer,
  NonDerivativeRow,
  ReportingOwner,
  Signature,
  SubmissionHeader,
} from '../../../src/domain/filings/filing.ts'
import { disseminationOf, submissionOf, xmlOf, type Dress } from './filing-text.ts'

/** Where footnote ids hang; `title` stands for every place the domain keeps no list of its own for. */
interface RowFootnotes {
  title?: string[]
  coding?: string[]
  price?: string[]
  nature?: string[]
}

/** A row of Table I: by default a purchase of 100 shares of common stock at 10. `dateRaw` may carry a zone suffix. */
export type RowSpec = Partial<Omit<NonDerivativeRow, 'table' | 'footnotes' | 'cells'>> & { footnotes?: RowFootnotes }

/** A row of Table II: by default a grant of 100 options. */
export type DerivativeRowSpec = Partial<
  Omit<DerivativeRow, 'table' | 'footnotes' | 'cells' | 'derivativeFootnotes'>
> & {
  footnotes?: RowFootnotes
  derivativeFootnotes?: Partial<DerivativeRow['derivativeFootnotes']>
}

export interface FilingSpec
  extends
    Partial<SubmissionHeader>,
    Partial<Omit<Filing, 'kind' | 'issuer' | 'owners' | 'nonDerivative' | 'derivative' | 'signatures' | 'header'>> {
  issuer?: Partial<Issuer>
  /** One officer by default. */
  owners?: Partial<ReportingOwner>[]
  /** Table I. One purchase by default. */
  rows?: RowSpec[]
  /** Table II. */
  derivativeRows?: DerivativeRowSpec[]
  signatures?: Partial<Signature>[]
  /** How the envelope looks. */
  dress?: Dress
}

/** The bare ownershipDocument. */
export function ownershipXml(spec: FilingSpec = {}): string {
  return xmlOf(filingOf(spec, 'bare'))
}

/** The full .txt with its SGML header. */
export function submissionText(spec: FilingSpec = {}): string {
  return submissionOf(filingOf(spec), spec.dress)
}

/** A PDS .nc file. */
export function disseminationText(spec: FilingSpec = {}): string {
  return disseminationOf(filingOf(spec, 'dissemination'))
}

/** The PDS record that a filing is deleted. */
export function deletionText(accession: string): string {
  return `<SUBMISSION>\n<ACCESSION-NUMBER>${accession}\n<TYPE>4\n<DELETION>\n</SUBMISSION>\n`
}

/** What a reader must make of the text of the same description. */
export function filingOf(spec: FilingSpec = {}, kind: DocumentKind = 'submission'): Filing {
  const nonDerivative = (spec.rows ?? [{}]).map(tableOneRow)
  const derivative = (spec.derivativeRows ?? []).map(tableTwoRow)
  const firstDate = nonDerivative[0]?.date ?? derivative[0]?.date ?? '2025-03-12'
  const periodRaw = spec.periodRaw ?? spec.periodOfReport ?? firstDate
  return {
    accession: spec.accession ?? '0001999001-25-000001',
    kind,
    formType: spec.formType ?? '4',
    schemaVersion: spec.schemaVersion === undefined ? 'X0508' : spec.schemaVersion,
    periodOfReport: periodRaw.slice(0, 10),
    periodRaw,
    dateOfOriginalSubmission: spec.dateOfOriginalSubmission ?? null,
    noSecuritiesOwned: spec.noSecuritiesOwned ?? null,
    notSubjectToSection16: spec.notSubjectToSection16 ?? null,
    aff10b5One: spec.aff10b5One ?? null,
    issuer: {
      cik: '0001999001',
      name: 'Example Widgets Inc',
      tickerRaw: 'EXWI',
      foreignTickerRaw: null,
      ...spec.issuer,
    },
    owners: (spec.owners ?? [{ isOfficer: true, officerTitle: 'Chief Example Officer' }]).map(owner),
    nonDerivative,
    derivative,
    footnotes: spec.footnotes ?? [],
    remarks: spec.remarks ?? null,
    signatures: (spec.signatures ?? [{}]).map((each) => ({ name: '/s/ Ada Sample', date: '2025-03-14', ...each })),
    repaired: spec.repaired ?? false,
    header: kind === 'bare' ? null : header(spec, kind),
  }
}

function owner(spec: Partial<ReportingOwner>, index: number): ReportingOwner {
  const nobody = {
    isDirector: null,
    isOfficer: null,
    isTenPercentOwner: null,
    isOther: null,
    officerTitle: null,
    otherText: null,
  }
  return { cik: String(1999101 + index).padStart(10, '0'), name: `SAMPLE ADA ${index + 1}`, ...nobody, ...spec }
}

function header(spec: FilingSpec, kind: DocumentKind): SubmissionHeader {
  const acceptedAt = spec.acceptedAt === undefined ? '20250314163005' : spec.acceptedAt
  return {
    acceptedAt: kind === 'dissemination' ? null : acceptedAt,
    filedAsOf: spec.filedAsOf === undefined ? (acceptedAt?.slice(0, 8) ?? '20250314') : spec.filedAsOf,
    documentCount: spec.documentCount ?? 1 + (spec.dress?.exhibits ?? 0),
    sic: spec.sic === undefined ? 'SEMICONDUCTORS & RELATED DEVICES [3674]' : spec.sic,
    office: spec.office === undefined ? '04 Manufacturing' : spec.office,
  }
}

function tableOneRow({ footnotes, ...spec }: RowSpec): NonDerivativeRow {
  return {
    table: 'nonDerivative',
    ...common(spec.kind ?? 'transaction', { securityTitle: 'Common Stock', code: 'P', price: '10', ...spec }),
    ...hung(rowFootnotes(footnotes, [])),
  }
}

function tableTwoRow({ footnotes, derivativeFootnotes, ...spec }: DerivativeRowSpec): DerivativeRow {
  const notes = { conversionPrice: [], exerciseDate: [], expirationDate: [], ...derivativeFootnotes }
  return {
    table: 'derivative',
    totalValue: null,
    conversionPrice: '10',
    exerciseDate: null,
    expirationDate: '2035-03-12',
    underlyingTitle: 'Common Stock',
    underlyingShares: '100',
    underlyingValue: null,
    ...spec,
    ...common(spec.kind ?? 'transaction', {
      securityTitle: 'Stock Option (right to buy)',
      code: 'A',
      price: '0',
      ...spec,
    }),
    ...hung(rowFootnotes(footnotes, [notes.conversionPrice, notes.exerciseDate, notes.expirationDate]), notes),
    derivativeFootnotes: notes,
  }
}

type Common = Omit<NonDerivativeRow, 'table' | 'footnotes' | 'cells'>

function common(kind: Common['kind'], spec: Partial<Common> & Pick<Common, 'securityTitle'>): Common {
  const dateRaw = kind === 'holding' ? null : (spec.dateRaw ?? spec.date ?? '2025-03-12')
  const held = { sharesAfter: '1000', valueAfter: null, directIndirect: 'D' as const, nature: null }
  const nothing = {
    deemedExecutionDate: null,
    formType: null,
    code: null,
    equitySwap: null,
    timeliness: null,
    shares: null,
    price: null,
    acquiredDisposed: null,
  }
  const traded = { ...nothing, formType: '4', equitySwap: false, shares: '100', acquiredDisposed: 'A' as const }
  const given = kind === 'holding' ? { ...spec, ...nothing, formType: spec.formType ?? null } : { ...traded, ...spec }
  return { ...nothing, ...held, ...given, kind, date: dateRaw?.slice(0, 10) ?? null, dateRaw }
}

/** The footnotes with the cells they hang on: the title has those that have no other place. */
function hung(
  footnotes: NonDerivativeRow['footnotes'],
  notes?: DerivativeRow['derivativeFootnotes'],
): Pick<NonDerivativeRow, 'footnotes' | 'cells'> {
  const { all, coding, price, nature } = footnotes
  const elsewhere = [coding, price, nature, ...Object.values(notes ?? {})].flat()
  const places = {
    securityTitle: all.filter((id) => !elsewhere.includes(id)),
    ...notes,
    transactionCode: coding,
    pricePerShare: price,
    natureOfOwnership: nature,
  }
  const cells = Object.entries(places).filter(([, ids]) => ids.length > 0)
  return { footnotes, cells: Object.fromEntries(cells) }
}

/** `all` by number. */
function rowFootnotes(spec: RowFootnotes = {}, others: string[][]): NonDerivativeRow['footnotes'] {
  const { title = [], coding = [], price = [], nature = [] } = spec
  const [conversion = [], exercise = [], expiration = []] = others
  const all = [...new Set([...title, ...conversion, ...coding, ...price, ...exercise, ...expiration, ...nature])].sort(
    (a, b) => a.length - b.length || (a < b ? -1 : 1),
  )
  return { all, coding, price, nature }
}
