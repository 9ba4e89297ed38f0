// What receivers whose answers never end cost the callers of the same service: the feed's times while ADDRESSES addresses
// answer 100 Continue endlessly, beside as many that never answer, in turns. The stack is started by `make up`, the
// receivers are a process of their own at the lowest priority, since those of strangers don't use this machine's CPU.
// ADDRESSES=1000 ROUNDS=3 SECONDS=30 PER_SECOND=40 FILINGS=500. One JSON line.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { addDeliveries } from '../../support/service/alerts.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { CONTINUES } from '../../support/stores/floods.ts'
import { stackOfTest } from '../../support/make.ts'
import { median, printBench, quantile } from '../support/measure.ts'
import { databaseUrlOf } from '../../support/stores/embedded.ts'

const ADDRESSES = Number(process.env.ADDRESSES ?? 1_000)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const SECONDS = Number(process.env.SECONDS ?? 30)
const PER_SECOND = Number(process.env.PER_SECOND ?? 40)
const FILINGS = Number(process.env.FILINGS ?? 500)

/** 2,600 of them: 6.5 MB a second on each connection, more than the service could parse. */
const ANSWERS = Buffer.from(CONTINUES.again.repeat(Math.ceil(65_536 / CONTINUES.again.length)))
const EVERY_MS = 10

const SIDES = ['silent', 'endless'] as const
type Side = (typeof SIDES)[number]

/** Two ports: one never answers, the other never ends. */
async function receive(): Promise<void> {
  setPriority(19)
  const ports: Record<string, number> = {}
  for (const side of SIDES) {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      if (side === 'silent') socket.resume()
      else
        socket.once('data', () => {
          const timer = setInterval(() => {
            if (!socket.writableNeedDrain) socket.write(ANSWERS)
          }, EVERY_MS)
          socket.once('close', () => clearInterval(timer)).write(ANSWERS)
        })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    ports[side] = (server.address() as AddressInfo).port
  }
  process.send!(ports)
  process.on('disconnect', () => process.exit())
}

async function measure(): Promise<void> {
  const stack = await stackOfTest()
  const folder = mkdtempSync(join(tmpdir(), 'bench-endless-'))
  const receivers = fork(fileURLToPath(import.meta.url), ['receive'], { execArgv: ['--import', 'tsx'] })
  const [ports] = (await once(receivers, 'message')) as [Record<Side, number>]
  const agent = new Agent({ keepAlive: true })
  const made = async (target: string, more = {}) => {
    const { status, json, stderr } = await stack.make(target, more)
    if (status !== 0) throw new Error(`make ${target}: ${stderr}`)
    return json!
  }
  const fill = async () => {
    mkdirSync(folder, { recursive: true })
    const acceptedAt = (number: number) => Date.UTC(2026, 0, 5, 15) + number * 60_000
    for (let number = 1; number <= FILINGS; number += 1) {
      const { accession, text } = inventedFiling(number, { acceptedAt })
      writeFileSync(join(folder, `${accession}.txt`), text)
    }
    await made('ingest', { FROM: folder })
  }
  /** Milliseconds to the whole answer. */
  const ask = async (): Promise<number> => {
    const start = performance.now()
    const [response] = await once(get(`${stack.address}/v1/feed?limit=20`, { agent }), 'response')
    if (response.statusCode !== 200) throw new Error(`the feed answered ${response.statusCode}`)
    await response.resume().toArray()
    return performance.now() - start
  }
  /** At a steady rate, however long answers take. */
  const times = async (): Promise<number[]> => {
    const start = performance.now()
    const asked: Promise<number>[] = []
    for (let index = 0; index < SECONDS * PER_SECOND; index += 1) {
      await sleep(Math.max(0, start + (index * 1000) / PER_SECOND - performance.now()))
      asked.push(ask())
    }
    return Promise.all(asked)
  }
  try {
    await made('up', { WEBHOOK_ALLOW_HTTP: 1, WEBHOOK_ALLOW_HOSTS: '127.0.0.1', LOG_LEVEL: 'warn' })
    await fill()
    const { id: keyId } = await made('key', { NAME: 'bench' })
    const pool = openPool({ url: databaseUrlOf(stack.dataDir), name: 'bench', max: 2 })
    await times()
    const rounds: Record<Side | 'none', number[][]> = { none: [await times()], silent: [], endless: [] }
    const cpu: Record<Side, number[]> = { silent: [], endless: [] }
    const pid = Number(readFileSync(join(stack.dataDir, 'service.pid'), 'utf8'))
    for (let round = 0; round < 2 * ROUNDS; round += 1) {
      // Turned around each time: silent, endless, endless, silent, ...
      const side = SIDES[(round + (round >> 1)) % 2]!
      const url = (index: number) => `http://127.0.0.1:${ports[side]}/${round}/${index}`
      const ids = await addDeliveries(
        pool,
        Array.from({ length: ADDRESSES }, (_, index) => ({ url: url(index), keyId })),
      )
      const used = cpuSecondsOf(pid)
      rounds[side].push(await times())
      cpu[side].push(cpuSecondsOf(pid) - used)
      const {
        rows: [tried],
      } = await pool.query('SELECT count(*)::int AS n FROM deliveries WHERE id = ANY($1) AND attempts > 0', [ids])
      if (tried.n !== ADDRESSES)
        throw new Error(`only ${tried.n} of ${ADDRESSES} addresses were tried within ${SECONDS} s`)
      // What is tried again belongs to no other round.
      await pool.query('TRUNCATE events, endpoints CASCADE')
      await sleep(3_000)
    }
    await pool.end()
    const of = (share: number) =>
      Object.fromEntries(
        Object.entries(rounds).map(([side, each]) => [side, median(each.map((round) => quantile(round, share)))]),
      ) as Record<Side | 'none', number>
    const [p50, p99] = [of(0.5), of(0.99)]
    printBench('endless-answers', {
      addresses: ADDRESSES,
      perSecond: PER_SECOND,
      seconds: SECONDS,
      feedMs: { p50, p99 },
      cpuSeconds: { silent: median(cpu.silent), endless: median(cpu.endless) },
      p99OfRounds: Object.fromEntries(SIDES.map((side) => [side, rounds[side].map((round) => quantile(round, 0.99))])),
      ratios: { p50: p50.endless / p50.silent, p99: p99.endless / p99.silent, goalP99: 1.5 },
    })
  } finally {
    agent.destroy()
    receivers.disconnect()
    await stack.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** User and system time of all its threads; Linux has 100 ticks a second on every machine that Node runs on. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

if (process.argv[2] === 'receive') await receive()
else await measure()
