// The rows of `balances`: what each filing says of holdings, as positions are made from it. Nothing is decided about
// these rows: which of them count, and for whom, is what positions say.
import { evidenceDay, evidenceOf, type BalanceRow } from '../../domain/positions/evidence.ts'
import { classKey, natureKey } from '../../domain/positions/keys.ts'
import { ownershipWord } from '../queries/filings/filing-answer.ts'
import type { ExportedFiling } from './filing-contents.ts'
import { amount, day, filingCells } from './filing-rows.ts'

export type ExportedBalance = ReturnType<typeof balanceRows>[number]

/** Returns the transactions of Table I, then its holdings, then the same of Table II. */
export function balanceRows(filing: ExportedFiling) {
  const evidence = evidenceOf(filing.content, { at: filing.filedAt, day: filing.filedDay })
  const shared = filingCells(filing)
  return evidence.rows.map((row: BalanceRow, index) => ({
    ...shared,
    table: row.table === 1 ? 'non-derivative' : 'derivative',
    kind: row.kind,
    place: filing.source === 'document' ? index + 1 : null,
    balanceDate: day(evidenceDay(row, evidence)),
    securityTitle: row.title,
    securityClass: classKey(row.title),
    transactionCode: row.code ?? null,
    acquiredDisposed: row.acquiredDisposed ?? null,
    shares: amount(row.shares ?? null),
    sharesStatus: row.suspect ? 'suspect' : 'as_filed',
    sharesOwnedAfter: amount(row.after ?? null),
    valueOwnedAfter: amount(row.value ?? null),
    ownership: ownershipWord(row.ownership ?? null),
    natureOfOwnership: row.nature ?? null,
    heldBy: natureKey(row).text || null,
    conversionPrice: amount(row.exercisePrice ?? null),
    expirationDate: day(row.expires ?? null),
    underlyingTitle: row.underlyingTitle ?? null,
    underlyingShares: amount(row.underlying ?? null),
    disclaimed: row.disclaimed === true,
    overlapping: row.included === true,
    exit: evidence.exit,
  }))
}
