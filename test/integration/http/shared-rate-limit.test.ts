// One rate limit of several processes, which count in one Redis, or each alone while Redis is away.
import { assert } from 'chai'
import { createClient } from 'redis'
import { requestCounter, type CountRequest } from '../../../src/infrastructure/http/rate-limit/limit-rate.ts'
import { privateRedis, type PrivateRedis } from '../../support/stores/private-redis.ts'
import { until } from '../../support/service/alerts.ts'

type Client = ReturnType<typeof createClient>

describe('a rate limit of several processes', () => {
  let redis: PrivateRedis
  const clients: Client[] = []

  before(async () => {
    redis = await privateRedis()
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy()
    await redis.command('FLUSHDB')
  })
  after(() => redis?.kill())

  /** Returns what counts in a process, with a connection of its own as there. */
  async function processOf(requests: number, { seconds = 60, maxWaitMs = 10_000 } = {}): Promise<CountRequest> {
    const client: Client = createClient({
      url: redis.url,
      socket: { reconnectStrategy: 50 },
      disableOfflineQueue: true,
    })
    clients.push(client)
    await client.on('error', () => {}).connect()
    return requestCounter({ requests, seconds }, client, maxWaitMs)
  }

  const ask = async (count: CountRequest) => (await count({ keyId: 'a', address: '192.0.2.1' }))!
  const leftOf = async (count: CountRequest) => Number(/r=(\d+)/.exec((await ask(count)).headers.RateLimit!)![1])

  async function admitted(count: CountRequest, most: number): Promise<number> {
    for (let number = 0; number < most; number += 1) if ((await ask(count)).refused) return number
    return most
  }

  it('keeps a small limit exactly, however fast requests alternate between them', async () => {
    const processes = [await processOf(5), await processOf(5), await processOf(5)]

    const replies = []
    for (let turn = 0; turn < 9; turn += 1) replies.push(await ask(processes[turn % 3]!))

    assert.deepEqual(
      replies.map(({ refused }) => refused),
      [...Array(5).fill(false), ...Array(4).fill(true)],
    )
    assert.deepEqual(
      replies.slice(0, 6).map(({ headers }) => headers.RateLimit!.split(';')[1]),
      ['r=4', 'r=3', 'r=2', 'r=1', 'r=0', 'r=0'],
    )
  })

  it('keeps it for concurrent requests too', async () => {
    const processes = [await processOf(5), await processOf(5)]

    const replies = await Promise.all(Array.from({ length: 20 }, (_, turn) => ask(processes[turn % 2]!)))

    assert.lengthOf(
      replies.filter(({ refused }) => !refused),
      5,
    )
  })

  it('counts all of their requests together', async () => {
    const processes = await Promise.all([1, 2, 3].map(() => processOf(1_000)))

    const counts = await Promise.all(processes.map((count) => admitted(count, 1_000)))

    assert.strictEqual(
      counts.reduce((total, each) => total + each),
      1_000,
    )
  })

  it('does not query Redis for a caller above its limit', async () => {
    const count = await processOf(1)
    await ask(count)
    await redis.kill()
    try {
      assert.isTrue((await ask(count)).refused)
    } finally {
      await redis.start()
    }
  })

  it('begins windows at the same time in every process', async () => {
    const [one, other] = [await processOf(2, { seconds: 5 }), await processOf(2, { seconds: 5 })]
    assert.isFalse((await ask(one)).refused)
    assert.isFalse((await ask(other)).refused)
    assert.isTrue((await ask(one)).refused)

    await until(
      async () => !(await ask(other)).refused,
      () => 'refused',
    )

    // Its window ends as much later as its last answer from Redis took.
    await until(
      async () => !(await ask(one)).refused,
      () => 'refused',
    )
    assert.isTrue((await ask(one)).refused)
  })

  it('begins a new window if a clock that was ahead made the present one too long', async () => {
    const [one, other] = [await processOf(1), await processOf(1)]
    assert.isFalse((await ask(one)).refused)
    await redis.command('PEXPIRE', 'rate:key:a', String(86_400_000))

    const { refused, headers } = await ask(other)

    assert.isFalse(refused)
    assert.isAtMost(Number(/t=(\d+)/.exec(headers.RateLimit!)![1]), 60)
    assert.isTrue((await ask(other)).refused)
  })

  for (const mode of ['kill', 'pause'] as const) {
    const state = mode === 'kill' ? 'away' : 'hanging'
    it(`counts in each process while Redis is ${state}, and together after`, async () => {
      const [one, other] = [await processOf(20, { maxWaitMs: 100 }), await processOf(20, { maxWaitMs: 100 })]
      assert.strictEqual(await leftOf(one), 19)

      await redis[mode]()
      assert.strictEqual(await leftOf(one), 19)
      assert.strictEqual(await leftOf(one), 18)
      assert.strictEqual(await leftOf(other), 19)
      await redis[mode === 'kill' ? 'start' : 'resume']()

      // Until both are connected again each counts alone.
      let left = 20
      await until(
        async () => {
          const before = await leftOf(one)
          left = await leftOf(other)
          return left === before - 1
        },
        () => left,
      )
    })
  }
})
