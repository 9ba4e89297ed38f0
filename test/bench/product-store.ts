// The state that reading is measured on: made by the product's own commands, as a user makes it. `make up`, a backfill of
// generated quarters, then live filings by `make ingest`; labels and signals detected by the service. Nothing is optimised
// or merged by hand. Prints how far it is on stderr.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inventedFiling } from '../support/edgar/invented/filings.ts'
import { writeInventedDataSet } from '../support/edgar/invented/data-set.ts'
import { stackOfTest, type StackOfTest } from '../support/make.ts'

export interface ProductStoreOptions {
  /** Such as `2024q3`, oldest first. */
  quarters: string[]
  /** Rows of Table I in each. 45,000 are a real quarter's listed 700 a day. */
  rowsPerQuarter: number
  liveFilings: number
  variables?: Record<string, string | number>
}

export interface ProductStore {
  stack: StackOfTest
  /** Process id of the service. */
  pid: number
  /** What making it took, in seconds. */
  seconds: { backfill: number; live: number }
  close(): Promise<void>
}

export async function productStore(options: ProductStoreOptions): Promise<ProductStore> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-sets-'))
  const stack = await stackOfTest()
  try {
    const told = (text: string) => process.stderr.write(`bench store: ${text}\n`)
    for (const [place, quarter] of options.quarters.entries()) {
      told(`generating ${quarter}, ${options.rowsPerQuarter} rows`)
      await writeInventedDataSet({ folder, quarter, rows: options.rowsPerQuarter, seed: place + 1 })
    }
    const up = await done(stack, 'up', options.variables)
    told(`backfill of ${options.quarters.length} quarters`)
    const backfill = await timed(() => done(stack, 'backfill', { SETS: folder }))
    told(`${options.liveFilings} live filings`)
    const live = await timed(async () => {
      const filings = join(folder, 'live')
      mkdirSync(filings)
      writeLive(filings, options.liveFilings)
      await done(stack, 'ingest', { FROM: filings })
      await settled(stack)
    })
    return {
      stack,
      pid: Number(up.json!.pid),
      seconds: { backfill, live },
      close: () => stack.remove(),
    }
  } catch (error) {
    await stack.remove()
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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
  const step = 172_800_000 / count
  const begin = Date.now() - 172_800_000
  for (let number = 1; number <= count; number += 1) {
    const { accession, text } = inventedFiling(number, { seed: 77, acceptedAt: (each) => begin + each * step })
    writeFileSync(join(folder, `${accession}.txt`), text)
  }
}

/** Waits until everything is projected and its signals are detected. */
async function settled({ dataDir }: StackOfTest): Promise<void> {
  for (;;) {
    const [{ n }] = await recordOf<{ n: string }>(
      dataDir,
      'SELECT (SELECT count(*) FROM filings WHERE pending) + (SELECT count(*) FROM signal_queue) AS n',
    )
    if (Number(n) === 0) return
    await sleep(500)
  }
}

/** Asks the stack's own PostgreSQL. */
async function recordOf<T>(dataDir: string, text: string): Promise<[T, ...T[]]> {
  const { port, password } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as {
    port: number
    password: string
  }
  const client = new pg.Client({ host: '127.0.0.1', port, password, user: 'insider', database: 'insider' })
  await client.connect()
  try {
    return (await client.query(text)).rows as [T, ...T[]]
  } finally {
    await client.end()
  }
}
