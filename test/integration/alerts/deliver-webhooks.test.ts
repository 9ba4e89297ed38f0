// The complete path of an alert: outbox, relay, stream, worker, sender and receiver, with failing stores. Only timeouts
// are shorter than in the service.
import { assert } from 'chai'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { Webhook } from 'standardwebhooks'
import { DELIVERY_SETTINGS } from '../../../src/application/alerts/delivery-worker.ts'
import { RELAY_SETTINGS } from '../../../src/application/alerts/relay-outbox.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { openRedis, type Redis } from '../../../src/infrastructure/redis/client.ts'
import { openAddressGuard } from '../../../src/infrastructure/webhooks/address-guard.ts'
import { HttpWebhookSender } from '../../../src/infrastructure/webhooks/sender.ts'
import { addDeliveries, addKey, deliveryStates, until, WEBHOOK_SECRET } from '../../support/service/alerts.ts'
import { deliver } from '../../support/service/delivering.ts'
import { privateRedis, type PrivateRedis } from '../../support/stores/private-redis.ts'
import { answers, hangs, holds, receivers, type Receivers } from '../../support/webhooks/receivers.ts'
import { stores } from '../../support/stores/stores.ts'

const DEADLINE_MS = 5_000
const WORKER = { ...DELIVERY_SETTINGS, leaseSeconds: 8, claimIdleMs: 1_500, claimEveryMs: 300, readMs: 200 }
/** For receivers that are let go by the test and not by time, which depends on the stores. */
const NEVER_MS = 100_000
const PATIENT = { ...WORKER, leaseSeconds: 120 }
const RELAY = { ...RELAY_SETTINGS, pollMs: 200, sweepEveryMs: 300, sweepSeconds: 2 }

