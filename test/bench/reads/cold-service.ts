// Cold answers as a caller gets them: the product's service over a DATA_DIR, with or without memory for answers, asked
// over loopback HTTP; and `SELECT 1` of the engine in that very process. What to ask for is found as a caller finds it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../../support/ports.ts'
import { encodeCursor } from '../../../src/infrastructure/page-cursor.ts'
import { settingNames } from '../../../src/config.ts'
import { shuffled } from '../support/measure.ts'

export interface ColdService {
  /** Asks and returns the milliseconds until the whole answer was there. */
  ask(path: string): Promise<number>
  read<T>(path: string): Promise<T>
  /** Milliseconds of a query in the service's process. */
  bare(statement: string): Promise<number>
  /** Engine statements so far, of API queries; a scrape counts some of its own as well. */
  statements(): Promise<number>
  stop(): Promise<void>
}

/** Starts the service on a DATA_DIR that no other uses. */
export async function coldService(dataDir: string, variables: Record<string, string> = {}): Promise<ColdService> {
  const port = await freePort()
  const settings = { DATA_DIR: dataDir, PORT: String(port), CACHE_MEMORY: '0', NODE_ENV: 'production', ...variables }
  // Settings kept from another start count for as little as those of the surroundings.
  const none = Object.fromEntries(settingNames('embedded').map((name) => [name, '']))
  const log = openSync(join(dataDir, 'logs', 'bench.log'), 'a')
  const child = fork(new URL('./engine-service.ts', import.meta.url), {
    execArgv: [],
    env: { ...process.env, ...none, UV_THREADPOOL_SIZE: '16', ...settings },
    stdio: ['ignore', log, 'inherit', 'ipc'],
  })
  closeSync(log)
  const [address] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the service ended before it was ready'))),
  ])) as [string]
  const agent = new Agent({ keepAlive: true })
  const answer = async (path: string) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${address}${path}`, { agent }, resolve).on('error', reject)
    })
    const bytes = Buffer.concat(await response.toArray())
    if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${bytes.toString()}`)
    return bytes
  }
  const bare = async (statement: string) => {
    child.send(statement)
    return ((await once(child, 'message')) as [number])[0]
  }
  return {
    ask: async (path) => {
      const begun = performance.now()
      await answer(path)
      return performance.now() - begun
    },
    read: async (path) => (JSON.parse((await answer(path)).toString()) as { data: never }).data,
    bare,
    statements: async () => {
      const metrics = (await answer('/metrics')).toString()
      const counts = metrics.matchAll(/^clickhouse_statement_seconds_count\{connections="callers"[^}]*\} (\d+)$/gm)
      return counts.reduce((sum, [, count]) => sum + Number(count), 0)
    },
    stop: async () => {
      agent.destroy()
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** What a store has, found by reading the whole feed and some companies. */
export interface Contents {
  transactions: number
  /** At every hundredth transaction of the feed. */
  cursors: string[]
  signalCursors: string[]
  /** Symbols or CIKs, those with the most transactions first. */
  companies: string[]
  insiders: string[]
}

interface Page {
  transactions: { ticker: string }[]
  nextCursor?: string
}

/** Reads `most` transactions of the feed at most; places beyond are then found by time. */
export async function contentsOf({ read }: Pick<ColdService, 'read'>, most = Infinity): Promise<Contents> {
  const counts = new Map<string, number>()
  const cursors: string[] = []
  let transactions = 0
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: Page = await read(`/v1/feed?limit=100${cursor && `&cursor=${cursor}`}`)
    for (const { ticker } of page.transactions) if (ticker) counts.set(ticker, (counts.get(ticker) ?? 0) + 1)
    transactions += page.transactions.length
    cursor = page.nextCursor
    if (cursor === undefined) break
    cursors.push(cursor)
    if (transactions >= most) {
      cursors.push(...(await cursorsByTime(read, cursor)))
      break
    }
  }
  const companies = [...counts].toSorted((a, b) => b[1] - a[1]).map(([ticker]) => ticker)
  const insiders = new Set<string>()
  for (const ticker of shuffled(companies).slice(0, 150)) {
    const { topInsiders } = await read<{ topInsiders: { cik: string }[] }>(`/v1/companies/${ticker}`)
    for (const { cik } of topInsiders) insiders.add(cik)
  }
  return { transactions, cursors, signalCursors: await signalCursors(read), companies, insiders: [...insiders] }
}

