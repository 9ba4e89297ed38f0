// A request has 5 seconds in all, whichever stores it queries and however often: if one is slow or silent it gets 503
// by then, and nothing more is started for it.
import { once } from 'node:events'
import { connect } from 'node:net'
import { assert } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../../src/application/errors.ts'
import { withDeadline } from '../../../src/infrastructure/deadline.ts'
import { makeWatchlist } from '../../../src/application/commands/watchlist.ts'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { smallTable } from '../../../src/infrastructure/clickhouse/queries/shared/time-window.ts'
import { openPool, rows, transaction, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { freshClickHouse, type TestClickHouse } from '../../support/stores/clickhouse.ts'
import { startClickHouse, whyNoClickHouse, type ClickHouseServer } from '../../support/stores/clickhouse-server.ts'
import { call } from '../../support/http/contract-client.ts'
import {
  exampleKeyQueries,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { keyService, type KeyService } from '../../support/service/keys.ts'
import { startProxy, through, type Proxy } from '../../support/stores/proxy.ts'
import { statusOf } from '../../support/http/raw-http.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const MAX_MS = 5_000
/** For a busy machine. */
const MARGIN_MS = 10_000

const fault = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error) => (error instanceof ServiceError ? error.code : String(error)),
  )

async function timed<T>(work: () => Promise<T>): Promise<{ took: number; result: T }> {
  const begun = performance.now()
  const result = await work()
  return { took: performance.now() - begun, result }
}

/** Sends `body` so many milliseconds after `head`. */
async function slowExchange(port: number, head: string, body: string, laterMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).write(head)
  await sleep(laterMs)
  socket.write(body)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