describe('delivering webhooks', function delivering() {
  this.timeout(60_000)
  let databaseUrl: string
  let pool: Pool
  let server: PrivateRedis
  let redis: Redis
  let targets: Receivers
  let running: ReturnType<typeof deliver>[] = []
  let registry = new Registry()
  let logged: string[] = []

  before(async () => {
    databaseUrl = (await stores()).databaseUrl
    pool = openPool({ url: databaseUrl, name: 'test', max: 12 })
    server = await privateRedis()
    redis = openRedis(server.url, () => {})
  })

  beforeEach(async () => {
    await server.command('FLUSHDB')
    await pool.query('TRUNCATE api_keys, events CASCADE')
    await addKey(pool, 'k1')
    targets = await receivers()
    registry = new Registry()
    logged = []
  })

  afterEach(async () => {
    await Promise.all(running.map((each) => each.stop()))
    running = []
    await targets.close()
  })

  after(async () => {
    redis.destroy()
    await pool.end()
    await server.kill()
  })

  const start = (worker = WORKER, deadlineMs = DEADLINE_MS, relay = RELAY) => {
    const guard = openAddressGuard({ allowHttp: true, allowHosts: ['127.0.0.1'] })
    const sender = new HttpWebhookSender({ guard, version: '0.0.0', deadlineMs })
    const started = deliver({
      databaseUrl,
      pool,
      redis,
      registry: running.length === 0 ? registry : new Registry(),
      log: pino(
        { level: 'warn' },
        {
          write: (line: string) => {
            logged.push(line)
          },
        },
      ),
      sender,
      timings: { worker, relay, stream: { answerWithin: 1_000 } },
    })
    running.push(started)
    return started
  }
  const add = (paths: string[], by = pool) =>
    addDeliveries(
      by,
      paths.map((path) => ({ url: targets.url(path) })),
    )
  const counts = async (ids: string[]) => Object.groupBy(await deliveryStates(pool, ids), ({ status }) => status)
  const delivered = async (ids: string[], by = pool) => {
    let left: unknown = null
    await until(
      async () => {
        left = (await deliveryStates(by, ids)).filter(({ status }) => status !== 'delivered')
        return (left as unknown[]).length === 0
      },
      () => left,
    )
  }
  /** On a machine that stands still for a second Redis may be told as away; PostgreSQL has no such limit. */
  const assertNoFaultOfPostgres = () =>
    assert.deepEqual(
      logged.filter((line) => ['leasing', 'recording attempts', 'the outbox'].includes(JSON.parse(line).what ?? '')),
      [],
      logged.join(''),
    )
  const receivedIds = () => targets.received.map(({ id }) => id)
  const spread = (count: number, paths: number) => Array.from({ length: count }, (_, index) => `/${index % paths}`)
  const soon = () =>
    pool.query(`UPDATE deliveries SET next_attempt_at = now() WHERE status = 'waiting' AND attempts > 0`)

  it('sends each delivery once, signed, with the body of the contract', async () => {
    start(PATIENT, NEVER_MS)
    const ids = await add(spread(500, 20))
    const [named] = await addDeliveries(pool, [{ url: targets.url('/named'), ticker: 'BRK-B' }])
    await delivered([...ids, named!])
    assert.lengthOf(receivedIds(), 501)
    assert.sameMembers(receivedIds(), [...ids, named])
    const { body } = targets.received.find(({ id }) => id === named)!
    assert.match(
      body,
      new RegExp(
        `^\\{"id":"${named}","type":"transaction.created","createdAt":"2026-11-20T14:03:02Z",` +
          `"data":\\{"ticker":"BRK-B","companyName":"Example \\d+"\\}\\}$`,
      ),
    )
    // Entries are acknowledged after the results are in PostgreSQL.
    await until(
      async () => (await server.command('XLEN', 'deliveries')) === 0,
      () => 'entries left',
    )
    assertNoFaultOfPostgres()
  })

  it('signs with the present and the former secret, so that receivers can verify', async () => {
    const before = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    await pool.query(`INSERT INTO former_webhook_secrets SELECT id, $1, now() + interval '1 d' FROM api_keys`, [
      Buffer.from(before),
    ])
    start()
    const [id] = await add(['/'])
    await delivered([id!])
    const { headers, body } = targets.received[0]!
    for (const secret of [WEBHOOK_SECRET, before]) {
      assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), JSON.parse(body))
    }
    assert.throws(() => new Webhook(WEBHOOK_SECRET).verify(`${body} `, headers as Record<string, string>))
  })

  it('delivers what waits when it starts and what comes later, even without a notification', async () => {
    const before = await add(spread(30, 3))
    start(PATIENT, NEVER_MS)
    await delivered(before)
    const [id] = await add(['/later'])
    await delivered([id!])
    await pool.query(
      `INSERT INTO deliveries (id, event_id, key_id, url)
       SELECT 'evt_silent', event_id, key_id, url FROM deliveries WHERE id = $1`,
      [id],
    )
    await delivered(['evt_silent'])
    assert.lengthOf(receivedIds(), 32)
  })

  it('limits concurrent requests to one address', async () => {
    const { behaviour, held, release } = holds()
    targets.behave('/slow', behaviour)
    start(PATIENT, NEVER_MS)
    const ids = await add(Array.from({ length: 60 }, () => '/slow'))
    await until(
      () => held.length === 8,
      () => held.length,
    )
    await delivered(await add(['/other']))
    assert.strictEqual(targets.atOnce('/slow'), 8)
    release()
    await delivered(ids)
    assert.strictEqual(targets.atOnce('/slow'), 8)
  })

  it('retries a failing receiver with one delivery at a time, and delivers all once it recovers', async () => {
    targets.behave('/ill', answers(500))
    start()
    const ids = await add(Array.from({ length: 40 }, () => '/ill'))
    await until(
      () => targets.received.length >= 10,
      () => targets.received.length,
    )
    const states = await deliveryStates(pool, ids)
    for (const { status } of states) assert.strictEqual(status, 'waiting')
    assert.deepEqual(
      states.filter(({ attempts }) => attempts > 1),
      [],
    )
    targets.behave('/ill', answers(200))
    await until(
      async () => {
        await soon()
        return (await counts(ids)).delivered?.length === 40
      },
      () => 'not all',
    )
    const firstRound = targets.received.slice(0, 8).map(({ id }) => id)
    for (const id of firstRound)
      assert.lengthOf(
        receivedIds().filter((each) => each === id),
        2,
        id,
      )
    assert.deepEqual((await pool.query('SELECT failing_since FROM endpoints')).rows, [{ failing_since: null }])
  })

  it('delivers to others while a receiver hangs', async () => {
    const { behaviour, held, release } = holds()
    targets.behave('/0', behaviour)
    start({ ...PATIENT, slots: 16 }, NEVER_MS)
    const ids = await add(spread(400, 20))
    await delivered(ids.filter((_, index) => index % 20 !== 0))
    // However long all the others took, those requests are still open.
    assert.deepEqual([held.length, targets.atOnce('/0')], [8, 8])
    assert.deepEqual(
      held.filter(({ destroyed }) => destroyed),
      [],
    )
    release()
    await delivered(ids)
  })

  it('delivers to others while more receivers hang than it has slots', async () => {
    const { behaviour, held, release } = holds()
    for (let path = 0; path < 30; path += 1) targets.behave(`/hangs/${path}`, behaviour)
    start({ ...PATIENT, slots: 8, slowMs: 100, sockets: 100 }, NEVER_MS)
    const hanging = await add(Array.from({ length: 30 }, (_, path) => `/hangs/${path}`))
    await until(
      () => held.length === 30,
      () => held.length,
    )
    await delivered(await add(spread(200, 10)))
    assert.deepEqual(
      (await deliveryStates(pool, hanging)).filter(({ attempts, status }) => attempts > 0 || status !== 'waiting'),
      [],
    )
    assert.deepEqual(
      held.filter(({ destroyed }) => destroyed),
      [],
    )
    release()
    await delivered(hanging)
  })

  it('uses all of its slots if receivers are slow', async () => {
    let [now, most] = [0, 0]
    for (let path = 0; path < 40; path += 1)
      targets.behave(`/${path}`, (response) => {
        now += 1
        most = Math.max(most, now)
        setTimeout(() => {
          now -= 1
          response.writeHead(200).end()
        }, 150)
      })
    start({ ...PATIENT, slots: 4, slowMs: NEVER_MS, sockets: 100 }, NEVER_MS)
    await delivered(await add(spread(120, 40)))
    assert.strictEqual(most, 4)
  })

  it('sends one request at a time to a receiver that keeps hanging', async () => {
    targets.behave('/hangs', hangs)
    start(WORKER, 300)
    const ids = await add(Array.from({ length: 30 }, () => '/hangs'))
    await until(
      async () => (await deliveryStates(pool, ids)).filter(({ attempts }) => attempts > 0).length >= 8,
      () => 'not yet',
    )
    targets.forgetMost('/hangs')
    const seen = targets.received.length
    await until(
      () => targets.received.length >= seen + 4,
      () => targets.received.length,
    )
    assert.strictEqual(targets.atOnce('/hangs'), 1)
  })

  it('disables an address that answers 410, and logs only its host', async () => {
    targets.behave('/gone?token=secret', answers(410))
    start()
    const ids = await add(Array.from({ length: 20 }, () => '/gone?token=secret'))
    await until(
      async () => (await counts(ids)).dead?.length === 20,
      () => logged,
    )
    assert.isAtMost(targets.received.length, 8)
    const lines = logged.map((line) => JSON.parse(line) as { msg: string })
    const told = lines.filter(({ msg }) => msg === 'webhook address disabled')
    assert.lengthOf(told, 1, logged.join(''))
    assert.include(told[0] as object, { keyId: 'k1', host: new URL(targets.url('/')).host })
    assertNoFaultOfPostgres()
    assert.notInclude(logged.join(''), 'secret')
    const metrics = await registry.metrics()
    assert.match(metrics, /webhook_addresses\{state="disabled"\} 1/)
    assert.match(metrics, /webhook_deliveries\{state="dead"\} 20/)
    assert.match(metrics, /webhook_attempts_total\{outcome="refused"\} [1-8]\n/)
    assert.match(metrics, /webhook_oldest_due_seconds 0/)
  })

  it('counts attempts that PostgreSQL refuses to record, so that no delivery is sent without end', async () => {
    // Whatever the reason, as where an answer or an address is something that a column or an index can't hold.
    await pool.query(`ALTER TABLE delivery_attempts ADD CONSTRAINT test_refusal CHECK (status < 500 AND status <> 202)`)
    await pool.query(`ALTER TABLE endpoints ADD CONSTRAINT test_refusal CHECK (url NOT LIKE '%/gone')`)
    try {
      targets.behave('/ill', answers(503))
      targets.behave('/accepts', answers(202))
      targets.behave('/gone', answers(410))
      start({ ...WORKER, leaseSeconds: 1 }, DEADLINE_MS, { ...RELAY, sweepSeconds: 1 })
      const ids = await add(['/ill', '/accepts', '/gone', '/'])
      let states: Awaited<ReturnType<typeof deliveryStates>> = []
      await until(
        async () => {
          await soon()
          states = await deliveryStates(pool, ids)
          return states.every(({ status }) => status !== 'waiting')
        },
        () => states,
      )
      const sent = (id: string) => receivedIds().filter((each) => each === id).length
      assert.deepEqual(
        states.map(({ id, status, attempts, reason }) => [status, attempts, sent(id), reason]),
        [
          ['dead', 8, 8, '8 attempts failed'],
          ['delivered', 1, 1, null],
          ['dead', 1, 1, 'the address answered 410'],
          ['delivered', 1, 1, null],
        ],
      )
    } finally {
      for (const table of ['delivery_attempts', 'endpoints'])
        await pool.query(`ALTER TABLE ${table} DROP CONSTRAINT test_refusal`)
    }
  })

  it('delivers all if Redis is emptied repeatedly', async () => {
    start()
    targets.behave('/0', (response) => {
      setTimeout(() => response.writeHead(200).end(), 20)
    })
    const ids: string[] = []
    for (let round = 0; round < 8; round += 1) {
      ids.push(...(await add(spread(60, 5))))
      await server.command('FLUSHDB')
    }
    await delivered(ids)
    assert.strictEqual(new Set(receivedIds()).size, 480)
  })

  it('delivers all while Redis is gone, and when it is back', async () => {
    start()
    await delivered(await add(['/first']))
    const ids = await add(spread(200, 5))
    await server.kill()
    try {
      ids.push(...(await add(spread(200, 5))))
      await delivered(ids)
    } finally {
      await server.start()
    }
    const later = await add(spread(100, 5))
    await delivered(later)
    assert.deepEqual(new Set(receivedIds()), new Set(receivedIds().slice(0, 1).concat(ids, later)))
  })

  it('delivers all while Redis hangs', async () => {
    start()
    await delivered(await add(['/first']))
    await server.pause()
    try {
      await delivered(await add(spread(100, 5)))
    } finally {
      await server.resume()
    }
  })

  it('delivers all if PostgreSQL closes connections', async () => {
    start()
    const ids: string[] = []
    const admin = openPool({ url: databaseUrl, name: 'admin', max: 1, onError: () => {} })
    for (let round = 0; round < 5; round += 1) {
      // By the connection that stays: the others may not know yet that they were ended.
      ids.push(...(await add(spread(100, 5), admin)))
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
      await new Promise((resolve) => {
        setTimeout(resolve, 100)
      })
    }
    await delivered(ids, admin)
    await admin.end()
    assert.strictEqual(new Set(receivedIds()).size, 500)
  })

  it('takes over the deliveries of a worker that died', async () => {
    const ids = await add(spread(40, 4))
    // It read all of them from the stream and leased them, and nobody hears of it again.
    await server.command('XGROUP', 'CREATE', 'deliveries', 'workers', '0', 'MKSTREAM')
    for (const id of ids) await server.command('XADD', 'deliveries', '*', 'deliveryId', id, 'endpoint', 'e')
    await server.command('XREADGROUP', 'GROUP', 'workers', 'dead', 'COUNT', '100', 'STREAMS', 'deliveries', '>')
    await pool.query(
      `UPDATE deliveries SET published_at = now(), lease = 'of the dead', leased_until = now() + interval '1 s'`,
    )
    start(PATIENT, NEVER_MS)
    await delivered(ids)
    assert.lengthOf(receivedIds(), 40)
    assert.sameMembers(receivedIds(), ids)
    await until(
      async () => (await server.command('XLEN', 'deliveries')) === 0,
      () => 'entries left',
    )
  })

  it('keeps to the maximum length of the stream, however much waits', async () => {
    const ids = await add(spread(2_000, 10))
    start(PATIENT, NEVER_MS, { ...RELAY, batch: 40, streamLength: 100 })
    const lengths: number[] = []
    await until(
      async () => {
        lengths.push(Number(await server.command('XLEN', 'deliveries')))
        return (await counts(ids)).delivered?.length === 2_000
      },
      () => lengths,
    )
    assert.isAtMost(Math.max(...lengths), 140)
    assert.lengthOf(receivedIds(), 2_000)
  })

  it('leaves deliveries that exceed its queues to the sweep', async () => {
    targets.behave('/slow', (response) => {
      setTimeout(() => response.writeHead(200).end(), 30)
    })
    start({ ...PATIENT, queued: 20, queuedPerEndpoint: 5 }, NEVER_MS, {
      ...RELAY,
      sweepEveryMs: 100,
      sweepSeconds: 0.3,
    })
    const ids = await add(Array.from({ length: 40 }, () => '/slow'))
    await delivered(ids)
    assert.lengthOf(receivedIds(), 40)
    assert.sameMembers(receivedIds(), ids)
  })

  it('can be shared by two workers, and sends nothing twice', async () => {
    start(PATIENT, NEVER_MS)
    start(PATIENT, NEVER_MS)
    const ids = await add(spread(800, 40))
    await delivered(ids)
    assert.lengthOf(receivedIds(), 800)
    assert.sameMembers(receivedIds(), ids)
  })

  it('stops cleanly under load: it records what was sent, and the next worker continues at once', async () => {
    for (let path = 0; path < 5; path += 1) {
      targets.behave(`/${path}`, (response) => {
        setTimeout(() => response.writeHead(200).end(), 100)
      })
    }
    const first = start(PATIENT, NEVER_MS)
    const ids = await add(spread(300, 5))
    await until(
      () => targets.received.length > 60,
      () => targets.received.length,
    )
    await first.stop()
    const states = await deliveryStates(pool, ids)
    assert.deepEqual(
      states.filter(({ is_leased }) => is_leased),
      [],
    )
    assert.sameMembers(
      states.filter(({ status }) => status === 'delivered').map(({ id }) => id),
      receivedIds(),
    )
    assert.deepEqual(
      states.filter(({ status, is_published }) => status === 'waiting' && is_published),
      [],
    )
    start(PATIENT, NEVER_MS)
    await delivered(ids)
    assert.lengthOf(receivedIds(), 300)
  })
})
