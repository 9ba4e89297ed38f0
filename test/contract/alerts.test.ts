// Alert rules over HTTP on a real PostgreSQL: what a key's holder can do with them, what is refused and why, and that
// other keys can't see them.
import { assert } from 'chai'
import { call } from '../support/http/contract-client.ts'
import {
  asked,
  example,
  EXAMPLE_KEY,
  startExampleService,
  type ExampleService,
} from '../support/http/example-service.ts'
import { refusalOf, twoKeys } from '../support/http/two-keys.ts'

const URL = 'https://alerts.example.com/hook/secret-path'
const SETTINGS = { name: 'Chiefs', destination: { url: URL } }
const FULL = {
  name: 'Chiefs <b>&amp; 😀',
  enabled: false,
  events: ['transaction.amended', 'signal.escalated'],
  filter: {
    tickers: ['brk.b', 'CIK320193', 'EXMP'],
    issuerCiks: ['1', '0000000002'],
    insiderCiks: ['5'],
    transactionTypes: ['buy', 'sell'],
    transactionCodes: ['P', 'none'],
    roles: ['ceo', 'cfo'],
    sectors: ['Health Care', 'Unknown'],
    ownership: 'direct',
    plan10b51: ['no', 'unknown'],
    routine: 'no',
    late: false,
    firstBuyInYears: 3,
    minSignificance: 'medium',
    minValue: 250000.5,
    maxValue: 999999999999999,
    minShares: 0,
    maxShares: 0.0001,
    minHoldingChange: -0.5,
    maxHoldingChange: 1.25,
  },
  signalTypes: ['cluster_buy'],
  minSeverity: 'high',
  detail: true,
  destination: { url: URL, format: 'discord' },
}

