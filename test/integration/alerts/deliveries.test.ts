// The outbox in PostgreSQL: what is published, which worker may send it, and what an attempt changes.
import { assert } from 'chai'
import type {
  Attempt,
  Deliveries,
  LeasedDelivery,
  FinishedAttempt,
  StreamItem,
} from '../../../src/application/ports/alerts.ts'
import type { NextStep } from '../../../src/domain/alerts/retry-schedule.ts'
import { PostgresDeliveries } from '../../../src/infrastructure/postgres/alerts/deliveries.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { addDeliveries, addKey, clearUnseal, deliveryStates, WEBHOOK_SECRET } from '../../support/service/alerts.ts'
import { stores } from '../../support/stores/stores.ts'

const A = 'https://a.example/hook'
const B = 'https://b.example/hook'
const OK: Attempt = {
  at: 1_800_000_000_000,
  milliseconds: 12,
  outcome: { kind: 'answered', status: 204, retryAfterSeconds: null },
  answer: null,
}
const FAILED: Attempt = { ...OK, outcome: { kind: 'failed', error: 'time\0out\ud800' } }

describe('the outbox', () => {
  let pool: Pool
  let deliveries: Deliveries

  before(async function connect() {
    this.timeout(60_000)
    pool = openPool({ url: (await stores()).databaseUrl, name: 'test', max: 12 })
    deliveries = new PostgresDeliveries(pool, clearUnseal)
  })

  beforeEach(async () => {
    await pool.query('TRUNCATE api_keys, events CASCADE')
    await addKey(pool, 'k1')
    await addKey(pool, 'k2')
  })

  after(() => pool.end())

  const publish = async (limit = 100) => {
    const items: StreamItem[] = []
    await deliveries.publishDue(limit, async (due) => {
      items.push(...due)
    })
    return items.map(({ deliveryId }) => deliveryId)
  }
  const retry = (seconds: number, holdsAddress = false): NextStep => ({
    kind: 'retry',
    at: FAILED.at + FAILED.milliseconds + seconds * 1000,
    holdsAddress,
  })
  const settled = (leased: LeasedDelivery[], attempt: Attempt, next: NextStep): FinishedAttempt[] =>
    leased.map((delivery) => ({ delivery, attempt, next }))
  const failing = async (url: string) =>
    (await pool.query<{ since: Date | null }>('SELECT failing_since AS since FROM endpoints WHERE url = $1', [url]))
      .rows[0]?.since ?? null
  const fail = async (ids: string[], seconds: number) =>
    deliveries.recordAttempts(settled(await deliveries.lease(ids, 30), FAILED, retry(seconds)))

  describe('publishing', () => {
    it('publishes due deliveries once, each with the endpoint of its key and address', async () => {
      const [first, second, other] = await addDeliveries(pool, [
        { url: A },
        { url: A },
        { url: A, keyId: 'k2' },
        { url: A, dueIn: 60 },
      ])
      const items: StreamItem[] = []
      assert.strictEqual(
        await deliveries.publishDue(10, async (due) => {
          items.push(...due)
        }),
        3,
      )
      assert.sameMembers(
        items.map(({ deliveryId }) => deliveryId),
        [first, second, other],
      )
      const endpointOf = (id: string | undefined) => items.find(({ deliveryId }) => deliveryId === id)!.endpoint
      assert.strictEqual(endpointOf(first), endpointOf(second))
      assert.notStrictEqual(endpointOf(first), endpointOf(other))
      assert.deepEqual(await publish(), [])
    })

    it('marks nothing as published if publishing fails', async () => {
      const ids = await addDeliveries(pool, [{ url: A }])
      const error = await deliveries
        .publishDue(10, () => Promise.reject(new Error('away')))
        .catch((fault: Error) => fault)
      assert.propertyVal(error, 'message', 'away')
      assert.deepEqual(await publish(), ids)
    })

    it('can be shared by several processes, and publishes each delivery once', async () => {
      const ids = await addDeliveries(
        pool,
        Array.from({ length: 600 }, (_, index) => ({ url: `https://${index % 9}.example/` })),
      )
      const published: string[] = []
      const relay = async () => {
        for (let found = ['']; found.length > 0;) published.push(...(found = await publish(20)))
      }
      await Promise.all(Array.from({ length: 6 }, relay))
      assert.lengthOf(published, 600)
      assert.sameMembers(published, ids)
    })

    it('publishes one delivery at a time for a failing address, and all after a success', async () => {
      const ids = await addDeliveries(pool, [...Array.from({ length: 5 }, () => ({ url: A })), { url: B }])
      const [first] = ids as [string]
      await publish(1)
      await fail([first], 600)
      assert.instanceOf(await failing(A), Date)
      const rounds = (await Promise.all(Array.from({ length: 6 }, () => publish()))).flat()
      assert.lengthOf(rounds, 2)
      assert.include(rounds, ids[5])
      const [trial] = rounds.filter((id) => id !== ids[5])
      assert.deepEqual(await publish(), [])
      await fail([trial!], 600)
      const [second, ...none] = await publish()
      assert.deepEqual(none, [])
      await deliveries.recordAttempts(settled(await deliveries.lease([second!], 30), OK, { kind: 'delivered' }))
      assert.strictEqual(await failing(A), null)
      assert.lengthOf(await publish(), 2)
    })

    it('publishes and leases nothing for an address that asked for a pause, until then', async () => {
      const [first, second, last] = (await addDeliveries(pool, [{ url: A }, { url: A }, { url: A }])) as [
        string,
        string,
        string,
      ]
      const other = await addDeliveries(pool, [{ url: B }])
      await publish()
      await deliveries.recordAttempts(settled(await deliveries.lease([first], 30), FAILED, retry(20, true)))
      assert.deepEqual(await deliveries.lease([second, last], 30), [])
      assert.lengthOf(await deliveries.lease(other, 30), 1)
      assert.deepEqual(await publish(), [])
      await pool.query('UPDATE endpoints SET held_until = now()')
      assert.deepEqual(await publish(), [second])
      // A later failure that asks for none ends the pause.
      await deliveries.recordAttempts(settled(await deliveries.lease([second], 30), FAILED, retry(20, true)))
      await pool.query(`UPDATE endpoints SET held_until = now()`)
      const [third] = await publish()
      await fail([third!], 600)
      const { rows: held } = await pool.query('SELECT held_until FROM endpoints WHERE held_until IS NOT NULL')
      assert.deepEqual(held, [])
    })

    it('prefers healthy addresses if many fail', async () => {
      const urls = Array.from({ length: 10 }, (_, index) => `https://fails-${index}.example/`)
      const bad = await addDeliveries(
        pool,
        urls.map((url) => ({ url })),
      )
      await fail(bad, 0)
      const good = await addDeliveries(pool, [{ url: A }, { url: A }])
      const published = await publish(4)
      assert.lengthOf(published, 4)
      assert.includeMembers(published, good)
    })
  })

  describe('the sweep', () => {
    it('re-queues only deliveries that were published long ago and are not leased', async () => {
      const [lost, held, fresh] = await addDeliveries(pool, [{ url: A }, { url: A }, { url: A }])
      await publish()
      await deliveries.lease([held!], 30)
      assert.strictEqual(await deliveries.sweep(30), 0)
      await pool.query(`UPDATE deliveries SET published_at = now() - interval '31 s' WHERE id = ANY($1)`, [
        [lost, held],
      ])
      assert.strictEqual(await deliveries.sweep(30), 1)
      assert.deepEqual(await publish(), [lost])
      await pool.query(
        `UPDATE deliveries SET published_at = now() - interval '31 s', leased_until = now() WHERE id = $1`,
        [held],
      )
      assert.strictEqual(await deliveries.sweep(30), 1)
      assert.deepEqual(
        (await deliveryStates(pool, [lost!, held!, fresh!])).map(({ is_published }) => is_published),
        [true, false, true],
      )
    })

    it('leaves settled deliveries alone', async () => {
      const ids = await addDeliveries(pool, [{ url: A }])
      await publish()
      await deliveries.recordAttempts(settled(await deliveries.lease(ids, 30), OK, { kind: 'delivered' }))
      await pool.query(`UPDATE deliveries SET published_at = now() - interval '1 day'`)
      assert.strictEqual(await deliveries.sweep(30), 0)
    })
  })

  describe('leasing', () => {
    it('returns everything that sending needs', async () => {
      const [id] = await addDeliveries(pool, [{ url: A, ticker: 'EXWI' }])
      const [leased] = await deliveries.lease([id!], 30)
      assert.include(leased!, {
        id: id!,
        keyId: 'k1',
        url: A,
        ticker: 'EXWI',
        attempts: 0,
        eventType: 'transaction.created',
        failingSince: null,
      })
      assert.strictEqual(leased!.createdAt, Date.parse('2026-11-20T14:03:02.5Z'))
      assert.match(leased!.data, /^\{"companyName":"Example \d+"\}$/)
      assert.deepEqual(leased!.secrets, [WEBHOOK_SECRET])
    })

    it('gives each delivery to one of several workers', async () => {
      const ids = await addDeliveries(
        pool,
        Array.from({ length: 200 }, () => ({ url: A })),
      )
      const orders = Array.from({ length: 8 }, () => ids.toSorted(() => Math.random() - 0.5))
      const taken = (await Promise.all(orders.map((order) => deliveries.lease(order, 30)))).flat()
      assert.lengthOf(
        taken.map(({ id }) => id),
        200,
      )
      assert.sameMembers(
        taken.map(({ id }) => id),
        ids,
      )
      assert.strictEqual(new Set(taken.map(({ lease }) => lease)).size, 200)
    })

    it('skips settled, later and unknown deliveries, and repeats expired leases', async () => {
      const [done, later, id] = await addDeliveries(pool, [{ url: A }, { url: A, dueIn: 60 }, { url: A }])
      await deliveries.recordAttempts(settled(await deliveries.lease([done!], 30), OK, { kind: 'delivered' }))
      assert.deepEqual(await deliveries.lease([done!, later!, 'evt_none', ''], 30), [])
      const [before] = await deliveries.lease([id!], 0.05)
      await new Promise((resolve) => {
        setTimeout(resolve, 100)
      })
      const [again] = await deliveries.lease([id!], 30)
      assert.notStrictEqual(again!.lease, before!.lease)
    })

    it('waits for a relay that has published but not yet marked a delivery', async () => {
      const ids = await addDeliveries(pool, [{ url: A }])
      let leasing: Promise<LeasedDelivery[]> | undefined
      await deliveries.publishDue(10, async () => {
        leasing = deliveries.lease(ids, 30)
        await new Promise((resolve) => {
          setTimeout(resolve, 100)
        })
      })
      assert.lengthOf((await leasing)!, 1)
      assert.include((await deliveryStates(pool, ids))[0], { is_published: true, is_leased: true })
    })

    it('leases one delivery of a failing address, and unpublishes the others', async () => {
      const ids = await addDeliveries(
        pool,
        Array.from({ length: 4 }, () => ({ url: A })),
      )
      await publish()
      await fail([ids[0]!], 600)
      const [leased, ...none] = await deliveries.lease(ids, 30)
      assert.deepEqual(none, [])
      assert.closeTo(leased!.failingSince!, Date.now(), 60_000)
      assert.deepEqual(await deliveries.lease(ids, 30), [])
      const states = await deliveryStates(pool, ids.slice(1))
      for (const { id, is_published, is_leased } of states)
        assert.deepEqual([is_published, is_leased], [id === leased!.id, id === leased!.id], id)
    })

    it('settles deliveries that may no longer be sent as dead, with the reason', async () => {
      await addKey(pool, 'k3')
      const ids = await addDeliveries(pool, [
        { url: A, keyId: 'k1' },
        { url: A, keyId: 'k2' },
        { url: B, keyId: 'k3' },
        { url: A, keyId: 'k3' },
      ])
      await pool.query(`UPDATE api_keys SET revoked_at = now() WHERE id = 'k1'`)
      await pool.query(`UPDATE api_keys SET expires_at = now() WHERE id = 'k2'`)
      await pool.query(
        `INSERT INTO endpoints (key_id, url, disabled_at, disabled_reason) VALUES ('k3', $1, now(), 'gone for good')`,
        [B],
      )
      assert.deepEqual(
        (await deliveries.lease(ids, 30)).map(({ id }) => id),
        [ids[3]],
      )
      assert.deepEqual(
        (await deliveryStates(pool, ids)).map(({ status, reason }) => [status, reason]),
        [
          ['dead', 'key revoked'],
          ['dead', 'key expired'],
          ['dead', 'address disabled: gone for good'],
          ['waiting', null],
        ],
      )
    })

    it('includes former webhook secrets until they expire', async () => {
      const [first, second] = await addDeliveries(pool, [{ url: A }, { url: A, keyId: 'k2' }])
      await pool.query(
        `INSERT INTO former_webhook_secrets (key_id, secret, until)
         VALUES ('k1', 'whsec_before', now() + interval '1 h'),
           ('k1', 'whsec_long_before', now() + interval '1 min'),
           ('k1', 'whsec_over', now()),
           ('k2', 'whsec_before', now())`,
      )

      const secrets = new Map(
        (await deliveries.lease([first!, second!], 30)).map((leased) => [leased.id, leased.secrets]),
      )
      assert.deepEqual(secrets.get(first!), [WEBHOOK_SECRET, 'whsec_before', 'whsec_long_before'])
      assert.deepEqual(secrets.get(second!), [WEBHOOK_SECRET])
    })

    it("leaves out deliveries of a key whose secret can't be opened, and says so", async () => {
      const told: string[] = []
      const sealed = new PostgresDeliveries(
        pool,
        (keyId, secret) => {
          if (keyId === 'k1') throw new Error('another key')
          return secret.toString()
        },
        (keyId, error) => {
          told.push(`${keyId}: ${error.message}`)
        },
      )
      const ids = await addDeliveries(pool, [{ url: A }, { url: A, keyId: 'k2' }])
      assert.deepEqual(
        (await sealed.lease(ids, 30)).map(({ id }) => id),
        [ids[1]],
      )
      assert.deepEqual(told, ['k1: another key'])
      assert.include((await deliveryStates(pool, ids))[0], { status: 'waiting', attempts: 0 })
    })
  })

  describe('settling', () => {
    const attempts = async (id: string) =>
      (
        await pool.query(
          'SELECT number, status, error, answer::text FROM delivery_attempts WHERE delivery_id = $1 ORDER BY number',
          [id],
        )
      ).rows

    it('records attempts and their outcome, in one statement for many', async () => {
      const ids = await addDeliveries(pool, [{ url: A }, { url: B }, { url: A, keyId: 'k2' }])
      await publish()
      const [a, b, c] = (await deliveries.lease(ids, 30)).toSorted((x, y) => ids.indexOf(x.id) - ids.indexOf(y.id))
      const refused: Attempt = {
        ...OK,
        outcome: { kind: 'answered', status: 500, retryAfterSeconds: null },
        answer: Buffer.from([0, 255]),
      }
      await deliveries.recordAttempts([
        ...settled([a!], OK, { kind: 'delivered' }),
        ...settled([b!], FAILED, retry(300)),
        ...settled([c!], refused, { kind: 'dead', reason: '8 attempts failed', disable: false }),
      ])
      const [delivered, again, dead] = await deliveryStates(pool, ids)
      assert.include(delivered, { status: 'delivered', attempts: 1, is_leased: false })
      assert.include(again, { status: 'waiting', attempts: 1, is_published: false, is_leased: false })
      assert.closeTo(again!.due_in, 300, 30)
      assert.include(dead, { status: 'dead', reason: '8 attempts failed' })
      assert.deepEqual(await attempts(a!.id), [{ number: 1, status: 204, error: null, answer: null }])
      assert.deepEqual(await attempts(b!.id), [{ number: 1, status: null, error: 'time\ufffdout\ufffd', answer: null }])
      assert.deepEqual(await attempts(c!.id), [{ number: 1, status: 500, error: null, answer: '\\x00ff' }])
    })

    it('ignores the result of a lease that another worker has taken over', async () => {
      const [id] = await addDeliveries(pool, [{ url: A }])
      const late = await deliveries.lease([id!], 0)
      await deliveries.lease([id!], 30)
      await deliveries.recordAttempts(settled(late, FAILED, retry(300)))
      assert.include((await deliveryStates(pool, [id!]))[0], { status: 'waiting', attempts: 0, is_leased: true })
      assert.strictEqual(await failing(A), null)
      assert.deepEqual(await attempts(id!), [])
    })

    it('keeps the time since when an address fails, until a delivery succeeds', async () => {
      const [id] = await addDeliveries(pool, [{ url: A }])
      await fail([id!], 0)
      const since = await failing(A)
      await fail([id!], 0)
      assert.notStrictEqual(since, null)
      assert.deepEqual(await failing(A), since)
      await deliveries.recordAttempts(settled(await deliveries.lease([id!], 30), OK, { kind: 'delivered' }))
      assert.strictEqual(await failing(A), null)
    })

    it('restarts the failing time after a day without attempts', async () => {
      const [id] = await addDeliveries(pool, [{ url: A }])
      await fail([id!], 0)
      await pool.query(
        `UPDATE endpoints SET failing_since = now() - interval '6 days', failed_at = now() - interval '20 hours'`,
      )
      const [leased] = await deliveries.lease([id!], 0)
      assert.isBelow(leased!.failingSince!, Date.now() - 5 * 86_400_000)
      await pool.query(`UPDATE endpoints SET failed_at = now() - interval '25 hours'`)
      assert.strictEqual((await deliveries.lease([id!], 0))[0]!.failingSince, null)
      await fail([id!], 0)
      assert.closeTo((await failing(A))!.getTime(), Date.now(), 60_000)
    })

    it('disables no address because of an attempt with a lost lease', async () => {
      const [id, other] = await addDeliveries(pool, [{ url: A }, { url: A }])
      const late = await deliveries.lease([id!], 0)
      await deliveries.lease([id!], 30)
      assert.deepEqual(
        await deliveries.recordAttempts(
          settled(late, FAILED, { kind: 'dead', reason: 'the address answered 410', disable: true }),
        ),
        [],
      )
      assert.deepEqual(
        (await deliveryStates(pool, [id!, other!])).map(({ status }) => status),
        ['waiting', 'waiting'],
      )
      assert.strictEqual((await pool.query('SELECT FROM endpoints')).rowCount, 0)
    })

    it('uses the last attempt if an address accepted one delivery and refused another', async () => {
      const ids = await addDeliveries(pool, [{ url: A }, { url: A }, { url: B }, { url: B }])
      const leased = await deliveries.lease(ids, 30)
      const [a, b] = [A, B].map((url) => leased.filter((each) => each.url === url))
      const later = (attempt: Attempt) => ({ ...attempt, at: attempt.at + 5_000 })
      await deliveries.recordAttempts([
        ...settled([a![0]!], FAILED, retry(5)),
        ...settled([a![1]!], later(OK), { kind: 'delivered' }),
        ...settled([b![0]!], OK, { kind: 'delivered' }),
        ...settled([b![1]!], later(FAILED), retry(5)),
      ])
      assert.deepEqual([await failing(A), (await failing(B)) !== null], [null, true])
    })

    it('continues the numbers of attempts if a delivery is resent on request', async () => {
      const [id] = await addDeliveries(pool, [{ url: A }])
      await fail([id!], 0)
      await pool.query('UPDATE deliveries SET attempts = 0')
      await fail([id!], 0)
      assert.deepEqual(
        (await attempts(id!)).map(({ number }) => number),
        [1, 2],
      )
    })

    it('makes all waiting deliveries of a disabled address dead, and no others', async () => {
      const ids = await addDeliveries(pool, [
        { url: A },
        { url: A },
        { url: A, dueIn: 600 },
        { url: A, keyId: 'k2' },
        { url: B },
      ])
      await publish()
      const gone: NextStep = { kind: 'dead', reason: 'the address answered 410', disable: true }
      const leased = await deliveries.lease(ids.slice(0, 1), 30)
      const address = { keyId: 'k1', url: A, reason: 'the address answered 410' }
      assert.deepEqual(await deliveries.recordAttempts(settled(leased, FAILED, gone)), [address])
      const reason = `address disabled: ${address.reason}`
      assert.deepEqual(
        (await deliveryStates(pool, ids)).map((state) => [state.status, state.reason]),
        [
          ['dead', address.reason],
          ['dead', reason],
          ['dead', reason],
          ['waiting', null],
          ['waiting', null],
        ],
      )
    })

    it('leaves deliveries that are being sent alone when their address is disabled', async () => {
      const [first, held] = await addDeliveries(pool, [{ url: A }, { url: A }])
      const [one, other] = [await deliveries.lease([first!], 30), await deliveries.lease([held!], 30)]
      await deliveries.recordAttempts(settled(one, FAILED, { kind: 'dead', reason: 'gone', disable: true }))
      assert.include((await deliveryStates(pool, [held!]))[0], { status: 'waiting', is_leased: true })
      assert.deepEqual(
        await deliveries.recordAttempts(settled(other, FAILED, { kind: 'dead', reason: 'gone', disable: true })),
        [],
      )
      assert.include((await deliveryStates(pool, [held!]))[0], { status: 'dead', reason: 'gone' })
    })

    it('never deadlocks, even if many settle and lease the same deliveries at once', async () => {
      const ids = await addDeliveries(
        pool,
        Array.from({ length: 60 }, (_, index) => ({ url: `https://${index % 3}.example/` })),
      )
      for (let round = 0; round < 5; round += 1) {
        const leased = await deliveries.lease(ids, 30)
        await pool.query('UPDATE deliveries SET leased_until = now()')
        const shuffled = () => leased.toSorted(() => Math.random() - 0.5)
        await Promise.all(
          [0, 1, 2, 3].flatMap(() => [
            deliveries.recordAttempts(settled(shuffled(), OK, { kind: 'retry', at: OK.at, holdsAddress: false })),
            deliveries.lease(
              ids.toSorted(() => Math.random() - 0.5),
              0,
            ),
            deliveries.unpublish(ids),
            deliveries.sweep(0),
            publish(),
          ]),
        )
        await pool.query('UPDATE endpoints SET failing_since = NULL')
      }
    })
  })

  it('unpublishes deliveries that are not leased', async () => {
    const ids = await addDeliveries(pool, [{ url: A }, { url: A }])
    await publish()
    await deliveries.lease([ids[0]!], 30)
    await deliveries.unpublish(ids)
    assert.deepEqual(await publish(), [ids[1]])
  })

  it('loses unwatched addresses once nothing waits for them', async () => {
    const [waiting] = await addDeliveries(pool, [{ url: A }])
    await fail([waiting!], 600)
    await pool.query(`INSERT INTO watchlist (key_id, ticker, webhook_url) VALUES ('k1', 'EXWI', $1)`, [B])
    await pool.query(`INSERT INTO endpoints (key_id, url, failing_since) VALUES ('k1', $1, now()), ('k2', $1, now())`, [
      B,
    ])
    const left = async () => (await pool.query('SELECT key_id, url FROM endpoints ORDER BY url, key_id')).rows
    await deliveries.prune(new Date(0))
    assert.deepEqual(await left(), [
      { key_id: 'k1', url: A },
      { key_id: 'k1', url: B },
    ])
    await pool.query(`UPDATE deliveries SET status = 'dead'`)
    await deliveries.prune(new Date(0))
    assert.deepEqual(await left(), [{ key_id: 'k1', url: B }])
  })

  it('loses deliveries that were settled long ago, with their attempts and events', async () => {
    const ids = await addDeliveries(pool, [{ url: A }, { url: A }, { url: A }])
    await deliveries.recordAttempts(settled(await deliveries.lease(ids.slice(0, 2), 30), OK, { kind: 'delivered' }))
    await pool.query(`UPDATE deliveries SET created_at = now() - interval '40 d'`)
    await pool.query(`UPDATE deliveries SET settled_at = now() - interval '40 d' WHERE id = $1`, [ids[0]])
    await pool.query(`UPDATE events SET created_at = now() - interval '40 d'`)
    const before = new Date(Date.now() - 30 * 86_400_000)
    assert.deepEqual([await deliveries.prune(before), await deliveries.prune(before)], [2, 0])
    assert.deepEqual(
      (await pool.query('SELECT id FROM events ORDER BY id')).rows,
      ids
        .slice(1)
        .toSorted()
        .map((id) => ({ id: `of/${id}` })),
    )
    assert.deepEqual(
      (await deliveryStates(pool, ids)).map(({ id }) => id),
      ids.slice(1),
    )
    assert.deepEqual((await pool.query('SELECT delivery_id FROM delivery_attempts')).rows, [{ delivery_id: ids[1] }])
  })
})
