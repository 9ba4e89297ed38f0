// The filters of the feed against the feed without any, at the same depth and in one run, over stores that the product's
// own commands made: filters whose pages fill within a month, one and a hundred companies, by value; what matches
// nothing against a bare count with the same condition; and plain pages while others ask for what matches nothing.
// ROWS=45000 QUARTERS=4 LIVE=1000 ROUNDS=100 SECONDS=6. STORE=path keeps the store. One JSON line.
import { setTimeout as sleep } from 'node:timers/promises'
import { coldService, contentsOf, type ColdService, type Contents } from './cold-service.ts'
import { printBench, quantile, shuffled } from '../support/measure.ts'
import { productStore, storesWanted, type ProductStoreOptions } from '../support/product-store.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 100)
const SECONDS = Number(process.env.SECONDS ?? 6)
const CALLERS = 10

const FILLING: Record<string, string> = {
  types: 'transactionTypes=buy,award',
  codes: 'transactionCodes=S',
  roles: 'roles=director',
  ownership: 'ownership=direct',
  plan: 'plan10b51=no,unknown',
  routine: 'routine=no',
  significance: 'minSignificance=medium',
  value: 'minValue=100000',
  shares: 'maxShares=5000',
  three: 'transactionTypes=buy,sell&roles=officer&minValue=10000',
}
const NOTHING = () => `minShares=${900_000_000_000 + Math.floor(Math.random() * 1e9)}`

async function measured(wanted: ProductStoreOptions) {
  const store = await productStore(wanted)
  try {
    await store.stack.make('down')
    const service = await coldService(store.stack.dataDir)
    try {
      return await figures(service, await contentsOf(service))
    } finally {
      await service.stop()
    }
  } finally {
    await store.close()
  }
}

async function figures(service: ColdService, contents: Contents) {
  const { cursors, companies, transactions } = contents
  const half = cursors[Math.floor(cursors.length / 2)]!
  const { transactions: rows } = await service.read<{ transactions: { filingDate: string }[] }>(
    `/v1/feed?limit=1&cursor=${half}`,
  )
  const depths = { newest: '', half: `&filedTo=${rows[0]!.filingDate}` }
  const asks: Record<string, () => string> = {
    'none newest': () => '/v1/feed?limit=20',
    // By its bound, as those with filters: what follows a cursor may be in memory.
    'none half': () => `/v1/feed?limit=20${depths.half}`,
    'one company': () => `/v1/feed?limit=20&tickers=${companies[Math.floor(Math.random() * companies.length)]}`,
    '100 companies': () => `/v1/feed?limit=20&tickers=${shuffled(companies).slice(0, 100).join()}`,
    'by value': () => `/v1/feed?limit=20&sort=value&filedFrom=${daysBefore(rows[0]!.filingDate, 31)}${depths.half}`,
    nothing: () => `/v1/feed?limit=20&${NOTHING()}`,
  }
  for (const [name, filter] of Object.entries(FILLING))
    for (const [depth, bound] of Object.entries(depths))
      asks[`${name} ${depth}`] = () => `/v1/feed?limit=20&${filter}${bound}`
  const times: Record<string, number[]> = Object.fromEntries(
    [...Object.keys(asks), 'bare count'].map((name) => [name, []]),
  )
  for (let round = -5; round < ROUNDS; round += 1) {
    for (const name of shuffled(Object.keys(times))) {
      const took = name === 'bare count' ? await service.bare(countSql()) : await service.ask(asks[name]!())
      if (round >= 0) times[name]!.push(took)
    }
  }
  const p50 = (name: string) => quantile(times[name]!, 0.5)
  const toNone = Object.fromEntries(
    Object.keys(FILLING).flatMap((name) =>
      Object.keys(depths).map((depth) => [`${name} ${depth}`, p50(`${name} ${depth}`) / p50(`none ${depth}`)]),
    ),
  )
  return {
    transactions,
    ratios: {
      toNone,
      nothingToCount: p50('nothing') / p50('bare count'),
      companyToNone: p50('one company') / p50('none newest'),
      hundredToNone: p50('100 companies') / p50('none newest'),
      valueToNone: p50('by value') / p50('none half'),
    },
    besideSearches: await besideSearches(service, contents),
    ms: Object.fromEntries(Object.keys(times).map((name) => [name, p50(name)])),
  }
}

const countSql = () => {
  const [, shares] = NOTHING().split('=')
  return `SELECT count() FROM transaction_lists
    WHERE key >= 'f:' AND key < 'f;' AND deleted = 0 AND shares >= toDecimal128('${shares}', 4)`
}

const daysBefore = (at: string, days: number) =>
  new Date(Date.parse(at) - days * 86_400_000).toISOString().replace(/\.\d+Z/, 'Z')

/** Plain pages of one caller, alone and while others look for what is not there. */
async function besideSearches({ ask }: ColdService, { cursors }: Contents) {
  const pages = async () => {
    const times: number[] = []
    for (const end = performance.now() + SECONDS * 1_000; performance.now() < end;) {
      times.push(await ask(`/v1/feed?limit=20&cursor=${cursors[Math.floor(Math.random() * cursors.length)]}`))
    }
    return quantile(times, 0.99)
  }
  const alone = await pages()
  let isOver = false
  const searching = Array.from({ length: CALLERS }, async () => {
    while (!isOver) await ask(`/v1/feed?limit=20&${NOTHING()}`)
  })
  await sleep(200)
  const beside = await pages()
  isOver = true
  await Promise.all(searching)
  return { aloneP99: alone, besideP99: beside, ratio: beside / alone }
}

const stores: Record<string, unknown> = {}
for (const wanted of storesWanted({ quarters: '4', rows: '45000', live: '1000' })) {
  stores[`${wanted.quarters.length} × ${wanted.rowsPerQuarter} rows`] = await measured(wanted)
}
printBench('filters', { rounds: ROUNDS, stores })
