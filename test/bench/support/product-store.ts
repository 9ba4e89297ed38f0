// The state that reading is measured on: made by the product's own commands, as a user makes it. `make up`, a backfill
// of generated quarters, then live filings by `make ingest`; labels and signals detected by the service. Nothing is
// optimised or merged by hand. Prints how far it is on stderr. STORE names a DATA_DIR that is kept: made where it is
// missing, used again where it is there.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { addDays, isBusinessDay } from '../../../src/domain/shared/calendar.ts'
import { freePort } from '../../support/ports.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { tickersWithExchange } from '../../support/edgar/simulator/company-files.ts'
import { listingsOfDataSet } from '../../support/edgar/invented/data-set-issuers.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { make, stackOfTest, type StackOfTest } from '../../support/make.ts'
import { databaseUrlOf } from '../../support/stores/embedded.ts'

export interface ProductStoreOptions {
  /** Such as `2024q3`, oldest first. */
  quarters: string[]
  /** Rows of Table I in each. 45,000 are a real quarter's listed 700 a day. */
  rowsPerQuarter: number
  liveFilings: number
  /** 8,000 by default. */
  issuers?: number | undefined
  /** Rows listed a day, 700 in reality: each quarter then has as many of its last days as they fill. */
  perDay?: number | undefined
  variables?: Record<string, string | number>
  /** A DATA_DIR to keep; the environment's STORE by default. */
  store?: string | undefined
}

export interface ProductStore {
  stack: StackOfTest
  /** Process id of the service. */
  pid: number
  /** What making it took, in seconds; zero for one that was there. */
  seconds: { backfill: number; live: number }
  close(): Promise<void>
}

/** Marks a kept DATA_DIR that has everything. */
const MADE = 'made-by-bench'
/** The largest issuer files forty times the mean. */
const SKEW = 1.7

/**
 * Reads what to make from the environment, which has one value for each store: QUARTERS, ROWS of each quarter, LIVE
 * filings, PER_DAY, ISSUERS, and STORE.
 */
export function storesWanted(otherwise: { quarters: string; rows: string; live: string }): ProductStoreOptions[] {
  const { env } = process
  const numbers = (text: string) => text.split(',').map(Number)
  const [quarters, live] = [numbers(env.QUARTERS ?? otherwise.quarters), numbers(env.LIVE ?? otherwise.live)]
  const [perDay, folders] = [env.PER_DAY ? numbers(env.PER_DAY) : [], env.STORE?.split(',') ?? []]
  return numbers(env.ROWS ?? otherwise.rows).map((rowsPerQuarter, place) => ({
    ...{
      rowsPerQuarter,
      quarters: lastQuarters(quarters[place] ?? quarters[0]!),
      liveFilings: live[place] ?? live[0]!,
    },
    ...{ perDay: perDay[place], store: folders[place], issuers: Number(env.ISSUERS ?? 8_000) },
  }))
}

/** The last quarters up to 2026q3, oldest first. */
function lastQuarters(count: number): string[] {
  return Array.from({ length: count }, (_, place) => {
    const index = 2026 * 4 + 2 - (count - 1 - place)
    return `${Math.floor(index / 4)}q${(index % 4) + 1}`
  })
}

export async function productStore(options: ProductStoreOptions): Promise<ProductStore> {
  const kept = options.store ?? process.env.STORE?.split(',')[0]
  const isMade = kept !== undefined && existsSync(join(kept, MADE))
  const stack = kept === undefined ? await stackOfTest() : await keptStack(resolve(kept))
  const since = logOf(stack)
  try {
    // A kept folder also keeps the settings of the bench before.
    const up = await done(stack, 'up', { DEFAULTS: 1, ...options.variables })
    const seconds = isMade ? { backfill: 0, live: 0 } : await filled(stack, options)
    await atRest(stack, since, isMade ? { merges: 0, totals: 1 } : { merges: 1, totals: 2 })
    writeFileSync(join(stack.dataDir, MADE), '')
    return { stack, pid: Number(up.json!.pid), seconds, close: () => stack.remove() }
  } catch (error) {
    await stack.remove()
    throw error
  }
}

