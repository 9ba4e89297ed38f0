// What changes of a watchlist do to addresses that failed, and to waiting deliveries.
import { assert } from 'chai'
import type { Watchlists } from '../../../src/application/ports/alerts.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { keyService, type KeyService } from '../../support/service/keys.ts'

const [OLD, NEW] = ['https://old.example/', 'https://new.example/']
let service: KeyService
let lists: Watchlists
let key: string
let made = 0

async function deliver(url: string, status = 'waiting', more = ''): Promise<string> {
  const id = `d${++made}`
  await rows(
    service.pool,
    `INSERT INTO events (id, type, issuer_cik) VALUES ($1, 'transaction.created', '0009900001')`,
    [id],
  )
  await rows(service.pool, 'INSERT INTO deliveries (id, event_id, key_id, url, status) VALUES ($1, $1, $2, $3, $4)', [
    id,
    key,
    url,
    status,
  ])
  if (more) await rows(service.pool, `UPDATE deliveries SET ${more} WHERE id = $1`, [id])
  return id
}

const stateOf = async (id: string) =>
  (
    await rows<{ state: string }>(
      service.pool,
      `SELECT concat_ws(': ', status, reason) AS state FROM deliveries WHERE id = $1`,
      [id],
    )
  )[0]!.state

const put = (keyId: string, ticker: string, webhookUrl: string | null) =>
  lists.put(keyId, { ticker, webhookUrl, detail: false }, 10)

const GONE = 'dead: no longer watched'

