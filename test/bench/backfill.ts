// Loading history as a user does: `make backfill` of a generated quarter into a running service that has another one,
// until its signals are detected, beside a bare INSERT SELECT of the same files into the same tables. Meanwhile, how
// long requests take, the service's memory at most, and the delay of its event loop. HISTORY=500000. One JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClickHouse } from '../../src/infrastructure/clickhouse/connection/client.ts'
import { createTables } from '../../src/infrastructure/clickhouse/create-tables.ts'
import { writeInventedDataSet } from '../support/edgar/invented/data-set.ts'
import { loadBare } from './support/bare-load.ts'
import { beginLoad } from './support/loading.ts'
import { companiesOf, printBench, shuffled, timed, volume } from './support/measure.ts'
import { memoryMiB } from './support/process-usage.ts'
import { settled, temporaryStore } from './support/product-store.ts'

const ROWS = volume('HISTORY', 500_000)
const QUARTER = '2024q3'
/** Few requests, so that they don't slow down what is measured. */
const PAUSES = { cached: 20, cold: 100 }

const folder = mkdtempSync(join(tmpdir(), 'bench-backfill-'))
try {
  await writeInventedDataSet({ folder, quarter: QUARTER, rows: ROWS, seed: 1, unpacked: true })
  const bareSeconds = await bare(join(folder, `${QUARTER}_form345/`))
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

/** Returns the seconds of the least that loading these files can be. */
async function bare(files: string): Promise<number> {
  const store = await ClickHouse.open({ path: join(folder, 'bare'), database: 'bench' })
  try {
    await createTables(store)
    return await timed(() => loadBare(store, files))
  } finally {
    await store.close()
  }
}

/** Returns how late timers of the service came since the call before, as its metrics say. */
async function eventLoopMs(address: string): Promise<{ max?: number; p99?: number }> {
  const metrics = await (await fetch(`${address}/metrics`)).text()
  const milliseconds = (name: string) => {
    const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${name}_seconds(?:{.*})? (\\S+)$`, 'm').exec(metrics) ?? []
    return seconds === undefined ? undefined : Number(seconds) * 1_000
  }
  const [max, p99] = [milliseconds('max'), milliseconds('p99')]
  return { ...(max !== undefined && { max }), ...(p99 !== undefined && { p99 }) }
}
