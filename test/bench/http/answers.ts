// What answers from memory cost: a running service over a store that its own commands made, against bare Express with
// pino-http, and bare node:http, that send the same head and bytes, side by side in one run: for callers on this
// machine, who are not counted by the rate limit, and for one who is, in a Redis as several processes share it. Requests per
// second with 16 connections, and processor time per request. QUARTERS=1 ROWS=45000 LIVE=1000 SECONDS=2 ROUNDS=7. One
// JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareDataDir } from '../../../src/infrastructure/embedded/data-dir.ts'
import { startRedis, stopRedis } from '../../../src/infrastructure/embedded/redis.ts'
import { printBench } from '../support/measure.ts'
import { productStore } from '../support/product-store.ts'
import { askRaw, bareServer, compared, CONNECTIONS } from '../support/sides.ts'

const QUARTERS = Number(process.env.QUARTERS ?? 1)
const ROWS = Number(process.env.ROWS ?? 45_000)
const LIVE = Number(process.env.LIVE ?? 1_000)
const SECONDS = Number(process.env.SECONDS ?? 2)
const ROUNDS = Number(process.env.ROUNDS ?? 7)

/** Not loopback, which the rate limit exempts. */
const CALLER = '192.0.2.1'

const quarters = Array.from({ length: QUARTERS }, (_, back) => {
  const index = 2026 * 4 + 2 - (QUARTERS - 1 - back)
  return `${Math.floor(index / 4)}q${(index % 4) + 1}`
})

const redis = await ownRedis()
const store = await productStore({
  quarters,
  rowsPerQuarter: ROWS,
  liveFilings: LIVE,
  variables: { RATE_LIMIT: '100000000/min', TRUST_PROXY: '1', REDIS_URL: redis.url },
})
const bares: { stop(): void }[] = []
const ask = (path: string, headers?: Record<string, string>) => askRaw(`${store.stack.address}${path}`, headers)
try {
  const { address } = store.stack
  const { transactions } = ((await (await fetch(`${address}/v1/feed`)).json()) as any).data
  const paths = { feed: '/v1/feed', company: `/v1/companies/${transactions[0].ticker}`, signals: '/v1/signals' }
  const figures: Record<string, Record<string, number>> = {}
  for (const [name, path] of Object.entries(paths)) {
    await ask(path)
    const [plain, zipped] = await Promise.all([ask(path), ask(path, { 'accept-encoding': 'gzip' })])
    const [bare, express] = [await bareServer(plain), await bareServer(plain, 'bare-express')]
    bares.push(bare, express)
    const asCaller = [`X-Forwarded-For: ${CALLER}`]
    const own = { url: `${address}${path}`, pid: store.pid }
    const sides = {
      bare: { url: bare.url, pid: bare.pid, headers: [] },
      express: { url: express.url, pid: express.pid, headers: [] },
      cached: { ...own, headers: [] },
      counted: { ...own, headers: asCaller },
      notModified: { ...own, headers: [`If-None-Match: ${plain.headers.etag}`] },
      gzip: { ...own, headers: ['Accept-Encoding: gzip'] },
    }
    const { costs, ratio } = await compared(sides, { rounds: ROUNDS, seconds: SECONDS })
    figures[name] = {
      bytes: plain.bytes.length,
      gzipBytes: Number(zipped.headers['content-length']),
      perSecond: costs.cached.perSecond,
      cachedToExpress: ratio('cached', 'express'),
      countedToExpress: ratio('counted', 'express'),
      cachedToBare: ratio('cached', 'bare'),
      notModifiedToPlain: ratio('notModified', 'cached'),
      gzipToPlain: ratio('gzip', 'cached'),
      cpuCachedMicros: costs.cached.cpuMicros,
    }
  }
  const walks = { limit20: await walk(20), limit100: await walk(100) }
  printBench('answers', {
    walks,
    quarters: QUARTERS,
    rowsPerQuarter: ROWS,
    liveFilings: LIVE,
    connections: CONNECTIONS,
    figures,
  })
} finally {
  for (const bare of bares) bare.stop()
  await store.close()
  await redis.stop()
}

/** Reads the whole feed from its newest page on. */
async function walk(limit: number): Promise<{ transactions: number; perSecond: number }> {
  const begun = performance.now()
  let [cursor, transactions]: [string, number] = ['', 0]
  do {
    const { bytes } = await ask(`/v1/feed?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    const { data } = JSON.parse(bytes.toString()) as { data: { transactions: unknown[]; nextCursor?: string } }
    transactions += data.transactions.length
    cursor = data.nextCursor ?? ''
  } while (cursor)
  return { transactions, perSecond: transactions / ((performance.now() - begun) / 1_000) }
}

/** Starts a Redis that the service takes for one of several processes. */
async function ownRedis(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'insider-redis-'))
  const paths = prepareDataDir(folder)
  const { url } = await startRedis(paths, (line) => process.stderr.write(`${line}\n`))
  return {
    url,
    stop: async () => {
      await stopRedis(paths)
      rmSync(folder, { recursive: true })
    },
  }
}
