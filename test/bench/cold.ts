// Cold answers against `SELECT 1` of the engine in the same process, in one run, in an order that changes each round:
// feed pages at three depths and with filters, companies, insiders, signals, statistics, search. ROUNDS=150, and the
// volumes of the store. One JSON line.
import { coldService } from './support/cold-service.ts'
import { printBench, quantile, shuffled, volume } from './support/measure.ts'
import { productStore } from './support/product-store.ts'
import { BOUNDS, contentsOf, FILTER_NAMES, questionsOf } from './support/questions.ts'

const ROUNDS = volume('ROUNDS', 150)
const SELECT_1 = 'SELECT 1'

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
    printBench('cold', {
      ...{ rows: store.rows, transactions: contents.transactions, companies: contents.companies.length },
      select1Ms: p50(SELECT_1),
      toSelect1: Object.fromEntries(toSelect1),
      filterToNone: Object.fromEntries(filterToNone),
      fiftyToOne: p50('fifty companies') / p50('company'),
      searchP99ToSelect1: quantile(searches, 0.99) / p50(SELECT_1),
    })
  } finally {
    await service.stop()
  }
} finally {
  await store.close()
}
