// Who a filing speaks of: its issuer with the symbols typed, and its owners. Every form counts here.
import type { Filing } from '../../domain/filings/filing.ts'
import { filingTime } from '../../domain/filings/acceptance-time.ts'
import { sectorOf } from '../../domain/filings/sector.ts'
import { cleanSymbols } from '../../domain/filings/ticker-symbol.ts'
import type { DirectoryEntry } from '../ports/analytics.ts'

/** `receivedAt` in seconds since 1970: when the document first came in. */
export function directoryEntry(filing: Filing, receivedAt: number): DirectoryEntry {
  const office = filing.header?.office ?? null
  const { sic, sector } = sectorOf(filing.header?.sic ?? null, office)
  return {
    accession: filing.accession,
    form: filing.formType,
    filedAt: filingTime(filing, receivedAt).at,
    issuerCik: filing.issuer.cik,
    companyName: filing.issuer.name,
    symbols: cleanSymbols(filing.issuer.tickerRaw),
    sic,
    office,
    sector,
    owners: filing.owners.map((owner) => ({ cik: owner.cik, name: owner.name })),
  }
}
