// Evidence of positions: the balances in a Form 3, 4 or 5, row by row. It is made once, when a filing is stored, in the
// same way from a document and from a data set. Queries compute positions from it.
import type { Filing, Footnote, FormType } from '../filings/filing.ts'
import { cleanSymbols } from '../filings/ticker-symbol.ts'
import { isRealDate } from '../shared/calendar.ts'
import { comparableDecimal } from '../shared/decimal.ts'
import type { AccessionNumber, Cik, DateText, DecimalText, Ticker } from '../shared/identifiers.ts'
import { holdingOf, type Holding } from '../trades/holding.ts'
import { amendmentWords, type AmendmentWord } from '../trades/reconciliation/amendment-words.ts'
import { sharesStatuses } from '../trades/shares-status.ts'
import { isDoubtful, type FilingDates } from '../trades/trade-date.ts'

/** The evidence in one filing. Its owners report jointly: a balance is that of all of them together. */
export interface Evidence {
  accession: AccessionNumber
  form: FormType
  issuerCik: Cik
  companyName: string
  symbols: Ticker[]
  /** By CIK. */
  owners: EvidenceOwner[]
  /** Acceptance, in seconds since 1970. */
  filedAt: number
  /** The New York day of filing. */
  filedDay: DateText
  /** The period of report, if it is a day no later than that of filing; else the day of filing. */
  period: DateText
  /** The day the original was filed, on amendments. */
  originalDate: DateText | null
  /** What remarks and footnotes of a Form 4/A say about the original. */
  words: AmendmentWord[]
  /** Whether the box is checked that the owner is no longer subject to Section 16. */
  exit: boolean
  /** Whether it is a Form 3 that says that no securities are owned. */
  nothingOwned: boolean
  /** Transactions, then holdings, of Table I, then those of Table II. */
  rows: BalanceRow[]
}

interface EvidenceOwner {
  cik: Cik
  name: string
  /** A 10 % owner or an "other" owner. */
  isGroup: boolean
  isInsider: boolean
}

/** A row; what is null, false or empty is left out, since most is. */
export interface BalanceRow {
  /** I or II. */
  table: 1 | 2
  kind: 'transaction' | 'holding'
  title: string
  code?: string
  date?: DateText
  shares?: DecimalText
  price?: DecimalText
  acquiredDisposed?: 'A' | 'D'
  /** The balance after the transaction, or the holding. */
  after?: DecimalText
  /** A value in place of the balance, as for funds and debt. */
  value?: DecimalText
  ownership?: 'D' | 'I'
  /** As filed. */
  nature?: string
  /** The only footnote of a nature that is empty or points to it. */
  natureNote?: string
  /** Of Table II. */
  exercisePrice?: DecimalText
  expires?: DateText
  underlyingTitle?: string
  underlying?: DecimalText
  /** From `holdingOf`, if it is not held directly. */
  holding?: Holding
  holderNames?: string[]
  /** A footnote disclaims beneficial ownership. */
  disclaimed?: true
  /** A footnote says that the balance was adjusted by a split. */
  split?: true
  /** A footnote says that another row includes these shares. */
  included?: true
  /** The holdings of the filing contradict its number of shares. */
  suspect?: true
  /** The period contradicts its date. */
  doubtful?: true
}

type Cells<Row> = Omit<Row, 'table' | 'dateRaw' | 'footnotes' | 'derivativeFootnotes'>
type TableOneRow = Cells<Filing['nonDerivative'][number]>
type TableTwoRow = Cells<Filing['derivative'][number]>

/** The cells of a filing that evidence is made from. */
export type FiledCells = Pick<
  Filing,
  | 'accession'
  | 'formType'
  | 'periodOfReport'
  | 'dateOfOriginalSubmission'
  | 'noSecuritiesOwned'
  | 'notSubjectToSection16'
  | 'issuer'
  | 'owners'
  | 'footnotes'
  | 'remarks'
> & { nonDerivative: TableOneRow[]; derivative: TableTwoRow[] }

