// The columns of what tools answer, by the contract's schemas.
import type { components } from '../../contract.ts'
import { minute, type Columns } from './tables.ts'

type Schemas = components['schemas']
type Sentiment = Schemas['Sentiment']['points'][number]

/** A transaction with its detail. The times are in UTC. */
export const TRADES: Columns<Schemas['Transaction']> = {
  filed: ({ filingDate }) => minute(filingDate),
  traded: ({ detail }) => detail?.tradeDate,
  ticker: ({ ticker }) => ticker,
  insider: ({ insiderName }) => insiderName,
  cik: ({ detail }) => detail?.insiderCik,
  title: ({ insiderTitle }) => insiderTitle,
  type: ({ transactionType }) => transactionType,
  shares: ({ shares }) => shares,
  price: ({ pricePerShare }) => pricePerShare,
  value: ({ totalValue }) => totalValue,
  'price status': ({ detail }) => detail?.priceStatus,
  plan: ({ detail }) => detail?.plan10b51,
  significance: ({ significance }) => significance,
  id: ({ id }) => id,
  // Only where the operator brought prices.
  'return 1w': ({ detail }) => detail?.return1w,
  'return 1m': ({ detail }) => detail?.return1m,
  'return 6m': ({ detail }) => detail?.return6m,
}

/** The times are in UTC. */
export const NOTICES: Columns<Schemas['Notice']> = {
  filed: ({ filingDate }) => minute(filingDate),
  ticker: ({ ticker, companyName }) => ticker || companyName,
  seller: ({ seller }) => seller.name,
  cik: ({ seller }) => seller.cik,
  relationship: ({ seller }) => seller.relationships.join(', '),
  units: ({ units }) => units,
  value: ({ marketValue }) => marketValue,
  'value status': ({ valueStatus }) => valueStatus,
  'sale date': ({ saleDate }) => saleDate,
  plan: ({ plan10b51 }) => plan10b51,
  state: ({ state }) => state,
  'units sold': ({ reportedUnits }) => reportedUnits,
  'accession number': ({ accessionNumber }) => accessionNumber,
}

export const SIGNALS: Columns<Schemas['Signal']> = {
  detected: ({ detectedAt }) => minute(detectedAt),
  type: ({ type }) => type,
  severity: ({ severity }) => severity,
  ticker: ({ ticker }) => ticker,
  company: ({ companyName }) => companyName,
  insiders: ({ insiderCount }) => insiderCount,
  value: ({ totalValue }) => totalValue,
  id: ({ id }) => id,
}

export const FOUND: Columns<Schemas['SearchResult']> = {
  kind: ({ kind }) => kind,
  name: ({ name }) => name,
  ticker: ({ ticker }) => ticker,
  cik: ({ cik }) => cik,
  'exchange or title': (found) => (found.kind === 'company' ? found.exchange : found.title),
  company: (found) => (found.kind === 'company' ? null : found.companyName),
}

export const SUMS: Columns<Sentiment> = {
  from: ({ start }) => start,
  buys: ({ buys }) => buys,
  sells: ({ sells }) => sells,
  buyers: ({ buyers }) => buyers,
  sellers: ({ sellers }) => sellers,
  bought: ({ buyValue }) => buyValue,
  sold: ({ sellValue }) => sellValue,
  net: ({ netValue }) => netValue,
}

export const RANKED: Columns<Schemas['RankedCompany']> = {
  rank: ({ rank }) => rank,
  ticker: ({ ticker }) => ticker,
  company: ({ companyName }) => companyName,
  buyers: ({ buyers }) => buyers,
  sellers: ({ sellers }) => sellers,
  bought: ({ buyValue }) => buyValue,
  sold: ({ sellValue }) => sellValue,
  'last trade': ({ lastTransactionDate }) => lastTransactionDate,
}

export const TOP_INSIDERS: Columns<Schemas['TopInsider']> = {
  insider: ({ name }) => name,
  cik: ({ cik }) => cik,
  title: ({ title }) => title,
  buys: ({ totalBuys }) => totalBuys,
  sells: ({ totalSells }) => totalSells,
  value: ({ totalValue }) => totalValue,
  'last trade': ({ lastTransactionDate }) => lastTransactionDate,
}

export const COMPANIES: Columns<Schemas['InsiderCompany']> = {
  ticker: ({ ticker }) => ticker,
  company: ({ companyName }) => companyName,
  title: ({ title }) => title,
  buys: ({ totalBuys }) => totalBuys,
  sells: ({ totalSells }) => totalSells,
  'last trade': ({ lastTransactionDate }) => lastTransactionDate,
}

export const STATES: Columns<Schemas['SignalState']> = {
  at: ({ at }) => minute(at),
  severity: ({ severity }) => severity,
  insiders: ({ insiderCount }) => insiderCount,
  value: ({ totalValue }) => totalValue,
  'by filing': ({ accessionNumber }) => accessionNumber,
}

export const DELIVERIES: Columns<Schemas['Delivery']> = {
  created: ({ createdAt }) => minute(createdAt),
  event: ({ event }) => event,
  ticker: ({ ticker }) => ticker,
  host: ({ host }) => host,
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts,
  reason: ({ reason }) => reason,
}

/** A row of Table I or Table II. */
type FiledRow = Pick<
  Schemas['FilingRow'],
  | 'kind'
  | 'securityTitle'
  | 'tradeDate'
  | 'transactionCode'
  | 'acquiredDisposed'
  | 'shares'
  | 'pricePerShare'
  | 'sharesOwnedAfter'
  | 'ownership'
> & { footnotes: object | null }

export const FILED_ROWS: Columns<FiledRow> = {
  kind: ({ kind }) => kind,
  security: ({ securityTitle }) => securityTitle,
  traded: ({ tradeDate }) => tradeDate,
  code: ({ transactionCode }) => transactionCode,
  'A/D': ({ acquiredDisposed }) => acquiredDisposed,
  shares: ({ shares }) => shares,
  price: ({ pricePerShare }) => pricePerShare,
  'owned after': ({ sharesOwnedAfter }) => sharesOwnedAfter,
  ownership: ({ ownership }) => ownership,
  footnotes: ({ footnotes }) => [...new Set(Object.values(footnotes ?? {}).flat() as string[])].join(' '),
}
