// Webhooks that a key's holder requests, through PostgreSQL, Redis, a worker and a receiver.
import { assert } from 'chai'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { Webhook } from 'standardwebhooks'
import { DELIVERY_SETTINGS } from '../../../src/application/alerts/delivery-worker.ts'
import { RELAY_SETTINGS } from '../../../src/application/alerts/relay-outbox.ts'
import { makeSendOnRequest, type SendOnRequest } from '../../../src/application/commands/send-on-request.ts'
import { PostgresRequestedSends } from '../../../src/infrastructure/postgres/alerts/requested-sends.ts'
import { showKeyDelivery } from '../../../src/infrastructure/postgres/queries/key-deliveries.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { openRedis, type Redis } from '../../../src/infrastructure/redis/client.ts'
import { openAddressGuard } from '../../../src/infrastructure/webhooks/address-guard.ts'
import { HttpWebhookSender } from '../../../src/infrastructure/webhooks/sender.ts'
import { schemaFaults } from '../../support/http/contract-client.ts'
import { addDeliveries, addKey, until, WEBHOOK_SECRET } from '../../support/service/alerts.ts'
import { deliver } from '../../support/service/delivering.ts'
import { privateRedis, type PrivateRedis } from '../../support/stores/private-redis.ts'
import { answers, holds, receivers, type Receivers } from '../../support/webhooks/receivers.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { webhookBodies } from '../../../src/application/alerts/webhook-body.ts'
import { FORMATS, type Format, type RuleSettings } from '../../../src/application/ports/alerts.ts'
import { PostgresAlertRules } from '../../../src/infrastructure/postgres/alerts/alert-rules.ts'
import { stores } from '../../support/stores/stores.ts'

const WORKER = { ...DELIVERY_SETTINGS, leaseSeconds: 8, claimIdleMs: 1_500, claimEveryMs: 300, readMs: 200 }
const RELAY = { ...RELAY_SETTINGS, pollMs: 200, sweepEveryMs: 300, sweepSeconds: 2 }