/** Longer footnotes are cut before they are searched. */
const LONGEST_NOTE = 4000
/** Titles, natures and notes are cut to this length, which is enough to tell lines apart. */
const LONGEST_TEXT = 300

/** Makes the evidence of a filing accepted at `filedAt`, in seconds since 1970, on this New York day. */
export function evidenceOf(filing: FiledCells, { at, day }: { at: number; day: DateText }): Evidence {
  const { accession, formType, issuer, periodOfReport, dateOfOriginalSubmission, footnotes } = filing
  const trades = filing.nonDerivative.filter(({ kind }) => kind === 'transaction')
  const suspect = new Set(trades.filter(isSuspect(trades)))
  const originalDate = formType.endsWith('/A') ? dateOfOriginalSubmission : null
  const hasDoubtfulDate = doubtOf(formType, { filedDay: day, filedOn: day, period: periodOfReport, originalDate })
  const texts = new Map(footnotes.map(({ id, text }: Footnote) => [id, text.slice(0, LONGEST_NOTE)]))
  return {
    accession,
    form: formType,
    issuerCik: issuer.cik,
    companyName: issuer.name,
    symbols: cleanSymbols(issuer.tickerRaw),
    owners: filing.owners
      .map(({ cik, name, isDirector, isOfficer, isTenPercentOwner, isOther }) => ({
        ...{ cik, name },
        isGroup: isTenPercentOwner === true || isOther === true,
        isInsider: isDirector === true || isOfficer === true,
      }))
      .sort((a, b) => (a.cik < b.cik ? -1 : 1)),
    filedAt: at,
    filedDay: day,
    period: pastDay(periodOfReport, day) ?? day,
    originalDate,
    words: amendmentWords(filing),
    exit: filing.notSubjectToSection16 === true,
    nothingOwned: filing.noSecuritiesOwned === true,
    rows: [
      ...transactionsFirst(filing.nonDerivative).map((row) =>
        balanceRow(row, { texts, suspect: suspect.has(row), doubtful: hasDoubtfulDate(row), option: null }),
      ),
      ...transactionsFirst(filing.derivative).map((row) =>
        balanceRow(row, { texts, suspect: false, doubtful: false, option: row }),
      ),
    ],
  }
}

const isSuspect = (rows: TableOneRow[]) => {
  const statuses = sharesStatuses(rows)
  return (_: TableOneRow, index: number): boolean => statuses[index] === 'suspect'
}

/** Returns whether a row of Table I has a date that its Form 4 contradicts. */
const doubtOf =
  (form: FormType, filing: FilingDates) =>
  (row: TableOneRow): boolean =>
    row.kind === 'transaction' && (form === '4' || form === '4/A') && isDoubtful(row, filing)

/** Puts transactions first, because data sets have transactions and holdings in separate files. */
const transactionsFirst = <Row extends { kind: string }>(rows: Row[]): Row[] => [
  ...rows.filter(({ kind }) => kind === 'transaction'),
  ...rows.filter(({ kind }) => kind !== 'transaction'),
]

interface RowContext {
  /** The footnotes by id. */
  texts: ReadonlyMap<string, string>
  suspect: boolean
  doubtful: boolean
  /** The row, if it is of Table II. */
  option: TableTwoRow | null
}

