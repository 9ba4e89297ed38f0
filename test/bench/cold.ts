// Cold answers against `SELECT 1` of the engine in the same process, in one run, in an order that changes each round:
// feed pages at three depths and with filters, companies, insiders, signals, statistics, search; then a walk through
// the feed by pages of 100. ROUNDS=150, PAGES=1000 of the walk, and the volumes of the store. One JSON line.
import { coldService } from './support/cold-service.ts'
import { printBench, quantile, shuffled, volume } from './support/measure.ts'
import { productStore } from './support/product-store.ts'
import { BOUNDS, contentsOf, FILTER_NAMES, questionsOf } from './support/questions.ts'

const ROUNDS = volume('ROUNDS', 150)
const PAGES = volume('PAGES', 1_000)
const SELECT_1 = 'SELECT 1'
/** Pages of the walk between two times of SELECT 1. */
const SELECT_1_EVERY = 5

const store = await productStore('base')
try {
  const service = await coldService(store.dataDir)
  try {
    const contents = await contentsOf(service.address)
    const asks: Record<string, () => Promise<number>> = { [SELECT_1]: service.select1 }
    for (const [name, next] of Object.entries(questionsOf(contents))) asks[name] = () => service.ask(next())
    const times = new Map(Object.keys(asks).map((name): [string, number[]] => [name, []]))
    for (let round = -Math.ceil(ROUNDS / 10); round < ROUNDS; round += 1) {
      for (const [name, ask] of shuffled(Object.entries(asks))) {
        const took = await ask()
        if (round >= 0) times.get(name)!.push(took)
      }
    }
    const p50 = (name: string) => quantile(times.get(name)!, 0.5)
    const searches = [...times].flatMap(([name, each]) => (name.startsWith('search ') ? each : []))
    const toSelect1 = [...times.keys()].map((name) => [name, p50(name) / p50(SELECT_1)])
    const filterToNone = FILTER_NAMES.flatMap((name) =>
      BOUNDS.map((bound) => [`${name} ${bound}`, p50(`${name} ${bound}`) / p50(`none ${bound}`)]),
    )
    const walk = { page: [] as number[], select1: [] as number[] }
    for (const [place, cursor] of contents.cursors.slice(0, PAGES).entries()) {
      walk.page.push(await service.ask(`/v1/feed?limit=100&cursor=${cursor}`))
      if (place % SELECT_1_EVERY === 0) walk.select1.push(await service.select1())
    }
    printBench('cold', {
      ...{ rows: store.rows, transactions: contents.transactions, companies: contents.companies.length },
      select1Ms: p50(SELECT_1),
      toSelect1: Object.fromEntries(toSelect1),
      filterToNone: Object.fromEntries(filterToNone),
      fiftyToOne: p50('fifty companies') / p50('company'),
      walkToSelect1: quantile(walk.page, 0.5) / quantile(walk.select1, 0.5),
      searchP99ToSelect1: quantile(searches, 0.99) / p50(SELECT_1),
    })
  } finally {
    await service.stop()
  }
} finally {
  await store.close()
}