/** Returns a thousand cursors, spread evenly over the time from this one to the oldest transaction. */
async function cursorsByTime(read: ColdService['read'], from: string): Promise<string[]> {
  const [of, newest, ...rest] = partsOf(from) as [string, number, ...(string | number)[]]
  const at = (seconds: number) => encodeCursor(of, [seconds, ...rest])
  const monthsThatAreThere = async () => {
    for (let months = 0; ; months += 1) {
      const { transactions } = await read<Page>(`/v1/feed?limit=1&cursor=${at(newest - months * MONTH)}`)
      if (transactions.length === 0) return months - 1
    }
  }
  const span = (await monthsThatAreThere()) * MONTH
  return Array.from({ length: 1_000 }, (_, place) => at(newest - Math.floor((span * place) / 1_000)))
}

const MONTH = 30 * 86_400

/** Returns the name of the list, and the key of the place in it. */
function partsOf(cursor: string): (string | number)[] {
  const text = Buffer.from(cursor, 'base64url').toString()
  return JSON.parse(text.slice(text.indexOf('['))) as (string | number)[]
}

async function signalCursors(read: ColdService['read']): Promise<string[]> {
  const cursors: string[] = []
  let cursor = ''
  while (cursors.length < 200) {
    const { nextCursor } = await read<{ nextCursor?: string }>(`/v1/signals?limit=20${cursor && `&cursor=${cursor}`}`)
    if (nextCursor === undefined) break
    cursors.push((cursor = nextCursor))
  }
  return cursors
}

const FILTERS = ['buys', 'sells', 'high', 'ceo_cfo'] as const
export const DEPTHS = ['newest', 'half', 'deep'] as const

/** Returns each question by its name: a function that draws the next path to ask for. */
export function questionsOf(contents: Contents): Record<string, () => string> {
  const { cursors, signalCursors, companies, insiders } = contents
  const at = (from: number, to: number) =>
    drawn(cursors.slice(Math.floor(cursors.length * from), Math.max(1, Math.ceil(cursors.length * to))))
  const after = { half: at(0.4, 0.6), deep: at(0.985, 0.995) }
  const questions: Record<string, () => string> = {}
  for (const filter of [null, ...FILTERS]) {
    const base = `/v1/feed?limit=20${filter ? `&filter=${filter}` : ''}`
    const name = filter ?? 'feed'
    questions[`${name} newest`] = () => base
    for (const depth of ['half', 'deep'] as const) {
      questions[`${name} ${depth}`] = () => `${base}&cursor=${filteredCursor(after[depth](), filter)}`
    }
  }
  const heavy = drawn(companies.slice(0, Math.ceil(companies.length / 200)))
  const light = drawn(companies.slice(Math.floor(companies.length / 2)))
  const popular = zipf(companies)
  const person = drawn(insiders)
  const signalsAfter = drawn(signalCursors)
  return {
    ...questions,
    'company by popularity': () => `/v1/companies/${popular()}`,
    'company heavy': () => `/v1/companies/${heavy()}`,
    'company light': () => `/v1/companies/${light()}`,
    'fifty companies': () => `/v1/companies?tickers=${fifty(popular)}`,
    insider: () => `/v1/insiders/${person()}`,
    'signals newest': () => '/v1/signals?limit=20',
    'signals deep': () => `/v1/signals?limit=20&cursor=${signalsAfter()}`,
    statistics: () => '/v1/feed/stats',
    // No store: what HTTP alone takes.
    healthz: () => '/healthz',
  }
}

export const FILTER_NAMES: readonly string[] = FILTERS

/** Draws until fifty differ, or as many as there can be. */
function fifty(draw: () => string): string {
  const drawn = new Set<string>()
  for (let draws = 0; drawn.size < 50 && draws < 5_000; draws += 1) drawn.add(draw())
  return [...drawn].join(',')
}

/** The same place in the list of another filter. */
function filteredCursor(cursor: string, filter: string | null): string {
  if (filter === null) return cursor
  return encodeCursor(`feed:${filter}`, partsOf(cursor).slice(1))
}

/** Returns the values in a random order, again from the start when all were drawn. */
function drawn<T>(values: T[]): () => T {
  const order = shuffled(values)
  if (order.length === 0) throw new Error('the store is too small to ask of')
  let next = 0
  return () => order[next++ % order.length]!
}

/** Draws the first twice as often as the second, three times as often as the third, and so on. */
export function zipf<T>(values: T[]): () => T {
  let sum = 0
  const sums = values.map((_, place) => (sum += 1 / (place + 1)))
  return () => {
    const at = Math.random() * sum
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! < at) low = middle + 1
      else high = middle
    }
    return values[low]!
  }
}
