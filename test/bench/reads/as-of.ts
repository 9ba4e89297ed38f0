// Answers as of an instant against the present ones at the same depth, in one run, over stores that the product's own
// commands made: pages of the feed, with and without filters, companies and insiders, many companies at once, signals.
// ROWS=45000 QUARTERS=4 LIVE=1000 ROUNDS=100. STORE=path keeps the store. One JSON line.
import { coldService, contentsOf, type ColdService, type Contents } from './cold-service.ts'
import { printBench, quantile, shuffled } from '../support/measure.ts'
import { productStore, storesWanted, type ProductStoreOptions } from '../support/product-store.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 100)

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
  const { cursors, companies, insiders, signalCursors, transactions } = contents
  const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
  // Another one each time: a caller who reads on gets the next pages from memory.
  const around = () => cursors[Math.floor(cursors.length * (0.4 + Math.random() / 5))]!
  const instants: string[] = []
  for (let index = 0; index < 50; index += 1) {
    const { transactions: rows } = await service.read<{ transactions: { filingDate: string }[] }>(
      `/v1/feed?limit=1&cursor=${around()}`,
    )
    instants.push(rows[0]!.filingDate)
  }
  const at = () => any(instants)
  const fifty = () => shuffled(companies).slice(0, 50).join()
  const pairs: Record<string, [present: () => string, then: () => string]> = {
    page: [() => `/v1/feed?limit=20&filedTo=${at()}`, () => `/v1/feed?limit=20&asOf=${at()}`],
    detailed: [
      () => `/v1/feed?limit=20&detail=full&cursor=${around()}`,
      () => `/v1/feed?limit=20&detail=full&asOf=${at()}`,
    ],
    significance: [
      () => `/v1/feed?limit=20&minSignificance=medium&filedTo=${at()}`,
      () => `/v1/feed?limit=20&minSignificance=medium&asOf=${at()}`,
    ],
    'of a company': [
      () => `/v1/feed?limit=20&tickers=${any(companies)}&filedTo=${at()}`,
      () => `/v1/feed?limit=20&tickers=${any(companies)}&asOf=${at()}`,
    ],
    company: [() => `/v1/companies/${any(companies)}`, () => `/v1/companies/${any(companies)}?asOf=${at()}`],
    sums: [() => `/v1/sentiment?ticker=${any(companies)}`, () => `/v1/sentiment?ticker=${any(companies)}&asOf=${at()}`],
    insider: [() => `/v1/insiders/${any(insiders)}`, () => `/v1/insiders/${any(insiders)}?asOf=${at()}`],
    companies: [() => `/v1/companies?tickers=${fifty()}`, () => `/v1/companies?tickers=${fifty()}&asOf=${at()}`],
    signals: [() => `/v1/signals?limit=20&cursor=${any(signalCursors)}`, () => `/v1/signals?limit=20&asOf=${at()}`],
  }
  const times = new Map<() => string, number[]>(Object.values(pairs).flatMap((pair) => pair.map((ask) => [ask, []])))
  for (let round = -5; round < ROUNDS; round += 1) {
    for (const ask of shuffled([...times.keys()])) {
      const took = await service.ask(ask())
      if (round >= 0) times.get(ask)!.push(took)
    }
  }
  const p50 = (ask: () => string) => quantile(times.get(ask)!, 0.5)
  const entries = Object.entries(pairs)
  return {
    transactions,
    ratios: Object.fromEntries(entries.map(([name, [present, then]]) => [name, p50(then) / p50(present)])),
    ms: Object.fromEntries(entries.map(([name, [present, then]]) => [name, [p50(present), p50(then)]])),
  }
}

const stores: Record<string, unknown> = {}
for (const wanted of storesWanted({ quarters: '4', rows: '45000', live: '1000' })) {
  stores[`${wanted.quarters.length} × ${wanted.rowsPerQuarter} rows`] = await measured(wanted)
}
printBench('as-of', { rounds: ROUNDS, stores })
