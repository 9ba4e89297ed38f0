// The stores that the benches measure on, made by the product's own commands as a user makes them: `make up`, a
// backfill of generated quarters, then live filings by `make ingest`; labels and signals detected by the service.
// Nothing is optimised or merged by hand. QUARTERS, ROWS of Table I in each, LIVE filings and ISSUERS are their
// volumes; STORES names a folder in which they are kept for the next bench.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quartersBetween } from '../../../src/domain/shared/quarter.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { tickersWithExchange } from '../../support/edgar/simulator/company-files.ts'
import { listingsOfDataSet } from '../../support/edgar/invented/data-set-issuers.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { make, type Made } from '../../support/make.ts'
import { freePort } from '../../support/ports.ts'
import { queryStack } from '../../support/stores/embedded.ts'
import { volume } from './measure.ts'
import { cpuSeconds } from './process-usage.ts'

interface Volumes {
  quarters: number
  rowsPerQuarter: number
  liveFilings: number
}
type Variables = Record<string, string | number>

const QUARTERS = volume('QUARTERS', 4)
export const ISSUERS = volume('ISSUERS', 8_000)
const BASE = { quarters: QUARTERS, rowsPerQuarter: volume('ROWS', 125_000), liveFilings: volume('LIVE', 1_000) }
/** The history has ten times the quarters, at the same density of filings. */
const VOLUMES = { base: BASE, history: { ...BASE, quarters: 10 * QUARTERS } }
/** The largest issuer files forty times the mean. */
export const SKEW = 1.7
/** Marks a DATA_DIR that has everything. */
const MADE = 'made-by-bench'
/** The service is at rest when it takes less than this share of a core over these seconds. */
const REST = { share: 0.1, seconds: 5 }

export interface ProductStore {
  dataDir: string
  /** Of the running service. */
  address: string
  /** Rows of Table I that were loaded. */
  rows: number
  make(target: string, variables?: Variables): Promise<Made>
  /** Starts the service, waits until it is at rest and returns its process id. */
  up(variables?: Variables): Promise<number>
  /** Stops what runs, and removes a store that is not kept. */
  close(): Promise<void>
}

/** Returns a store on which nothing runs, made where it is missing. */
export async function productStore(name: keyof typeof VOLUMES): Promise<ProductStore> {
  const { STORES } = process.env
  if (STORES === undefined) return temporaryStore(VOLUMES[name])
  mkdirSync(STORES, { recursive: true })
  return storeAt(resolve(STORES, name), VOLUMES[name], async () => {})
}

export async function temporaryStore(volumes: Volumes): Promise<ProductStore> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-store-'))
  return storeAt(join(folder, 'data'), volumes, async () => rmSync(folder, { recursive: true, force: true }))
}

async function storeAt(dataDir: string, volumes: Volumes, removed: () => Promise<void>): Promise<ProductStore> {
  const port = await freePort()
  const run = async (target: string, variables: Variables = {}) => {
    const result = await make(target, { DATA_DIR: dataDir, PORT: port, JSON: 1, ...variables })
    if (result.status !== 0) throw new Error(`make ${target} ended with ${result.status}: ${result.stderr}`)
    return result
  }
  const store: ProductStore = {
    dataDir,
    address: `http://127.0.0.1:${port}`,
    rows: volumes.quarters * volumes.rowsPerQuarter,
    make: run,
    up: async (variables = {}) => {
      // A kept folder also keeps the settings of the bench before.
      const pid = Number((await run('up', { DEFAULTS: 1, ...variables })).json!.pid)
      await atRest(dataDir, pid)
      return pid
    },
    close: async () => {
      await run('down')
      await removed()
    },
  }
  if (existsSync(join(dataDir, MADE))) return store
  try {
    const pid = await store.up()
    await fill(store, volumes)
    await atRest(dataDir, pid)
    await run('down')
    writeFileSync(join(dataDir, MADE), '')
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function fill(store: ProductStore, { quarters, rowsPerQuarter, liveFilings }: Volumes): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-sets-'))
  const tell = (text: string) => process.stderr.write(`bench store: ${text}\n`)
  try {
    await loadCompanies(store)
    if (quarters === 0) return
    tell(`generating ${quarters} quarters of ${rowsPerQuarter} rows`)
    for (const quarter of quartersBetween('2006q1', '2026q3').slice(-quarters)) {
      await writeInventedDataSet({ folder, quarter, rows: rowsPerQuarter, issuers: ISSUERS, seed: 1, skew: SKEW })
    }
    tell('backfill')
    await store.make('backfill', { SETS: folder })
    if (liveFilings === 0) return
    tell(`${liveFilings} live filings`)
    const live = join(folder, 'live')
    mkdirSync(live)
    for (const { name, text } of inventedFilings(liveFilings, 77)) writeFileSync(join(live, name), text)
    await store.make('ingest', { FROM: live })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Loads the list of companies, as every service has it that follows EDGAR. */
async function loadCompanies({ dataDir, make: run }: ProductStore): Promise<void> {
  const path = join(dataDir, 'companies-of-bench.json')
  writeFileSync(path, tickersWithExchange([...inventedListings(), ...listingsOfDataSet(ISSUERS)]))
  await run('companies', { FROM: path })
}

const TWO_DAYS = 172_800_000

/** Invents filings that were accepted one after the other in the `span` of milliseconds until now. */
export function* inventedFilings(
  count: number,
  seed: number,
  span = TWO_DAYS,
): Generator<{ name: string; text: string }> {
  const begin = Date.now() - span
  for (let number = 1; number <= count; number += 1) {
    const { accession, text } = inventedFiling(number, { seed, acceptedAt: (each) => begin + (each * span) / count })
    yield { name: `${accession}.txt`, text }
  }
}

const PENDING = '(SELECT count(*) FROM filings WHERE pending) + (SELECT count(*) FROM signal_queue)'
const JOBS = `(SELECT count(*) FROM jobs WHERE status IN ('queued', 'running', 'cancelling'))`

/** Waits until everything is projected and its signals are detected. */
export const settled = (dataDir: string) => untilNone(dataDir, PENDING)

/** Waits until no job runs or waits either, and the service takes next to no processor time. */
export async function atRest(dataDir: string, pid: number): Promise<void> {
  await untilNone(dataDir, `${PENDING} + ${JOBS}`)
  for (let before = -Infinity, taken = cpuSeconds(pid); taken - before > REST.share * REST.seconds;) {
    before = taken
    await sleep(REST.seconds * 1_000)
    taken = cpuSeconds(pid)
  }
}

async function untilNone(dataDir: string, counted: string): Promise<void> {
  while (Number((await queryStack<{ n: string }>(dataDir, `SELECT ${counted} AS n`))[0]!.n) > 0) await sleep(500)
}
