// Makes the directory entry of a filing, of any form: its issuer with the symbols that it states, and its owners.
import type { Filing } from '../../domain/filings/filing.ts'
import { filingTime, isEstimated } from '../../domain/filings/acceptance-time.ts'
import { sectorOf } from '../../domain/filings/sector.ts'
import { cleanSymbols } from '../../domain/filings/ticker-symbol.ts'
import { amendmentWords } from '../../domain/trades/reconciliation/amendment-words.ts'
import type { RelatedFiling } from '../../domain/trades/reconciliation/related-filing.ts'
import type { DirectoryEntry, EntryKey } from '../ports/analytics.ts'

/** Makes the entry. `receivedAt`: when the document was first received, in seconds since 1970. */
export function directoryEntry(filing: Filing, receivedAt: number): DirectoryEntry {
  const office = filing.header?.office ?? null
  const { sic, sector } = sectorOf(filing.header?.sic ?? null, office)
  const { at, basis } = filingTime(filing, receivedAt)
  return {
    accession: filing.accession,
    form: filing.formType,
    filedAt: at,
    issuerCik: filing.issuer.cik,
    companyName: filing.issuer.name,
    symbols: cleanSymbols(filing.issuer.tickerRaw),
    sic,
    office,
    sector,
    owners: filing.owners.map((owner) => ({ cik: owner.cik, name: owner.name })),
    isEstimated: isEstimated(basis),
    originalDate: filing.dateOfOriginalSubmission,
    period: filing.periodOfReport,
    amendmentWords: amendmentWords(filing),
  }
}

export function entryKey({ accession, issuerCik, filedAt, symbols, owners }: DirectoryEntry): EntryKey {
  return { accession, issuerCik, filedAt, symbols, ownerCiks: owners.map(({ cik }) => cik) }
}

/** Returns the parts of an entry that the reconciliation of trades needs. */
export function relatedFiling(entry: DirectoryEntry): RelatedFiling {
  const { accession, issuerCik, form, filedAt, owners, originalDate, period, amendmentWords } = entry
  const ownerCiks = owners.map(({ cik }) => cik)
  return { accession, issuerCik, form, filedAt, ownerCiks, originalDate, period, amendmentWords }
}
