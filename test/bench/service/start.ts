// How long a service takes from `make up` to ready, stores included, over the rows that its own commands loaded before.
// QUARTERS=4 ROWS=45000 LIVE=1000 STORE=path ROUNDS=5. One JSON line.
import { median, printBench } from '../support/measure.ts'
import { productStore, storesWanted } from '../support/product-store.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)

const [wanted] = storesWanted({ quarters: '4', rows: '45000', live: '1000' })
const { stack, close } = await productStore(wanted!)
try {
  const seconds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await stack.make('down')
    const begun = performance.now()
    const { status, stderr } = await stack.make('up')
    if (status !== 0) throw new Error(`make up ended with ${status}: ${stderr}`)
    seconds.push((performance.now() - begun) / 1_000)
  }
  const rows = wanted!.quarters.length * wanted!.rowsPerQuarter
  printBench('start', { rows, secondsToReady: median(seconds), longest: Math.max(...seconds) })
} finally {
  await close()
}
