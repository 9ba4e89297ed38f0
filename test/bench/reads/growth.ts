// What cold answers cost with ten times the history: two services side by side, over stores that the product's own
// commands made at the same density of filings, asked in turn. Making the larger one takes longest of all benches.
// QUARTERS=4,40 ROWS=45000,45000 LIVE=1000,1000 ROUNDS=150 STORE=path,path. One JSON line.
import { coldService, contentsOf, questionsOf } from './cold-service.ts'
import { printBench, quantile, shuffled } from '../support/measure.ts'
import { productStore, storesWanted } from '../support/product-store.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 150)
/** Read of each feed to know what to ask for. */
const WALKED = 20_000

const closing: (() => Promise<unknown>)[] = []
try {
  const sides = []
  for (const wanted of storesWanted({ quarters: '4,40', rows: '45000,45000', live: '1000,1000' })) {
    const store = await productStore(wanted)
    closing.push(() => store.close())
    await store.stack.make('down')
    const service = await coldService(store.stack.dataDir)
    closing.push(() => service.stop())
    const questions = questionsOf(await contentsOf(service, WALKED))
    sides.push({ service, questions, rows: wanted.quarters.length * wanted.rowsPerQuarter })
  }
  const [once, more] = sides as [(typeof sides)[0], (typeof sides)[0]]
  const names = Object.keys(once.questions).filter((name) => name !== 'healthz')
  const times = new Map(names.map((name) => [name, { once: [] as number[], more: [] as number[] }]))
  for (let round = -Math.ceil(ROUNDS / 10); round < ROUNDS; round += 1) {
    for (const name of shuffled(names)) {
      const took = {
        once: await once.service.ask(once.questions[name]!()),
        more: await more.service.ask(more.questions[name]!()),
      }
      if (round < 0) continue
      times.get(name)!.once.push(took.once)
      times.get(name)!.more.push(took.more)
    }
  }
  const p50 = (name: string, side: 'once' | 'more') => quantile(times.get(name)![side], 0.5)
  printBench('growth', {
    rows: { once: once.rows, more: more.rows },
    ms: Object.fromEntries(names.map((name) => [name, { once: p50(name, 'once'), more: p50(name, 'more') }])),
    ratios: Object.fromEntries(names.map((name) => [name, p50(name, 'more') / p50(name, 'once')])),
  })
} finally {
  for (const close of closing.toReversed()) await close()
}
