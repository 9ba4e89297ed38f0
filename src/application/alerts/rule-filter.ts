// Converts the filter of an alert rule from the contract's form to the form that queries and matching use.
import { parseCompany } from '../../domain/filings/ticker-symbol.ts'
import { parseDecimal, toText } from '../../domain/shared/decimal.ts'
import type { DecimalText } from '../../domain/shared/identifiers.ts'
import type { Bounds, TransactionFilter } from '../../domain/trades/transaction-filter.ts'
import type { AlertFilter } from '../ports/alerts.ts'
import type { RowFilter } from '../queries/transaction-requests.ts'

/** Returns the filter, whose values must be well-formed. */
export function rowFilterOf(filter: AlertFilter): RowFilter {
  const companies = [...(filter.tickers ?? []), ...(filter.issuerCiks ?? []).map((cik) => `CIK${cik}`)]
  return {
    ...conditionsOf(filter),
    ...(companies.length > 0 && { companies: companies.map((name) => parseCompany(name)!) }),
    ...(filter.insiderCiks && { insiderCiks: filter.insiderCiks }),
    ...(filter.sectors && { sectors: filter.sectors }),
  }
}

/** Returns the conditions on the transaction itself. */
export function conditionsOf(filter: AlertFilter): TransactionFilter {
  const value = boundsOf(filter.minValue, filter.maxValue)
  const shares = boundsOf(filter.minShares, filter.maxShares)
  const { minHoldingChange: least, maxHoldingChange: most } = filter
  return {
    ...(filter.transactionTypes && { types: filter.transactionTypes }),
    ...(filter.transactionCodes && { codes: filter.transactionCodes.map((code) => (code === 'none' ? '' : code)) }),
    ...(filter.roles && { roles: filter.roles }),
    ...(filter.ownership && { ownership: filter.ownership }),
    ...(filter.plan10b51 && { plans: filter.plan10b51 }),
    ...(filter.routine && { routine: filter.routine === 'yes' }),
    ...(filter.late !== undefined && { late: filter.late }),
    ...(filter.firstBuyInYears !== undefined && { firstBuyYears: filter.firstBuyInYears }),
    ...(filter.minSignificance && { minSignificance: filter.minSignificance }),
    ...(value && { value }),
    ...(shares && { shares }),
    ...((least !== undefined || most !== undefined) && {
      holdingChange: { ...(least !== undefined && { min: least }), ...(most !== undefined && { max: most }) },
    }),
  }
}

function boundsOf(min: number | undefined, max: number | undefined): Bounds<DecimalText> | undefined {
  if (min === undefined && max === undefined) return undefined
  return { ...(min !== undefined && { min: textOf(min) }), ...(max !== undefined && { max: textOf(max) }) }
}

/** Returns the amount as a decimal without an exponent, with at most four places. */
const textOf = (amount: number): DecimalText => toText(parseDecimal(amount.toFixed(4))!)
