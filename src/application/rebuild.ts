// Fills an empty analytics store from the ledger, issuer by issuer, while the present one goes on answering; then swaps.
import type { Listings } from './listings.ts'
import type { Analytics, CompanyList, Ledger, Progress, ReadDocument } from './ports.ts'
import { derive, judged } from './project-filings.ts'

/** A second, empty store beside the one in use (ClickHouse: a database of its own). */
export interface Replacement {
  analytics: Analytics
  /** Puts it in the place of the one in use. */
  install(): Promise<void>
  discard(): Promise<void>
}

const FILINGS_AT_ONCE = 500

export type Rebuild = (progress: Progress) => Promise<{ filings: number; trades: number }>

export function rebuild(
  read: ReadDocument, ledger: Ledger, list: CompanyList, listings: Listings, prepare: () => Promise<Replacement>,
): Rebuild {
  return async (progress) => {
    const { projected: total } = await ledger.counts()
    const companies = await list.all()
    listings.replace(companies)
    const replacement = await prepare()
    try {
      const result = { filings: 0, trades: 0 }
      for await (const documents of ledger.byIssuer(FILINGS_AT_ONCE)) {
        const derived = derive(read, documents)
        const issuers = [...new Set(derived.entries.map((entry) => entry.issuerCik))]
        const change = judged(issuers, [], derived, new Map(), listings)
        await replacement.analytics.write({ ...change, goneTrades: [], goneEntries: [] }, await ledger.nextVersion())
        result.filings += documents.length
        result.trades += change.trades.length
        progress(result.filings, Math.max(total, result.filings))
      }
      await replacement.analytics.replaceCompanies(companies)
      await replacement.install()
      return result
    } finally {
      await replacement.discard()
    }
  }
}