describe('the deadline of a request', function () {
  this.timeout(120_000)

  const why = whyNoClickHouse()
  describe(`over a ClickHouse server${why ? ` (skipped: ${why})` : ''}`, () => {
    let server: ClickHouseServer
    let proxy: Proxy
    let service: TestService
    let http: ExampleService
    let signal: string
    before(async function () {
      if (why) this.skip()
      server = await startClickHouse()
      proxy = await startProxy(server.port)
      service = await testService(() => Date.parse('2025-03-20T20:00:00Z'), undefined, `http://127.0.0.1:${proxy.port}`)
      await service.take(
        ...[5, 6, 7, 8, 9].map((cik, index) => ({
          accession: `0001999001-25-00000${index}`,
          acceptedAt: `202503${11 + index}120000`,
          owners: [{ cik: `000000000${cik}`, name: `SAMPLE ${cik}`, isDirector: true }],
          rows: [{ shares: '2000', price: '20' }],
        })),
      )
      await service.detectSignals()
      signal = (await service.queries.signals({ limit: 1 })).signals[0]!.id
      http = await startExampleService({ queries: service.textQueries })
    })
    after(async () => {
      await http?.close()
      await proxy?.set('pass')
      await service?.close()
      await proxy?.close()
      await server?.close()
    })
    afterEach(() => proxy?.set('pass'))

    const PATHS = () => [
      '/v1/companies/exwi',
      '/v1/insiders/5',
      `/v1/signals/${signal}`,
      '/v1/feed?detail=full',
      '/v1/signals',
      '/v1/feed/stats',
    ]
    const answer = async (path: string) => {
      const {
        took,
        result: { status },
      } = await timed(() => call(http.url, 'GET', path))
      return { path, took, status }
    }

    it('does not change answers that are in time', async () => {
      for (const path of PATHS()) assert.strictEqual((await answer(path)).status, 200, path)
    })

    it('is kept if the store hangs, before the first answer and between two', async () => {
      for (const mode of ['hang', { delay: 2_700 }, { delay: 4_800 }] as const) {
        await proxy.set(mode)
        for (const { path, took, status } of await Promise.all(PATHS().map(answer))) {
          const told = `${path} ${JSON.stringify(mode)}`
          if (mode === 'hang') assert.strictEqual(status, 503, told)
          // Two statements one after the other take longer than there is.
          if (path.includes('companies')) assert.strictEqual(status, 503, told)
          assert.isBelow(took, MAX_MS + MARGIN_MS, told)
        }
        await proxy.set('pass')
      }
    })

    it('is that of a query without a request, the wait for a connection included', async () => {
      await proxy.set('hang')
      const many = Array.from({ length: 80 }, () => fault(service.store.forCallers.rows(sql`SELECT 1 AS one`)))
      const { took, result } = await timed(() => Promise.all(many))
      assert.deepEqual(new Set(result), new Set(['unavailable']))
      assert.isBelow(took, MAX_MS + MARGIN_MS)
    })

    it('is passed to the store, with what is left of it', async () => {
      const limit = (milliseconds: number) =>
        withDeadline(milliseconds, () =>
          service.store.forCallers.rows<{ seconds: number }>(
            sql`SELECT toFloat64(getSetting('max_execution_time')) AS seconds`,
          ),
        )
      assert.strictEqual((await limit(60_000))[0]!.seconds, 4)
      const { seconds } = (await limit(2_500))[0]!
      assert.isAtLeast(seconds, 1)
      assert.isAtMost(seconds, 2.5)
    })
  })

  describe('over the embedded engine, or what the run has', () => {
    let clickHouse: TestClickHouse
    before(async () => {
      clickHouse = await freshClickHouse()
    })
    after(() => clickHouse.close())
    const endless = sql`SELECT count() AS n FROM numbers(1000000000000) WHERE sipHash64(number) = 1`

    it('ends a statement for its caller and in the engine', async () => {
      const { store } = clickHouse
      const { took, result } = await timed(() => fault(withDeadline(900, () => store.forCallers.rows(endless))))
      assert.strictEqual(result, 'unavailable')
      assert.isAtLeast(took, 850)
      // Without a deadline a statement has 4 seconds.
      assert.isBelow(took, 3_500)
      for (const end = performance.now() + MARGIN_MS; store.load().busy > 0;) {
        assert.isBelow(performance.now(), end, 'a session is still busy')
        await sleep(20)
      }
    })

    it('includes the wait for a session, and no statement starts after it or shortly before', async () => {
      const { store } = clickHouse
      const others = Array.from({ length: 32 }, () => fault(withDeadline(1_500, () => store.forCallers.rows(endless))))
      const one = () => fault(store.forCallers.rows(sql`SELECT 1 AS one`))
      const { took, result } = await timed(() => withDeadline(800, one))
      assert.deepEqual([result, took < 800 + MARGIN_MS], ['unavailable', true])
      assert.deepEqual(new Set(await Promise.all(others)), new Set(['unavailable']))
      assert.strictEqual(await withDeadline(300, one), 'unavailable')
      let begun = 0
      store.observe = () => {
        begun += 1
      }
      const late = await withDeadline(20, async () => {
        await sleep(40)
        return Promise.all([one(), fault(store.command(sql`CREATE TABLE late (a Int8) ENGINE = Memory`))])
      })
      assert.deepEqual(late, ['unavailable', 'unavailable'])
      assert.strictEqual(begun, 0)
    })

    it("does not cache a table's size that did not arrive in time", async () => {
      const isSmall = smallTable(clickHouse.store, sql`numbers(200000)`)
      const first = await withDeadline(1, async () => {
        await sleep(5)
        return fault(isSmall())
      })
      assert.strictEqual(first, 'unavailable')
      assert.strictEqual(await isSmall(), false)
    })
  })

  describe('over PostgreSQL', () => {
    let keys: KeyService
    let proxy: Proxy
    let pool: Pool
    let http: ExampleService
    let key: string
    before(async () => {
      keys = await keyService()
      key = (await keys.issue()).key
      proxy = await startProxy(keys.databaseUrl)
      pool = openPool({ url: through(keys.databaseUrl, proxy), name: 'test', limits: 'callers', max: 2 })
      const container = createContainer({ pool, secretsKey: Buffer.alloc(32) })
      const watchlist = makeWatchlist(container.get(TYPES.watchlists), async () => {}, exampleQueries)
      http = await startExampleService({
        keyQueries: container.get(TYPES.keyQueries),
        watchlist,
        verifyKey: container.get(TYPES.keyVerifier).verify,
      })
      await rows(pool, 'CREATE TABLE late (a int)')
    })
    after(async () => {
      await http?.close()
      await proxy?.set('pass')
      await pool?.end()
      await proxy?.close()
      await keys?.close()
    })
    afterEach(() => proxy?.set('pass'))

    const add = (ticker: string) =>
      timed(() =>
        call(http.url, 'POST', '/v1/watchlist', { headers: { authorization: `Bearer ${key}` }, body: { ticker } }),
      )
    const stored = async () => {
      const entries = await rows<{ ticker: string }>(keys.pool, 'SELECT ticker FROM watchlist ORDER BY 1')
      return entries.map(({ ticker }) => ticker)
    }

    it('is kept if each of several statements is slow, and the transaction is rolled back', async () => {
      assert.strictEqual((await add('FIRST')).result.status, 201)
      await sleep(600)
      // Each answer within the limits of a statement, all of them together not.
      await proxy.set({ delay: 1_200 })
      const { took, result } = await add('SECOND')
      assert.strictEqual(result.status, 503)
      assert.isAtLeast(took, MAX_MS - 100)
      assert.isAtMost(took, MAX_MS + MARGIN_MS)
      await proxy.set('pass')
      await sleep(2_500)
      assert.deepEqual(await stored(), ['FIRST'])
      assert.strictEqual((await add('THIRD')).result.status, 201)
    })

    it('ends the wait for a connection and for an answer, and no statement starts after it', async () => {
      const slow = () => rows(pool, 'SELECT pg_sleep(0.5)')
      const held = [slow(), slow()]
      const insert = () => fault(rows(pool, 'INSERT INTO late VALUES (1)'))
      const { took, result } = await timed(() => withDeadline(300, insert))
      assert.deepEqual([result, took < 300 + MARGIN_MS], ['unavailable', true])
      await Promise.all(held)
      const cut = await timed(() => fault(withDeadline(300, slow)))
      assert.deepEqual([cut.result, cut.took < 300 + MARGIN_MS], ['unavailable', true])
      const late = withDeadline(300, () =>
        transaction(pool, async (connection) => {
          await rows(connection, 'INSERT INTO late VALUES (2)')
          await sleep(400)
        }),
      )
      assert.strictEqual(await fault(late), 'unavailable')
      assert.deepEqual(await rows(pool, 'SELECT a FROM late'), [])
    })
  })

  describe('over HTTP', () => {
    it('that has passed before the first statement ends that request and no other', async () => {
      const unhandled: unknown[] = []
      const noted = (reason: unknown) => void unhandled.push(reason)
      const others = process.listeners('unhandledRejection')
      process.removeAllListeners('unhandledRejection').on('unhandledRejection', noted)
      const service = await startExampleService({
        limits: { answerMs: 20 },
        verifyKey: () => sleep(40, 'example'),
        keyQueries: { ...exampleKeyQueries, watchlist: async () => Promise.reject(new Error('too late')) },
      })
      try {
        const asked = call(service.url, 'GET', '/v1/watchlist', { headers: { authorization: 'Bearer any' } })
        assert.strictEqual((await asked).status, 503)
        assert.deepEqual(unhandled, [])
      } finally {
        process.off('unhandledRejection', noted)
        for (const each of others) process.on('unhandledRejection', each)
        await service.close()
      }
    })

    it('includes everything that an answer waits for, but not the time that the caller takes to send', async () => {
      const http = await startExampleService({
        limits: { answerMs: 500 },
        keyQueries: { ...exampleKeyQueries, watchlist: () => new Promise(() => {}) },
      })
      try {
        // Makes the validator ready, which takes longer than an answer.
        await call(http.url, 'GET', '/healthz')
        const headers = { authorization: 'Bearer itd_example_notarealkey' }
        const { took, result } = await timed(() => call(http.url, 'GET', '/v1/watchlist', { headers }))
        assert.strictEqual(result.status, 503)
        assert.isBelow(took, 500 + MARGIN_MS)
        const body = '{"ticker":"EXMP"}'
        const head = [
          'POST /v1/watchlist HTTP/1.1',
          'Host: a',
          'Connection: close',
          'Content-Type: application/json',
          `Authorization: ${headers.authorization}`,
          `Content-Length: ${body.length}`,
        ]
        const slowly = await slowExchange(http.port, `${head.join('\r\n')}\r\n\r\n`, body, 800)
        assert.strictEqual(statusOf(slowly), 201)
      } finally {
        await http.close()
      }
    })
  })
})
