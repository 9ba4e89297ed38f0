// Loading history as a user does: `make backfill` of a generated quarter into a running service that has another one,
// until its signals are detected, beside a bare INSERT SELECT of the same files into the same tables. With it the
// service's memory, at most and a minute after. Then another quarter, and how long requests take meanwhile, beside the
// same while it was idle.
// ROWS=500000 BASE=45000. One JSON line.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { DataSetArchive } from '../../../src/infrastructure/edgar/data-sets/archive.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { listingsOfDataSet } from '../../support/edgar/invented/data-set-issuers.ts'
import { tickersWithExchange } from '../../support/edgar/simulator/company-files.ts'
import { stackOfTest } from '../../support/make.ts'
import { beginAsking } from './asking.ts'
import { loadBare } from './bare-load.ts'
import { printBench, quantile } from '../support/measure.ts'
import { atRest, logOf, settled } from '../support/product-store.ts'

const ROWS = Number(process.env.ROWS ?? 500_000)
const BASE = Number(process.env.BASE ?? 45_000)
const [BASE_QUARTER, QUARTER, NEXT_QUARTER] = ['2024q2', '2024q3', '2024q4']
const AFTER_MS = 60_000
const MAX_TICKERS = 6_000
/** As many as a generated set has unless asked for others. */
const ISSUERS = 8_000

// Of Linux on every machine that Node runs on.
const TICKS_PER_SECOND = 100

interface Cost {
  seconds: number
  cpu: number
}

const folder = mkdtempSync(join(tmpdir(), 'bench-backfill-'))
const [base, measured, next] = [join(folder, 'base'), join(folder, 'measured'), join(folder, 'next')]
const stack = await stackOfTest()
try {
  for (const each of [base, measured, next]) mkdirSync(each)
  await writeInventedDataSet({ folder: base, quarter: BASE_QUARTER, rows: BASE, seed: 1 })
  await writeInventedDataSet({ folder: measured, quarter: QUARTER, rows: ROWS, seed: 1 })
  await writeInventedDataSet({ folder: next, quarter: NEXT_QUARTER, rows: ROWS, seed: 1 })
  const bareCost = await bare()
  const up = await made('up')
  const { pid } = up.json as { pid: number }
  // As every service has it that follows EDGAR.
  await made('companies', { FROM: listOfCompanies() })
  const loaded = async (sets: string) => {
    await made('backfill', { SETS: sets })
    await settled(stack)
  }
  await loaded(base)
  const logged = logOf(stack)
  const cost = await costOf(
    () => loaded(measured),
    () => cpuOf(pid),
  )
  await sleep(AFTER_MS)
  const memory = memoryOf(pid)
  const waited = performance.now()
  await atRest(stack, logged, { merges: 1, totals: 1 })
  const untilRest = (AFTER_MS + performance.now() - waited) / 1_000
  const asking = beginAsking(stack.address, await tickers())
  const unhurried = await asking.idle()
  asking.begin()
  await eventLoopDelays()
  await loaded(next)
  const eventLoopMs = await eventLoopDelays()
  const during = await asking.end()
  printBench('backfill', {
    rows: ROWS,
    // After signals the service makes month files and totals of profiles and merges parts. Memory a minute after is
    // that of a service at rest only where it was done by then.
    seconds: { bare: bareCost.seconds, withSignals: cost.seconds, untilRest },
    rowsPerSecond: { bare: ROWS / bareCost.seconds, withSignals: ROWS / cost.seconds },
    // Processor time of the service, without PostgreSQL's: it changes less where the machine is busy.
    cpuSeconds: { bare: bareCost.cpu, withSignals: cost.cpu },
    ratios: {
      withSignalsToBare: bareCost.seconds / cost.seconds,
      cpuWithSignalsToBare: bareCost.cpu / cost.cpu,
    },
    memoryMiB: { peak: memory.VmHWM, after: memory.VmRSS },
    idle: { coldP50: quantile(unhurried, 0.5), coldP99: quantile(unhurried, 0.99) },
    during: {
      cachedP50: quantile(during.cached, 0.5),
      cachedP99: quantile(during.cached, 0.99),
      coldP50: quantile(during.cold, 0.5),
      coldP99: quantile(during.cold, 0.99),
      eventLoopMs,
    },
  })
} finally {
  await stack.remove()
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Returns the milliseconds between turns of the service's event loop since the last call, by `/metrics`. They are
 * sampled every 10 ms, which count.
 */
async function eventLoopDelays(): Promise<Record<'p99' | 'max', number>> {
  const metrics = await (await fetch(`${stack.address}/metrics`)).text()
  const of = (name: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds ([\\d.e-]+)$`, 'm').exec(metrics)![1]) * 1_000
  return { p99: of('p99'), max: of('max') }
}

function listOfCompanies(): string {
  const path = join(folder, 'companies.json')
  writeFileSync(path, tickersWithExchange(listingsOfDataSet(ISSUERS)))
  return path
}

async function bare(): Promise<Cost> {
  const store = await ClickHouse.open({ path: join(folder, 'bare'), database: 'bench' })
  try {
    await migrateClickHouse(store)
    return await new DataSetArchive(measured).open(QUARTER, (set) =>
      costOf(
        () => loadBare(store, set.files.NONDERIV_TRANS.path.replace(/[^/]+$/, '')),
        () => cpuOf(process.pid),
      ),
    )
  } finally {
    await store.close()
  }
}

async function made(target: string, variables: Record<string, string> = {}) {
  const result = await stack.make(target, variables)
  if (result.status !== 0) throw new Error(`make ${target} ended with ${result.status}: ${result.stderr}`)
  return result
}

/** `cpu` reads the processor time so far. */
async function costOf(work: () => Promise<unknown>, cpu: () => number): Promise<Cost> {
  const [begun, cpuBefore] = [performance.now(), cpu()]
  await work()
  return { seconds: (performance.now() - begun) / 1_000, cpu: cpu() - cpuBefore }
}

/** Returns user and system time of all threads of the process, in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Returns the symbols of companies in the feed. */
async function tickers(): Promise<string[]> {
  const found = new Set<string>()
  let cursor: string | undefined
  do {
    const response = await fetch(`${stack.address}/v1/feed?limit=100${cursor ? `&cursor=${cursor}` : ''}`)
    const { data } = (await response.json()) as {
      data: { transactions: { ticker: string }[]; nextCursor?: string }
    }
    for (const { ticker } of data.transactions) if (ticker !== '') found.add(ticker)
    cursor = data.nextCursor
  } while (cursor !== undefined && found.size < MAX_TICKERS)
  return [...found]
}

function memoryOf(pid: number): Record<'VmHWM' | 'VmRSS', number> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024
  return { VmHWM: of('VmHWM'), VmRSS: of('VmRSS') }
}
