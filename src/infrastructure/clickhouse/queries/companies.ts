// The query of many companies by symbol or CIK: name and symbol of each, its buys and sells, and its last filing.
import type { components } from '../../../contract.ts'
import { withDependencies } from '../../../application/changes/data-dependencies.ts'
import type { NamedCompany } from '../../../domain/filings/ticker-symbol.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { cikAsSymbol, cikNumber, cikOf } from '../../../domain/shared/identifiers.ts'
import { timestampOf } from '../../../domain/shared/new-york-time.ts'
import type { ClickHouse } from '../connection/client.ts'
import { describeCompany } from './shared/company-description.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { readSummaries } from './shared/list-totals.ts'
import { issuersByTicker, partsOf } from './shared/named-companies.ts'
import { listOfCompany } from './shared/transaction-list.ts'

type CompanySummary = components['schemas']['CompanySummary']

export function companies(store: ClickHouse, lists: CompanyLists): Queries['companies'] {
  return async (requested, asOf) => {
    const tickers = requested.flatMap(({ ticker }) => ticker ?? [])
    const [companyLists, byTicker] = await Promise.all([lists(), issuersByTicker(lists, tickers, asOf)])
    const matches = requested.map((named): { named: NamedCompany; issuer?: number } => {
      if (named.cik !== null) return { named, issuer: cikNumber(named.cik) }
      const own = byTicker.found.get(named.ticker)
      return own ? { named: { ticker: own.ticker, cik: null }, issuer: own.issuer } : { named }
    })
    const issuers = new Set(matches.flatMap(({ issuer }) => issuer ?? []))
    const read = await readSummaries(store, [...issuers].map(listOfCompany), asOf)
    const summaries: CompanySummary[] = []
    const unknown: string[] = []
    for (const { named, issuer } of matches) {
      const own = issuer === undefined ? undefined : read.get(listOfCompany(issuer))
      const { filings = [], named: naming = [], buys = 0, sells = 0, newestFiling = '' } = own ?? {}
      const described = issuer === undefined ? null : describeCompany(companyLists, { issuer, named, filings, naming })
      if (described)
        summaries.push({
          cik: cikOf(issuer!),
          ...described,
          totalBuys: buys,
          totalSells: sells,
          netSentiment: buys - sells,
          lastFilingDate: newestFiling === '' ? null : timestampOf(Number.parseInt(newestFiling, 16)),
        })
      else unknown.push(named.ticker ?? cikAsSymbol(named.cik))
    }
    return withDependencies({ companies: summaries, unknown }, { parts: partsOf(issuers, byTicker.tried) })
  }
}
