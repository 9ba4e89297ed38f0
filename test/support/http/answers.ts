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

/**
 * All answers about what is listed, not checked against the contract again: equal for equal contents. Of companies and
 * owners `most` of each at most, evenly chosen.
 */
export async function allAnswers(address: string, owners: string[], most = Infinity): Promise<unknown> {
  const feed = await wholeFeed(address)
  const tickers = [...new Set(feed.map((row) => row.ticker))].filter(Boolean).sort()
  const paths = [
    ...['buys', 'sells', 'high', 'ceo_cfo'].map((filter) => `/v1/feed?limit=100&filter=${filter}`),
    '/v1/signals',
    ...evenly(tickers, most).map((ticker) => `/v1/companies/${encodeURIComponent(ticker)}`),
    ...evenly(owners, most).map((cik) => `/v1/insiders/${cik}`),
  ]
  const answers: unknown[] = []
  for (let from = 0; from < paths.length; from += 8) {
    const asked = await Promise.all(
      paths.slice(from, from + 8).map(async (path) => (await fetch(`${address}${path}`)).json()),
    )
    answers.push(...asked)
  }
  return { feed, answers }
}

/** Returns all, or of more than `most` every second, third and so on. */
export function evenly<T>(all: T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(all.length / most))
  return all.filter((_, index) => index % step === 0)
}
