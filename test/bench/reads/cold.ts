// Cold answers against `SELECT 1` of the engine in the same process, in one run: feed pages at three depths and with
// each filter, companies, insiders, signals, statistics. Then 8 callers beside 1, the same after live filings one by
// one, and what 64 equal requests at once cost the engine. Over stores that the product's own commands made, at the
// real density of filings and at ten times that. ROWS=45000,450000 QUARTERS=4,1 LIVE=1000,2000 (a store each)
// ROUNDS=150 SECONDS=6 ONE_BY_ONE=500. STORE=path,path keeps them. One JSON line.
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { coldService, contentsOf, FILTER_NAMES, questionsOf, type ColdService, type Contents } from './cold-service.ts'
import { printBench, quantile, SELECT_1, shuffled } from '../support/measure.ts'
import { liveFilings, productStore, settled, storesWanted, type ProductStoreOptions } from '../support/product-store.ts'
import { databaseUrlOf } from '../../support/stores/embedded.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 150)
const SECONDS = Number(process.env.SECONDS ?? 6)
const ONE_BY_ONE = Number(process.env.ONE_BY_ONE ?? 500)
const CALLERS = 8
const AT_ONCE = 64
const AT_ONCE_ROUNDS = 60

type Questions = Record<string, () => string>
interface Time {
  p50: number
  p99: number
}
type Times = Record<string, Time>

const stores: Record<string, unknown> = {}
for (const wanted of storesWanted({ quarters: '4,1', rows: '45000,450000', live: '1000,2000' })) {
  const { rowsPerQuarter, quarters, perDay } = wanted
  stores[`${quarters.length} × ${rowsPerQuarter} rows${perDay ? `, ${perDay} a day` : ''}`] = await measured(wanted)
}
printBench('cold', { rounds: ROUNDS, stores })

async function measured(wanted: ProductStoreOptions) {
  const store = await productStore(wanted)
  const { dataDir } = store.stack
  const copy = `${dataDir}-before`
  try {
    await store.stack.make('down')
    if (ONE_BY_ONE > 0) await copyStore(dataDir, copy)
    const contents = await using(dataDir, { CACHE_MEMORY: '64MiB' }, contentsOf)
    const questions = questionsOf(contents)
    const once = await using(dataDir, { CACHE_MEMORY: '64MiB' }, (service) => atOnce(service, contents))
    return await using(dataDir, {}, async (service) => {
      const times = await timesOf(service, questions, ROUNDS)
      const callers = await withCallers(service, questions)
      const ratios = ratiosOf(times)
      const oneByOne = ONE_BY_ONE > 0 ? await afterLive(service, questions, dataDir, copy) : undefined
      return {
        ...{ transactions: contents.transactions, companies: contents.companies.length },
        ...{ ratios, callers, statementsAtOnce: once, oneByOne, ms: times },
      }
    })
  } finally {
    rmSync(copy, { recursive: true, force: true })
    await store.close()
  }
}

/** Copies a DATA_DIR with nothing running on it, with its owners: PostgreSQL runs as another user where we are root. */
async function copyStore(dataDir: string, copy: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', dataDir, copy])
  // By the same record it would take over the Redis of the other.
  for (const name of ['redis', 'redis.json']) rmSync(join(copy, name), { recursive: true, force: true })
}

