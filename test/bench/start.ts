// How long a service takes from `make up` to ready, stores included, over a long history, and its memory at rest.
// STARTS=3, and the volumes of the store. One JSON line.
import { median, printBench, timed, volume } from './support/measure.ts'
import { memoryMiB } from './support/process-usage.ts'
import { atRest, productStore } from './support/product-store.ts'

const STARTS = volume('STARTS', 3)

const store = await productStore('history')
try {
  const seconds: number[] = []
  for (let start = 0; start < STARTS; start += 1) {
    await store.make('down')
    seconds.push(await timed(() => store.make('up', { DEFAULTS: 1 })))
  }
  const pid = Number((await store.make('up')).json!.pid)
  await atRest(store.dataDir, pid)
  printBench('start', { rows: store.rows, secondsToReady: median(seconds), idleMiB: memoryMiB(pid).now })
} finally {
  await store.close()
}
