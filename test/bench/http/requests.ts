// What a request costs the process in front: an api process over a ClickHouse of its own, so that its CPU time is not the
// engine's, against bare Express with a prepared answer of the same size, in the same run. ROWS=500000 REQUESTS=4000.
// One JSON line.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { ensureStores } from '../../../src/infrastructure/embedded/stores.ts'
import { startClickHouse, whyNoClickHouse } from '../../support/stores/clickhouse-server.ts'
import { roleProcesses } from '../../support/service/processes/role-process.ts'
import { cursorAt, fillFeed } from './invented-feed.ts'
import { printBench } from '../support/measure.ts'
import { askRaw, bareServer } from '../support/sides.ts'

const ROWS = Number(process.env.ROWS ?? 500_000)
const REQUESTS = Number(process.env.REQUESTS ?? 4_000)
const CALLERS = 8
const ROUNDS = 4
// Of Linux on every machine that Node runs on.
const TICKS_PER_SECOND = 100

const why = whyNoClickHouse()
if (why) {
  printBench('requests', { skipped: why })
  process.exit()
}
const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })

function ask(url: string, headers = {}): Promise<{ status: number; etag: string; bytes: number }> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve({ status: response.statusCode!, etag: response.headers.etag ?? '', bytes }))
    }).on('error', reject)
  })
}

/** User and system time of all its threads, in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

interface Side {
  pid: number
  expected: number
  url: () => string
  headers?: Record<string, string>
}
interface Cost {
  cpuMicros: number
  perSecond: number
}

async function costOf({ pid, expected, url, headers }: Side, requests: number): Promise<Cost> {
  const [cpu, start] = [cpuOf(pid), performance.now()]
  let sent = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (sent < requests) {
        sent += 1
        const { status } = await ask(url(), headers)
        if (status !== expected) throw new Error(`${url()} answered ${status}`)
      }
    }),
  )
  return {
    cpuMicros: ((cpuOf(pid) - cpu) * 1e6) / requests,
    perSecond: requests / ((performance.now() - start) / 1000),
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'bench-requests-'))
// PostgreSQL runs as another user where we are root.
chmodSync(dataDir, 0o711)
const { databaseUrl, redisUrl, release } = await ensureStores({ dataDir, databaseUrl: null, redisUrl: null })
const clickHouse = await startClickHouse()
const processes = roleProcesses({
  CLICKHOUSE_URL: clickHouse.url,
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  SECRETS_KEY: '00'.repeat(32),
  LOG_LEVEL: 'warn',
})
try {
  const api = await processes.start('api', { NODE_ENV: 'production' })
  await api.ready()
  const store = await ClickHouse.open({ url: clickHouse.url, database: 'insider' })
  await fillFeed(store, ROWS)
  await store.close()
  const newest = `${api.address}/v1/feed?limit=20`
  const { bytes, etag } = await ask(newest)
  const bare = await bareServer(await askRaw(newest), 'bare-express')
  const sides: Record<string, Side> = {
    bareExpress: { pid: bare.pid, expected: 200, url: () => bare.url },
    healthz: { pid: api.pid, expected: 200, url: () => `${api.address}/healthz` },
    feedNewest: { pid: api.pid, expected: 200, url: () => newest },
    feedDeep: { pid: api.pid, expected: 200, url: () => `${newest}&cursor=${cursorAt('feed:', 0.5, ROWS)}` },
    notModified: { pid: api.pid, expected: 304, url: () => newest, headers: { 'if-none-match': etag } },
    refused: { pid: api.pid, expected: 400, url: () => `${api.address}/v1/feed?limit=0` },
  }
  for (const side of Object.values(sides)) await costOf(side, REQUESTS / ROUNDS)
  const costs: Record<string, Cost[]> = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, side] of Object.entries(sides)) costs[name]!.push(await costOf(side, REQUESTS / ROUNDS))
  }
  const mean = (name: string, figure: keyof Cost) => costs[name]!.reduce((sum, cost) => sum + cost[figure], 0) / ROUNDS
  const figures = (figure: keyof Cost) =>
    Object.fromEntries(Object.keys(sides).map((name) => [name, mean(name, figure)]))
  printBench('requests', {
    rows: ROWS,
    requests: REQUESTS,
    bytes,
    cpuMicros: figures('cpuMicros'),
    perSecond: figures('perSecond'),
    ratios: { feedToBareExpress: mean('feedNewest', 'cpuMicros') / mean('bareExpress', 'cpuMicros') },
  })
  bare.stop()
} finally {
  agent.destroy()
  await processes.close()
  await clickHouse.close()
  await release()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit()
