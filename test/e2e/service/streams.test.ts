// Streams of changes from real processes over HTTP: a reader that returns after a restart receives each change once,
// also with a real EventSource; two processes give the same changes as polling; only a stalled reader is cut.
import { spawn, type ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import type { ReportedChange } from '../../../src/application/ports/changes.ts'
import { openPool, rows, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { call, send } from '../../support/http/contract-client.ts'
import { startBalancer } from '../../support/service/processes/balancer.ts'
import { EventReader } from '../../support/http/event-source.ts'
import { roleProcesses, type RoleProcess, type RoleProcesses } from '../../support/service/processes/role-process.ts'
import { needClickHouse } from '../../support/stores/clickhouse-server.ts'
import { sharedStores, type SharedStores } from '../../support/stores/shared-stores.ts'

const issuer = (number: number) => String(number).padStart(10, '0')

/** Prints the id of each event that Node's own EventSource receives. */
const EVENT_SOURCE = `
  const source = new EventSource(process.argv[1])
  // Waiting to come back does not keep a process running.
  setInterval(() => {}, 1_000)
  source.addEventListener('ready', () => console.log('ready'))
  source.addEventListener('signal.changed', ({ lastEventId }) => console.log(lastEventId))`

describe('streams of processes', function () {
  this.timeout(120_000)
  let stores: SharedStores
  let processes: RoleProcesses
  let pool: Pool
  const apis: RoleProcess[] = []
  const ends: (() => unknown)[] = []

  before(function () {
    needClickHouse(this)
  })
  before(async () => {
    stores = await sharedStores()
    processes = roleProcesses({ ...stores.variables, DRAIN_SECONDS: '5' })
    for (let number = 0; number < 2; number += 1) {
      apis.push(await processes.start('api'))
      await apis[number]!.ready()
    }
    pool = openPool({ url: stores.variables.DATABASE_URL!, name: 'test', max: 2 })
  })
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })
  after(async () => {
    await processes?.close()
    await pool?.end()
    await stores?.close()
  })

  const append = async (reported: Partial<ReportedChange>[]) => {
    const log = createContainer({ pool }).get(TYPES.changeLog)
    await log.recordPending(
      reported.map((each) => ({ id: null, type: 'signal.changed', issuerCiks: [issuer(1)], data: '{}', ...each })),
    )
    await log.flushPending(true)
  }
  const last = async () => (await rows<{ last: number }>(pool, 'SELECT last FROM change_position'))[0]!.last
  const stored = async (after: number) =>
    (
      await rows<{ seq: number }>(pool, 'SELECT seq FROM changes WHERE seq > $1 AND type IS NOT NULL ORDER BY seq', [
        after,
      ])
    ).map(({ seq }) => String(seq))
  const read = (api: RoleProcess, query = '') => {
    const reader = new EventReader(`${api.address}/v1/stream${query}`)
    ends.push(() => reader.close())
    return reader
  }
  const received = ({ events }: EventReader) => events.filter(({ type }) => type !== 'ready').map(({ id }) => id)
  const isReady = (events: { type: string }[]) => events.some(({ type }) => type === 'ready')

  /** Returns what an EventSource of Node prints, as it grows. */
  const eventSource = (url: string): string[] => {
    const child: ChildProcess = spawn(process.execPath, ['--experimental-eventsource', '-e', EVENT_SOURCE, url], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const lines: string[] = []
    createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line))
    ends.push(() => void child.kill('SIGKILL'))
    return lines
  }
  const changesOf = (lines: string[]) => lines.filter((line) => line !== 'ready')
  const openings = (lines: string[]) => lines.length - changesOf(lines).length
  const until = async (what: string, is: () => boolean, seconds = 30) => {
    for (const end = performance.now() + seconds * 1_000; !is(); await sleep(10)) {
      assert.isBelow(performance.now(), end, what)
    }
  }

  it('of two processes give the same changes as polling, with the same filter', async () => {
    const query = '?issuerCiks=1,2&types=signal.changed,dataset.changed'
    const readers = apis.map((api) => read(api, query))
    for (const reader of readers) await reader.until(isReady)
    const from = await last()
    await append(
      Array.from({ length: 200 }, (_, number) => ({
        type: number % 3 === 0 ? ('dataset.changed' as const) : ('signal.changed' as const),
        issuerCiks: number % 7 === 0 ? null : [issuer(number % 5)],
      })),
    )
    await append([{}])
    const polled: string[] = []
    for (let after = String(from), hasMore = true; hasMore;) {
      const { body } = await send(apis[1]!.address, 'GET', `/v1/changes${query}&after=${after}&limit=30`)
      polled.push(...body.data.changes.map(({ cursor }: { cursor: string }) => cursor))
      ;({ hasMore, nextCursor: after } = body.data)
    }
    for (const reader of readers) {
      await reader.until(() => received(reader).at(-1) === polled.at(-1))
      assert.deepEqual(received(reader), polled)
    }
  })

  it('are resumed over restarts behind a balancer, by an EventSource as well, with each change once', async () => {
    const balancer = await startBalancer(
      apis.map(({ address }) => address),
      100,
    )
    ends.push(() => balancer.close())
    await until('the balancer has both', () => balancer.ready().length === 2)
    const reader = new EventReader(`${balancer.address}/v1/stream`)
    ends.push(() => reader.close())
    const source = eventSource(`${balancer.address}/v1/stream`)
    await reader.until(isReady)
    await until('the EventSource is open', () => source.length > 0)
    const from = await last()
    const over = new AbortController()
    const appending = (async () => {
      for (; !over.signal.aborted; await sleep(20)) await append([{}, {}])
    })()
    ends.push(() => (over.abort(), appending))
    for (const [number, api] of apis.entries()) {
      await until('changes arrive', () => source.at(-1) !== 'ready')
      api.signal('SIGTERM')
      assert.deepEqual(await api.exited, { code: 0, signal: null })
      apis[number] = await processes.start('api', { PORT: new URL(api.address).port })
      await until('the balancer has both again', () => balancer.ready().length === 2)
    }
    // One of the two had its stream.
    await until('the EventSource is back', () => openings(source) > 1)
    over.abort()
    await appending

    const all = await stored(from)
    await reader.until(() => received(reader).length >= all.length)
    assert.deepEqual(received(reader), all)
    await until('the EventSource has all', () => changesOf(source).length >= all.length)
    assert.deepEqual(changesOf(source), all)
    assert.isAtLeast(reader.retryMs, 1_000)
    assert.isAtMost(reader.retryMs, 5_000)
    assert.isAbove(reader.statuses.length, 1)
    assert.deepEqual(new Set(reader.statuses), new Set([200]))
  })

  it('cut a stalled reader, and no other', async () => {
    const [api] = apis
    const stalled = connect(Number(new URL(api!.address).port), '127.0.0.1')
    stalled.on('error', () => {}).pause()
    stalled.write('GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
    ends.push(() => void stalled.destroy())
    const reader = read(api!)
    await reader.until(isReady)
    const from = await last()
    const data = JSON.stringify({ text: 'x'.repeat(250_000) })
    const slow = async () => {
      const { body } = await call(api!.address, 'GET', '/metrics')
      return /^stream_ends_total\{reason="slow"\} 1$/m.test(body)
    }
    let appended = 0
    for (; !(await slow()); appended += 4) {
      assert.isBelow(appended, 400, 'it is not cut')
      await append([{ data }, { data }, { data }, { data }])
      await reader.until(() => received(reader).length === appended + 4)
    }
    assert.deepEqual(received(reader), await stored(from))
    assert.deepEqual(reader.statuses, [200])
  })
})
