// A key's deliveries over HTTP on a real PostgreSQL: what its holder sees, that other keys see nothing, and the limits
// of sending on request.
import { assert } from 'chai'
import { call, type Reply } from '../support/http/contract-client.ts'
import { example, startExampleService, EXAMPLE_KEY, asked } from '../support/http/example-service.ts'
import { refusalOf, twoKeys } from '../support/http/two-keys.ts'

const HOOK = 'https://user:word@alerts.example.com:8443/hook/secret-path?token=secret'
const ISSUER = '0009900100'

describe("a key's deliveries over HTTP", function () {
  this.timeout(60_000)
  const keys = twoKeys()
  beforeEach(async () => {
    await keys.service.pool.query(
      `INSERT INTO watchlist (key_id, ticker, webhook_url)
       VALUES ($1, 'EXMP', $3), ($1, 'SMPL-B', NULL), ($2, 'EXMP', $3)`,
      [keys.own.id, keys.other.id, HOOK],
    )
  })
  const ask = (path: string) => keys.as(keys.own.key, 'GET', path)
  const idsOf = ({ body }: Reply): string[] => body.data.deliveries.map(({ id }: { id: string }) => id)

  let made = 0
  async function add(more: Record<string, unknown> = {}): Promise<string> {
    made += 1
    const row = {
      id: `evt_${made}`,
      type: 'transaction.created',
      issuer: ISSUER,
      data: '{"companyName":"Example"}',
      key: keys.own.id,
      ticker: 'EXMP',
      status: 'delivered',
      reason: null,
      attempts: 1,
      ago: 0,
      ...more,
    }
    await keys.service.pool.query(`INSERT INTO events (id, type, issuer_cik, data) VALUES ('of/' || $1, $2, $3, $4)`, [
      row.id,
      row.type,
      row.issuer,
      row.data,
    ])
    await keys.service.pool.query(
      `INSERT INTO deliveries (id, event_id, key_id, url, ticker, status, reason, attempts, created_at, settled_at,
         next_attempt_at)
       VALUES ($1, 'of/' || $1, $2, $3, $4, $5, $6, $7, now() - make_interval(mins => $8),
         CASE WHEN $5 <> 'waiting' THEN now() END, now() + interval '1 h')`,
      [row.id, row.key, HOOK, row.ticker, row.status, row.reason, row.attempts, row.ago],
    )
    return row.id
  }
  const attempt = (id: string, number: number, status: number | null, error: string | null, answer: Buffer | null) =>
    keys.service.pool.query('INSERT INTO delivery_attempts VALUES ($1, $2, now(), 80.6, $3, $4, $5)', [
      id,
      number,
      status,
      error,
      answer,
    ])

  it('are listed newest first with their last attempt, showing only the host of the address', async () => {
    const old = await add({ ago: 5 })
    const dead = await add({ ago: 3, status: 'dead', reason: '8 attempts failed', attempts: 8 })
    const waiting = await add({ type: 'signal.detected', ticker: null, status: 'waiting', ...SIGNAL })
    await add({ key: keys.other.id })
    await attempt(waiting, 1, null, 'timeout', null)
    await attempt(waiting, 2, 503, null, Buffer.from('later'))

    const reply = await ask('/v1/watchlist/deliveries')

    assert.deepEqual(idsOf(reply), [waiting, dead, old])
    const [first, second] = reply.body.data.deliveries
    assert.deepInclude(first, {
      event: 'signal.detected',
      ticker: 'EXMP',
      host: 'alerts.example.com:8443',
      reason: null,
    })
    assert.deepInclude(first.lastAttempt, { number: 2, milliseconds: 81, status: 503, error: null })
    assert.isNull(first.settledAt)
    assert.deepInclude(second, { reason: '8 attempts failed', nextAttemptAt: null, lastAttempt: null })
    for (const hidden of ['secret', 'word', 'hook']) assert.notInclude(JSON.stringify(reply.body), hidden)
    assert.strictEqual(reply.headers['cache-control'], 'private, no-store')
  })

  it('are listed by state, and by company under any of its symbols', async () => {
    const signal = await add({ type: 'signal.detected', ticker: null, ...SIGNAL, ago: 3 })
    const dead = await add({ status: 'dead', reason: 'x', ago: 2 })
    const tested = await add({ type: 'test', issuer: '', ticker: 'ELSE', ago: 1 })
    await add({ issuer: '0000000007', ticker: 'MORE', ago: 1 })

    assert.deepEqual(idsOf(await ask('/v1/watchlist/deliveries?status=dead')), [dead])
    assert.deepEqual(idsOf(await ask('/v1/watchlist/deliveries?status=waiting')), [])
    for (const ticker of ['EXMP', 'CIK9900100', 'cik0009900100'])
      assert.deepEqual(idsOf(await ask(`/v1/watchlist/deliveries?ticker=${ticker}`)), [dead, signal])
    // A symbol that leads to no company may be on a watchlist all the same.
    assert.deepEqual(idsOf(await ask('/v1/watchlist/deliveries?ticker=ELSE')), [tested])
    assert.deepEqual(idsOf(await ask('/v1/watchlist/deliveries?ticker=ELSE&status=dead')), [])
  })

  it('are paged completely, including those of the same instant, while others are added', async () => {
    const all: string[] = []
    for (let count = 0; count < 25; count += 1) all.push(await add({ ago: 30 - Math.floor(count / 5) }))
    await keys.service.pool.query(`UPDATE deliveries SET created_at = date_trunc('minute', created_at)`)
    const seen: string[] = []
    let path = '/v1/watchlist/deliveries?limit=7'
    for (;;) {
      const reply = await ask(path)
      seen.push(...idsOf(reply))
      await add()
      if (!reply.body.data.hasMore) break
      path = `/v1/watchlist/deliveries?limit=7&cursor=${reply.body.data.nextCursor}`
    }
    assert.lengthOf(new Set(seen), seen.length)
    assert.sameMembers(seen, all)
  })

  it('refuse unknown parameters, and cursors of other filters and keys', async () => {
    for (let count = 0; count < 3; count += 1) {
      await add()
      await add({ key: keys.other.id })
    }
    const { nextCursor } = (await ask('/v1/watchlist/deliveries?limit=1')).body.data
    const refused = async (path: string, key = keys.own.key) => refusalOf(await keys.as(key, 'GET', path))
    assert.strictEqual(await refused('/v1/watchlist/deliveries?status=gone'), '400 invalid_parameter query.status')
    assert.strictEqual(await refused('/v1/watchlist/deliveries?ticker=a,b'), '400 invalid_parameter query.ticker')
    assert.strictEqual(await refused('/v1/watchlist/deliveries?limit=0'), '400 invalid_parameter query.limit')
    assert.strictEqual(await refused('/v1/watchlist/deliveries?key=x'), '400 invalid_parameter query.key')
    assert.match(await refused('/v1/watchlist/deliveries?cursor=abc'), /^400 invalid_cursor/)
    assert.match(await refused(`/v1/watchlist/deliveries?status=dead&cursor=${nextCursor}`), /^400 invalid_cursor/)
    assert.match(await refused(`/v1/watchlist/deliveries?cursor=${nextCursor}`, keys.other.key), /^400 invalid_cursor/)
    assert.strictEqual((await ask(`/v1/watchlist/deliveries?limit=100&cursor=${nextCursor}`)).status, 200)
  })

  it('show their body and attempts, with the beginning of the answer, invisible characters escaped', async () => {
    const id = await add({ status: 'waiting', attempts: 2 })
    const answer = `\u001b[31m<b>\u202e${'é'.repeat(5_000)}`
    await attempt(id, 1, 500, null, Buffer.from(answer))
    await attempt(id, 2, 200, null, Buffer.from([0xff, 0xfe, 0x41]))

    const { data } = (await ask(`/v1/watchlist/deliveries/${id}`)).body

    const { companyName, ticker } = JSON.parse(data.body).data
    assert.deepEqual([JSON.parse(data.body).id, companyName, ticker], [id, 'Example', 'EXMP'])
    assert.deepEqual(
      data.attemptsMade.map(({ number, status }: any) => [number, status]),
      [
        [2, 200],
        [1, 500],
      ],
    )
    const [latest, first] = data.attemptsMade
    assert.strictEqual(latest.answer, '\ufffd\ufffdA')
    assert.strictEqual(first.answer, `\\u001b[31m<b>\\u202e${'é'.repeat(1_000 - 9)}`)
    for (let number = 3; number <= 60; number += 1) await attempt(id, number, 500, null, null)
    const more = (await ask(`/v1/watchlist/deliveries/${id}`)).body.data
    assert.deepEqual([more.attemptsMade.length, more.attemptsMade[0].number], [50, 60])
  })

  it('of another key are neither shown nor sent', async () => {
    const id = await add({ key: keys.other.id })
    for (const each of [id, 'evt_none', 'a'.repeat(128)]) {
      assert.strictEqual(refusalOf(await ask(`/v1/watchlist/deliveries/${each}`)), '404 unknown_delivery')
      const again = await keys.as(keys.own.key, 'POST', `/v1/watchlist/deliveries/${each}/resend`)
      assert.strictEqual(refusalOf(again), '404 unknown_delivery')
    }
    assert.strictEqual(
      (await keys.as(keys.other.key, 'GET', `/v1/watchlist/deliveries/${id}`)).body.data.status,
      'delivered',
    )
  })

  it('are sent again with a new retry schedule', async () => {
    const id = await add({ status: 'dead', reason: '8 attempts failed', attempts: 8 })
    await attempt(id, 8, 500, null, null)
    const { status, body } = await keys.as(keys.own.key, 'POST', `/v1/watchlist/deliveries/${id}/resend`)
    assert.strictEqual(status, 202)
    assert.deepInclude(body.data, { id, status: 'waiting', reason: null, attempts: 0, settledAt: null })
    assert.strictEqual(body.data.lastAttempt.number, 8)
  })

  it('are not sent to an address that is no longer on the watchlist, or never was', async () => {
    const id = await add({ status: 'dead', reason: 'no longer watched' })
    await keys.service.pool.query('DELETE FROM watchlist WHERE key_id = $1 AND webhook_url IS NOT NULL', [keys.own.id])
    assert.strictEqual(
      refusalOf(await keys.as(keys.own.key, 'POST', `/v1/watchlist/deliveries/${id}/resend`)),
      '409 no_webhook_address',
    )
    assert.strictEqual(
      refusalOf(await keys.as(keys.own.key, 'POST', '/v1/watchlist/SMPL.B/test')),
      '409 no_webhook_address',
    )
    assert.strictEqual(
      refusalOf(await keys.as(keys.own.key, 'POST', '/v1/watchlist/EXMP/test')),
      '404 not_on_watchlist',
    )
    assert.strictEqual(
      refusalOf(await keys.as(keys.own.key, 'POST', '/v1/watchlist/-/test')),
      '400 invalid_parameter path.ticker',
    )
  })

  it('can be tests to the address of an entry, in any spelling of its symbol', async () => {
    const { status, body } = await keys.as(keys.own.key, 'POST', '/v1/watchlist/exmp/test')
    assert.strictEqual(status, 202)
    assert.deepInclude(body.data, { event: 'test', ticker: 'EXMP', host: 'alerts.example.com:8443', attempts: 0 })
    assert.deepEqual(idsOf(await ask('/v1/watchlist/deliveries?ticker=EXMP')), [body.data.id])
    const { body: sent } = (await ask(`/v1/watchlist/deliveries/${body.data.id}`)).body.data
    assert.deepEqual(JSON.parse(sent).data, { ticker: 'EXMP', message: 'This is a test of your webhook address.' })
  })

  it('are sent on request at most 60 times an hour per key, even by concurrent requests', async () => {
    const id = await add({ status: 'dead', reason: 'x' })
    const storm = (key: string, times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, index) =>
          keys.as(
            key,
            'POST',
            index % 8 === 0 && key === keys.own.key ? `/v1/watchlist/deliveries/${id}/resend` : TEST,
          ),
        ),
      )
    const replies = await storm(keys.own.key, 90)
    const refused = replies.filter(({ status }) => status === 429)
    const counted = async () =>
      (
        await keys.service.pool.query('SELECT cardinality(requested_sends) AS n FROM api_keys WHERE id = $1', [
          keys.own.id,
        ])
      ).rows[0].n
    assert.strictEqual(await counted(), 60)
    assert.isAtLeast(refused.length, 15)
    for (const each of refused) {
      assert.strictEqual(refusalOf(each), '429 rate_limited')
      const wait = Number(each.headers['retry-after'])
      assert.isTrue(wait > 3_500 && wait <= 3_600, String(wait))
    }
    const tests = await keys.service.pool.query(
      `SELECT FROM deliveries JOIN events ON events.id = event_id WHERE type = 'test'`,
    )
    assert.isAtMost(tests.rowCount!, 60)

    assert.strictEqual((await keys.as(keys.other.key, 'POST', TEST)).status, 202)
    await keys.service.pool.query(
      `UPDATE api_keys
       SET requested_sends = ARRAY(SELECT at - interval '1 h' FROM unnest(requested_sends) AS at)
       WHERE id = $1`,
      [keys.own.id],
    )
    assert.strictEqual((await keys.as(keys.own.key, 'POST', TEST)).status, 202)
    assert.strictEqual(await counted(), 1)
  })

  it('share no path with entries that are named like them', async () => {
    const answer = async (method: string, path: string) => (await keys.as(keys.own.key, method, path)).status
    assert.strictEqual(await answer('GET', '/v1/watchlist/deliveries/test'), 404)
    assert.strictEqual(await answer('POST', '/v1/watchlist/deliveries/test'), 405)
    assert.strictEqual(await answer('DELETE', '/v1/watchlist/deliveries'), 405)
    assert.strictEqual(await answer('DELETE', '/v1/watchlist/DELIVERIES'), 404)
    assert.strictEqual(await answer('POST', '/v1/watchlist/DELIVERIES/test'), 404)
    assert.strictEqual(await answer('GET', '/v1/watchlist/EXMP/test'), 405)
    assert.strictEqual(await answer('GET', '/v1/watchlist/deliveries/evt_1/resend'), 405)
  })

  it('are answered as the examples of the contract show', async () => {
    const shown = await startExampleService()
    const headers = { authorization: `Bearer ${EXAMPLE_KEY}` }
    const answer = async (method: string, path: string) => (await call(shown.url, method, path, { headers })).body
    const { id } = example('delivery-detail').data
    try {
      assert.deepEqual(
        await answer('GET', '/v1/watchlist/deliveries?ticker=brk.b&status=dead'),
        example('delivery-page'),
      )
      assert.deepEqual(asked.deliveries, {
        keyId: 'example',
        status: 'dead',
        limit: 20,
        about: { ticker: 'BRK-B', issuers: [] },
      })
      assert.deepEqual(await answer('GET', `/v1/watchlist/deliveries/${id}`), example('delivery-detail'))
      assert.deepEqual(await answer('POST', `/v1/watchlist/deliveries/${id}/resend`), example('delivery'))
      assert.deepEqual(await answer('POST', '/v1/watchlist/EXMP/test'), example('delivery-of-entry-test'))
      const [none, nowhere] = [
        await answer('GET', '/v1/watchlist/deliveries/evt_none'),
        await answer('POST', '/v1/watchlist/SMPL.B/test'),
      ]
      assert.strictEqual(none.error.message, example('errors/unknown-delivery').error.message)
      assert.strictEqual(nowhere.error.message, example('errors/no-webhook-address').error.message)
    } finally {
      await shown.close()
    }
  })
})

const TEST = '/v1/watchlist/EXMP/test'
const SIGNAL = { data: '{"signal":{"id":"x","ticker":"EXMP"}}' }
