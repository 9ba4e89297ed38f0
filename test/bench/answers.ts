// What answers from memory cost: a running service over a store that its own commands made, against bare node:http that
// sends the same head and bytes, side by side in one run. Requests per second with 16 connections, and processor time per
// request. QUARTERS=1 ROWS=45000 LIVE=1000 SECONDS=3. One JSON line.
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median, printBench } from './measure.ts'
import { productStore } from './product-store.ts'

const QUARTERS = Number(process.env.QUARTERS ?? 1)
const ROWS = Number(process.env.ROWS ?? 45_000)
const LIVE = Number(process.env.LIVE ?? 1_000)
const SECONDS = Number(process.env.SECONDS ?? 3)
const ROUNDS = 3
const CONNECTIONS = 16
const MAX_WALKED = 30_000
// Of Linux on every machine that Node runs on.
const TICKS_PER_SECOND = 100

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const quarters = Array.from({ length: QUARTERS }, (_, back) => {
  const index = 2026 * 4 + 2 - (QUARTERS - 1 - back)
  return `${Math.floor(index / 4)}q${(index % 4) + 1}`
})

interface Side {
  url: string
  pid: number
  headers: string[]
}
interface Cost {
  perSecond: number
  cpuMicros: number
}

const store = await productStore({
  quarters,
  rowsPerQuarter: ROWS,
  liveFilings: LIVE,
  variables: { RATE_LIMIT: '100000000/min' },
})
const bares: { stop(): void }[] = []
try {
  const { address } = store.stack
  const { transactions } = ((await (await fetch(`${address}/v1/feed`)).json()) as any).data
  const paths = { feed: '/v1/feed', company: `/v1/companies/${transactions[0].ticker}`, signals: '/v1/signals' }
  const figures: Record<string, Record<string, number>> = {}
  for (const [name, path] of Object.entries(paths)) {
    const [, plain, zipped] = await Promise.all([ask(path), ask(path), ask(path, { 'accept-encoding': 'gzip' })])
    const bare = await bareServer(plain)
    bares.push(bare)
    const own = { url: `${address}${path}`, pid: store.pid }
    const costs = await compared({
      bare: { url: bare.url, pid: bare.pid, headers: [] },
      cached: { ...own, headers: [] },
      notModified: { ...own, headers: [`If-None-Match: ${plain.headers.etag}`] },
      gzip: { ...own, headers: ['Accept-Encoding: gzip'] },
    })
    figures[name] = {
      bytes: plain.bytes.length,
      gzipBytes: Number(zipped.headers['content-length']),
      barePerSecond: costs.bare!.perSecond,
      cachedToBare: costs.cached!.perSecond / costs.bare!.perSecond,
      notModifiedToBare: costs.notModified!.perSecond / costs.bare!.perSecond,
      gzipToPlain: costs.gzip!.perSecond / costs.cached!.perSecond,
      cpuBareToCached: costs.bare!.cpuMicros / costs.cached!.cpuMicros,
      cpuCachedMicros: costs.cached!.cpuMicros,
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
}

/**
 * Reads the feed from its newest page on, MAX_WALKED transactions at most. Other statements of the service in the meantime
 * count as well.
 */
async function walk(
  limit: number,
): Promise<{ transactions: number; perSecond: number; statementsPerThousand: number }> {
  const before = await statements()
  const begun = performance.now()
  let [cursor, transactions]: [string, number] = ['', 0]
  do {
    const { bytes } = await ask(`/v1/feed?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    const { data } = JSON.parse(bytes.toString()) as { data: { transactions: unknown[]; nextCursor?: string } }
    transactions += data.transactions.length
    cursor = data.nextCursor ?? ''
  } while (cursor && transactions < MAX_WALKED)
  const seconds = (performance.now() - begun) / 1_000
  const made = (await statements()) - before
  return { transactions, perSecond: transactions / seconds, statementsPerThousand: (made / transactions) * 1_000 }
}

async function statements(): Promise<number> {
  const metrics = await (await fetch(`${store.stack.address}/metrics`)).text()
  const counts = metrics.matchAll(/^clickhouse_statement_seconds_count\{kind="query"[^}]*\} (\d+)$/gm)
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Returns the answer as it goes over the wire; fetch would unpack it. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const { get } = await import('node:http')
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    get(`${store.stack.address}${path}`, { headers }, resolve).on('error', reject)
  })
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`)
  const bytes = Buffer.concat(await response.toArray())
  return { bytes, headers: response.headers as Record<string, string> }
}

async function bareServer({ bytes, headers }: { bytes: Buffer; headers: Record<string, string> }) {
  const { date: _date, connection: _connection, 'keep-alive': _keep, ...head } = headers
  const child = spawn(process.execPath, ['--import', 'tsx', fileOf('./bare-http.ts')], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ headers: head, body: bytes.toString('base64') }))
  const port = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
  })
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid!, stop: () => void child.kill() }
}

/** Measures the sides in turn, round by round, and returns the median of each. */
async function compared(sides: Record<string, Side>): Promise<Record<string, Cost>> {
  const costs: Record<string, Cost[]> = {}
  for (const side of Object.values(sides)) await costOf(side, 1)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, side] of Object.entries(sides)) (costs[name] ??= []).push(await costOf(side, SECONDS))
  }
  const of = (found: Cost[], figure: keyof Cost) => median(found.map((cost) => cost[figure]))
  return Object.fromEntries(
    Object.entries(costs).map(([name, found]) => [
      name,
      { perSecond: of(found, 'perSecond'), cpuMicros: of(found, 'cpuMicros') },
    ]),
  )
}

async function costOf({ url, pid, headers }: Side, seconds: number): Promise<Cost> {
  const cpu = cpuOf(pid)
  const words = ['--import', 'tsx', fileOf('./load.ts'), url, String(CONNECTIONS), String(seconds), ...headers]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  const { answers, perSecond } = JSON.parse(stdout) as { answers: number; perSecond: number }
  return { perSecond, cpuMicros: ((cpuOf(pid) - cpu) * 1e6) / answers }
}

/** Returns user and system time of all threads of the process, in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
