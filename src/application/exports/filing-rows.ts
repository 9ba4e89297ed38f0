// The rows of `derivatives` and `holdings`: cells as filed, by the names that the API has for them. Nothing is decided
// about these rows: an amendment, a joint filing and a filing made twice have rows of their own.
import type { DerivativeRow } from '../../domain/filings/filing.ts'
import { cleanSymbols } from '../../domain/filings/ticker-symbol.ts'
import { isRealDate } from '../../domain/shared/calendar.ts'
import { parseDecimal, round, toText } from '../../domain/shared/decimal.ts'
import type { DateText, DecimalText } from '../../domain/shared/identifiers.ts'
import { ownershipWord, urlOf, type FilingContent } from '../queries/filings/filing-answer.ts'
import type { ExportedFiling } from './filing-contents.ts'

type TableOneRow = FilingContent['nonDerivative'][number]
type TableTwoRow = FilingContent['derivative'][number]
type OptionCells = Pick<DerivativeRow, 'conversionPrice' | 'exerciseDate' | 'expirationDate' | Underlying>
type Underlying = 'underlyingTitle' | 'underlyingShares' | 'underlyingValue'

export type ExportedDerivative = ReturnType<typeof derivativeRows>[number]
export type ExportedHolding = ReturnType<typeof holdingRows>[number]

/** Digits before the point of the amounts in files; EDGAR takes 12. */
const WHOLE_DIGITS = 14
/** Days that the type of the files can hold. */
const FIRST_DAY = '1900-01-01'
const LAST_DAY = '2299-12-31'

/** Returns the transactions of Table II, in the document's order. */
export function derivativeRows(filing: ExportedFiling) {
  const transactions = filing.content.derivative.filter(({ kind }) => kind === 'transaction')
  const shared = filingCells(filing)
  return transactions.map((row, index) => ({
    ...shared,
    place: placeIn(filing, index),
    ...optionCells(row),
    tradeDate: day(row.date, filing.filedDay),
    tradeDateAsFiled: row.date,
    deemedExecutionDate: day(row.deemedExecutionDate),
    deemedExecutionDateAsFiled: row.deemedExecutionDate,
    transactionCode: row.code,
    equitySwap: row.equitySwap,
    timeliness: row.timeliness,
    shares: amount(row.shares),
    pricePerShare: amount(row.price),
    totalValue: amount(row.totalValue),
    acquiredDisposed: row.acquiredDisposed,
    ...heldCells(row),
  }))
}

/** Returns the holdings of Table I, then those of Table II, each in the document's order. */
export function holdingRows(filing: ExportedFiling) {
  const { nonDerivative, derivative } = filing.content
  const shared = filingCells(filing)
  const rowsOf = (table: string, rows: TableOneRow[], options: (row: TableOneRow) => OptionCells | null) =>
    rows
      .filter(({ kind }) => kind === 'holding')
      .map((row, index) => ({
        ...shared,
        table,
        place: placeIn(filing, index),
        ...optionCells(options(row)),
        ...heldCells(row),
      }))
  return [
    ...rowsOf('non-derivative', nonDerivative, () => null),
    ...rowsOf('derivative', derivative, (row) => row as TableTwoRow),
  ]
}

/** Returns what all rows of a filing have of it. */
export function filingCells({ source, filedBasis, content }: ExportedFiling) {
  const { accession, formType, issuer, owners } = content
  return {
    accessionNumber: accession,
    form: formType,
    source,
    filingDateBasis: filedBasis,
    issuerCik: issuer.cik,
    companyName: issuer.name,
    symbols: cleanSymbols(issuer.tickerRaw),
    ownerCiks: owners.map(({ cik }) => cik),
    ownerNames: owners.map(({ name }) => name),
    url: urlOf(accession, issuer.cik),
  }
}

/** The files of a data set have no order of rows. */
const placeIn = ({ source }: ExportedFiling, index: number): number | null => (source === 'document' ? index + 1 : null)

function heldCells(row: TableOneRow) {
  return {
    securityTitle: row.securityTitle,
    transactionFormType: row.formType,
    sharesOwnedAfter: amount(row.sharesAfter),
    valueOwnedAfter: amount(row.valueAfter),
    ownership: ownershipWord(row.directIndirect),
    natureOfOwnership: row.nature,
    footnoted: Object.keys(row.cells).sort(),
  }
}

function optionCells(row: OptionCells | null) {
  const [exerciseDate, expirationDate] = [row?.exerciseDate ?? null, row?.expirationDate ?? null]
  return {
    conversionPrice: amount(row?.conversionPrice ?? null),
    exerciseDate: day(exerciseDate),
    exerciseDateAsFiled: exerciseDate,
    expirationDate: day(expirationDate),
    expirationDateAsFiled: expirationDate,
    underlyingTitle: row?.underlyingTitle ?? null,
    underlyingShares: amount(row?.underlyingShares ?? null),
    underlyingValue: amount(row?.underlyingValue ?? null),
  }
}

/** A Form 5 may report what was granted many years before, so no day is too early. */
export const day = (date: DateText | null, latest = LAST_DAY): DateText | null =>
  date !== null && isRealDate(date) && date >= FIRST_DAY && date <= latest ? date : null

/** Returns the amount with at most 4 places, as EDGAR keeps it; null where it is missing or too large. */
export function amount(text: DecimalText | null): DecimalText | null {
  const parsed = text === null ? null : parseDecimal(text)
  const rounded = parsed && toText(round(parsed, 4))
  return rounded !== null && rounded.split('.')[0]!.length <= WHOLE_DIGITS ? rounded : null
}
