// How the time of a load grows with its history: `make backfill` of longer and longer histories of generated quarters,
// each into a new store, until all signals are detected. In its quarters 2.5 % of the filings are amendments, some have
// several owners, one in fifty is named by the next quarter too, and ten issuers have 5 % of the rows, which is 50,000
// rows of each in 80 quarters of 125,000. HISTORIES=5,8,10,20,40,80 are their quarters, ROWS=125000 of each quarter,
// ISSUERS=8000; those of BARE=8,40 are loaded by a bare INSERT SELECT of the same files too. 155 quarters of 125,000
// rows need 25 GB of disk and some hours; HISTORIES=1,2 ROWS=5000 ISSUERS=300 takes a minute. One JSON line.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quartersBetween, type Quarter } from '../../src/domain/shared/quarter.ts'
import { unpackDataSet } from '../../src/infrastructure/edgar/data-sets/unzip.ts'
import { writeInventedDataSet } from '../support/edgar/invented/data-set.ts'
import { openBare } from './support/bare-load.ts'
import { eventLoopMs, printBench, timed, volume } from './support/measure.ts'
import { memoryMiB } from './support/process-usage.ts'
import { ISSUERS, settled, SKEW, temporaryStore } from './support/product-store.ts'
import { watchBackfill } from './support/watched-backfill.ts'

const ROWS = volume('ROWS', 125_000)
const HISTORIES = quartersOf('HISTORIES', '5,8,10,20,40,80')
const BARE = quartersOf('BARE', '8,40')
/** One set of columns, since a quarter repeats lines of the one before. */
const SHAPE = { amendments: 2.5, repeated: 0.02, largest: { issuers: 10, share: 0.05 }, skew: SKEW, aff10b5One: true }
const MIB = 1024 ** 2

interface History {
  quarters: number
  rows: number
  zipMiB: number
  seconds: number
  secondsPerQuarter: number
  perSecond: number
  /** Seconds by what the job did. */
  phases: Record<string, number>
  peakMiB: number
  eventLoopMs: { max?: number; p99?: number }
  /** Disk of both stores at the end, of ClickHouse at most, and of the tables of staging at most. */
  diskMiB: { stores: number; most: number; staging: number }
}

const tell = (text: string) => process.stderr.write(`bench growth-of-history: ${text}\n`)

const folder = mkdtempSync(join(tmpdir(), 'bench-growth-of-history-'))
try {
  const all = quartersBetween('2006q1', '2025q4').slice(-Math.max(...HISTORIES))
  tell(`generating ${all.length} quarters of ${ROWS} rows`)
  const zips = await generated(all)
  const histories: History[] = []
  for (const quarters of HISTORIES) {
    const wanted = zips.slice(-quarters)
    tell(`loading ${quarters} quarters`)
    const history = await loaded(wanted)
    tell(`${Math.round(history.seconds)} s, ${Math.round(history.perSecond)} rows/s`)
    histories.push(history)
  }
  const bare: { quarters: number; seconds: number; toBare: number }[] = []
  for (const quarters of BARE.filter((each) => HISTORIES.includes(each))) {
    tell(`loading ${quarters} quarters bare`)
    const seconds = await bareSeconds(zips.slice(-quarters))
    const product = histories.find((each) => each.quarters === quarters)!.seconds
    bare.push({ quarters, seconds, toBare: seconds / product })
  }
  const toFirst = histories.map(({ quarters, perSecond }) => [quarters, perSecond / histories[0]!.perSecond])
  printBench('growth-of-history', { histories, toFirst: Object.fromEntries(toFirst), bare })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function quartersOf(name: string, otherwise: string): number[] {
  return (process.env[name] ?? otherwise).split(',').map(Number)
}

/** Returns the paths of the zips, oldest first. */
async function generated(quarters: Quarter[]): Promise<string[]> {
  const paths: string[] = []
  let again: Awaited<ReturnType<typeof writeInventedDataSet>>['repeated'] | undefined
  for (const quarter of quarters) {
    const wanted = { folder, quarter, rows: ROWS, issuers: ISSUERS, seed: 1, ...SHAPE }
    const { path, repeated } = await writeInventedDataSet({ ...wanted, ...(again && { again }) })
    paths.push(path)
    again = repeated
  }
  return paths
}

async function loaded(zips: string[]): Promise<History> {
  const store = await temporaryStore({ quarters: 0, rowsPerQuarter: 0, liveFilings: 0 })
  try {
    const pid = await store.up()
    // The metrics of the event loop are of the time since they were read last.
    await eventLoopMs(store.address)
    const watched = watchBackfill(store.dataDir)
    let rows = 0
    const seconds = await timed(async () => {
      rows = (await store.make('backfill', { SETS: zips.join(',') })).json!.rows as number
      await settled(store.dataDir)
    }).finally(() => watched.stop())
    const { phases, disk } = await watched.stop()
    return {
      quarters: zips.length,
      rows,
      zipMiB: zips.reduce((sum, path) => sum + statSync(path).size, 0) / MIB,
      seconds,
      secondsPerQuarter: seconds / zips.length,
      perSecond: rows / seconds,
      phases,
      peakMiB: memoryMiB(pid).peak,
      eventLoopMs: await eventLoopMs(store.address),
      diskMiB: { stores: disk.stores / MIB, most: disk.most / MIB, staging: disk.staging / MIB },
    }
  } finally {
    await store.close()
  }
}

async function bareSeconds(zips: string[]): Promise<number> {
  const bare = await openBare(join(folder, 'bare'))
  const files = join(folder, 'unpacked')
  try {
    let seconds = 0
    for (const zip of zips) {
      await unpackDataSet(zip, files)
      seconds += await bare.load(`${files}/`)
      for (const name of readdirSync(files)) rmSync(join(files, name))
    }
    return seconds
  } finally {
    await bare.close()
    rmSync(join(folder, 'bare'), { recursive: true })
  }
}
