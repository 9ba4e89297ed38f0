// Streams of the log over real HTTP and a real PostgreSQL: however they are cut, a reader receives each change once and
// in order. Positions, limits, heartbeats and slow readers follow the contract.
import { connect } from 'node:net'
import { once } from 'node:events'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { Registry } from 'prom-client'
import { ChangeStreams, type StreamSettings } from '../../../../src/application/changes/change-streams.ts'
import type { ReportedChange } from '../../../../src/application/ports/changes.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import { CHANGES_CHANNEL } from '../../../../src/infrastructure/postgres/changes/log-statement.ts'
import { PostgresLogReader } from '../../../../src/infrastructure/postgres/changes/log-reader.ts'
import { listenFor } from '../../../../src/infrastructure/postgres/coordination/notifications.ts'
import { rows } from '../../../../src/infrastructure/postgres/pool.ts'
import { EventReader } from '../../../support/http/event-source.ts'
import { startExampleService, type ExampleService } from '../../../support/http/example-service.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const DAY_MS = 86_400_000
const issuer = (number: number) => String(number).padStart(10, '0')

describe('streams of the log', function () {
  this.timeout(60_000)
  let service: TestService
  const ends: (() => Promise<unknown>)[] = []
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
    await service.close()
  })

  const start = async (settings: Partial<StreamSettings> = {}, more: object = {}): Promise<ExampleService> => {
    const streams = new ChangeStreams(
      {
        reader: new PostgresLogReader(service.pool),
        queries: service.textQueries,
        monotonic: () => performance.now(),
        random: Math.random,
      },
      settings,
    )
    const stop = new AbortController()
    const wakeUps = listenFor(service.databaseUrl, CHANGES_CHANNEL, () => {})
    const wait = () => wakeUps.next(50, stop.signal)
    const running = streams.run(wait, () => {}, stop.signal)
    const changeQueries = service.container.get(TYPES.changeQueries)
    const http = await startExampleService({ streams, changeQueries, ...more })
    ends.push(async () => {
      await http.close()
      stop.abort()
      await Promise.all([running, wakeUps.close()])
    })
    while ((await fetch(`${http.url}/v1/stream`, { method: 'HEAD' })).status === 503) await sleep(5)
    return http
  }
  const read = (http: ExampleService, query = '', lastId = '') => {
    const reader = new EventReader(`${http.url}/v1/stream${query}`, lastId)
    ends.push(() => reader.close())
    return reader
  }
  const append = async (told: Partial<ReportedChange>[]) => {
    const log = service.container.get(TYPES.changeLog)
    await log.recordPending(
      told.map((each) => ({ id: null, type: 'signal.changed', issuerCiks: [], data: '{}', ...each })),
    )
    await log.flushPending(true)
  }
  const stored = async (after: number) =>
    (
      await rows<{ seq: number }>(
        service.pool,
        'SELECT seq FROM changes WHERE seq > $1 AND type IS NOT NULL ORDER BY seq',
        [after],
      )
    ).map(({ seq }) => String(seq))
  const received = ({ events }: EventReader) => events.filter(({ type }) => type !== 'ready').map(({ id }) => id)
  const isReady = (events: { type: string }[]) => events.some(({ type }) => type === 'ready')

  it('begin with their position, then give each change as polling does', async () => {
    const http = await start()
    const reader = read(http)
    await reader.until(isReady)
    const from = reader.lastId
    await append([
      { id: 'a/1', data: '{"signal":1.50}' },
      { id: 'a/2', type: 'dataset.changed', issuerCiks: null },
    ])
    await reader.until((events) => events.length === 3)

    const polled = await service.container.get(TYPES.changeQueries).changes({ after: Number(from), limit: 10 })
    assert.deepEqual(
      reader.events.slice(1),
      polled.value.changes.map(({ cursor, ...change }) => ({
        id: cursor,
        type: change.type,
        data: JSON.stringify(change).replace('1.5}', '1.50}'),
      })),
    )
    assert.isAtLeast(reader.retryMs, 1_000)
    assert.isAtMost(reader.retryMs, 5_000)
  })

  it('resume from the last id through the ring and before it, each change once and in order', async () => {
    const http = await start({ ringEntries: 20 })
    const begun = read(http)
    await begun.until(isReady)
    const from = Number(begun.lastId)
    const readers = [begun]
    for (let round = 0; round < 12; round += 1) {
      await append(Array.from({ length: 1 + ((round * 7) % 30) }, (_, number) => ({ id: `b/${round}/${number}` })))
      if (round % 3 === 0) readers.push(read(http, '', String(from)), read(http, `?after=${from}`))
    }
    await append([])
    const all = await stored(from)

    for (const reader of readers) {
      await reader.until(() => received(reader).length >= all.length)
      assert.deepEqual(received(reader), all)
    }
    // Cut in the middle: what came before is not repeated.
    const middle = all[Math.floor(all.length / 2)]!
    const resumed = read(http, '?after=earliest', middle)
    await resumed.until(() => received(resumed).at(-1) === all.at(-1))
    assert.deepEqual(received(resumed), all.slice(all.indexOf(middle) + 1))
  })

  it('of a filter give what polling with it gives', async () => {
    const http = await start()
    const reader = read(http, `?issuerCiks=1,2&types=signal.changed,dataset.changed`)
    await reader.until(isReady)
    const from = Number(reader.lastId)
    await append(
      Array.from({ length: 40 }, (_, number) => ({
        id: `c/${number}`,
        type: number % 2 === 0 ? ('signal.detected' as const) : ('dataset.changed' as const),
        issuerCiks: number % 5 === 0 ? null : [issuer(number % 4)],
      })),
    )
    await append([{ id: 'c/last', issuerCiks: [issuer(1)] }])
    const polled = await service.container.get(TYPES.changeQueries).changes({
      after: from,
      limit: 100,
      issuers: [issuer(1), issuer(2)],
      types: ['signal.changed', 'dataset.changed'],
    })
    const expected = polled.value.changes.map(({ cursor }) => cursor)
    await reader.until(() => received(reader).at(-1) === expected.at(-1))
    assert.deepEqual(received(reader), expected)
  })

  it('of conditions on transactions and signals give what polling with them gives', async () => {
    const http = await start()
    const query = '?transactionTypes=buy&minValue=100&minSeverity=high'
    const reader = read(http, query)
    await reader.until(isReady)
    const from = Number(reader.lastId)
    const row = { code: 'P', ownership: 'direct', plan: 'no', routine: false, significance: 'low' } as const
    const unknown = {
      late: null,
      firstBuyYears: null,
      holdingChange: null,
      newHolding: false,
      tradeDay: null,
      roles: [],
      insiders: [],
    }
    const facts = (type: 'buy' | 'sell', totalValue: string) => ({
      rows: [{ ...row, ...unknown, type, totalValue, credible: true, shares: '1' }],
    })
    const persons: string[] = []
    await append([
      { type: 'transaction.created', facts: facts('buy', '99.5') },
      { type: 'transaction.created', facts: facts('buy', '100') },
      { type: 'transaction.created', facts: facts('sell', '100') },
      { type: 'signal.detected', facts: { severity: 'medium', persons } },
      { type: 'signal.detected', facts: { severity: 'critical', persons } },
      { type: 'dataset.changed', issuerCiks: null },
    ])
    await reader.until(() => received(reader).length === 3)
    const polled = await service.container.get(TYPES.changeQueries).changes({
      after: from,
      limit: 100,
      transactions: { types: ['buy'], value: { min: '100' } },
      minSeverity: 'high',
    })
    assert.deepEqual(
      received(reader),
      polled.value.changes.map(({ cursor }) => cursor),
    )
    assert.deepEqual(
      received(reader).map((id) => Number(id) - from),
      [2, 5, 6],
    )
  })

  it('move the position by heartbeats, so that a narrow filter does not fall behind what is kept', async () => {
    const http = await start({ heartbeatMs: 50 })
    const reader = read(http, '?issuerCiks=1')
    await reader.until(isReady)
    const from = Number(reader.lastId)
    await append([{ id: 'd/1', issuerCiks: [issuer(2)] }])
    await reader.until(() => Number(reader.lastId) > from)

    await rows(service.pool, `UPDATE changes SET at = now() - interval '8 days'`)
    await service.container.get(TYPES.changeLog).prune(7)
    const later = read(http, '?issuerCiks=1', reader.lastId)
    await later.until(isReady)
    assert.deepEqual(later.statuses, [200])
    const path = `${http.url}/v1/stream?after=${from}`
    while ((await fetch(path, { method: 'HEAD' })).status !== 410) await sleep(20)
    const gone = await fetch(path)
    assert.deepEqual([gone.status, ((await gone.json()) as any).error.code], [410, 'cursor_expired'])
  })

  it('end when the service stops, and are resumed at another with nothing lost', async () => {
    const [first, second] = [await start(), await start()]
    const reader = read(first)
    await reader.until(isReady)
    const from = Number(reader.lastId)
    await append([{ id: 'e/1' }])
    await reader.until((events) => events.length === 2)
    const begun = performance.now()
    await first.close(10_000)
    assert.isBelow(performance.now() - begun, 9_000)
    await reader.close()
    await append([{ id: 'e/2' }])
    const resumed = read(second, '', reader.lastId)
    await resumed.until(() => received(resumed).length > 0)
    assert.deepEqual([...received(reader), ...received(resumed)], await stored(from))
    const line = first.log.find(({ operationId, method }) => operationId === 'streamChanges' && method === 'GET')
    assert.isAbove(line.bytes, 100)
  })

  it('cut a reader that does not keep up, and delay no other', async () => {
    const registry = new Registry()
    const http = await start({ maxUnsent: 2_000_000 }, { registry })
    const stalled = connect(http.port, '127.0.0.1')
    stalled.on('error', () => {})
    stalled.pause()
    stalled.write('GET /v1/stream HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(stalled, 'connect')
    const reader = read(http)
    await reader.until(isReady)
    const from = Number(reader.lastId)
    const text = JSON.stringify({ text: 'x'.repeat(500_000) })
    for (let number = 0; number < 40; number += 1) {
      await append([{ id: `f/${number}`, data: text }])
      await reader.until(() => received(reader).length === number + 1)
    }
    assert.deepEqual(received(reader), await stored(from))
    const { values } = await registry.getSingleMetric('stream_ends_total')!.get()
    assert.deepEqual(
      values.filter(({ labels }) => labels.reason === 'slow').map(({ value }) => value),
      [1],
    )
    stalled.destroy()
  })

  it('have heartbeats when the clock was ahead and is set back', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() + DAY_MS })
    ends.push(async () => mock.timers.reset())
    const http = await start({ heartbeatMs: 50 })
    mock.timers.setTime(Date.now() - DAY_MS)
    const reader = read(http, '?issuerCiks=1')
    await reader.until(isReady)
    const from = Number(reader.lastId)
    await append([{ id: 'g/1', issuerCiks: [issuer(2)] }])
    // Of another company: only a heartbeat moves the position.
    await reader.until(() => Number(reader.lastId) > from)
  })

  it('end where entries that they have not sent yet are deleted, and resuming there is refused', async () => {
    await append(Array.from({ length: 1_200 }, (_, number) => ({ id: `c/${number}` })))
    const log = service.container.get(TYPES.changeLog)
    const http = await start({ ringEntries: 20 })
    const streams = new ChangeStreams(
      {
        reader: new PostgresLogReader(service.pool),
        queries: service.textQueries,
        monotonic: () => performance.now(),
        random: Math.random,
      },
      { ringEntries: 20 },
    )
    const stop = new AbortController()
    const running = streams.run(
      () => sleep(20),
      () => {},
      stop.signal,
    )
    ends.push(async () => {
      stop.abort()
      await running
    })
    await sleep(100)

    let [text, ended] = ['', '']
    const pruned = new Promise<void>((resolve) => {
      const sink = {
        write: (written: string) => void (text += written),
        unsent: () => 0,
        // After the first page, as slowly as a reader reads.
        drained: async () => {
          await service.pool.query(
            `UPDATE changes SET at = at - interval '9 days'
             WHERE seq <= (SELECT seq FROM changes WHERE id = 'c/900')`,
          )
          await log.prune(7)
        },
        end: (reason: string) => {
          ended = reason
          resolve()
        },
      }
      void streams.start('earliest', {}).then((position) => streams.open(position, {}, sink))
    })
    await pruned
    assert.strictEqual(ended, 'pruned')
    const ids = [...text.matchAll(/^id: (\d+)\nevent: signal/gm)].map(([, id]) => id)
    assert.lengthOf(ids, 500)
    // A process that has not read the log since refuses it when it has.
    const resume = () => fetch(`${http.url}/v1/stream?after=${ids.at(-1)}`)
    let resumed = await resume()
    for (let tries = 0; resumed.status === 200 && tries < 100; tries += 1) {
      await resumed.text()
      resumed = await resume()
    }
    assert.deepEqual([resumed.status, ((await resumed.json()) as any).error.code], [410, 'cursor_expired'])
  })

  it('are counted by the address that a proxy names, however it writes it', async () => {
    const http = await start({}, { streamLimits: { streams: 10, perCaller: 1 }, trustProxy: 1 })
    const left = new AbortController()
    const open = (address: string) =>
      fetch(`${http.url}/v1/stream`, { headers: { 'x-forwarded-for': address }, signal: left.signal })
    assert.strictEqual((await open('127.0.0.1:1234')).status, 200)
    assert.strictEqual((await open('[::ffff:7f00:1]:80')).status, 429)
    assert.strictEqual((await open('127.evil')).status, 429)
    assert.strictEqual((await open('198.51.100.6')).status, 200)
    left.abort()
  })

  it('are limited, refuse what is no position, and say their kind', async () => {
    const http = await start({}, { streamLimits: { streams: 1, perCaller: 10 } })
    const reader = read(http)
    await reader.until(isReady)
    const refused = await fetch(`${http.url}/v1/stream`)
    assert.deepEqual([refused.status, ((await refused.json()) as any).error.code], [429, 'rate_limited'])
    assert.match(refused.headers.get('retry-after')!, /^[0-9]+$/)
    await reader.close()
    while ((await fetch(`${http.url}/v1/stream`, { method: 'HEAD' })).status === 429) await sleep(20)

    for (const [query, headers] of [
      ['?after=x', {}],
      ['', { 'last-event-id': 'x' }],
      ['?after=999999999999999', {}],
    ] as const) {
      const bad = await fetch(`${http.url}/v1/stream${query}`, { headers })
      assert.deepEqual([bad.status, ((await bad.json()) as any).error.code], [400, 'invalid_cursor'], query)
    }
    const head = await fetch(`${http.url}/v1/stream`, { method: 'HEAD' })
    assert.strictEqual(head.headers.get('content-type'), 'text/event-stream')
    assert.strictEqual(head.headers.get('cache-control'), 'no-store')
    assert.strictEqual(head.headers.get('access-control-allow-origin'), '*')
    assert.isNull(head.headers.get('content-encoding'))
  })
})
