// Delivering webhooks with everything real: outbox, NOTIFY, relay, Redis, lease, signed HTTP, receivers in a process of their
// own. (a) one at a time, from the commit to the receipt; (b) many at once; (c) what a receiver that hangs costs the others.
// SINGLES=300 BULK=10000 ROUNDS=8 SECONDS=3. One JSON line.
import { fork, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { ensureStores } from '../../../src/infrastructure/embedded/stores.ts'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { openRedis } from '../../../src/infrastructure/redis/client.ts'
import { openAddressGuard } from '../../../src/infrastructure/webhooks/address-guard.ts'
import { HttpWebhookSender } from '../../../src/infrastructure/webhooks/sender.ts'
import { deliver } from '../../support/service/delivering.ts'
import { addDeliveries, addKey } from '../../support/service/alerts.ts'
import { median, printBench, quantile } from '../support/measure.ts'

const SINGLES = Number(process.env.SINGLES ?? 300)
const BULK = Number(process.env.BULK ?? 10_000)
const ROUNDS = Number(process.env.ROUNDS ?? 8)
const SECONDS = Number(process.env.SECONDS ?? 3)
const ADDRESSES = 100
const PER_SECOND = 200

/** Milliseconds of a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint()) / 1e6

function receive(): void {
  let receipts: [id: string, at: number][] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url!.startsWith('/hangs')) return
      receipts.push([String(request.headers['webhook-id']), now()])
      response.writeHead(204).end()
    })
  })
  // A message each would cost the receiver more than the receipt.
  setInterval(() => {
    if (receipts.length > 0) process.send!({ receipts })
    receipts = []
  }, 10)
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
}

async function startReceiver() {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['receive'], { execArgv: ['--import', 'tsx'] })
  const receipts = new Map<string, number>()
  let twice = 0
  const port = await new Promise<number>((resolve) => {
    child.on('message', (message: { port?: number; receipts?: [string, number][] }) => {
      if (message.port) resolve(message.port)
      for (const [id, at] of message.receipts ?? []) {
        if (receipts.has(id)) twice += 1
        else receipts.set(id, at)
      }
    })
  })
  const all = async (ids: string[], seconds = 120) => {
    const end = performance.now() + seconds * 1000
    while (!ids.every((id) => receipts.has(id))) {
      if (performance.now() > end) throw new Error(`only ${receipts.size} receipts`)
      await sleep(10)
    }
    return ids.map((id) => receipts.get(id)!)
  }
  return {
    url: (path: string) => `http://127.0.0.1:${port}/${path}`,
    all,
    twice: () => twice,
    stop: () => child.kill(),
  }
}

async function measure(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-deliver-'))
  const stores = await ensureStores({
    dataDir,
    databaseUrl: process.env.TEST_DATABASE_URL ?? null,
    redisUrl: process.env.TEST_REDIS_URL ?? null,
  })
  const receiver = await startReceiver()
  const pool = openPool({ url: stores.databaseUrl, name: 'bench', max: 8 })
  const redis = openRedis(stores.redisUrl, () => {})
  await migratePostgres(pool)
  const guard = openAddressGuard({ allowHttp: true, allowHosts: ['127.0.0.1'] })
  const sender = new HttpWebhookSender({ guard, version: '0.0.0' })
  const delivering = deliver({
    databaseUrl: stores.databaseUrl,
    pool,
    redis,
    log: pino({ level: 'warn' }, pino.destination(2)),
    registry: new Registry(),
    sender,
  })
  try {
    const keyId = `bench${process.pid}`
    await addKey(pool, keyId)
    const add = (paths: string[]) =>
      addDeliveries(
        pool,
        paths.map((path) => ({ url: receiver.url(path), keyId })),
      )
    const healthy = (index: number) => `r${index % (ADDRESSES - 1)}`
    const spread = (count: number) => Array.from({ length: count }, (_, index) => healthy(index))
    await receiver.all(await add(spread(1_000)))

    const singles: number[] = []
    for (let index = 0; index < SINGLES; index += 1) {
      const [id] = await add([healthy(index)])
      const committed = now()
      const [at] = await receiver.all([id!])
      singles.push(at! - committed)
      await sleep(10 + Math.random() * 20)
    }

    const rates: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const ids = await add(spread(BULK))
      const start = now()
      rates.push((BULK / (Math.max(...(await receiver.all(ids))) - start)) * 1000)
    }

    const rounds: Record<'without' | 'with', number[][]> = { without: [], with: [] }
    for (let round = 0; round < 2 * ROUNDS; round += 1) {
      // Turned around each time: without, with, with, without, ...
      const side = (round + (round >> 1)) % 2 === 0 ? 'without' : 'with'
      const sent: { id: string; at: number }[] = []
      const start = now()
      for (let index = 0; index < PER_SECOND * SECONDS; index += 1) {
        const isLast = index % ADDRESSES === ADDRESSES - 1
        const [id] = await add([!isLast ? healthy(index) : side === 'with' ? `hangs${round}` : 'last'])
        if (!isLast) sent.push({ id: id!, at: now() })
        await sleep(Math.max(0, start + (index * 1000) / PER_SECOND - now()))
      }
      const receipts = await receiver.all(sent.map(({ id }) => id))
      rounds[side].push(receipts.map((at, index) => at - sent[index]!.at))
    }
    // The median of the rounds: one pause of the machine, as for a checkpoint, would be all that the 1 % shows.
    const each = {
      without: rounds.without.map((times) => quantile(times, 0.99)),
      with: rounds.with.map((times) => quantile(times, 0.99)),
    }
    const p99 = { without: median(each.without), with: median(each.with) }
    printBench('deliver', {
      commitToReceiptMs: { p50: median(singles), p99: quantile(singles, 0.99), deliveries: SINGLES },
      perSecond: { median: median(rates), least: Math.min(...rates), deliveries: BULK, addresses: ADDRESSES - 1 },
      healthyMs: {
        p50: { without: median(rounds.without.flat()), with: median(rounds.with.flat()) },
        p99,
        ratioP99: p99.with / p99.without,
        p99OfRounds: each,
      },
      twice: receiver.twice(),
    })
  } finally {
    await delivering.stop()
    receiver.stop()
    redis.destroy()
    await pool.end()
    await stores.release()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

if (process.argv[2] === 'receive') receive()
else await measure()