async function filled(stack: StackOfTest, options: ProductStoreOptions) {
  const { quarters, rowsPerQuarter: rows, liveFilings, issuers = 8_000, perDay } = options
  const folder = mkdtempSync(join(tmpdir(), 'bench-sets-'))
  const told = (text: string) => process.stderr.write(`bench store: ${text}\n`)
  try {
    told(`generating ${quarters.length} quarters of ${rows} rows`)
    for (const quarter of quarters) {
      const from = perDay === undefined ? {} : { from: firstDay(quarter, Math.ceil(rows / perDay)) }
      await writeInventedDataSet({ folder, quarter, rows, issuers, seed: 1, skew: SKEW, ...from })
    }
    const list = join(folder, 'companies.json')
    writeFileSync(list, tickersWithExchange([...inventedListings(), ...listingsOfDataSet(issuers)]))
    await done(stack, 'companies', { FROM: list })
    told('backfill')
    const backfill = await timed(() => done(stack, 'backfill', { SETS: folder }))
    told(`${liveFilings} live filings`)
    const live = await timed(async () => {
      const filings = join(folder, 'live')
      mkdirSync(filings)
      writeLive(filings, liveFilings)
      await done(stack, 'ingest', { FROM: filings })
      await settled(stack)
    })
    return { backfill, live }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the first of the last business days of the quarter. */
function firstDay(quarter: string, businessDays: number): string {
  const [year, place] = [Number(quarter.slice(0, 4)), Number(quarter[5])]
  let day = addDays(place === 4 ? `${year + 1}-01-01` : `${year}-${String(place * 3 + 1).padStart(2, '0')}-01`, -1)
  for (let left = businessDays; ; day = addDays(day, -1)) {
    if (isBusinessDay(day)) left -= 1
    if (left <= 0) return day
  }
}

/** Like a stack of a test, on a folder that stays. */
async function keptStack(dataDir: string): Promise<StackOfTest> {
  const port = await freePort()
  const run = (target: string, more = {}) => make(target, { DATA_DIR: dataDir, PORT: port, JSON: 1, ...more })
  const address = `http://127.0.0.1:${port}`
  return { dataDir, port, address, make: run, remove: async () => void (await run('down')) }
}

async function done(stack: StackOfTest, target: string, variables: Record<string, string | number> = {}) {
  const made = await stack.make(target, { JSON: 1, ...variables })
  if (made.status !== 0) throw new Error(`make ${target} ended with ${made.status}: ${made.stderr}`)
  return made
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1_000
}

/** Of the last two days, so that they are newest. */
function writeLive(folder: string, count: number): void {
  for (const { name, text } of liveFilings(count, 77)) writeFileSync(join(folder, name), text)
}

/** Invents filings accepted one after the other in the last two days, or in the `span` of milliseconds until now. */
export function* liveFilings(
  count: number,
  seed: number,
  span = 172_800_000,
): Generator<{ name: string; text: string }> {
  const step = span / count
  const begin = Date.now() - span
  for (let number = 1; number <= count; number += 1) {
    const { accession, text } = inventedFiling(number, { seed, acceptedAt: (each) => begin + each * step })
    yield { name: `${accession}.txt`, text }
  }
}

const UNSETTLED = '(SELECT count(*) FROM filings WHERE pending) + (SELECT count(*) FROM signal_queue)'
const JOBS = `(SELECT count(*) FROM jobs WHERE status IN ('queued', 'running', 'cancelling'))`

/** Waits until everything is projected and its signals are detected. */
export function settled({ dataDir }: Pick<StackOfTest, 'dataDir'>): Promise<void> {
  return none(dataDir, UNSETTLED)
}

/** Waits until no job runs or waits either, such as the making of month files after a load of history. */
function idle({ dataDir }: Pick<StackOfTest, 'dataDir'>): Promise<void> {
  return none(dataDir, `${UNSETTLED} + ${JOBS}`)
}

async function none(dataDir: string, counted: string): Promise<void> {
  for (;;) {
    const [{ n }] = await recordOf<{ n: string }>(dataDir, `SELECT ${counted} AS n`)
    if (Number(n) === 0) return
    await sleep(500)
  }
}

/** Returns a function that returns what the service has logged since the call of this one. */
export function logOf({ dataDir }: Pick<StackOfTest, 'dataDir'>): () => string {
  const path = join(dataDir, 'logs/service.log')
  const logged = () => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  const before = logged().length
  // A log that has grown large is set aside when the service starts.
  return () => (logged().length < before ? logged() : logged().slice(before))
}

/**
 * Waits until the service has nothing left to do: no job, and by `logged` totals of profiles made and parts merged at
 * least so often.
 */
export async function atRest(
  stack: Pick<StackOfTest, 'dataDir'>,
  logged: () => string,
  least: { merges: number; totals: number },
): Promise<void> {
  await idle(stack)
  await merged(logged, least.merges)
  await totalled(logged, least.totals)
}

const MERGE_BEGINS_WITHIN_MS = 3_000

/**
 * Waits until the service has merged parts at least so often, and as often as it began to, by its log. Throws where it
 * could not.
 */
async function merged(logged: () => string, least: number): Promise<void> {
  const count = (text: string) => logged().split(`"${text} the parts of ClickHouse"`).length - 1
  await sleep(MERGE_BEGINS_WITHIN_MS)
  while (count('merged') < Math.max(least, count('merging'))) {
    if (logged().includes('"could not merge parts"')) throw new Error('the service could not merge parts, see its log')
    await sleep(500)
  }
}

/** Waits until the service has found and made totals of profiles so often: after its start, and after a load. */
async function totalled(logged: () => string, times: number): Promise<void> {
  while (logged().split('"profiles have their totals"').length - 1 < times) await sleep(500)
}

async function recordOf<T>(dataDir: string, text: string): Promise<[T, ...T[]]> {
  const client = new pg.Client({ connectionString: databaseUrlOf(dataDir) })
  await client.connect()
  try {
    return (await client.query(text)).rows as [T, ...T[]]
  } finally {
    await client.end()
  }
}
