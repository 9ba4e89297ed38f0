// Parses the filter of transactions that the feed, its exports, the log of changes and alert rules share.
import type { RowFilter } from '../../../application/queries/transaction-requests.ts'
import { SECTORS } from '../../../domain/filings/sector.ts'
import type { DateText } from '../../../domain/shared/identifiers.ts'
import { TRANSACTION_CODES, TRANSACTION_TYPES } from '../../../domain/trades/transaction-codes.ts'
import { PLANS, OWNER_ROLES, type Bounds } from '../../../domain/trades/transaction-filter.ts'
import type { QueryOf } from '../handler.ts'
import { defined, parseEach } from '../invalid-request.ts'
import {
  parseAmounts,
  parseCiks,
  parseCompanies,
  parseDays,
  parseFractions,
  parseTimeSpan,
  parseWords,
} from '../parameters.ts'

export const MAX_INSIDERS = 50
const NO_CODE = 'none'
const CODES = [...Object.keys(TRANSACTION_CODES), NO_CODE]

/** Parses the filter of transactions. Throws `invalid_parameter` with all faults. */
export function parseRowFilter(query: QueryOf<'listFeed'>): RowFilter {
  const { routine, late, firstBuyInYears } = query
  const parsed = parseEach({
    companies: () => parseCompanies(query),
    insiderCiks: () => parseCiks(query, 'insiderCiks', MAX_INSIDERS),
    types: () => parseWords(query, 'transactionTypes', TRANSACTION_TYPES),
    codes: () => parseWords(query, 'transactionCodes', CODES)?.map((code) => (code === NO_CODE ? '' : code)),
    roles: () => parseWords(query, 'roles', OWNER_ROLES),
    sectors: () => parseWords(query, 'sectors', SECTORS),
    plans: () => parseWords(query, 'plan10b51', PLANS),
    value: () => given(parseAmounts(query, 'minValue', 'maxValue', 2)),
    shares: () => given(parseAmounts(query, 'minShares', 'maxShares', 4)),
    holdingChange: () => given(parseFractions(query, 'minHoldingChange', 'maxHoldingChange')),
    filed: () => parseTimeSpan(query, 'filedFrom', 'filedTo'),
    traded: () => boundsOf(parseDays(query, 'tradedFrom', 'tradedTo')),
  })
  return defined({
    ...parsed,
    filter: query.filter,
    ownership: query.ownership,
    routine: routine && routine === 'yes',
    late: late && late === 'true',
    firstBuyYears: firstBuyInYears,
    minSignificance: query.minSignificance,
  })
}

const boundsOf = ({ from: min, to: max }: { from?: DateText; to?: DateText }): Bounds<DateText> | undefined =>
  given({ ...(min !== undefined && { min }), ...(max !== undefined && { max }) })

const given = <T>(bounds: Bounds<T>): Bounds<T> | undefined =>
  bounds.min === undefined && bounds.max === undefined ? undefined : bounds
