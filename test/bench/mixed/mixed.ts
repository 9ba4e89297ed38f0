// Steady mixed load on the product against the same load on the same rows in PostgreSQL behind Express: 80 % the newest
// page, 15 % companies by popularity over all of them, each asked before, 5 % walks through the feed; a new filing
// every second. Both answer the same, which is checked first; they take turns in one run. And the same from a cold
// start. ROWS=45000 QUARTERS=4 LIVE=1000 SECONDS=10 ROUNDS=3 CONNECTIONS=16. One JSON line.
import assert from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { eightAtOnce, median, printBench, shuffled } from '../support/measure.ts'
import { copyToPostgres, type PostgresCopy } from './postgres-copy.ts'
import { liveFilings, productStore, storesWanted } from '../support/product-store.ts'
import { databaseUrlOf } from '../../support/stores/embedded.ts'

const SECONDS = Number(process.env.SECONDS ?? 10)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16)
const HOT = '/v1/feed'
const WALK = '/v1/feed?limit=100'
const COMPARED = 30

interface Figures {
  perSecond: number
  ms: Record<string, { answers: number; p50: number; p99: number }>
}
interface Side {
  address: string
  addFiling(): Promise<void>
}

const [wanted] = storesWanted({ quarters: '4', rows: '45000', live: '1000' })
const store = await productStore({ ...wanted!, variables: { RATE_LIMIT: '100000000/min' } })
const closing: (() => unknown)[] = [() => store.close()]
try {
  const { stack } = store
  const copy = await copyToPostgres(stack.address)
  closing.push(() => copy.close())
  let ordinary = await startOrdinary(copy)
  closing.push(() => ordinary.stop())
  await compare(stack.address, ordinary.address, copy.tickers)

  // From a cold start: nothing was asked of either process.
  ordinary.stop()
  await stack.make('down')
  ordinary = await startOrdinary(copy)
  await stack.make('up')
  const filings = filingsOf(stack.dataDir)
  closing.push(() => filings.close())
  const product = { address: stack.address, addFiling: filings.next }
  const other = { address: ordinary.address, addFiling: copy.addFiling }
  const cold = { product: await loaded(product, copy.tickers), postgres: await loaded(other, copy.tickers) }

  for (const { address } of [product, other]) {
    await eightAtOnce(copy.tickers, (ticker) => bytesOf(`${address}/v1/companies/${ticker}`))
  }
  const rounds: { product: Figures; postgres: Figures }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ product: await loaded(product, copy.tickers), postgres: await loaded(other, copy.tickers) })
  }
  const perSecond = (side: 'product' | 'postgres') => median(rounds.map((round) => round[side].perSecond))
  printBench('mixed', {
    ...{ transactions: copy.transactions, companies: copy.tickers.length, connections: CONNECTIONS, seconds: SECONDS },
    steady: { product: perSecond('product'), postgres: perSecond('postgres'), ms: rounds.at(-1)! },
    cold: { product: cold.product.perSecond, postgres: cold.postgres.perSecond },
    ratios: {
      steady: perSecond('product') / perSecond('postgres'),
      cold: cold.product.perSecond / cold.postgres.perSecond,
    },
  })
} finally {
  for (const close of closing.toReversed()) await close()
}
process.exit()

async function startOrdinary({ url }: PostgresCopy) {
  const child = fork(new URL('./postgres-express.ts', import.meta.url), {
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production', COPY_URL: url },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [port] = (await once(child.stdout!, 'data')) as [Buffer]
  return { address: `http://127.0.0.1:${port.toString().trim()}`, stop: () => child.kill() }
}

/** Throws where the two answer differently. */
async function compare(product: string, other: string, tickers: string[]): Promise<void> {
  const { nextCursor } = JSON.parse(await bytesOf(`${product}${WALK}`)).data as { nextCursor: string }
  const filters = ['buys', 'sells', 'high', 'ceo_cfo'].map((filter) => `${HOT}?filter=${filter}`)
  const paths = [HOT, WALK, `${WALK}&cursor=${nextCursor}`, ...filters]
  const companies = [...tickers.slice(0, 5), ...shuffled(tickers).slice(0, COMPARED)]
  for (const path of [...paths, ...companies.map((ticker) => `/v1/companies/${ticker}`)]) {
    const [ours, theirs] = await Promise.all([bytesOf(`${product}${path}`), bytesOf(`${other}${path}`)])
    assert.deepEqual(JSON.parse(theirs), JSON.parse(ours), path)
  }
}

async function bytesOf(url: string): Promise<string> {
  const response = await fetch(url)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`)
  return text
}

/** Puts the load on one side, and a new filing every second. */
async function loaded({ address, addFiling }: Side, tickers: string[]): Promise<Figures> {
  const child = spawn(process.execPath, [new URL('./mixed-load.ts', import.meta.url).pathname], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const companies = tickers.map((ticker) => `/v1/companies/${ticker}`)
  const load = { connections: CONNECTIONS, seconds: SECONDS, hot: HOT, walk: WALK, companies }
  child.stdin.end(JSON.stringify({ port: Number(new URL(address).port), ...load }))
  const filing = setInterval(() => void addFiling(), 1_000)
  try {
    return (await json(child.stdout)) as Figures
  } finally {
    clearInterval(filing)
  }
}

/** Ingests invented filings as the command does, one each time. */
function filingsOf(dataDir: string) {
  const pool = openPool({ url: databaseUrlOf(dataDir), name: 'bench' })
  const record = createContainer({ pool }).get(TYPES.recordFilings)
  const filings = liveFilings(10_000, Date.now() % 1_000_000, 10_000)
  return {
    next: async () => {
      const { name, text } = filings.next().value!
      await record([{ path: name, bytes: Buffer.from(text) }])
    },
    close: () => pool.end(),
  }
}
