// Statements that fail after their output began: what they had written never reaches the answer of another statement,
// of whichever caller, and derived data stays right.
import { createClient, type ClickHouseClient } from '@clickhouse/client'
import { createChdbConnection } from 'chdb/connection'
import { assert } from 'chai'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { cleanSession } from '../../../src/infrastructure/clickhouse/connection/embedded-engine.ts'
import { sql, Sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { withDeadline } from '../../../src/infrastructure/deadline.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { TYPES } from '../../../src/container/tokens.ts'
import { call } from '../../support/http/contract-client.ts'
import { startExampleService, type ExampleService } from '../../support/http/example-service.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { freshClickHouse, type TestClickHouse } from '../../support/stores/clickhouse.ts'

const ROWS = 400_000
/** Writes some rows, then fails: what a statement returns when its output had begun is up to the engine's buffers. */
const throwing = (columns: string) => `SELECT ${columns}, throwIf(number = ${ROWS - 1}) AS failed FROM numbers(${ROWS})`
/** More rows than any time limit allows. */
const endless = (columns: string) => `SELECT ${columns}, 'of another caller' AS failed FROM numbers(1000000000000)`
const limited = (columns: string, setting: string) =>
  `SELECT ${columns}, 'of another caller' AS failed FROM numbers(${ROWS}) SETTINGS ${setting}, max_block_size = 1000`
/** Takes the more memory the later the row. */
const IN_MEMORY = "length(repeat('x', intDiv(number, 10)))"

const FAILURES: Record<string, (columns: string) => string> = {
  throwIf: throwing,
  'the time limit': (columns) => `${endless(columns)} SETTINGS max_execution_time = 0.3`,
  'the memory limit': (columns) => limited(`${columns}, ${IN_MEMORY}`, 'max_memory_usage = 30000000'),
  max_result_rows: (columns) => limited(columns, "max_result_rows = 200000, result_overflow_mode = 'throw'"),
}
/** `texts` and `tabSeparated` have settings of their own, so these statements can have none. */
const WITHOUT_SETTINGS: Record<string, (columns: string) => string> = { throwIf: throwing }

const failed = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    () => 'failed',
  )

