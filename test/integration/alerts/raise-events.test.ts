// The alerts that a filing and its signals raise, from the document on: events and deliveries in the outbox, with the
// same objects as in the API.
import { assert } from 'chai'
import type { components } from '../../../src/contract.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { webhookBodies } from '../../../src/application/alerts/webhook-body.ts'
import { showKeyDelivery } from '../../../src/infrastructure/postgres/queries/key-deliveries.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { ownershipXml, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { filedHoursAgo, ISSUER, NOW } from '../../support/filings/recent-filing.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const HOUR = 3_600_000
const URL = 'https://alerts.example.com/'

const buy = (number: number, hoursAgo: number, cik: string, shares = '2000', spec: FilingSpec = {}) =>
  filedHoursAgo(number, hoursAgo, {
    owners: [{ cik, name: `OWNER ${cik}`, isOfficer: false, isDirector: true }],
    rows: [{ shares, price: '10', date: '2025-03-12' }],
    ...spec,
  })

interface Event {
  id: string
  type: string
  data: string | null
}

describe('alerts', () => {
  let service: TestService
  beforeEach(async () => {
    service = await testService(() => NOW)
  })
  afterEach(() => service.close())

  const key = (id: string) =>
    service.pool.query(`INSERT INTO api_keys (id, name, secret_hash, webhook_secret) VALUES ($1, $1, '', '')`, [id])
  const watch = (keyId: string, ticker: string, url: string | null = URL) =>
    service.pool.query('INSERT INTO watchlist (key_id, ticker, webhook_url) VALUES ($1, $2, $3)', [keyId, ticker, url])
  const events = () => rows<Event>(service.pool, 'SELECT id, type, data FROM events ORDER BY id')
  const deliveries = () =>
    rows<{ event_id: string; key_id: string; url: string; ticker: string | null }>(
      service.pool,
      'SELECT event_id, key_id, url, ticker FROM deliveries ORDER BY event_id, key_id, url',
    )
  const dataOf = async (id: string) => JSON.parse((await events()).find((event) => event.id === id)!.data!)

  it('announce a filing once, with the transactions as the feed shows them', async () => {
    await key('a')
    await watch('a', 'EXWI')
    const rowsOfIt = [
      { shares: '1234.5678', price: '48.1275' },
      { shares: '999999999999.9999', price: '0.0001' },
      { price: null, code: 'G' },
    ]
    const filing = filedHoursAgo(1, 1, { rows: rowsOfIt })
    await service.take(filing)
    const { transactions } = await service.queries.feed({ limit: 10 })
    const data = await dataOf('transaction.created/0001999001-25-000001')
    assert.deepEqual(data, {
      companyName: transactions[0]!.companyName,
      accessionNumber: filing.accession,
      transactions: transactions.toReversed(),
    })
    assert.deepEqual(await deliveries(), [
      { event_id: 'transaction.created/0001999001-25-000001', key_id: 'a', url: URL, ticker: 'EXWI' },
    ])
    await service.pool.query('UPDATE filings SET pending = true')
    await service.project()
    assert.lengthOf(await deliveries(), 1)
  })

  it('keep every digit of the largest numbers', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await service.take(filedHoursAgo(1, 1, { rows: [{ shares: '999999999999.9999', price: '0.0001' }] }))
    assert.include((await events())[0]!.data, '"shares":999999999999.9999,"pricePerShare":0.0001')
  })

  it('go to each key and address once, whichever symbols of the issuer it watches', async () => {
    await service.container.get(TYPES.companyList).replace(
      [
        { ticker: 'EXWA', cik: ISSUER, name: 'X', exchange: null },
        { ticker: 'EXWB', cik: ISSUER, name: 'X', exchange: null },
        { ticker: 'EXOTHER', cik: '0001999002', name: 'Y', exchange: null },
      ],
      'test',
      Buffer.alloc(32),
    )
    await service.container.get(TYPES.refreshCompanies)(() => {})
    // Typed long ago, and not in the list any more.
    await service.take(filedHoursAgo(1, 2_000, { issuer: { cik: ISSUER, tickerRaw: 'EXFORMER EXOTHER' } }))
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await key(id)
    await watch('a', 'EXWA')
    await watch('a', 'EXWB')
    await watch('b', 'EXWB', `${URL}b`)
    await watch('b', 'EXFORMER', `${URL}c`)
    await watch('c', 'EXOTHER')
    await watch('d', 'EXWA', null)
    await watch('e', 'EXWA')
    await watch('f', 'EXWA')
    await service.pool.query("UPDATE api_keys SET revoked_at = now() WHERE id = 'e'")
    await service.pool.query(`INSERT INTO endpoints (key_id, url, disabled_at) VALUES ('f', '${URL}', now())`)
    await service.take(filedHoursAgo(2, 1))
    const of = (key_id: string, url: string, ticker: string) => ({
      event_id: 'transaction.created/0001999001-25-000002',
      key_id,
      url,
      ticker,
    })
    assert.deepEqual(await deliveries(), [
      of('a', URL, 'EXWA'),
      of('b', `${URL}b`, 'EXWB'),
      of('b', `${URL}c`, 'EXFORMER'),
      of('f', URL, 'EXWA'),
    ])
  })

  it('wait as dead deliveries while the address is disabled, until it is set again or they are replayed', async () => {
    const reason = 'the address answered 410'
    const states = () =>
      rows(
        service.pool,
        `SELECT key_id, event_id, status, reason, settled_at IS NULL AS open FROM deliveries ORDER BY key_id, event_id`,
      )
    const state = (key_id: string, number: number, isDead: boolean) => ({
      key_id,
      event_id: `transaction.created/0001999001-25-00000${number}`,
      ...(isDead
        ? { status: 'dead', reason: `address disabled: ${reason}`, open: false }
        : { status: 'waiting', reason: null, open: true }),
    })
    for (const id of ['a', 'b']) {
      await key(id)
      await watch(id, 'EXWI')
      await service.pool.query(
        'INSERT INTO endpoints (key_id, url, disabled_at, disabled_reason) VALUES ($1, $2, now(), $3)',
        [id, URL, reason],
      )
    }
    await service.take(filedHoursAgo(1, 1))
    assert.deepEqual(await states(), [state('a', 1, true), state('b', 1, true)])
    assert.isNotNull(await dataOf('transaction.created/0001999001-25-000001'))

    await service.container.get(TYPES.watchlists).put('a', { ticker: 'EXWI', webhookUrl: URL, detail: false }, 10)
    assert.deepEqual(await states(), [state('a', 1, false), state('b', 1, true)])
    await service.take(filedHoursAgo(2, 1))
    assert.deepEqual((await states()).slice(1), [state('a', 2, false), state('b', 1, true), state('b', 2, true)])

    assert.strictEqual(await service.container.get(TYPES.deliveryCommands).replay(new Date(Date.now() - HOUR)), 2)
    assert.deepEqual((await states()).slice(2), [state('b', 1, false), state('b', 2, false)])
  })

  it('for a symbol are about the issuer that last filed with it', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await service.take(filedHoursAgo(1, 5))
    await service.take(filedHoursAgo(2, 4, { issuer: { cik: '0001999002', tickerRaw: 'EXWI' } }))
    await service.take(filedHoursAgo(3, 3, { issuer: { cik: ISSUER, tickerRaw: 'EXNEW' } }))
    assert.deepEqual(
      (await deliveries()).map(({ event_id }) => event_id.slice(-1)),
      ['1', '2'],
    )
  })

  it("for a symbol without its class's hyphen are raised while no company has that symbol", async () => {
    await key('a')
    await watch('a', 'EXWA')
    const inv = { cik: ISSUER, tickerRaw: 'EXW.A' }
    await service.take(filedHoursAgo(1, 3, { issuer: inv }))
    assert.deepEqual(
      (await deliveries()).map(({ ticker }) => ticker),
      ['EXWA'],
    )
    await service.take(filedHoursAgo(2, 2, { issuer: { cik: '0001999002', tickerRaw: 'EXWA' } }))
    await service.take(filedHoursAgo(3, 1, { issuer: inv }))
    assert.deepEqual(
      (await deliveries()).map(({ event_id }) => event_id),
      ['transaction.created/0001999001-25-000001', 'transaction.created/0001999001-25-000002'],
    )
  })

  it('are raised only for filings accepted in the last 72 hours', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await service.take(
      filedHoursAgo(1, 71.99),
      filedHoursAgo(2, 72.01),
      filedHoursAgo(3, 1, { rows: [], derivativeRows: [{}] }),
    )
    await service.take({ path: '0001999001-25-000004.xml', text: ownershipXml(filedHoursAgo(4, 1)) })
    assert.deepEqual(
      (await events()).map(({ id }) => id),
      ['transaction.created/0001999001-25-000001'],
    )
    // Its submission shows when it was accepted.
    await service.take(filedHoursAgo(4, 1))
    assert.deepEqual(
      (await events()).map(({ id }) => id.slice(-1)),
      ['1', '4'],
    )
  })

  it('announce an amendment with what it lists and what it replaces', async () => {
    await key('a')
    await watch('a', 'EXWI')
    const original = buy(1, 30, '0000000005')
    await service.take(original)
    await service.take(buy(2, 1, '0000000005', '2100', { formType: '4/A', dateOfOriginalSubmission: '2025-03-13' }))
    const data = await dataOf('transaction.amended/0001999001-25-000002')
    assert.deepEqual(data.superseded, ['0001999001-25-000001-nd-1'])
    assert.deepEqual(
      data.transactions.map(({ id, shares }: components['schemas']['Transaction']) => [id, shares]),
      [['0001999001-25-000002-nd-1', 2100]],
    )
  })

  it('are at most 20 kB, and say how much they leave out', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await service.take(
      filedHoursAgo(1, 1, { rows: Array.from({ length: 150 }, (_, n) => ({ shares: String(100 + n) })) }),
    )
    const [{ id } = { id: '' }] = await rows<{ id: string }>(service.pool, 'SELECT id FROM deliveries')
    const { body } = (await showKeyDelivery(service.pool, 'a', id, webhookBodies(null)))!
    assert.isAtLeast(Buffer.byteLength(body), 18_000)
    assert.isAtMost(Buffer.byteLength(body), 20_000)
    const { transactions, omitted } = JSON.parse(body).data
    assert.strictEqual(transactions.length + omitted, 150)
    assert.isAbove(omitted, 0)
  })

  it('announce a signal once, as the API shows it, and each severity it rises to', async () => {
    await key('a')
    await watch('a', 'EXWI')
    const owners = ['0000000005', '0000000006', '0000000007', '0000000008']
    for (const [index, cik] of owners.slice(0, 3).entries())
      await service.take(buy(index + 1, 20 - index, cik, '20000'))
    await service.detectSignals()
    const {
      signals: [cluster],
    } = await service.queries.signals({ limit: 10, type: 'cluster_buy' })
    const id = `signal.detected/${cluster!.id}`
    assert.deepEqual(await dataOf(id), { signal: cluster })
    await service.take(buy(4, 2, owners[3]!, '20000'))
    await service.detectSignals()
    await service.pool.query('INSERT INTO signal_queue (issuer_cik, version) SELECT issuer_cik, 1 FROM filings LIMIT 1')
    await service.detectSignals()
    const {
      signals: [grown],
    } = await service.queries.signals({ limit: 10, type: 'cluster_buy' })
    const ofIt = (await events()).filter((event) => event.id.includes(cluster!.id)).map((event) => event.id)
    assert.deepEqual([cluster!.severity, grown!.severity, grown!.insiderCount], ['medium', 'high', 4])
    assert.sameMembers(ofIt, [id, `signal.escalated/${cluster!.id}/high`])
    assert.deepEqual(await dataOf(`signal.escalated/${cluster!.id}/high`), { signal: grown })
    const told = (await deliveries()).filter(({ event_id }) => ofIt.includes(event_id))
    assert.lengthOf(told, ofIt.length)
    assert.strictEqual(
      told.every(({ ticker }) => ticker === null),
      true,
    )
  })

  it('of signals that waited when a rebuild began are raised after it, and a rebuild itself raises none', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await cluster(20)
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(
      (await events()).filter(({ type }) => type.startsWith('signal')),
      [],
    )
    await service.detectSignals()
    assert.isAbove((await events()).filter(({ type }) => type === 'signal.detected').length, 0)
  })

  const signalEvents = async () => (await events()).filter(({ type }) => type.startsWith('signal')).map(({ id }) => id)
  const signalsTold = async () =>
    (await deliveries()).filter(({ event_id }) => event_id.startsWith('signal')).map(({ event_id }) => event_id)
  const cluster = async (hoursAgo: number) => {
    for (const [index, cik] of ['0000000005', '0000000006', '0000000007'].entries())
      await service.take(buy(index + 1, hoursAgo, cik, '20000'))
  }

  it('are not raised for signals found in history, neither then nor with the next filing', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await cluster(20)
    await service.pool.query('TRUNCATE signal_queue')
    const sets = service.container.get(TYPES.dataSetRegistry)
    await sets.begin('2020q1', 'sha', 'test')
    async function* lines() {
      yield `0001999001-20-000001\t4\t1999001\t2020-01-02\t{5}\t{EXWI}\t{1}\n`
    }
    await sets.replace('2020q1', lines())
    await service.detectSignals()
    const recorded = await signalEvents()
    assert.isAbove(recorded.length, 0)
    assert.deepEqual(await signalsTold(), [])
    // What the filing itself brings is news.
    await service.take(buy(4, 2, '0000000008', '20000'))
    await service.detectSignals()
    const events = await signalEvents()
    assert.includeMembers(events, recorded)
    assert.isAbove(events.length, recorded.length)
    assert.sameMembers(
      await signalsTold(),
      (await signalEvents()).filter((id) => !recorded.includes(id)),
    )
  })

  it('are raised for signals whose issuer waits for a filing as well as for history', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await cluster(20)
    await service.pool.query(
      `INSERT INTO signal_queue (issuer_cik, version, silent) VALUES ($1, 1, true)
      ON CONFLICT (issuer_cik) DO UPDATE SET silent = signal_queue.silent AND excluded.silent`,
      [ISSUER],
    )
    await service.detectSignals()
    assert.isAbove((await signalsTold()).length, 0)
  })

  it('are not raised for signals that a rebuild finds first, neither then nor with the next filing', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await cluster(20)
    await service.detectSignals()
    const recorded = await signalEvents()
    // As if other rules had found none before.
    await service.pool.query(`DELETE FROM deliveries WHERE event_id LIKE 'signal%'`)
    await service.pool.query(`DELETE FROM events WHERE type LIKE 'signal%'`)
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(await signalEvents(), recorded)
    await service.take(filedHoursAgo(9, 1))
    await service.detectSignals()
    assert.deepEqual(await signalsTold(), [])
  })

  it('are raised for a filing that waits while a rebuild runs, once it is projected', async () => {
    await key('a')
    await watch('a', 'EXWI')
    for (const [index, cik] of ['0000000005', '0000000006'].entries())
      await service.take(buy(index + 1, 20, cik, '20000'))
    await service.detectSignals()
    await service.record(buy(3, 2, '0000000007', '20000'))
    const before = await signalsTold()
    await service.container.get(TYPES.rebuild)(() => {})
    await service.project()
    await service.detectSignals()
    assert.isAbove(
      (await signalsTold()).filter((id) => !before.includes(id) && id.startsWith('signal.detected')).length,
      0,
    )
  })

  it('are stored without data if no key watches, and not sent to keys that watch later', async () => {
    await service.take(filedHoursAgo(1, 1))
    assert.deepEqual(await events(), [
      { id: 'transaction.created/0001999001-25-000001', type: 'transaction.created', data: null },
    ])
    await key('a')
    await watch('a', 'EXWI')
    await service.pool.query('UPDATE filings SET pending = true')
    await service.project()
    assert.deepEqual(await deliveries(), [])
  })

  it('of a filing are stored together with the mark that it is projected, or not at all', async () => {
    await key('a')
    await watch('a', 'EXWI')
    await service.record(filedHoursAgo(1, 1))
    await service.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`)
    await service.pool.query('CREATE TRIGGER refuse BEFORE INSERT ON deliveries EXECUTE FUNCTION refuse()')
    const {
      rows: [before],
    } = await service.pool.query('SELECT pending FROM filings')
    assert.strictEqual(before.pending, true)
    await service.container
      .get(TYPES.ledger)
      .markProjected((await service.container.get(TYPES.ledger).pending(1)).documents, 1, {
        events: [
          {
            id: 'transaction.created/x',
            type: 'transaction.created',
            issuerCik: ISSUER,
            symbols: ['EXWI'],
            createdAt: NOW,
            data: '{}',
            ticker: 'EXWI',
            rules: [],
          },
        ],
      })
      .then(
        () => assert.fail('it was marked'),
        () => {},
      )
    assert.deepEqual((await service.pool.query('SELECT pending FROM filings')).rows, [{ pending: true }])
    assert.deepEqual(await events(), [])
  })
})
