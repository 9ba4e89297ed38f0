// The facts by which changes are filtered, stored with each entry of the log, and the decision whether a change passes a
// filter. infrastructure/postgres/changes/facts-path.ts decides the same in SQL; a test holds both equal.
import type { SectorOf } from '../../domain/filings/sector.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Signal } from '../../domain/signals/signal.ts'
import type { Severity } from '../../domain/trades/significance.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import {
  filterFacts,
  passes,
  significancesFrom,
  type FilterFacts,
  type TransactionFilter,
} from '../../domain/trades/transaction-filter.ts'
import type { ChangeFilter, ChangeType } from '../queries/change-queries.ts'

export interface TransactionFacts extends FilterFacts {
  /** The insiders in whose profiles the transaction counts, or counted. */
  insiders: Cik[]
}

/** Facts of the transactions that a change lists, supersedes or removes, or of its signal. */
export type ChangeFacts = { rows: TransactionFacts[] } | { severity: Severity; persons: Cik[] }

export const factsOfTrade = (trade: Trade): TransactionFacts => ({
  ...filterFacts(trade),
  insiders: trade.listed ? trade.profileCiks : trade.ownerCiks,
})

export const factsOfTrades = (trades: Trade[]): ChangeFacts => ({ rows: trades.map(factsOfTrade) })

export const factsOfSignal = ({ severity, persons }: Signal): ChangeFacts => ({
  severity,
  persons: persons.map(({ cik }) => cik),
})

interface FilteredChange {
  type: ChangeType
  /** Null for all issuers. */
  issuerCiks: Cik[] | null
  facts: ChangeFacts | null
}

/** Returns whether a change meets all conditions. A change without facts has to meet those on type and company only. */
export function changePasses(filter: ChangeFilter, change: FilteredChange, sectorOf: SectorOf): boolean {
  const { types, insiders, transactions, minSeverity } = filter
  const { type, issuerCiks, facts } = change
  if (types && !types.includes(type)) return false
  if (issuerCiks !== null && namesCompanies(filter) && !issuerCiks.some((cik) => issuerPasses(filter, cik, sectorOf)))
    return false
  if (facts === null) return true
  if ('rows' in facts) {
    if (!transactions && !insiders) return true
    return facts.rows.some((row) => rowPasses({ insiders, transactions }, row))
  }
  return (
    isOfInsider(insiders, facts.persons) && (!minSeverity || significancesFrom(minSeverity).includes(facts.severity))
  )
}

/** Returns whether a transaction meets all conditions on insiders and on transactions. */
export function rowPasses(
  { insiders, transactions }: { insiders?: Cik[] | undefined; transactions?: TransactionFilter | undefined },
  row: TransactionFacts,
): boolean {
  return isOfInsider(insiders, row.insiders) && passes(transactions ?? {}, row)
}

const isOfInsider = (insiders: Cik[] | undefined, ciks: Cik[]): boolean =>
  !insiders || ciks.some((cik) => insiders.includes(cik))

/** Returns whether the filter has a condition on companies. */
const namesCompanies = ({ issuers, sectors }: ChangeFilter): boolean => issuers !== undefined || sectors !== undefined

/** Returns whether an issuer meets all conditions on companies. */
export const issuerPasses = ({ issuers, sectors }: ChangeFilter, cik: Cik, sectorOf: SectorOf): boolean =>
  (!issuers || issuers.includes(cik)) && (!sectors || sectors.includes(sectorOf(cik)))