describe('a statement that fails after its output began', function () {
  this.timeout(120_000)
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
    await clickHouse.store.command(sql`CREATE TABLE failing (number UInt64) ENGINE = MergeTree ORDER BY number`)
  })
  after(async () => {
    await clickHouse.store.command(sql`DROP TABLE failing SYNC`)
    await clickHouse.close()
  })

  const CONNECTIONS = ['work', 'callers', 'bulk'] as const
  const connections = (kind: (typeof CONNECTIONS)[number]) =>
    ({ work: clickHouse.store, callers: clickHouse.store.forCallers, bulk: clickHouse.store.forBulk })[kind]

  /** As many statements at once as there are sessions of any kind, so that each session answers. */
  const assertOwnAnswers = async (store: ClickHouse, told: string) => {
    const marks = Array.from({ length: 6 }, (_, index) => `${told} ${index}`)
    const asked = (mark: string) => sql`SELECT number AS n, ${mark} AS mark FROM numbers(3)`
    const rows = [0, 1, 2]
    await Promise.all(
      marks.flatMap((mark) => [
        store.rows(asked(mark)).then((found) =>
          assert.deepEqual(
            found,
            rows.map((n) => ({ n, mark })),
            told,
          ),
        ),
        store.arrays(asked(mark)).then((found) =>
          assert.deepEqual(
            found,
            rows.map((n) => [n, mark]),
            told,
          ),
        ),
        store.texts(asked(mark), 2, 256).then((found) =>
          assert.deepEqual(
            found,
            rows.map((n) => [`${n}`, mark]),
            told,
          ),
        ),
        store
          .tabSeparated(asked(mark), 2)
          .then((text) => assert.strictEqual(text, rows.map((n) => `${n}\t${mark}\n`).join(''), told)),
      ]),
    )
    const file = () => store.parquet(sql`SELECT number FROM numbers(5) FORMAT Parquet`)
    const [first, ...others] = await Promise.all([file(), file(), file(), file(), file()])
    for (const other of others) assert.isTrue(first.equals(other), told)
    await store.command(sql`TRUNCATE TABLE failing`)
    await store.insert('failing', [{ number: 7 }])
    assert.deepEqual(await store.rows(sql`SELECT number FROM failing`), [{ number: 7 }], told)
  }

  type Ask = (store: ClickHouse, query: string) => Promise<unknown>
  const KINDS: Record<string, { ask: Ask; failures: typeof FAILURES }> = {
    rows: { ask: (store, query) => store.rows(new Sql(query)), failures: FAILURES },
    arrays: { ask: (store, query) => store.arrays(new Sql(query)), failures: FAILURES },
    texts: { ask: (store, query) => store.texts(new Sql(query), 2, 256), failures: WITHOUT_SETTINGS },
    tabSeparated: { ask: (store, query) => store.tabSeparated(new Sql(query), 2), failures: WITHOUT_SETTINGS },
    'Parquet files': {
      ask: (store, query) => store.parquet(new Sql(`${query} FORMAT Parquet`)),
      failures: FAILURES,
    },
    'inserts of a selection': {
      ask: (store, query) =>
        store.command(new Sql(`INSERT INTO failing SELECT number FROM (${query}) WHERE failed = 0`)),
      failures: WITHOUT_SETTINGS,
    },
    'inserts of rows': {
      ask: (store) => store.insert('failing', [{ number: 1 }, { number: 'not a number' }]),
      failures: WITHOUT_SETTINGS,
    },
  }

  for (const [kind, { ask, failures }] of Object.entries(KINDS))
    for (const [failure, query] of Object.entries(failures))
      it(`by ${failure} leaves nothing in answers after it: ${kind}`, async () => {
        for (const name of CONNECTIONS) {
          const store = connections(name)
          const asked = Array.from({ length: 4 }, () => failed(ask(store, query('number'))))
          assert.deepEqual(await Promise.all(asked), ['failed', 'failed', 'failed', 'failed'], name)
          await assertOwnAnswers(store, `${kind} ${failure} ${name}`)
        }
      })

  it('for a caller that no longer waits leaves nothing in answers after it', async () => {
    const store = clickHouse.store.forCallers
    for (const ask of [KINDS.rows!.ask, KINDS.arrays!.ask, KINDS.texts!.ask, KINDS.tabSeparated!.ask]) {
      const late = Array.from({ length: 4 }, () => failed(withDeadline(700, () => ask(store, endless('number')))))
      assert.deepEqual(await Promise.all(late), ['failed', 'failed', 'failed', 'failed'])
      await assertOwnAnswers(store, 'late')
    }
  })

  it('is counted where it left something', async function () {
    const { store } = clickHouse
    if (!store.isEmbedded) this.skip()
    const before = store.faults()
    assert.strictEqual(await failed(store.rows(sql`SELECT nothing`)), 'failed')
    assert.deepEqual(store.faults(), before)
    await Promise.all(Array.from({ length: 8 }, () => failed(store.forCallers.rows(new Sql(throwing('number'))))))
    while (store.load().busy > 0) await sleep(10)
    const { uncleanSessions, badAnswers } = store.faults()
    assert.isAbove(uncleanSessions, before.uncleanSessions)
    assert.strictEqual(badAnswers, before.badAnswers)
  })

  it('gets a new session in place of one that answers no more', async function () {
    if (!clickHouse.store.isEmbedded) this.skip()
    const { path } = clickHouse.options
    const open = async () => createClient({ connection: createChdbConnection({ path: path! }) as never })
    const dead = await open()
    await dead.close()
    let tries = 0
    const reopened = async () => {
      tries += 1
      if (tries === 1) throw new Error('not now')
      return open()
    }
    const { session, hadLeftover } = await cleanSession(dead, reopened, new AbortController().signal)
    assert.deepEqual([session === dead, hadLeftover, tries], [false, true, 2])
    assert.strictEqual(await answerOf(session, `SELECT 'alive' FORMAT TabSeparated`), 'alive\n')
    await session.close()
    const closing = AbortSignal.abort()
    assert.strictEqual((await cleanSession(dead, open, closing)).session, dead)
  })

  it("is why sessions are cleaned: the engine returns its output before the session's next answer", async function () {
    if (!clickHouse.store.isEmbedded) this.skip()
    const { path } = clickHouse.options
    const session = createClient({ connection: createChdbConnection({ path: path! }) as never })
    try {
      await session.command({ query: 'SET max_threads = 1, output_format_parallel_formatting = 0' })
      assert.strictEqual(await failed(answerOf(session, `${throwing('number')} FORMAT JSONEachRow`)), 'failed')
      // Once the engine returns `mine` alone here, sessions need no cleaning any more.
      const answer = await answerOf(session, `SELECT 'mine' FORMAT TabSeparated`)
      assert.deepEqual([answer.slice(0, 11), answer.slice(-5)], ['{"number":0', 'mine\n'])
      assert.strictEqual(await answerOf(session, `SELECT 'mine' FORMAT TabSeparated`), 'mine\n')
    } finally {
      await session.close()
    }
  })
})

async function answerOf(session: ClickHouseClient, query: string): Promise<string> {
  const { stream } = await session.exec({ query })
  return Buffer.concat((await stream.toArray()) as Buffer[]).toString()
}

describe('an answer of another shape than its statement', () => {
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  it('is refused as unavailable and counted', async () => {
    const { store } = clickHouse
    const before = store.faults().badAnswers
    const refused = (asked: Promise<unknown>) =>
      asked.then(
        () => 'given',
        (error) => error.code,
      )
    const bad = [
      store.texts(sql`SELECT 1, 2`, 3, 256),
      store.texts(sql`SELECT if(number = 1, 'a\tb', 'c') FROM numbers(2)`, 1, 256),
      store.tabSeparated(sql`SELECT 1`, 2),
      store.parquet(sql`SELECT 1 FORMAT CSV`),
    ]
    assert.deepEqual(await Promise.all(bad.map(refused)), Array(bad.length).fill('unavailable'))
    assert.strictEqual(store.faults().badAnswers, before + bad.length)
    assert.deepEqual(await store.texts(sql`SELECT 1 WHERE 0`, 1, 256), [])
    assert.deepEqual(await store.texts(sql`SELECT '', ''`, 2, 256), [['', '']])
    assert.deepEqual(await store.rows(sql`SELECT 1 AS one WHERE 0`), [])
  })
})