describe('alerts over HTTP', function () {
  this.timeout(60_000)
  const keys = twoKeys()
  const create = (body: object, key = keys.own.key) => keys.as(key, 'POST', '/v1/alerts', body)
  const list = async (key = keys.own.key) => (await keys.as(key, 'GET', '/v1/alerts')).body.data.alerts

  it('are created, listed, shown, replaced and removed', async () => {
    const { status, body } = await create(FULL)
    assert.strictEqual(status, 201)
    const { id, createdAt, updatedAt, ...alert } = body.data
    assert.match(id, /^alr_[0-9A-Za-z]{20}$/)
    assert.deepEqual(alert, {
      ...FULL,
      filter: {
        ...FULL.filter,
        tickers: ['BRK-B', 'CIK0000320193', 'EXMP'],
        issuerCiks: ['0000000001', '0000000002'],
        insiderCiks: ['0000000005'],
      },
      lastMatchedAt: null,
      health: { status: 'ok', since: null, lastError: null },
    })
    assert.deepEqual(await list(), [body.data])
    assert.deepEqual((await keys.as(keys.own.key, 'GET', `/v1/alerts/${id}`)).body, body)

    const plain = await create(SETTINGS)
    assert.deepInclude(plain.body.data, {
      enabled: true,
      events: ['transaction.created', 'signal.detected'],
      filter: {},
      detail: false,
      destination: { url: URL, format: 'standard' },
    })
    assert.notProperty(plain.body.data, 'signalTypes')
    assert.deepEqual(
      (await list()).map((each: any) => each.id),
      [plain.body.data.id, id],
    )
    const replaced = await keys.as(keys.own.key, 'PUT', `/v1/alerts/${id}`, { ...SETTINGS, name: 'Other' })
    assert.strictEqual(replaced.status, 200)
    assert.deepInclude(replaced.body.data, { id, name: 'Other', createdAt, enabled: true, filter: {} })
    assert.isTrue(replaced.body.data.updatedAt >= updatedAt)
    assert.deepEqual((await keys.as(keys.own.key, 'DELETE', `/v1/alerts/${id}`)).body, { success: true })
    assert.strictEqual(refusalOf(await keys.as(keys.own.key, 'DELETE', `/v1/alerts/${id}`)), '404 unknown_alert')
    assert.lengthOf(await list(), 1)
  })

  it('may be about events of every type', async () => {
    const events = [
      'transaction.created',
      'transaction.amended',
      'signal.detected',
      'signal.escalated',
      'notice.created',
    ]
    const made = await create({ ...SETTINGS, events })
    assert.deepEqual([made.status, made.body.data?.events], [201, events])
    await keys.as(keys.own.key, 'DELETE', `/v1/alerts/${made.body.data.id}`)
  })

  it('are refused in words that say what a text must be', async () => {
    for (const [change, message] of [
      [{ name: 'a\nb' }, 'name must have no line breaks or other control characters'],
      [
        { filter: { tickers: ['EXMP', 'EX MP'] } },
        'filter.tickers.1 must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193',
      ],
      [{ filter: { issuerCiks: ['x'] } }, 'filter.issuerCiks.0 must be a CIK of 1 to 10 digits'],
    ] as const)
      assert.strictEqual((await create({ ...SETTINGS, ...change })).body.error.message, message)
  })

  it('are refused if they are invalid, with the path of each fault', async () => {
    const bad: [change: object, told: string][] = [
      [{ nmae: 'x' }, 'body.nmae'],
      [{ name: '' }, 'body.name'],
      [{ name: '  ' }, 'body.name'],
      [{ name: 'a\u0000b' }, 'body.name'],
      [{ name: 'x'.repeat(81) }, 'body.name'],
      [{ name: 5 }, 'body.name'],
      [{ enabled: 'yes' }, 'body.enabled'],
      [{ events: [] }, 'body.events'],
      [{ events: ['transaction.changed'] }, 'body.events.0'],
      [{ signalTypes: [] }, 'body.signalTypes'],
      [{ signalTypes: ['cluster'] }, 'body.signalTypes.0'],
      [{ minSeverity: 'huge' }, 'body.minSeverity'],
      [{ destination: {} }, 'body.destination.url'],
      [{ destination: { url: URL, format: 'teams' } }, 'body.destination.format'],
      [{ destination: { url: URL, secret: 'x' } }, 'body.destination.secret'],
      [{ destination: undefined }, 'body.destination'],
      [{ filter: { ticker: ['EXMP'] } }, 'body.filter.ticker'],
      [{ filter: { filedFrom: '2026-01-01' } }, 'body.filter.filedFrom'],
      [{ filter: { tickers: [] } }, 'body.filter.tickers'],
      [{ filter: { tickers: 'EXMP' } }, 'body.filter.tickers'],
      [{ filter: { tickers: ['EXMP', 'A,B'] } }, 'body.filter.tickers.1'],
      [{ filter: { tickers: ['EX MP'] } }, 'body.filter.tickers.0'],
      [{ filter: { tickers: Array.from({ length: 101 }, (_, n) => `T${n}`) } }, 'body.filter.tickers'],
      [{ filter: { issuerCiks: [5] } }, 'body.filter.issuerCiks.0'],
      [{ filter: { insiderCiks: ['12345678901'] } }, 'body.filter.insiderCiks.0'],
      [{ filter: { transactionTypes: ['purchase'] } }, 'body.filter.transactionTypes.0'],
      [{ filter: { transactionCodes: ['Q'] } }, 'body.filter.transactionCodes'],
      [{ filter: { roles: ['boss'] } }, 'body.filter.roles.0'],
      [{ filter: { sectors: ['energy'] } }, 'body.filter.sectors.0'],
      [{ filter: { ownership: ['direct'] } }, 'body.filter.ownership'],
      [{ filter: { routine: true } }, 'body.filter.routine'],
      [{ filter: { late: 'true' } }, 'body.filter.late'],
      [{ filter: { firstBuyInYears: 21 } }, 'body.filter.firstBuyInYears'],
      [{ filter: { firstBuyInYears: 1.5 } }, 'body.filter.firstBuyInYears'],
      [{ filter: { minHoldingChange: 0.00001 } }, 'body.filter.minHoldingChange'],
      [
        { filter: { minHoldingChange: 1, maxHoldingChange: -1 } },
        'body.filter.minHoldingChange body.filter.maxHoldingChange',
      ],
      [{ filter: { minSignificance: null } }, 'body.filter.minSignificance'],
      [{ filter: { minValue: '5' } }, 'body.filter.minValue'],
      [{ filter: { minValue: -1 } }, 'body.filter.minValue'],
      [{ filter: { minValue: 0.001 } }, 'body.filter.minValue'],
      [{ filter: { minValue: 1e21 } }, 'body.filter.minValue'],
      [{ filter: { minShares: 0.00001 } }, 'body.filter.minShares'],
      [{ filter: { minValue: 2, maxValue: 1 } }, 'body.filter.minValue body.filter.maxValue'],
      [
        { filter: { minShares: 2, maxShares: 1, minValue: 0.001 } },
        'body.filter.minValue body.filter.minShares body.filter.maxShares',
      ],
      [{ filter: [] }, 'body.filter'],
    ]
    for (const [change, path] of bad) {
      const refused = await create({ ...SETTINGS, ...change })
      assert.strictEqual(refusalOf(refused), `400 invalid_body ${path}`, JSON.stringify(change))
      assert.notMatch(refused.body.error.message, /as the reference/, JSON.stringify(change))
    }
    for (const url of ['https://x.inside.example/', 'http://alerts.example.com/', 'https://x.unknown.example/'])
      assert.strictEqual(
        refusalOf(await create({ ...SETTINGS, destination: { url } })),
        '422 webhook_url_refused body.destination.url',
      )
    assert.lengthOf(await list(), 0)
    const { id } = (await create(SETTINGS)).body.data
    const before = await list()
    assert.strictEqual(
      refusalOf(await keys.as(keys.own.key, 'PUT', `/v1/alerts/${id}`, { ...SETTINGS, filter: { x: 1 } })),
      '400 invalid_body body.filter.x',
    )
    assert.deepEqual(await list(), before)
    assert.strictEqual(refusalOf(await keys.as(keys.own.key, 'GET', '/v1/alerts/5')), '400 invalid_parameter path.id')
    assert.strictEqual(
      refusalOf(await keys.as(keys.own.key, 'PUT', `/v1/alerts/${id}`, 'no')),
      '415 unsupported_media_type',
    )
  })

  it('are limited to 100 per key, even if many are created at once', async () => {
    const made = await Promise.all(Array.from({ length: 104 }, () => create(SETTINGS)))
    const refused = made.filter(({ status }) => status !== 201)
    assert.deepEqual(
      refused.map(refusalOf),
      Array.from({ length: 4 }, () => '409 alerts_full'),
    )
    assert.lengthOf(await list(), 100)
    assert.strictEqual((await create(SETTINGS, keys.other.key)).status, 201)
    await keys.as(keys.own.key, 'DELETE', `/v1/alerts/${made.find(({ status }) => status === 201)!.body.data.id}`)
    assert.strictEqual((await create(SETTINGS)).status, 201)
  })

  it('of another key are not found by any of 500 requests', async () => {
    const theirs: string[] = []
    for (let number = 0; number < 5; number += 1) theirs.push((await create(SETTINGS, keys.other.key)).body.data.id)
    const before = await list(keys.other.key)
    const attempts: [method: string, path: string, body?: object][] = [
      ['GET', ''],
      ['PUT', '', SETTINGS],
      ['DELETE', ''],
      ['GET', '/matches'],
      ['POST', '/test'],
    ]
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const [method, path, body] = attempts[attempt % attempts.length]!
      // The example answers for what would have matched, of its own alert alone.
      const id = attempt % 7 === 0 ? `alr_${String(attempt).padStart(20, '0')}` : theirs[attempt % theirs.length]!
      const reply = await keys.as(keys.own.key, method, `/v1/alerts/${id}${path}`, body)
      assert.strictEqual(refusalOf(reply), '404 unknown_alert', `${method} ${path}`)
      assert.strictEqual(reply.body.error.message, 'Your key has no alert with this id')
    }
    assert.deepEqual(await list(keys.other.key), before)
    assert.lengthOf(await list(), 0)
    const { deliveries } = (await keys.as(keys.own.key, 'GET', `/v1/watchlist/deliveries?alertId=${theirs[0]}`)).body
      .data
    assert.deepEqual(deliveries, [])
    assert.strictEqual(
      refusalOf(await keys.as(keys.own.key, 'GET', '/v1/watchlist/deliveries?alertId=alr_x')),
      '400 invalid_parameter query.alertId',
    )
  })

  it('need a key, on every path', async () => {
    for (const [method, path] of [
      ['GET', '/v1/alerts'],
      ['POST', '/v1/alerts'],
      ['PUT', '/v1/alerts/x'],
      ['GET', '/v1/alerts/x/matches'],
      ['GET', '/v1/alerts/x/y/z'],
      ['OPTIONS', '/v1/alerts'],
    ] as const)
      assert.strictEqual(refusalOf(await call(keys.http.url, method, path)), '401 missing_api_key', `${method} ${path}`)
  })

  it('show the state of their destination, as entries of the watchlist do', async () => {
    const { id } = (await create(SETTINGS)).body.data
    const health = async () => (await keys.as(keys.own.key, 'GET', `/v1/alerts/${id}`)).body.data.health
    await keys.as(keys.own.key, 'POST', '/v1/watchlist', { ticker: 'EXMP', webhookUrl: URL, detail: true })
    await keys.as(keys.own.key, 'POST', '/v1/watchlist', { ticker: 'SMPL', notices: true })
    const webhooks = async () =>
      (await keys.as(keys.own.key, 'GET', '/v1/watchlist?detail=full')).body.data.companies.map(
        ({ addedAt: _, ...each }: any) => each,
      )
    const entry = (webhook: object | null) => [
      { ticker: 'SMPL', detail: false, notices: true, webhook: null },
      { ticker: 'EXMP', detail: true, notices: false, webhook },
    ]
    assert.deepEqual(
      await webhooks(),
      entry({ host: 'alerts.example.com', status: 'active', since: null, reason: null }),
    )
    await keys.service.pool.query(
      `INSERT INTO endpoints (key_id, url, failing_since, failed_at, failure)
       VALUES ($1, $2, '2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z', 'timeout')`,
      [keys.own.id, URL],
    )
    assert.deepEqual(await health(), { status: 'failing', since: '2030-01-01T00:00:00Z', lastError: 'timeout' })
    assert.deepEqual(
      await webhooks(),
      entry({ host: 'alerts.example.com', status: 'failing', since: '2030-01-01T00:00:00Z', reason: 'timeout' }),
    )
    await keys.service.pool.query(
      `UPDATE endpoints SET disabled_at = '2030-01-02T00:00:00Z', disabled_reason = 'the address answered 410'`,
    )
    const disabled = { status: 'disabled', since: '2030-01-02T00:00:00Z' }
    assert.deepEqual(await health(), { ...disabled, lastError: 'the address answered 410' })
    assert.deepEqual(
      await webhooks(),
      entry({ host: 'alerts.example.com', ...disabled, reason: 'the address answered 410' }),
    )
    // Setting the address again enables it.
    await keys.as(keys.own.key, 'PUT', `/v1/alerts/${id}`, SETTINGS)
    assert.deepEqual(await health(), { status: 'ok', since: null, lastError: null })
    // The plain list has what it always had.
    assert.hasAllKeys((await keys.as(keys.own.key, 'GET', '/v1/watchlist')).body.data.companies[0], [
      'ticker',
      'addedAt',
    ])
    assert.strictEqual(
      refusalOf(await keys.as(keys.own.key, 'GET', '/v1/watchlist?detail=yes')),
      '400 invalid_parameter query.detail',
    )
  })

  it('send tests, which wait if no process delivers, are listed, and count towards the limit', async () => {
    const { id } = (await create({ ...SETTINGS, destination: { url: URL, format: 'slack' } })).body.data
    const { status, body } = await keys.as(keys.own.key, 'POST', `/v1/alerts/${id}/test`)
    assert.strictEqual(status, 202)
    assert.deepInclude(body.data, { event: 'test', alertId: id, format: 'slack', status: 'waiting', attemptsMade: [] })
    assert.include(JSON.parse(body.data.body).text, 'test')
    assert.include(body.data.body, 'Chiefs')
    const { deliveries } = (await keys.as(keys.own.key, 'GET', `/v1/watchlist/deliveries?alertId=${id}`)).body.data
    assert.deepEqual(
      deliveries.map((each: any) => each.id),
      [body.data.id],
    )
    await keys.service.pool.query(
      'UPDATE api_keys SET requested_sends = ARRAY(SELECT now() FROM generate_series(1, 60)) WHERE id = $1',
      [keys.own.id],
    )
    const late = await keys.as(keys.own.key, 'POST', `/v1/alerts/${id}/test`)
    assert.strictEqual(refusalOf(late), '429 rate_limited')
    assert.isAbove(Number(late.headers['retry-after']), 0)
  })
})