describe('changes of a watchlist', function () {
  this.timeout(60_000)
  before(async () => {
    service = await keyService()
    lists = service.container.get(TYPES.watchlists)
  })
  after(() => service.close())
  beforeEach(async () => {
    key = (await service.issue()).id
    await put(key, 'EXMP', OLD)
  })

  it('drops waiting deliveries if their address or entry is removed', async () => {
    const changes = [() => lists.remove(key, 'EXMP'), () => put(key, 'EXMP', null)]
    for (const change of changes) {
      await put(key, 'EXMP', OLD)
      const id = await deliver(OLD)
      await change()
      assert.strictEqual(await stateOf(id), GONE)
    }
  })

  it('moves waiting deliveries to a new address, due at once and with no attempts', async () => {
    const tried = await deliver(
      OLD,
      'waiting',
      `attempts = 3, published_at = now(), next_attempt_at = now() + interval '5 hours'`,
    )
    const sent = await deliver(OLD, 'waiting', `lease = 'a worker', leased_until = now() + interval '30 seconds'`)
    const told = await deliver(OLD)
    await rows(
      service.pool,
      `INSERT INTO deliveries (id, event_id, key_id, url, status) VALUES ('told before', $1, $2, $3, 'delivered')`,
      [told, key, NEW],
    )
    await put(key, 'EXMP', NEW)
    const found = await rows(
      service.pool,
      `SELECT id, url, attempts, next_attempt_at <= now() AS due, published_at, lease, leased_until
      FROM deliveries WHERE status = 'waiting' AND key_id = $1 ORDER BY id`,
      [key],
    )
    const moved = { url: NEW, attempts: 0, published_at: null, lease: null, leased_until: null }
    // By when its sender must have ended, whose attempt counts no more.
    assert.sameDeepMembers(found, [
      { id: tried, due: true, ...moved },
      { id: sent, due: false, ...moved },
    ])
    assert.strictEqual(await stateOf(told), GONE)
  })

  it('leaves deliveries alone while another entry of the key has their address', async () => {
    await put(key, 'SMPL', OLD)
    const id = await deliver(OLD)
    const urlOf = async () =>
      (await rows<{ url: string }>(service.pool, 'SELECT url FROM deliveries WHERE id = $1', [id]))[0]!.url
    await put(key, 'EXMP', NEW)
    assert.deepEqual([await stateOf(id), await urlOf()], ['waiting', OLD])
    await lists.remove(key, 'EXMP')
    assert.deepEqual([await stateOf(id), await urlOf()], ['waiting', OLD])
    await put(key, 'SMPL', NEW)
    assert.deepEqual([await stateOf(id), await urlOf()], ['waiting', NEW])
  })

  it('moves deliveries about a company with its own entry, in any order of changes', async () => {
    const THIRD = 'https://third.example/'
    const changes: (() => Promise<unknown>)[] = [
      () => put(key, 'SMPL', THIRD),
      () => put(key, 'SMPL', null),
      () => lists.remove(key, 'SMPL'),
    ]
    for (const [index, change] of changes.entries()) {
      await put(key, 'EXMP', OLD)
      await put(key, 'SMPL', OLD)
      const [own, others, signal, ownSignal] = [
        await deliver(OLD, 'waiting', `ticker = 'EXMP'`),
        await deliver(OLD, 'waiting', `ticker = 'SMPL'`),
        await deliver(OLD),
        await deliver(OLD, 'waiting', `matched = '[{"kind": "watchlist", "ticker": "EXMP"}]'`),
      ]
      await put(key, 'EXMP', NEW)
      await change()
      const urls = await rows<{ id: string; url: string }>(
        service.pool,
        `SELECT id, url FROM deliveries WHERE status = 'waiting' AND id IN ($1, $2, $3, $4) ORDER BY length(id), id`,
        [own, others, signal, ownSignal],
      )
      assert.deepEqual(
        urls,
        index === 0
          ? [
              { id: own, url: NEW },
              { id: others, url: THIRD },
              { id: signal, url: THIRD },
              { id: ownSignal, url: NEW },
            ]
          : [
              { id: own, url: NEW },
              { id: ownSignal, url: NEW },
            ],
        String(index),
      )
    }
  })

  it('leaves settled deliveries and those of other addresses and keys alone', async () => {
    const [waiting, elsewhere, delivered, dead] = [
      await deliver(OLD),
      await deliver(NEW),
      await deliver(OLD, 'delivered'),
      await deliver(OLD, 'dead', `reason = '8 attempts failed'`),
    ]
    const other = (await service.issue()).id
    await put(other, 'EXMP', OLD)
    await put(key, 'EXMP', OLD)
    await lists.remove(other, 'EXMP')
    assert.strictEqual(await stateOf(waiting), 'waiting')
    await lists.remove(key, 'EXMP')
    assert.deepEqual(await Promise.all([waiting, elsewhere, delivered, dead].map(stateOf)), [
      GONE,
      'waiting',
      'delivered',
      'dead: 8 attempts failed',
    ])
  })

  it('ends the lease of a delivery that is being sent', async () => {
    const id = await deliver(OLD, 'waiting', `lease = 'a worker', leased_until = now() + interval '30 seconds'`)
    await lists.remove(key, 'EXMP')
    const [row] = await rows(
      service.pool,
      `SELECT status, lease, leased_until, settled_at IS NOT NULL AS settled
      FROM deliveries WHERE id = $1`,
      [id],
    )
    assert.deepEqual(row, { status: 'dead', lease: null, leased_until: null, settled: true })
  })

  it('enables a disabled address again, for this key only', async () => {
    const other = (await service.issue()).id
    for (const id of [key, other]) {
      await rows(
        service.pool,
        `INSERT INTO endpoints (key_id, url, failing_since, disabled_at, disabled_reason)
        VALUES ($1, $2, now() - interval '5 days', now(), 'the address has failed for 5 days')`,
        [id, OLD],
      )
    }
    const held = await deliver(OLD, 'dead', `reason = 'address disabled: it failed', settled_at = now()`)
    const failed = await deliver(OLD, 'dead', `reason = 'no attempt succeeded', settled_at = now()`)
    await put(key, 'SMPL', NEW)
    const states = () =>
      rows<{ key_id: string; ok: boolean }>(
        service.pool,
        `SELECT key_id, disabled_at IS NULL AND failing_since IS NULL AND disabled_reason IS NULL AS ok FROM endpoints
       WHERE key_id IN ($1, $2)`,
        [key, other],
      )
    assert.deepEqual(
      (await states()).map(({ ok }) => ok),
      [false, false],
    )
    await put(key, 'EXMP', OLD)
    assert.deepEqual(
      (await states()).filter(({ ok }) => ok).map((state) => state.key_id),
      [key],
    )
    assert.deepEqual(
      [await stateOf(held), await stateOf(failed)],
      ['waiting', 'dead: no attempt succeeded'],
      'what was not sent because the address was disabled',
    )
  })

  it('does not wait for a batch of alerts that is being raised', async () => {
    const raising = await service.pool.connect()
    await raising.query('BEGIN')
    await raising.query(`INSERT INTO events (id, type, issuer_cik) VALUES ($1, 'transaction.created', '0009900001')`, [
      `e${key}`,
    ])
    await raising.query('INSERT INTO deliveries (id, event_id, key_id, url) VALUES ($1, $1, $2, $3)', [
      `e${key}`,
      key,
      OLD,
    ])
    assert.include(await put(key, 'SMPL', NEW), { isNew: true })
    await raising.query('ROLLBACK')
    raising.release()
  })
})
