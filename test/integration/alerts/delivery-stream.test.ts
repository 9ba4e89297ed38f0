// The stream of deliveries on a real Redis, and on one that is emptied, hangs or is away.
import { assert } from 'chai'
import { createClient } from 'redis'
import type { DeliveryStream } from '../../../src/application/ports/alerts.ts'
import { openRedis, type Redis } from '../../../src/infrastructure/redis/client.ts'
import { RedisDeliveryStream, type DeliveryStreamOptions } from '../../../src/infrastructure/redis/delivery-stream.ts'
import { until } from '../../support/service/alerts.ts'
import { privateRedis, type PrivateRedis } from '../../support/stores/private-redis.ts'

const items = (...ids: string[]) => ids.map((deliveryId) => ({ deliveryId, endpoint: `of ${deliveryId}` }))
const idsOf = (entries: { deliveryId: string }[]) => entries.map(({ deliveryId }) => deliveryId)

/** Far above what an answer takes. */
const ANSWER_MS = 20_000

describe('the Redis stream of deliveries', function streams() {
  this.timeout(60_000)
  let server: PrivateRedis
  let redis: Redis
  let raw: ReturnType<typeof createClient>
  let opened: DeliveryStream[] = []
  let told: string[] = []

  before(async () => {
    server = await privateRedis()
    redis = openRedis(server.url, () => {})
    raw = createClient({ url: server.url })
    raw.on('error', () => {})
    await raw.connect()
  })

  beforeEach(() => server.command('FLUSHDB'))

  afterEach(async () => {
    await Promise.all(opened.map((stream) => stream.close()))
    opened = []
    told = []
  })

  after(async () => {
    redis.destroy()
    raw.destroy()
    await server.kill()
  })

  const open = async (consumer: string, options: Partial<DeliveryStreamOptions> = {}) => {
    const stream = new RedisDeliveryStream(redis, {
      consumer,
      name: 'd',
      answerWithin: ANSWER_MS,
      onError: () => {},
      onRepaired: (what) => {
        told.push(what)
      },
      onLost: (entries) => {
        told.push(`lost ${entries}`)
      },
      ...options,
    })
    opened.push(stream)
    await until(
      () =>
        stream.length().then(
          () => true,
          () => false,
        ),
      () => 'not connected',
    )
    return stream
  }

  it('gives published deliveries to a worker in order, and is empty once they are done', async () => {
    const stream = await open('a')
    await stream.publish(items('1', '2', '3'))
    const read = await stream.read(10, 1)
    assert.deepEqual(
      read.map(({ deliveryId, endpoint }) => ({ deliveryId, endpoint })),
      items('1', '2', '3'),
    )
    assert.strictEqual(await stream.length(), 3)
    await stream.done(read.map(({ entry }) => entry))
    assert.deepEqual([await stream.length(), await stream.read(10, 1), await stream.claim(0, 10)], [0, [], []])
    assert.strictEqual((await raw.xPending('d', 'workers')).pending, 0)
  })

  it('wakes a worker that waits', async () => {
    const stream = await open('a')
    await stream.read(1, 1)
    const reading = stream.read(10, 5_000)
    await stream.publish(items('1'))
    assert.deepEqual(idsOf(await reading), ['1'])
  })

  it('accepts thousands of deliveries at once', async () => {
    const stream = await open('a')
    await stream.publish(items(...Array.from({ length: 2_500 }, (_, index) => String(index))))
    const read = await stream.read(5_000, 1)
    assert.lengthOf(read, 2_500)
    await stream.done(read.map(({ entry }) => entry))
    assert.strictEqual(await stream.length(), 0)
  })

  it('gives each entry to one of two workers', async () => {
    const [a, b] = [await open('a'), await open('b')]
    await a.publish(items(...Array.from({ length: 100 }, (_, index) => String(index))))
    const read = (await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? a : b).read(10, 1)))).flat()
    assert.strictEqual(new Set(idsOf(read)).size, 100)
    assert.lengthOf(read, 100)
  })

  it('gives the entries of a lost worker to another one after the idle time', async () => {
    const [a, b] = [await open('a'), await open('b')]
    await a.publish(items('1', '2', '3'))
    const read = await a.read(10, 1)
    assert.deepEqual(await b.claim(60_000, 10), [])
    assert.deepEqual(await b.claim(0, 2), read.slice(0, 2))
    assert.deepEqual(await b.claim(0, 10), read)
  })

  it('skips and counts entries that were deleted while a worker had them', async () => {
    const [a, b] = [await open('a'), await open('b')]
    await a.publish(items('1', '2', '3'))
    const [first] = await a.read(10, 1)
    await raw.xDel('d', first!.entry)
    assert.deepEqual(idsOf(await b.claim(0, 10)), ['2', '3'])
    assert.include(told, 'lost 1')
    assert.lengthOf(await b.claim(0, 10), 2)
    assert.lengthOf(
      told.filter((what) => what.startsWith('lost')),
      1,
    )
  })

  it('continues after Redis was emptied, and skips nothing that was published since', async () => {
    const stream = await open('a')
    await stream.publish(items('1'))
    const read = await stream.read(10, 1)
    await server.command('FLUSHDB')
    await stream.publish(items('2', '3'))
    assert.deepEqual(idsOf(await stream.read(10, 1)), ['2', '3'])
    await stream.done(read.map(({ entry }) => entry))
    await server.command('FLUSHDB')
    assert.deepEqual(await stream.claim(0, 10), [])
    assert.include(told, 'the stream had no group')
  })

  it('continues if Redis is emptied while a worker waits', async () => {
    const stream = await open('a')
    await stream.read(1, 1)
    const reading = stream.read(10, 5_000)
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
    await server.command('FLUSHDB')
    await stream.publish(items('1'))
    assert.deepEqual(idsOf(await reading), ['1'])
  })

  it('deletes a value of another type in its place, and reports it', async () => {
    const stream = await open('a')
    for (const act of [
      () => stream.publish(items('1')),
      () => stream.read(1, 1),
      () => stream.claim(0, 1),
      () => stream.done(['1-1']),
    ]) {
      await raw.set('d', 'text')
      await act()
      assert.strictEqual(told.pop(), 'another type of value was in the place of the stream')
      assert.strictEqual(await raw.type('d'), 'stream')
    }
  })

  it('returns entries with unknown content, which can be done like others', async () => {
    const stream = await open('a')
    await raw.xAdd('d', '*', { strange: 'thing' })
    const [strange] = await stream.read(10, 1)
    assert.include(strange, { deliveryId: '', endpoint: '' })
    await stream.done([strange!.entry])
    assert.strictEqual(await stream.length(), 0)
  })

  it('removes workers that were idle for long and hold no entries', async () => {
    const [a, b, c] = [await open('a'), await open('b'), await open('c', { idleConsumerMs: 20 })]
    await a.publish(items('1', '2', '3'))
    await a.read(1, 1)
    for (const stream of [b, c]) await stream.done((await stream.read(1, 1)).map(({ entry }) => entry))
    const names = async () => (await raw.xInfoConsumers('d', 'workers')).map(({ name }) => name)
    assert.sameMembers(await names(), ['a', 'b', 'c'])
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
    await c.claim(60_000, 10)
    assert.sameMembers(await names(), ['a', 'c'])
  })

  it('rejects at once while Redis is gone, and works when it is back', async () => {
    const stream = await open('a')
    await server.kill()
    const start = performance.now()
    for (const act of [
      () => stream.publish(items('1')),
      () => stream.read(1, 1_000),
      () => stream.claim(0, 1),
      () => stream.done(['1-1']),
    ]) {
      assert.instanceOf(await act().catch((error: Error) => error), Error)
    }
    assert.isBelow(performance.now() - start, ANSWER_MS - 5_000)
    await server.start()
    await until(
      () =>
        stream.publish(items('2')).then(
          () => true,
          () => false,
        ),
      () => 'away',
    )
    // What was published without an answer in time may be there, too.
    await until(
      async () => (await stream.read(10, 100).catch(() => [])).length > 0,
      () => 'nothing read',
    )
  })

  it('limits the wait for answers, and reconnects after Redis hung', async () => {
    const stream = await open('a', { answerWithin: 500 })
    await until(
      () =>
        stream.read(1, 1).then(
          () => true,
          () => false,
        ),
      () => 'not read',
    )
    await server.pause()
    try {
      const faults = await Promise.all(
        [stream.publish(items('1')), stream.read(1, 100)].map((act) => act.catch((error: Error) => error)),
      )
      assert.deepEqual(
        faults.map((fault) => (fault as Error).message),
        ['Redis did not answer within 500 ms', 'Redis did not answer within 600 ms'],
      )
    } finally {
      await server.resume()
    }
    await until(
      () =>
        stream.publish(items('2')).then(
          () => true,
          () => false,
        ),
      () => 'away',
    )
    const read: string[] = []
    await until(
      async () => read.push(...idsOf(await stream.read(10, 100).catch(() => []))) > 0 && read.includes('2'),
      () => read,
    )
  })
})