describe('the examples of alerts', () => {
  let service: ExampleService
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())
  const ask = (method: string, path: string, body?: object) =>
    call(service.url, method, path, {
      headers: { authorization: `Bearer ${EXAMPLE_KEY}` },
      ...(body !== undefined && { body }),
    })

  it('are what the service answers', async () => {
    const { id } = example('alert').data
    for (const [method, path, name, status, sent] of [
      ['GET', '', 'alerts', 200, undefined],
      ['POST', '', 'alert', 201, 'alert-settings'],
      ['POST', '', 'alert-plain', 201, 'alert-settings-plain'],
      ['GET', `/${id}`, 'alert', 200, undefined],
      ['PUT', `/${id}`, 'alert', 200, 'alert-settings'],
      ['DELETE', `/${id}`, 'removed', 200, undefined],
      ['GET', `/${id}/matches?days=30&limit=100`, 'alert-matches', 200, undefined],
      ['POST', `/${id}/test`, 'delivery-of-test', 202, undefined],
    ] as const) {
      const reply = await ask(method, `/v1/alerts${path}`, sent && example(sent))
      assert.deepEqual([reply.status, reply.body], [status, example(name)], `${method} ${path}`)
    }
    assert.deepEqual(asked.matches, { keyId: 'example', id, days: 30, limit: 100 })
    assert.deepEqual((await ask('GET', '/v1/watchlist?detail=full')).body, example('watchlist-detailed'))
    for (const query of ['days=31', 'days=0', 'limit=101', 'cursor=x'])
      assert.strictEqual((await ask('GET', `/v1/alerts/${id}/matches?${query}`)).status, 400, query)
  })
})