function balanceRow(row: TableOneRow, { texts, suspect, doubtful, option }: RowContext): BalanceRow {
  const table = option ? 2 : 1
  const notes = notesOf(row, texts)
  const isDirect = row.directIndirect === 'D' || (row.directIndirect === null && row.nature === null)
  const held = isDirect ? null : holdingOf({ directIndirect: 'I', nature: row.nature }, notes)
  return stripped({
    table,
    kind: row.kind,
    title: row.securityTitle.slice(0, LONGEST_TEXT),
    code: row.code,
    date: row.date,
    shares: amount(row.shares),
    price: table === 1 ? amount(row.price) : null,
    acquiredDisposed: row.acquiredDisposed,
    after: amount(row.sharesAfter),
    value: row.sharesAfter === null ? amount(row.valueAfter) : null,
    ownership: isDirect ? 'D' : 'I',
    nature: row.nature?.slice(0, LONGEST_TEXT) ?? null,
    natureNote: isDirect || !isUninformative(row.nature) ? null : natureNote(row, texts),
    exercisePrice: amount(option?.conversionPrice ?? null),
    expires: option?.expirationDate ?? null,
    underlyingTitle: option?.underlyingTitle?.slice(0, LONGEST_TEXT) ?? null,
    underlying: amount(option?.underlyingShares ?? null),
    holding: held?.holding ?? null,
    holderNames: held?.holderNames ?? [],
    disclaimed: notes.some((text) => DISCLAIMS.test(text)),
    split: notes.some((text) => SPLIT.test(text)),
    included: notes.some((text) => INCLUDED.test(text)),
    suspect,
    doubtful,
  })
}

function stripped(row: { [Part in keyof Required<BalanceRow>]: BalanceRow[Part] | null | boolean }): BalanceRow {
  const said = Object.entries(row).filter(
    ([, part]) => part !== null && part !== false && !(Array.isArray(part) && part.length === 0),
  )
  return Object.fromEntries(said) as unknown as BalanceRow
}

const amount = (text: DecimalText | null): DecimalText | null =>
  text !== null && /^\d*\.?\d*$/.test(text.trim()) && /\d/.test(text) ? comparableDecimal(text) : null

function notesOf(row: TableOneRow, texts: ReadonlyMap<string, string>): string[] {
  const ids = new Set(Object.values(row.cells).flat())
  if (ids.size === 0) return []
  // In the order of the footnotes, which data sets have as well.
  return [...texts].filter(([id]) => ids.has(id)).map(([, text]) => text)
}

function natureNote(row: TableOneRow, texts: ReadonlyMap<string, string>): string | null {
  const ids = new Set([...(row.cells.natureOfOwnership ?? []), ...(row.cells.ownership ?? [])])
  const [only, ...others] = [...ids]
  return only !== undefined && others.length === 0 ? (texts.get(only)?.slice(0, LONGEST_TEXT) ?? null) : null
}

/** Returns whether a nature of ownership is empty or only points elsewhere, such as to a footnote. */
export const isUninformative = (nature: string | null | undefined): boolean =>
  !nature ||
  /^(?:(?:please )?(?:see|refer to)\b.{0,40}|\(\d+\)[\s(),\d]*|f\.?n\.? ?\d*|footnotes?.{0,20}|n\/a|indirect)$/i.test(
    nature.trim(),
  )

const DISCLAIMS = /\bdisclaims?\b[^.]{0,80}\b(?:beneficial )?ownership\b/i
const SPLIT = /\b(?:stock|share|reverse)[ -]splits?\b|\bsplit of (?:its|the) (?:common|ordinary|class)\b/i
const INCLUDED = new RegExp(
  String.raw`\b(?:shares?|securities|stock|these|they|amount)\b[^.]{0,80}\b(?:is|are|were|was)\b ` +
    String.raw`(?:also |already )?(?:included|reflected|counted|reported) (?:in|within|as part of|among) ` +
    String.raw`(?:the |those |that )?(?:\w+ ){0,4}(?:shares?|securities|number|total|amount|balance|row|line|column|` +
    String.raw`holdings?)\b[^.]{0,60}\b(?:above|directly|indirectly|row|line|column|reported|table|owned|held)\b`,
  'i',
)

const pastDay = (date: DateText | null, latest: DateText): DateText | null =>
  date !== null && isRealDate(date) && date <= latest ? date : null

/**
 * Returns the day of the balance: for a transaction its date, for a holding or a doubtful date the period of report.
 */
export function evidenceDay(row: BalanceRow, { period, filedDay }: Pick<Evidence, 'period' | 'filedDay'>): DateText {
  const date = row.kind === 'transaction' && !row.doubtful ? (row.date ?? null) : null
  return pastDay(date, filedDay) ?? period
}
