// What cold answers are asked for: pages at all depths, companies by popularity, insiders, filters, names. What a store
// has is found as a caller finds it, by reading its feed.
import { feedPages, pagesOf, read, shuffled, zipf } from './measure.ts'

/** Returns the next path to ask for. */
export type Questions = Record<string, () => string>

interface Contents {
  transactions: number
  /** At every hundredth transaction of the feed. */
  cursors: string[]
  /** When the transaction in the middle of the feed was filed. */
  middle: string
  /** Symbols, those with the most transactions first. */
  companies: string[]
  insiders: string[]
  /** Of companies and insiders. */
  names: string[]
  signalCursors: string[]
}

interface Listed {
  ticker: string
  companyName: string
  insiderName: string
  filingDate: string
}

const INSIDERS_OF = 150
const SIGNAL_PAGES = 200

export async function contentsOf(address: string): Promise<Contents> {
  const counts = new Map<string, number>()
  const names = new Set<string>()
  const [cursors, times]: [string[], string[]] = [[], []]
  let transactions = 0
  for await (const page of feedPages<Listed>(address)) {
    for (const { ticker } of page.transactions) if (ticker) counts.set(ticker, (counts.get(ticker) ?? 0) + 1)
    const [first] = page.transactions
    if (first) names.add(first.companyName).add(first.insiderName)
    times.push(first?.filingDate ?? '')
    transactions += page.transactions.length
    if (page.nextCursor !== undefined) cursors.push(page.nextCursor)
  }
  const companies = [...counts].toSorted((a, b) => b[1] - a[1]).map(([ticker]) => ticker)
  const insiders = new Set<string>()
  for (const ticker of shuffled(companies).slice(0, INSIDERS_OF)) {
    const { topInsiders } = await read<{ topInsiders: { cik: string }[] }>(`${address}/v1/companies/${ticker}`)
    for (const { cik } of topInsiders) insiders.add(cik)
  }
  return {
    ...{ transactions, cursors, companies, insiders: [...insiders], names: [...names] },
    middle: times[Math.floor(times.length / 2)]!,
    signalCursors: await signalCursors(address),
  }
}

async function signalCursors(address: string): Promise<string[]> {
  const cursors: string[] = []
  for await (const { nextCursor } of pagesOf(`${address}/v1/signals?limit=20`)) {
    if (nextCursor !== undefined) cursors.push(nextCursor)
    if (cursors.length === SIGNAL_PAGES) break
  }
  return cursors
}

/** Filters that fill a page within 30 days. */
const FILTERS: Record<string, string> = {
  buys: 'filter=buys',
  types: 'transactionTypes=buy,award',
  codes: 'transactionCodes=S',
  roles: 'roles=director',
  ownership: 'ownership=direct',
  plan: 'plan10b51=no,unknown',
  significance: 'minSignificance=medium',
  value: 'minValue=100000',
  three: 'transactionTypes=buy,sell&roles=officer&minValue=10000',
}
export const FILTER_NAMES = Object.keys(FILTERS)
/** Bounds, as filters have them: a cursor belongs to the filter that it came from. */
export const BOUNDS = ['newest', 'half'] as const

export function questionsOf(contents: Contents): Questions {
  const { cursors, signalCursors, companies, insiders } = contents
  const between = (from: number, to: number) =>
    inTurn(cursors.slice(Math.floor(cursors.length * from), Math.ceil(cursors.length * to)))
  const [half, deep] = [between(0.4, 0.6), between(0.98, 1)]
  const popular = zipf(companies)
  const insider = inTurn(insiders)
  const signalsAfter = inTurn(signalCursors)
  return {
    'feed newest': () => '/v1/feed?limit=20',
    'feed half': () => `/v1/feed?limit=20&cursor=${half()}`,
    'feed deep': () => `/v1/feed?limit=20&cursor=${deep()}`,
    ...filtered(contents),
    company: () => `/v1/companies/${popular()}`,
    'fifty companies': () => `/v1/companies?tickers=${fiftyOf(popular)}`,
    insider: () => `/v1/insiders/${insider()}`,
    'signals newest': () => '/v1/signals?limit=20',
    'signals deep': () => `/v1/signals?limit=20&cursor=${signalsAfter()}`,
    statistics: () => '/v1/feed/stats',
    ...searches(contents),
  }
}

/** The feed with each filter, and with `none`, at each bound. */
function filtered({ middle }: Contents): Questions {
  const bounds = { newest: '', half: `&filedTo=${middle}` }
  const questions: Questions = {}
  for (const [name, filter] of [['none', ''], ...Object.entries(FILTERS)]) {
    const base = `/v1/feed?limit=20${filter && `&${filter}`}`
    for (const bound of BOUNDS) questions[`${name} ${bound}`] = () => base + bounds[bound]
  }
  return questions
}

/** Beginnings of words of names: one letter, some letters, and some of two words. */
function searches({ names }: Contents): Questions {
  const name = inTurn(names.map((each) => each.match(/[a-z]+/gi) ?? []).filter(({ length }) => length >= 2))
  const start = (word: string) => word.slice(0, 1 + Math.floor(Math.random() * word.length))
  const two = () => shuffled(name()).slice(0, 2)
  return {
    'search letter': () => `/v1/search?q=${name()[0].slice(0, 1)}`,
    'search word': () => `/v1/search?q=${start(name()[0])}`,
    'search words': () => `/v1/search?q=${two().map(start).join('+')}`,
  }
}

/** Draws until fifty differ, or as many as there can be. */
function fiftyOf(draw: () => string): string {
  const drawn = new Set<string>()
  for (let draws = 0; drawn.size < 50 && draws < 5_000; draws += 1) drawn.add(draw())
  return [...drawn].join(',')
}

/** Returns the values in a random order, again from the start when all were drawn. */
function inTurn<T>(values: T[]): () => T {
  const order = shuffled(values)
  if (order.length === 0) throw new Error('the store is too small to ask of')
  let next = 0
  return () => order[next++ % order.length]!
}