async function using<T>(
  dataDir: string,
  variables: Record<string, string>,
  work: (service: ColdService) => Promise<T>,
): Promise<T> {
  const service = await coldService(dataDir, variables)
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

/** Asks every question once a round, in another order each time, and the engine as often. */
async function timesOf({ ask, bare }: ColdService, questions: Questions, rounds: number): Promise<Times> {
  const asks = {
    'SELECT 1': () => bare(SELECT_1),
    'SELECT 1 as the service asks': () => bare('SELECT 1 AS one'),
    ...mapped(questions, (next) => () => ask(next())),
  }
  const times = mapped(asks, (): number[] => [])
  for (let round = -Math.ceil(rounds / 10); round < rounds; round += 1) {
    for (const [name, act] of shuffled(Object.entries(asks))) {
      const took = await act()
      if (round >= 0) times[name]!.push(took)
    }
  }
  return mapped(times, (each) => ({ p50: quantile(each, 0.5), p99: quantile(each, 0.99) }))
}

function ratiosOf(times: Times) {
  const toFloor = mapped(times, ({ p50 }) => p50 / times['SELECT 1']!.p50)
  const filterToNone = Object.fromEntries(
    FILTER_NAMES.flatMap((name) =>
      ['newest', 'half', 'deep'].map((depth) => [
        `${name} ${depth}`,
        times[`${name} ${depth}`]!.p50 / times[`feed ${depth}`]!.p50,
      ]),
    ),
  )
  return { toSelect1: toFloor, filterToNone }
}

/** Answers a second of 8 callers and of one, taking turns, each caller at cold pages and profiles of its own. */
async function withCallers({ ask }: ColdService, questions: Questions) {
  const asked = ['feed newest', 'feed half', 'feed deep', 'company by popularity', 'insider']
  const perSecond: Record<number, number[]> = { 1: [], [CALLERS]: [] }
  const times: Record<number, Record<string, number[]>> = { 1: {}, [CALLERS]: {} }
  for (const callers of [1, CALLERS, CALLERS, 1, 1, CALLERS]) {
    const end = performance.now() + (SECONDS * 1_000) / 3
    let answers = 0
    const call = async () => {
      while (performance.now() < end) {
        for (const name of asked) {
          const took = await ask(questions[name]!())
          ;(times[callers]![name] ??= []).push(took)
          answers += 1
        }
      }
    }
    const begun = performance.now()
    await Promise.all(Array.from({ length: callers }, call))
    perSecond[callers]!.push((answers / (performance.now() - begun)) * 1_000)
  }
  const total = (callers: number) => perSecond[callers]!.reduce((sum, each) => sum + each, 0) / 3
  const spread = (callers: number) => mapped(times[callers]!, (each) => quantile(each, 0.99) / quantile(each, 0.5))
  return {
    perSecond: { one: total(1), eight: total(CALLERS) },
    eightToOne: total(CALLERS) / total(1),
    p99ToP50: { one: spread(1), eight: spread(CALLERS) },
  }
}

/** Ingests filings one by one into one of two services on equal stores, then asks both in turn. */
async function afterLive(service: ColdService, all: Questions, dataDir: string, copy: string) {
  const names = ['feed newest', 'feed half', 'high newest', 'company by popularity', 'insider', 'signals newest']
  const questions = Object.fromEntries([...names, 'statistics'].map((name) => [name, all[name]!]))
  const pool = openPool({ url: databaseUrlOf(dataDir), name: 'bench' })
  const record = createContainer({ pool }).get(TYPES.recordFilings)
  try {
    for (const { name, text } of liveFilings(ONE_BY_ONE, Date.now() % 1_000_000)) {
      await record([{ path: name, bytes: Buffer.from(text) }])
      // The next one comes when this one is projected.
      while ((await pool.query('SELECT 1 FROM filings WHERE pending LIMIT 1')).rows.length > 0) await sleep(2)
    }
  } finally {
    await pool.end()
  }
  await settled({ dataDir })
  const afterToBefore = await using(copy, {}, async (untouched) => {
    const before = mapped(questions, (): number[] => [])
    const after = mapped(questions, (): number[] => [])
    for (let round = -Math.ceil(ROUNDS / 10); round < ROUNDS; round += 1) {
      for (const name of shuffled(Object.keys(questions))) {
        const path = questions[name]!()
        const took = { before: await untouched.ask(path), after: await service.ask(path) }
        if (round < 0) continue
        before[name]!.push(took.before)
        after[name]!.push(took.after)
      }
    }
    return mapped(questions, (_, name) => quantile(after[name]!, 0.5) / quantile(before[name]!, 0.5))
  })
  return { filings: ONE_BY_ONE, afterToBefore }
}

/** Statements of 64 equal requests at once that nobody asked before, as so many times those of one such request. */
async function atOnce({ ask, statements }: ColdService, contents: Contents) {
  const questions = questionsOf(contents)
  // In a small store pages of one length would be asked for again.
  let asked = 0
  const path = (name: string) => questions[name]!().replace('limit=20', () => `limit=${1 + (asked++ % 99)}`)
  // Fills what is kept from the first request on.
  for (const name of ['feed half', 'company light', 'insider']) await ask(path(name))
  const made = async (name: string, requests: number) => {
    // Two or three statements of a scrape itself count in it or in the next: over the rounds they are a thirtieth.
    const [earlier, before] = [await statements(), await statements()]
    for (let round = 0; round < AT_ONCE_ROUNDS; round += 1) {
      const wanted = path(name)
      await Promise.all(Array.from({ length: requests }, () => ask(wanted)))
    }
    const each = ((await statements()) - before - (before - earlier)) / AT_ONCE_ROUNDS
    return Math.round(each * 10) / 10
  }
  const figures: Record<string, { one: number; sixtyFour: number; ratio: number }> = {}
  for (const name of ['feed half', 'high half', 'company light', 'insider']) {
    const [one, sixtyFour] = [await made(name, 1), await made(name, AT_ONCE)]
    figures[name] = { one, sixtyFour, ratio: sixtyFour / one }
  }
  return figures
}

function mapped<T, U>(record: Record<string, T>, of: (value: T, name: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value, name)]))
}
