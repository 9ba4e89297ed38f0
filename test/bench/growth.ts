// What cold answers cost with ten times the history: two services side by side, over stores with the same density of
// filings, asked in turn. ROUNDS=100, and the volumes of the store. One JSON line.
import { coldService } from './support/cold-service.ts'
import { printBench, quantile, shuffled, volume } from './support/measure.ts'
import { productStore } from './support/product-store.ts'
import { contentsOf, questionsOf } from './support/questions.ts'

const ROUNDS = volume('ROUNDS', 100)

const closing: (() => Promise<unknown>)[] = []
try {
  const [once, more] = [await sideOf('base'), await sideOf('history')]
  const names = Object.keys(once.questions)
  const times = new Map(names.map((name) => [name, { once: [] as number[], more: [] as number[] }]))
  for (let round = -Math.ceil(ROUNDS / 10); round < ROUNDS; round += 1) {
    for (const name of shuffled(names)) {
      const took = { once: await once.ask(name), more: await more.ask(name) }
      if (round < 0) continue
      times.get(name)!.once.push(took.once)
      times.get(name)!.more.push(took.more)
    }
  }
  const ratios = [...times].map(([name, each]) => [name, quantile(each.more, 0.5) / quantile(each.once, 0.5)])
  printBench('growth', { rows: { once: once.rows, more: more.rows }, ratios: Object.fromEntries(ratios) })
} finally {
  for (const close of closing.toReversed()) await close()
}

async function sideOf(name: 'base' | 'history') {
  const store = await productStore(name)
  closing.push(() => store.close())
  const service = await coldService(store.dataDir)
  closing.push(() => service.stop())
  const questions = questionsOf(await contentsOf(service.address))
  return { rows: store.rows, questions, ask: (question: string) => service.ask(questions[question]!()) }
}
