// Retractions: rows to remove for filings that a data set gave.
import type { TradeKey } from '../../domain/trades/trade.ts'
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { AnalyticsChange, DirectoryEntry } from '../ports/analytics.ts'

/** Returns the rows to retract for filings a data set no longer contains, or that their own documents replace. */
export function retractionsOf(filings: DataSetFiling[]): AnalyticsChange {
  const keyOf = ({ accession, issuerCik, filedAt, ownerCiks }: DataSetFiling, place: number): TradeKey => ({
    accession,
    issuerCik,
    filedAt,
    ownerCiks,
    place,
  })
  const entryOf = ({ accession, form, issuerCik, filedAt, ownerCiks, symbols }: DataSetFiling): DirectoryEntry => ({
    accession,
    form,
    issuerCik,
    filedAt,
    symbols,
    companyName: '',
    sic: null,
    office: null,
    sector: '',
    owners: ownerCiks.map((cik) => ({ cik, name: '' })),
    isEstimated: false,
    originalDate: null,
    period: null,
    amendmentWords: [],
  })
  return {
    trades: [],
    entries: [],
    goneTrades: filings.flatMap((filing) => filing.places.map((place) => keyOf(filing, place))),
    goneEntries: filings.map(entryOf),
    goneDetails: filings.map(({ accession, issuerCik, filedAt }) => ({ accession, issuerCik, filedAt })),
  }
}
