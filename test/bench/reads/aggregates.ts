// Sums over trades against a page of the feed and a company's profile, in one run, over a store that the product's own
// commands made: 20 years of the market by month, a sector, a company, rankings of 7 and 92 days; and the market while
// its newest month has changed. QUARTERS=80 ROWS=3000 LIVE=500 ROUNDS=60. STORE=path keeps the store. One JSON line.
import { setTimeout as sleep } from 'node:timers/promises'
import { coldService, contentsOf, type ColdService } from './cold-service.ts'
import { printBench, quantile, shuffled } from '../support/measure.ts'
import { productStore, storesWanted, type ProductStoreOptions } from '../support/product-store.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 60)
const MAX_WAIT_MS = 600_000

const ASKS = {
  market: '/v1/sentiment?from=YEARS',
  'market, no plans': '/v1/sentiment?from=YEARS&plan10b51=no,unknown',
  'market by trade date': '/v1/sentiment?from=YEARS&by=traded',
  sector: '/v1/sentiment?from=YEARS&sector=Unknown',
  'ranking, 7 days': '/v1/rankings?days=7',
  'ranking, 92 days': '/v1/rankings?days=92',
  'ranking of insiders, 92 days': '/v1/rankings?days=92&of=insiders&by=netValue',
}

async function measured(wanted: ProductStoreOptions) {
  const store = await productStore(wanted)
  try {
    await store.stack.make('down')
    const service = await coldService(store.stack.dataDir)
    try {
      return await figures(service)
    } finally {
      await service.stop()
    }
  } finally {
    await store.close()
  }
}

async function figures(service: ColdService) {
  const { cursors, companies, transactions } = await contentsOf(service, 20_000)
  const years = `${new Date().getUTCFullYear() - 20}-01-01`
  const secondsUntilMade = await untilMade(service, years)
  const company = () => companies[Math.floor(Math.random() * Math.min(companies.length, 50))]!
  const asks: Record<string, () => string> = {
    page: () => `/v1/feed?limit=20&cursor=${cursors[Math.floor(Math.random() * cursors.length)]}`,
    profile: () => `/v1/companies/${company()}`,
    'series of a company': () => `/v1/sentiment?ticker=${company()}&from=${years}`,
    ...Object.fromEntries(Object.entries(ASKS).map(([name, path]) => [name, () => path.replace('YEARS', years)])),
  }
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(asks).map((name) => [name, []]))
  for (let round = -5; round < ROUNDS; round += 1) {
    for (const name of shuffled(Object.keys(times))) {
      const took = await service.ask(asks[name]!())
      if (round >= 0) times[name]!.push(took)
    }
  }
  const p50 = (name: string) => quantile(times[name]!, 0.5)
  return {
    transactions,
    secondsUntilMade,
    toPage: Object.fromEntries(Object.keys(ASKS).map((name) => [name, p50(name) / p50('page')])),
    companyToProfile: p50('series of a company') / p50('profile'),
    ms: Object.fromEntries(Object.keys(times).map((name) => [name, p50(name)])),
  }
}

/** Waits until the market takes one statement more than a page: none of it is summed up from the feed any more. */
async function untilMade({ ask, statements }: ColdService, years: string): Promise<number> {
  const begun = performance.now()
  const taken = async (path: string) => {
    const before = await statements()
    await ask(path)
    return (await statements()) - before
  }
  while (performance.now() - begun < MAX_WAIT_MS) {
    const page = await taken('/v1/feed')
    const filed = await taken(`/v1/sentiment?from=${years}`)
    const traded = await taken(`/v1/sentiment?from=${years}&by=traded`)
    if (filed === page + 1 && traded === page + 1) return Math.round((performance.now() - begun) / 1_000)
    await sleep(1_000)
  }
  throw new Error('the periods of the market were not made in time')
}

const stores: Record<string, unknown> = {}
for (const wanted of storesWanted({ quarters: '80', rows: '3000', live: '500' })) {
  stores[`${wanted.quarters.length} × ${wanted.rowsPerQuarter} rows`] = await measured(wanted)
}
printBench('aggregates', { rounds: ROUNDS, stores })
