// Loading history as a user does: `make backfill` of a generated quarter into a running service that has another one,
// until its signals are detected, beside a bare INSERT SELECT of the same files into the same tables. Meanwhile, how
// long requests take, the service's memory at most, and the delay of its event loop. HISTORY=500000. One JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeInventedDataSet } from '../support/edgar/invented/data-set.ts'
import { openBare } from './support/bare-load.ts'
import { beginLoad } from './support/loading.ts'
import { companiesOf, eventLoopMs, printBench, shuffled, timed, volume } from './support/measure.ts'
import { memoryMiB } from './support/process-usage.ts'
import { settled, temporaryStore } from './support/product-store.ts'

const ROWS = volume('HISTORY', 500_000)
const QUARTER = '2024q3'
/** Few requests, so that they don't slow down what is measured. */
const PAUSES = { cached: 20, cold: 100 }

const folder = mkdtempSync(join(tmpdir(), 'bench-backfill-'))
try {
  await writeInventedDataSet({ folder, quarter: QUARTER, rows: ROWS, seed: 1, unpacked: true })
  const bare = await openBare(join(folder, 'bare'))
  const bareSeconds = await bare.load(join(folder, `${QUARTER}_form345/`)).finally(() => bare.close())
  rmSync(join(folder, `${QUARTER}_form345`), { recursive: true })
  const store = await temporaryStore({ quarters: 1, rowsPerQuarter: 45_000, liveFilings: 0 })
  try {
    const pid = await store.up()
    const address = store.address
    const cold = shuffled(await companiesOf(address))
    // What no filing changes stays in memory.
    const memory = { answer: { share: 1, paths: ['/v1/signals/rules'] } }
    // The metrics of the event loop are of the time since they were read last.
    await eventLoopMs(address)
    const loads = [
      beginLoad({ address, connections: 1, pauseMs: PAUSES.cached, kinds: memory }),
      beginLoad({ address, connections: 1, pauseMs: PAUSES.cold, kinds: { answer: { share: 1, paths: cold } } }),
    ]
    const seconds = await timed(async () => {
      await store.make('backfill', { SETS: folder })
      await settled(store.dataDir)
    })
    const [cached, fresh] = await Promise.all(loads.map((load) => load.end()))
    printBench('backfill', {
      rows: ROWS,
      seconds: { bare: bareSeconds, withSignals: seconds },
      toBare: bareSeconds / seconds,
      peakMiB: memoryMiB(pid).peak,
      ms: { cached: cached!.ms.answer, cold: fresh!.ms.answer, eventLoop: await eventLoopMs(address) },
    })
  } finally {
    await store.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
