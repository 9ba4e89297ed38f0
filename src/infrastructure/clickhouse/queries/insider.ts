// The query of an insider's profile by CIK: transactions at all companies, joint filings included.
import type { components } from '../../../contract.ts'
import { withDependencies } from '../../../application/changes/data-dependencies.ts'
import type { Compute } from '../../../application/ports/computations.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { parseCik } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import type { DetailSources } from './shared/complete-details.ts'
import { lateFilings, type SideTotals } from './shared/list-totals.ts'
import { insiderRecord } from './aggregates/insider-record.ts'
import { readProfile } from './shared/profile.ts'
import { listOfInsider } from './shared/transaction-list.ts'

type Profile = components['schemas']['InsiderProfile']
type InsiderCompany = components['schemas']['InsiderCompany']

export function insider(store: ClickHouse, details: DetailSources, compute: Compute): Queries['insider'] {
  return async (text, detail = false, asOf?: number) => {
    const cik = parseCik(text)
    if (cik === null) return null
    const list = listOfInsider(Number(cik))
    const profiled = await readProfile(store, list, detail ? details : null, asOf)
    const { recent, buys, sells, sides, titles, named, parts } = profiled
    // An insider is known if any stored filing, of any form, names them as owner.
    if (!named[0]) return null
    // The record includes later trades: in an answer as of an earlier instant it would be hindsight.
    const record =
      detail && asOf === undefined ? await insiderRecord({ store, prices: details.prices, compute }, cik, list) : null
    const profile = JsonText.object<Profile>({
      cik,
      name: named[0].name,
      titles: titles.filter((title) => title !== ''),
      companies: sides.map(companyOf),
      stats: { totalBuys: buys, totalSells: sells },
      recentTransactions: recent,
      ...(detail && { lateFilings: lateFilings(sides) }),
      ...(record && { record }),
    })
    const signals = record ? ['signals' as const] : []
    return withDependencies(profile, { parts: [`insider:${cik}`, ...parts, ...signals] })
  }
}

/** Returns the company as its newest transaction shows it. */
function companyOf({ ticker, name, title, buys, sells, lastDay }: SideTotals): InsiderCompany {
  return { ticker, companyName: name, title, totalBuys: buys, totalSells: sells, lastTransactionDate: lastDay }
}