describe('failing statements of other callers', function () {
  this.timeout(120_000)
  const filed = (number: number, shares: string, spec: object = {}) => ({
    accession: `000199900${1 + (number % 5)}-25-${String(number).padStart(6, '0')}`,
    acceptedAt: `202503${10 + (number % 15)}12${String(number % 60).padStart(2, '0')}00`,
    issuer: {
      cik: `000199900${1 + (number % 5)}`,
      name: `EXAMPLE ${1 + (number % 5)} INC`,
      tickerRaw: `EX${'ABCDE'[number % 5]}`,
    },
    owners: [{ cik: `00019991${10 + (number % 7)}`, name: `SAMPLE ${number % 7}`, isDirector: true }],
    rows: [
      { shares, price: '20' },
      { shares: '300', price: '21', code: 'S' },
    ],
    ...spec,
  })
  const filings = () => Array.from({ length: 40 }, (_, index) => filed(index, String(1_000 + index)))
  const services: TestService[] = []
  const service = async () => {
    const made = await testService(() => Date.parse('2025-03-27T20:00:00Z'))
    services.push(made)
    return made
  }
  after(async () => {
    for (const each of services) await each.close()
  })

  /** Fails on each session of these connections, after rows of the listed trades were written. */
  const fail = (store: ClickHouse, columns = '*', table = 'trades') =>
    Promise.all(
      Array.from({ length: 4 }, () =>
        failed(
          store.rows(
            new Sql(`SELECT ${columns}, throwIf(rowNumberInAllBlocks() >= 20) AS failed FROM ${table} FINAL
              SETTINGS max_block_size = 1`),
          ),
        ),
      ),
    )

  it('change nothing in what is projected meanwhile', async () => {
    const [alone, beside] = [await service(), await service()]
    const all = filings()
    await alone.take(...all)
    await beside.take(...all)
    for (let at = 0; at < 8; at += 1) {
      const later = filed(100 + at, String(5_000 + at))
      await alone.take(later)
      assert.include(await fail(beside.store), 'failed')
      await beside.take(later)
      await alone.detectSignals()
      assert.include(await fail(beside.store), 'failed')
      await beside.detectSignals()
    }
    assert.deepEqual(await beside.dump(), await alone.dump())
  })

  it('change nothing in what a projection writes that failed itself while it read', async () => {
    const [alone, beside] = [await service(), await service()]
    const all = filings()
    await alone.take(...all)
    await beside.take(...all)
    const later = [...all.keys()].slice(0, 5).map((number) => filed(200 + number, '777'))
    await alone.take(...later)
    await beside.record(...later)
    // No statement of live work may return a second row, so each that reads trades fails after the first.
    const onEachSession = (settings: string) =>
      Promise.all(Array.from({ length: 3 }, () => beside.store.command(new Sql(`SET ${settings}`))))
    if (beside.store.isEmbedded) {
      await onEachSession("max_result_rows = 1, max_block_size = 1, result_overflow_mode = 'throw'")
      await beside.project()
      while (beside.store.load().busy > 0) await sleep(10)
      await onEachSession('max_result_rows = 0, max_block_size = 65409')
      assert.lengthOf(await beside.container.get(TYPES.ledger).rejected(), later.length)
    }
    await beside.take(...later)
    await alone.detectSignals()
    await beside.detectSignals()
    assert.deepEqual(await beside.dump(), await alone.dump())
  })

  it('appear in no answer over HTTP', async () => {
    const made = await service()
    await made.take(...filings())
    await made.detectSignals()
    const http: ExampleService = await startExampleService({ queries: made.textQueries })
    try {
      const paths = [
        ...['A', 'B', 'C', 'D', 'E'].flatMap((each) => [`/v1/companies/EX${each}`, `/v1/feed?tickers=EX${each}`]),
        ...['/v1/feed', '/v1/feed?sort=value', '/v1/signals', '/v1/feed/stats', '/v1/insiders/1999112'],
      ]
      const answers = async () =>
        Promise.all(
          paths.map(async (path) => {
            const { status, body } = await call(http.url, 'GET', path)
            assert.strictEqual(status, 200, path)
            return body
          }),
        )
      const right = await answers()
      for (let round = 0; round < 10; round += 1) {
        const table = round % 2 ? 'trades' : 'transaction_lists'
        assert.include(await fail(made.store.forCallers, round % 2 ? '*' : 'key, transaction', table), 'failed')
        assert.deepEqual(await answers(), right)
      }
    } finally {
      await http.close()
    }
  })
})