describe('webhooks sent on request', function () {
  this.timeout(60_000)
  let databaseUrl: string
  let pool: Pool
  let server: PrivateRedis
  let redis: Redis
  let targets: Receivers
  let sends: SendOnRequest
  let running: ReturnType<typeof deliver>[] = []

  before(async () => {
    databaseUrl = (await stores()).databaseUrl
    pool = openPool({ url: databaseUrl, name: 'test', max: 12 })
    server = await privateRedis()
    redis = openRedis(server.url, () => {})
    sends = makeSendOnRequest(new PostgresRequestedSends(pool), { delivery }, (ms) => sleep(ms))
  })
  beforeEach(async () => {
    await server.command('FLUSHDB')
    await pool.query('TRUNCATE api_keys, events CASCADE')
    await addKey(pool, 'k1')
    targets = await receivers()
    await pool.query(`INSERT INTO watchlist (key_id, ticker, webhook_url) VALUES ('k1', 'EXWI', $1)`, [
      targets.url('/a'),
    ])
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

  /** For a send that the test lets go and not time, which depends on the stores. */
  const startPatient = () => start({ ...WORKER, leaseSeconds: 120 }, 100_000)
  const start = (worker = WORKER, deadlineMs = 5_000) => {
    const guard = openAddressGuard({ allowHttp: true, allowHosts: ['127.0.0.1'] })
    const sender = new HttpWebhookSender({ guard, version: '0.0.0', deadlineMs })
    const log = pino({ level: 'silent' })
    const timings = { worker, relay: RELAY, stream: { answerWithin: 1_000 } }
    running.push(deliver({ databaseUrl, pool, redis, registry: new Registry(), log, sender, timings }))
  }
  const delivery = (keyId: string, id: string) => showKeyDelivery(pool, keyId, id, webhookBodies(null))
  const becomes = (id: string, status: string) =>
    until(
      async () => (await delivery('k1', id))!.status === status,
      () => `${id} is not ${status}`,
    )
  const receipts = (id: string) => targets.received.filter((each) => each.id === id).length

  it('send a signed test of an entry, with the body that is shown', async () => {
    start()
    const { id, status, attemptsMade } = await sends.test('k1', 'exwi')
    assert.deepEqual([status, attemptsMade[0]!.status], ['delivered', 204])
    await becomes(id, 'delivered')

    const { headers, body } = targets.received[0]!
    assert.deepEqual(new Webhook(WEBHOOK_SECRET).verify(body, headers as Record<string, string>), JSON.parse(body))
    assert.deepEqual(schemaFaults('/components/schemas/TestEvent', JSON.parse(body)), [])
    assert.strictEqual((await delivery('k1', id))!.body, body)
    assert.strictEqual(JSON.parse(body).data.ticker, 'EXWI')
  })

  it('send a signed test of an alert in its format, and show the attempt', async () => {
    start()
    const rules = new PostgresAlertRules(pool)
    const id = 'alr_00000000000000000001'
    const settings = (format: Format, path: string): RuleSettings => ({
      ...{ name: 'Mine & <yours>', enabled: false, events: ['signal.detected'], filter: {}, detail: false },
      ...{ signalTypes: null, minSeverity: null, destination: { url: targets.url(path), format } },
    })
    await rules.add('k1', id, settings('slack', '/chat'), 10)
    for (const format of FORMATS) {
      await rules.replace('k1', id, settings(format, '/chat'))
      const sent = await sends.testAlert('k1', id)
      assert.deepInclude(sent, { alertId: id, format, event: 'test' })
      assert.strictEqual(sent.attemptsMade[0]!.status, 204)
      const { headers, body } = targets.received.find((each) => each.id === sent.id)!
      assert.strictEqual(body, sent.body)
      assert.deepEqual(new Webhook(WEBHOOK_SECRET).verify(body, headers as Record<string, string>), JSON.parse(body))
      if (format === 'standard') assert.deepEqual(schemaFaults('/components/schemas/TestEvent', JSON.parse(body)), [])
      else assert.include(body, format === 'slack' ? 'Mine &amp; &lt;yours&gt;' : 'Mine & <yours>')
    }
    // A chat that limits messages says when the next may come.
    targets.behave('/limited', answers(429, { 'retry-after': '8' }))
    await rules.replace('k1', id, settings('discord', '/limited'))
    const limited = await sends.testAlert('k1', id)
    assert.strictEqual(limited.attemptsMade[0]!.status, 429)
    const { rows: due } = await pool.query<{ seconds: number }>(
      'SELECT extract(epoch FROM next_attempt_at - now())::float8 AS seconds FROM deliveries WHERE id = $1',
      [limited.id],
    )
    assert.isAbove(due[0]!.seconds, 6.5)
    assert.deepInclude((await rules.get('k1', id))!.health, {
      status: 'failing',
      reason: 'the address answered 429',
    })
    await rules.remove('k1', id)
    assert.strictEqual((await delivery('k1', limited.id))!.status, 'dead')
    await sends.testAlert('k1', id).then(
      () => assert.fail('it was sent'),
      ({ code }) => assert.strictEqual(code, 'unknown_alert'),
    )
  })

  it('send a delivered event again under the same id', async () => {
    startPatient()
    const [id] = await addDeliveries(pool, [{ url: targets.url('/a') }])
    await becomes(id!, 'delivered')

    const { behaviour, release } = holds()
    targets.behave('/a', behaviour)
    assert.deepInclude(await sends.resend('k1', id!), { status: 'waiting', attempts: 0 })
    release()
    await until(
      () => receipts(id!) === 2,
      () => receipts(id!),
    )
    await becomes(id!, 'delivered')
    const { attemptsMade, attempts } = (await delivery('k1', id!))!
    assert.deepEqual([attemptsMade.length, attempts], [2, 1])
  })

  it('send a delivery that waits for its next attempt at once', async () => {
    targets.behave('/a', answers(503, { 'retry-after': '3600' }))
    start()
    const [id] = await addDeliveries(pool, [{ url: targets.url('/a') }])
    await until(
      async () => (await delivery('k1', id!))!.attempts === 1,
      () => 'no attempt',
    )
    targets.behave('/a', answers(204))

    await sends.resend('k1', id!)
    await becomes(id!, 'delivered')
    assert.strictEqual(receipts(id!), 2)
  })

  it('do not send twice while a delivery is being sent', async () => {
    const { behaviour, held, release } = holds()
    targets.behave('/a', behaviour)
    startPatient()
    const [id] = await addDeliveries(pool, [{ url: targets.url('/a') }])
    await until(
      () => held.length === 1,
      () => held.length,
    )

    await Promise.all(Array.from({ length: 100 }, () => sends.resend('k1', id!)))
    release()
    await becomes(id!, 'delivered')

    assert.strictEqual(receipts(id!), 1)
    const counted = await pool.query('SELECT cardinality(requested_sends) AS n FROM api_keys')
    assert.deepEqual(counted.rows, [{ n: 0 }])
  })

  it('wait for a process that delivers, and are sent once even if requested repeatedly', async () => {
    const [id] = await addDeliveries(pool, [{ url: targets.url('/a') }])
    for (let times = 0; times < 5; times += 1) await sends.resend('k1', id!)
    start()
    start()
    await becomes(id!, 'delivered')
    assert.strictEqual(receipts(id!), 1)
  })

  it('are sent even if Redis lost them and the process that delivers ended', async () => {
    targets.behave('/a', answers(500))
    start()
    const [id] = await addDeliveries(pool, [{ url: targets.url('/a') }])
    await until(
      async () => (await delivery('k1', id!))!.attempts === 1,
      () => 'no attempt',
    )
    targets.behave('/a', answers(204))
    await running.pop()!.stop()
    await sends.resend('k1', id!)
    const test = await sends.test('k1', 'EXWI')
    await server.command('FLUSHDB')

    start()
    await becomes(id!, 'delivered')
    await becomes(test.id, 'delivered')
    assert.deepEqual([receipts(id!), receipts(test.id)], [2, 1])
  })

  it('enable an address again that answered 410, which a test does not', async () => {
    targets.behave('/a', answers(410))
    start()
    const [id] = await addDeliveries(pool, [{ url: targets.url('/a') }])
    await becomes(id!, 'dead')
    targets.behave('/a', answers(204))

    const test = await sends.test('k1', 'EXWI')
    await becomes(test.id, 'dead')
    assert.match((await delivery('k1', test.id))!.reason!, /^address disabled: /)
    await sends.resend('k1', id!)
    await becomes(id!, 'delivered')
    await becomes((await sends.test('k1', 'EXWI')).id, 'delivered')
  })
})
