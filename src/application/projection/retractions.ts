// A filing as a data set gave it, turned into what must go of it.
import type { TradeKey } from '../../domain/trades/trade.ts'
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { AnalyticsChange, DirectoryEntry } from '../ports/analytics.ts'

/** What must go of filings that a set had before, or that their own documents replace. */
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
  })
  return {
    trades: [],
    entries: [],
    goneTrades: filings.flatMap((filing) => filing.places.map((place) => keyOf(filing, place))),
    goneEntries: filings.map(entryOf),
  }
}
