// Mixed load on the product against the same load on the same rows in PostgreSQL behind Express: 80 % the newest page,
// 15 % companies by popularity over all of them, each asked before, 5 % walks through the feed; a new filing every
// second. Both answer the same, which is checked first; they take turns in one run. SECONDS=10 ROUNDS=3, and the
// volumes of the store. One JSON line.
import assert from 'node:assert/strict'
import { createContainer } from '../../src/container/container.ts'
import { TYPES } from '../../src/container/tokens.ts'
import { openPool } from '../../src/infrastructure/postgres/pool.ts'
import { databaseUrlOf } from '../support/stores/embedded.ts'
import type { Figures } from './support/load.ts'
import { beginLoad, startServer } from './support/loading.ts'
import { eightAtOnce, median, printBench, read, shuffled, volume } from './support/measure.ts'
import { copyToPostgres } from './support/postgres-copy.ts'
import { inventedFilings, productStore } from './support/product-store.ts'

const SECONDS = volume('SECONDS', 10)
const ROUNDS = volume('ROUNDS', 3)
const CONNECTIONS = 16
const FEED = '/v1/feed'
const WALK = '/v1/feed?limit=100'
const COMPARED = 30

interface Side {
  address: string
  addFiling(): Promise<void>
}

const store = await productStore('base')
const closing: (() => unknown)[] = [() => store.close()]
try {
  await store.up()
  const copy = await copyToPostgres(store.address)
  closing.push(() => copy.close())
  const express = await startServer('postgres-express.ts', { COPY_URL: copy.url })
  closing.push(() => express.stop())
  const filings = filingsOf(store.dataDir)
  closing.push(() => filings.close())
  const product = { address: store.address, addFiling: filings.next }
  const postgres = { address: express.address, addFiling: copy.addFiling }
  const companies = copy.tickers.map((ticker) => `/v1/companies/${ticker}`)
  await compare(companies)

  for (const { address } of [product, postgres]) await eightAtOnce(companies, (path) => read(address + path))
  const rounds: { product: Figures; postgres: Figures }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ product: await loadOn(product, companies), postgres: await loadOn(postgres, companies) })
  }
  printBench('mixed', {
    ...{ transactions: copy.transactions, companies: companies.length, connections: CONNECTIONS, seconds: SECONDS },
    perSecond: {
      product: median(rounds.map((round) => round.product.perSecond)),
      postgres: median(rounds.map((round) => round.postgres.perSecond)),
    },
    ms: rounds.at(-1)!.product.ms,
    productToPostgres: median(rounds.map((round) => round.product.perSecond / round.postgres.perSecond)),
  })

  /** Throws where the two answer differently. */
  async function compare(paths: string[]): Promise<void> {
    const { nextCursor } = await read<{ nextCursor: string }>(product.address + WALK)
    const some = [...paths.slice(0, 5), ...shuffled(paths).slice(0, COMPARED)]
    for (const path of [FEED, WALK, `${WALK}&cursor=${nextCursor}`, ...some]) {
      const [ours, theirs] = [await read(product.address + path), await read(postgres.address + path)]
      assert.deepEqual(theirs, ours, path)
    }
  }
} finally {
  for (const close of closing.toReversed()) await close()
}

/** Puts the load on one side, and a new filing every second. */
async function loadOn({ address, addFiling }: Side, companies: string[]): Promise<Figures> {
  const { figures } = beginLoad({
    ...{ address, connections: CONNECTIONS, seconds: SECONDS },
    kinds: {
      feed: { share: 0.8, paths: [FEED] },
      company: { share: 0.15, paths: companies, isByPopularity: true },
      walk: { share: 0.05, paths: [WALK], isWalk: true },
    },
  })
  const filing = setInterval(() => void addFiling(), 1_000)
  try {
    return await figures
  } finally {
    clearInterval(filing)
  }
}

/** Ingests invented filings as the command does, one each time. */
function filingsOf(dataDir: string) {
  const pool = openPool({ url: databaseUrlOf(dataDir), name: 'bench' })
  const record = createContainer({ pool }).get(TYPES.recordFilings)
  const filings = inventedFilings(10_000, Date.now() % 1_000_000, 10_000)
  return {
    next: async () => {
      const { name, text } = filings.next().value!
      await record([{ path: name, bytes: Buffer.from(text) }])
    },
    close: () => pool.end(),
  }
}
