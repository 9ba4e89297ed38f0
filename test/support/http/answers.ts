// Everything the public API says, each answer held against the contract.
import type { components } from '../../../src/contract.ts'
import { call } from './contract-client.ts'

type Schemas = components['schemas']

export async function wholeFeed(address: string, filter?: string): Promise<Schemas['Transaction'][]> {
  const rows: Schemas['Transaction'][] = []
  for (let cursor: string | undefined; ;) {
    const query = new URLSearchParams({ limit: '100', ...(filter && { filter }), ...(cursor && { cursor }) })
    const { data } = (await call(address, 'GET', `/v1/feed?${query.toString()}`)).body as { data: Schemas['FeedPage'] }
    rows.push(...data.transactions)
    if (!data.hasMore) return rows
    cursor = data.nextCursor
  }
}

export async function company(address: string, ticker: string): Promise<Schemas['CompanyProfile']> {
  return (await call(address, 'GET', `/v1/companies/${encodeURIComponent(ticker)}`)).body.data
}

export async function insider(address: string, cik: string): Promise<Schemas['InsiderProfile']> {
  return (await call(address, 'GET', `/v1/insiders/${cik}`)).body.data
}

/** All answers about what is listed, not checked against the contract again: equal for equal contents. */
export async function allAnswers(address: string, owners: string[]): Promise<unknown> {
  const feed = await wholeFeed(address)
  const tickers = [...new Set(feed.map((row) => row.ticker))].filter(Boolean).sort()
  const paths = [
    ...['buys', 'sells', 'high', 'ceo_cfo'].map((filter) => `/v1/feed?limit=100&filter=${filter}`),
    '/v1/signals',
    ...tickers.map((ticker) => `/v1/companies/${encodeURIComponent(ticker)}`),
    ...owners.map((cik) => `/v1/insiders/${cik}`),
  ]
  const answers: unknown[] = []
  for (let from = 0; from < paths.length; from += 8) {
    const some = await Promise.all(
      paths.slice(from, from + 8).map(async (path) => (await fetch(`${address}${path}`)).json()),
    )
    answers.push(...some)
  }
  return { feed, answers }
}
