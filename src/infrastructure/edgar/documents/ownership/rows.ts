// Typed rows of Tables I and II from their sections. Absent, blank and footnote-only fields are all null; footnotes
// are kept by the field they belong to.
import type { Cell, DerivativeRow, NonDerivativeRow } from '../../../../domain/filings/filing.ts'
import { OwnershipError, type Section } from './section.ts'

const CODING = ['transactionCoding', 'transactionFormType', 'transactionCode', 'equitySwapInvolved']
/** X0101 calls the price per share transactionValue. */
const PRICE = ['transactionPricePerShare', 'transactionValue']

export function nonDerivativeRow(section: Section): NonDerivativeRow {
  return { ...common(section), table: 'nonDerivative' }
}

export function derivativeRow(section: Section): DerivativeRow {
  return {
    ...common(section),
    table: 'derivative',
    totalValue: section.decimal('transactionTotalValue'),
    conversionPrice: section.decimal('conversionOrExercisePrice'),
    exerciseDate: section.date('exerciseDate'),
    expirationDate: section.date('expirationDate'),
    underlyingTitle: section.text('underlyingSecurityTitle'),
    underlyingShares: section.decimal('underlyingSecurityShares'),
    underlyingValue: section.decimal('underlyingSecurityValue'),
    derivativeFootnotes: {
      conversionPrice: section.referencesAt('conversionOrExercisePrice'),
      exerciseDate: section.referencesAt('exerciseDate'),
      expirationDate: section.referencesAt('expirationDate'),
    },
  }
}

function common(section: Section): Omit<NonDerivativeRow, 'table'> {
  return {
    kind: kind(section),
    securityTitle: title(section),
    date: section.date('transactionDate'),
    dateRaw: section.text('transactionDate'),
    deemedExecutionDate: section.date('deemedExecutionDate'),
    formType: section.text('transactionFormType'),
    code: section.text('transactionCode'),
    equitySwap: section.flag('equitySwapInvolved'),
    timeliness: section.text('transactionTimeliness'),
    shares: section.decimal('transactionShares'),
    price: price(section),
    acquiredDisposed: section.letter('transactionAcquiredDisposedCode', ['A', 'D']),
    sharesAfter: section.decimal('sharesOwnedFollowingTransaction'),
    valueAfter: section.decimal('valueOwnedFollowingTransaction'),
    directIndirect: section.letter('directOrIndirectOwnership', ['D', 'I']),
    nature: section.text('natureOfOwnership'),
    footnotes: {
      all: everyReference(section),
      coding: section.referencesAt(...CODING),
      price: section.referencesAt(...PRICE),
      nature: section.referencesAt('natureOfOwnership'),
    },
    cells: cells(section),
  }
}

/** By the element that a footnote reference stands in; groups count as their first field. */
const CELLS: Readonly<Record<string, Cell>> = {
  securityTitle: 'securityTitle',
  conversionOrExercisePrice: 'conversionPrice',
  transactionDate: 'tradeDate',
  deemedExecutionDate: 'deemedExecutionDate',
  transactionCoding: 'transactionCode',
  transactionFormType: 'transactionFormType',
  transactionCode: 'transactionCode',
  equitySwapInvolved: 'equitySwap',
  transactionTimeliness: 'timeliness',
  transactionAmounts: 'shares',
  transactionShares: 'shares',
  transactionTotalValue: 'totalValue',
  transactionPricePerShare: 'pricePerShare',
  transactionValue: 'pricePerShare',
  transactionAcquiredDisposedCode: 'acquiredDisposed',
  exerciseDate: 'exerciseDate',
  expirationDate: 'expirationDate',
  underlyingSecurity: 'underlyingTitle',
  underlyingSecurityTitle: 'underlyingTitle',
  underlyingSecurityShares: 'underlyingShares',
  underlyingSecurityValue: 'underlyingValue',
  postTransactionAmounts: 'sharesOwnedAfter',
  sharesOwnedFollowingTransaction: 'sharesOwnedAfter',
  valueOwnedFollowingTransaction: 'valueOwnedAfter',
  ownershipNature: 'natureOfOwnership',
  directOrIndirectOwnership: 'ownership',
  natureOfOwnership: 'natureOfOwnership',
}

function cells(section: Section): Partial<Record<Cell, string[]>> {
  const found: Partial<Record<Cell, Set<string>>> = {}
  for (const { at, id } of section.references) (found[CELLS[at] ?? 'row'] ??= new Set()).add(id)
  return Object.fromEntries(Object.entries(found).map(([cell, ids]) => [cell, [...ids]]))
}

/** Returns the kind of row. X0101 does not name it: a row with anything of a transaction is one. */
function kind(section: Section): 'transaction' | 'holding' {
  if (section.name.endsWith('Transaction')) return 'transaction'
  if (section.name.endsWith('Holding')) return 'holding'
  const signs = ['transactionCode', 'transactionDate', 'transactionShares', 'transactionAcquiredDisposedCode']
  return signs.some((each) => section.text(each) !== null) ? 'transaction' : 'holding'
}

/** Returns the title, empty only if a footnote replaces it: without any title it is unknown what was traded. */
function title(section: Section): string {
  const text = section.text('securityTitle')
  if (text === null && section.referencesAt('securityTitle').length === 0) {
    throw new OwnershipError(section.place, 'securityTitle is missing')
  }
  return text ?? ''
}

function price(section: Section): string | null {
  const perShare = section.decimal('transactionPricePerShare')
  const value = section.decimal('transactionValue')
  if (perShare !== null && value !== null) throw new OwnershipError(section.place, 'both a price per share and a value')
  return perShare ?? value
}

/** Returns footnote ids by number, the order in which they are printed below the tables. */
function everyReference(section: Section): string[] {
  return [...new Set(section.references.map(({ id }) => id))].sort(compareIds)
}

function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1)
}
