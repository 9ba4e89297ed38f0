// Cursors with arbitrary content and a correct checksum, over HTTP and a real ClickHouse: those that the service could
// have made are answered, all others are 400 invalid_cursor.
import { createHash } from 'node:crypto'
import { assert } from 'chai'
import fc from 'fast-check'
import { makeFilingsQuery } from '../../../src/application/queries/filings/filings.ts'
import { clickHouseQueries } from '../../../src/infrastructure/clickhouse/queries/queries.ts'
import { freshClickHouse, NOTHING_KEPT, type TestClickHouse } from '../../support/stores/clickhouse.ts'
import { compute } from '../../support/workers/shared-workers.ts'
import { call } from '../../support/http/contract-client.ts'
import { exampleQueries, startExampleService, type ExampleService } from '../../support/http/example-service.ts'

interface List {
  path: string
  of: string
  isKey(key: unknown[]): boolean
  good: unknown[]
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32
const isName = (value: unknown) =>
  typeof value === 'string' && value.length > 0 && value.length <= 128 && !/[^\w-]/.test(value)
const LISTS: List[] = [
  {
    path: '/v1/feed',
    of: 'feed:',
    good: [1_700_000_000, '0001999001-24-000001', 1],
    isKey: (key) => key.length === 3 && isCount(key[0]) && isName(key[1]) && isCount(key[2]),
  },
  {
    path: '/v1/signals',
    of: 'signals::',
    good: [1_700_000_000, 'ceo_trade-1999001-1999002-2024-05-01'],
    isKey: (key) => key.length === 2 && isCount(key[0]) && isName(key[1]),
  },
  {
    path: '/v1/filings',
    of: `filings:${hashOf(JSON.stringify([null, null, null, null, null])).slice(0, 16)}`,
    good: [1_700_000_000, '0001999001-24-000001'],
    isKey: (key) => key.length === 2 && isCount(key[0]) && isName(key[1]),
  },
]

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function forged(payload: string): string {
  const checksum = hashOf(`cursor-1${payload}`).slice(0, 8)
  return Buffer.from(checksum + payload).toString('base64url')
}

// What other languages and clients make of a place, at the edges of what a column holds and beyond.
const part = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    'x',
    '',
    '0',
    '1700000000',
    'a\0b',
    '\ud800',
    "' OR 1=1 --",
    '\\',
    'é',
    [],
    {},
    [1],
    0,
    -0,
    1,
    1.5,
    -1,
    1e300,
    -1e300,
    2 ** 32 - 1,
    2 ** 32,
    2 ** 53,
    8.64e15,
    1_700_000_000,
    '0001999001-24-000001',
    'a'.repeat(129),
  ),
  fc.double(),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.jsonValue({ maxDepth: 2 }),
)

describe('forged cursors', function () {
  this.timeout(60_000)
  let clickHouse: TestClickHouse
  let http: ExampleService
  before(async () => {
    clickHouse = await freshClickHouse()
    const queries = clickHouseQueries(clickHouse.store, Date.now, NOTHING_KEPT, compute)
    // No filing is stored, so none has a time to look up.
    const records = { find: async () => null, timeBases: async () => new Map<string, string>() }
    const filings = makeFilingsQuery(records, queries.filingAnalytics)
    http = await startExampleService({ queries: { ...exampleQueries, ...queries, filings } })
  })
  after(async () => {
    await http?.close()
    await clickHouse?.close()
  })

  const answer = async (path: string, payload: string) => {
    const { status, body } = await call(http.url, 'GET', `${path}?cursor=${forged(payload)}`)
    return status === 200 ? '200' : `${status} ${body.error.code}`
  }

  for (const { path, of, good, isKey } of LISTS) {
    const isGood = (payload: string) => {
      try {
        const [madeFor, ...key] = JSON.parse(payload)
        return madeFor === of && isKey(key) && forged(payload).length <= 400
      } catch {
        return false
      }
    }
    const check = async (payload: string) => {
      const expected = isGood(payload) ? '200' : '400 invalid_cursor'
      assert.strictEqual(await answer(path, payload), expected, JSON.stringify(payload))
    }

    it(`${path} accepts cursors that it could have made itself`, async () => {
      for (const at of [0, 1, 2 ** 31, 2 ** 32 - 1]) {
        assert.strictEqual(await answer(path, JSON.stringify([of, at, ...good.slice(1)])), '200', String(at))
      }
    })

    it(`${path} refuses arbitrary payloads`, async () => {
      for (const payload of [
        '',
        'null',
        '{}',
        '[]',
        '0',
        '""',
        '[',
        'x',
        '\0',
        '[null]',
        `["${of}"]`,
        '{"0":"x","length":4}',
        JSON.stringify({ ...[of, ...good] }),
        JSON.stringify([of, ...good, 1]),
        JSON.stringify(['other', ...good]),
        `${JSON.stringify([of, ...good])} x`,
        '['.repeat(200),
        JSON.stringify([of, '__proto__', ...good]),
      ]) {
        await check(payload)
      }
      await fc.assert(fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), check), { numRuns: 300 })
    })

    it(`${path} refuses arbitrary places of a list of its own`, async () => {
      const changed = fc.tuple(fc.nat(good.length - 1), part).map(([place, value]) => good.with(place, value))
      for (const places of [fc.array(part, { maxLength: 5 }), changed]) {
        await fc.assert(
          fc.asyncProperty(places, (place) => check(JSON.stringify([of, ...place]))),
          { numRuns: 300 },
        )
      }
    })
  }
})
