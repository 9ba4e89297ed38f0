// Alerts by rules, from the document on: which events raise them, to which addresses and with which transactions, in
// the outbox and in the body that is sent.
import { assert } from 'chai'
import type { AlertFilter, EventType, Format, RuleSettings } from '../../../src/application/ports/alerts.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { showKeyDelivery } from '../../../src/infrastructure/postgres/queries/key-deliveries.ts'
import { webhookBodies } from '../../../src/application/alerts/webhook-body.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import { filedHoursAgo, ISSUER, NOW } from '../../support/filings/recent-filing.ts'
import { noticeSubmission, type NoticeSpec } from '../../support/notices/notice-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const DAY = 86_400_000
const URL = 'https://alerts.example.com/'
const CEO = { cik: '0000000005', name: 'EXEMPLAR CLARA', isOfficer: true, officerTitle: 'Chief Executive Officer' }

const settings = (change: Partial<RuleSettings> = {}): RuleSettings => ({
  name: 'A rule',
  enabled: true,
  events: ['transaction.created', 'signal.detected'],
  filter: {},
  signalTypes: null,
  minSeverity: null,
  destination: { url: URL, format: 'standard' },
  detail: false,
  ...change,
})

interface Told {
  key: string
  url: string
  format: Format
  type: EventType
  ticker: string | null
  data: any
}

describe('alerts by rules', function () {
  this.timeout(60_000)
  let service: TestService
  let made = 0
  beforeEach(async () => {
    service = await testService(() => NOW)
  })
  afterEach(() => service.close())

  const key = (id: string) =>
    service.pool.query(`INSERT INTO api_keys (id, name, secret_hash, webhook_secret) VALUES ($1, $1, '', '')`, [id])
  const watch = (keyId: string, ticker: string, webhookUrl: string | null = URL, detail = false) =>
    service.container.get(TYPES.watchlists).put(keyId, { ticker, webhookUrl, detail }, 10)
  /** Adds a rule of that key; returns its id. */
  const rule = async (keyId: string, change: Partial<RuleSettings> = {}): Promise<string> => {
    const id = `alr_${String((made += 1)).padStart(20, '0')}`
    assert.isNotNull(await service.container.get(TYPES.alertRuleStore).add(keyId, id, settings(change), 100))
    return id
  }
  /** What is in the outbox, with the bodies that would be sent. */
  const told = async (): Promise<Told[]> => {
    const found = await rows<{ id: string; key: string; url: string; format: Format; type: EventType }>(
      service.pool,
      `SELECT deliveries.id, key_id AS key, url, format, type
       FROM deliveries JOIN events ON events.id = event_id
       ORDER BY events.created_at, event_id, key_id, url, format`,
    )
    return Promise.all(
      found.map(async ({ id, ...delivery }) => {
        const { body, ticker } = (await showKeyDelivery(service.pool, delivery.key, id, webhookBodies(null)))!
        const parsed = JSON.parse(body)
        return { ...delivery, ticker, data: parsed.data ?? parsed }
      }),
    )
  }
  const shares = ({ data }: Told) => data.transactions.map((each: any) => each.shares)

  it('have the matching transactions, what matched, and how many others the filing has', async () => {
    await key('a')
    const big = await rule('a', { name: 'Big', filter: { minShares: 500 } })
    await rule('a', { filter: { minShares: 5_000 } })
    await service.take(filedHoursAgo(1, 1, { rows: [{ shares: '100' }, { shares: '600' }, { shares: '700' }] }))
    const [one, ...more] = await told()
    assert.lengthOf(more, 0)
    assert.deepInclude(one!.data, {
      ticker: 'EXWI',
      others: 1,
      matched: [{ kind: 'alert', id: big, name: 'Big' }],
    })
    assert.deepEqual(shares(one!), [600, 700])
    const stored = await service.container.get(TYPES.alertRuleStore).list('a')
    assert.deepEqual(
      stored.map(({ lastMatchedAt }) => lastMatchedAt !== null),
      [false, true],
    )
    await service.pool.query('UPDATE filings SET pending = true')
    await service.project()
    assert.lengthOf(await told(), 1)
  })

  it('come to each address once, however many rules and entries match', async () => {
    for (const id of ['a', 'b']) await key(id)
    const [small, big] = [
      await rule('a', { name: 's', filter: { maxShares: 300 } }),
      await rule('a', { name: 'b', filter: { minShares: 200 } }),
    ]
    const chat = await rule('a', { name: 'c', filter: { minShares: 300 }, destination: { url: URL, format: 'slack' } })
    await rule('a', { name: 'd', filter: { minShares: 300 }, destination: { url: URL, format: 'discord' } })
    const elsewhere = await rule('a', { name: 'e', destination: { url: `${URL}e`, format: 'standard' } })
    await watch('a', 'EXWI', `${URL}w`)
    const both = await rule('a', { filter: { minShares: 300 }, destination: { url: `${URL}w`, format: 'standard' } })
    await rule('b', { filter: { minShares: 300 } })
    await service.take(filedHoursAgo(1, 1, { rows: [{ shares: '100' }, { shares: '250' }, { shares: '400' }] }))
    const all = await told()
    const of = (keyId: string, url: string, format: Format) => {
      const found = all.filter((each) => each.key === keyId && each.url === url && each.format === format)
      assert.lengthOf(found, 1, `${keyId} ${url} ${format}`)
      return found[0]!
    }
    assert.lengthOf(all, 6)
    const ids = (told: Told) => told.data.matched.map(({ id, ticker }: any) => id ?? ticker)
    assert.sameMembers(ids(of('a', URL, 'standard')), [small, big])
    assert.deepEqual(shares(of('a', URL, 'standard')), [100, 250, 400])
    assert.deepEqual(ids(of('a', `${URL}e`, 'standard')), [elsewhere])
    assert.sameMembers(ids(of('a', `${URL}w`, 'standard')), ['EXWI', both])
    assert.deepEqual(shares(of('a', `${URL}w`, 'standard')), [100, 250, 400])
    assert.notProperty(of('a', `${URL}w`, 'standard').data, 'others')
    assert.include(JSON.stringify(of('a', URL, 'slack').data), '400 shares')
    assert.notInclude(JSON.stringify(of('a', URL, 'slack').data), '250 shares')
    assert.isArray(of('a', URL, 'discord').data.embeds)
    assert.deepEqual(shares(of('b', URL, 'standard')), [400])
    // Found by any rule that matched.
    const list = service.container.get(TYPES.keyQueries)
    for (const id of [small, big, chat, elsewhere, both]) {
      const { deliveries } = await list.deliveries('a', { alertId: id, limit: 10 })
      assert.lengthOf(deliveries, 1, id)
      assert.strictEqual(deliveries[0]!.alertId === null, false)
    }
    assert.lengthOf((await list.deliveries('b', { alertId: big, limit: 10 })).deliveries, 0)
    const about = { ticker: 'EXWI', issuers: [ISSUER] }
    assert.lengthOf((await list.deliveries('a', { alertId: small, about, limit: 10 })).deliveries, 1)
    assert.lengthOf((await list.deliveries('a', { alertId: small, status: 'dead', limit: 10 })).deliveries, 0)
  })

  it('use the rules that exist when the filing is projected, by whichever process they were changed', async () => {
    await key('a')
    const other = await rule('a', { name: 'other' })
    await service.take(filedHoursAgo(1, 3))
    const store = service.container.get(TYPES.alertRuleStore)
    // As another process would.
    await store.replace('a', other, settings({ name: 'replaced', filter: { minShares: 103 } }))
    const late = await rule('a', { name: 'late', destination: { url: `${URL}late`, format: 'standard' } })
    await service.take(filedHoursAgo(2, 2), filedHoursAgo(3, 1))
    await store.replace('a', other, settings({ enabled: false }))
    await store.remove('a', late)
    await service.take(filedHoursAgo(4, 0.5))
    assert.deepEqual(
      (await told()).map(({ url, data }) => `${data.accessionNumber.slice(-1)} ${url} ${data.matched[0].name}`),
      [`1 ${URL} other`, `2 ${URL}late late`, `3 ${URL} replaced`, `3 ${URL}late late`],
    )
  })

  it('are sent to the present address of a rule that is changed while the event is raised, and by no rule that is gone', async () => {
    await key('a')
    const [moved, gone] = [await rule('a'), await rule('a', { destination: { url: `${URL}gone`, format: 'standard' } })]
    const asked = service.container.get(TYPES.activeAlerts)
    const current = asked.current.bind(asked)
    const store = service.container.get(TYPES.alertRuleStore)
    // The rules are read; before the statement that raises, their holder changes them.
    Object.defineProperty(asked, 'current', {
      value: async () => {
        const before = await current()
        await store.replace('a', moved, settings({ destination: { url: `${URL}new`, format: 'slack' } }))
        await store.remove('a', gone)
        return before
      },
    })
    await service.take(filedHoursAgo(1, 1))
    assert.deepEqual(
      (await told()).map(({ url, format }) => [url, format]),
      [[`${URL}new`, 'slack']],
    )
  })

  it('match by companies under any symbol, insiders, roles and sectors', async () => {
    await key('a')
    const matching: AlertFilter[] = [
      {},
      { tickers: ['EXWI'] },
      { tickers: ['NOSUCH'], issuerCiks: [ISSUER] },
      { tickers: ['CIK0001999001'] },
      { insiderCiks: ['0000000005', '0000000009'] },
      { roles: ['ceo'], transactionTypes: ['buy'], transactionCodes: ['P'] },
      { sectors: ['Energy'] },
      { ownership: 'direct', plan10b51: ['unknown', 'no'], routine: 'no', minSignificance: 'medium' },
      { minValue: 60_000, maxValue: 60_000 },
      { minShares: 2_000, maxShares: 2_000 },
      { late: false },
    ]
    const others: AlertFilter[] = [
      { tickers: ['EXWA'] },
      { issuerCiks: ['0001999002'] },
      { insiderCiks: ['0000000006'] },
      { roles: ['cfo', 'director'] },
      { sectors: ['Unknown', 'Technology'] },
      { transactionCodes: ['none'] },
      { routine: 'yes' },
      { minSignificance: 'high' },
      { maxValue: 59_999.99 },
      { minShares: 2_000.0001 },
      { late: true },
      { firstBuyInYears: 1 },
      { minHoldingChange: -1 },
    ]
    for (const [place, filter] of [...matching, ...others].entries()) await rule('a', { name: String(place), filter })
    await service.take(
      filedHoursAgo(1, 1, {
        issuer: { cik: ISSUER, tickerRaw: 'EXWI' },
        sic: '1311',
        owners: [CEO],
        rows: [{ shares: '2000', price: '30', date: '2025-03-12' }],
      }),
    )
    const [one] = await told()
    assert.deepEqual(
      one!.data.matched.map(({ name }: any) => Number(name)).sort((a: number, b: number) => a - b),
      [...matching.keys()],
    )
  })

  it('match the first purchase in years when it is filed', async () => {
    await key('a')
    await rule('a', { name: 'three', filter: { firstBuyInYears: 3 } })
    await rule('a', { name: 'fifteen', filter: { firstBuyInYears: 15 } })
    await rule('a', { name: 'more', filter: { minHoldingChange: 0.1, maxHoldingChange: 0.2 } })
    const rows = (day: string) => [{ shares: '150', sharesAfter: '1150', date: day }]
    const before = new Date(NOW - 5 * 366 * DAY).toISOString().slice(0, 10)
    const today = new Date(NOW - DAY).toISOString().slice(0, 10)
    await service.take({
      accession: '0001999001-19-000009',
      ...{ acceptedAt: `${before.replaceAll('-', '')}120000`, owners: [CEO], rows: rows(before) },
    })
    await service.take(filedHoursAgo(1, 1, { owners: [CEO], rows: rows(today) }))
    const [one] = await told()
    assert.sameMembers(
      one!.data.matched.map(({ name }: any) => name),
      ['three', 'more'],
    )
  })

  it('match a routine purchase when it is filed, with the significance that it keeps', async () => {
    await key('a')
    await rule('a', { name: 'routine', filter: { routine: 'yes' }, detail: true })
    await rule('a', { name: 'not routine', filter: { routine: 'no' } })
    await rule('a', { name: 'high', filter: { minSignificance: 'high' } })
    const DIRECTOR = { cik: '0000000006', name: 'EXEMPLAR DORA', isDirector: true }
    const bought = (day: string) => ({ owners: [DIRECTOR], rows: [{ shares: '20000', price: '30', date: day }] })
    for (const year of [2022, 2023, 2024])
      await service.take({
        accession: `${ISSUER}-${year % 100}-000009`,
        ...{ acceptedAt: `${year}0312120000`, issuer: { cik: ISSUER, tickerRaw: 'EXWI' }, ...bought(`${year}-03-10`) },
      })
    await service.take(filedHoursAgo(1, 1, bought('2025-03-12')))
    const shown = async () => {
      const { transactions } = await service.queries.feed({ limit: 10, detail: true })
      return transactions.map(({ significance, detail }) => [significance, detail!.routine])
    }
    const [one] = await told()
    assert.deepEqual(
      one!.data.matched.map(({ name }: any) => name),
      ['routine'],
    )
    assert.strictEqual(one!.data.transactions[0].detail.routine, true)
    const expected = [['low', true], ...Array.from({ length: 3 }, () => ['high', false])]
    assert.deepEqual(await shown(), expected)
    await service.detectSignals()
    assert.deepEqual(await shown(), expected)
  })

  it('match an amendment by what it lists or supersedes', async () => {
    await key('a')
    const events: EventType[] = ['transaction.amended']
    await rule('a', { name: 'former', events, filter: { minShares: 2_000 } })
    await rule('a', { name: 'neither', events, filter: { minShares: 5_000 } })
    await rule('a', { name: 'created' })
    const buy = (number: number, hours: number, count: string, spec: FilingSpec = {}) =>
      filedHoursAgo(number, hours, {
        owners: [CEO],
        rows: [{ shares: count, price: '10', date: '2025-03-12' }],
        ...spec,
      })
    await service.take(buy(1, 30, '2000'))
    await service.take(buy(2, 1, '1900', { formType: '4/A', dateOfOriginalSubmission: '2025-03-13' }))
    const found = (await told()).toReversed()
    assert.deepEqual(
      found.map(({ type, data }) => [type, data.matched.map(({ name }: any) => name)]),
      [
        ['transaction.created', ['created']],
        ['transaction.amended', ['former']],
      ],
    )
    const { data } = found[1]!
    assert.deepEqual(data.superseded, ['0001999001-25-000001-nd-1'])
    assert.deepEqual([data.transactions, data.others], [[], 1])
  })

  it('match a signal by its type, its severity and what it counts', async () => {
    await key('a')
    const events: EventType[] = ['signal.detected', 'signal.escalated']
    await rule('a', { name: 'all', events })
    await rule('a', { name: 'clusters', events, signalTypes: ['cluster_buy', 'reversal'] })
    await rule('a', { name: 'sales', events, signalTypes: ['cluster_sell'] })
    await rule('a', { name: 'critical', events, minSeverity: 'critical' })
    await rule('a', { name: 'counted', events, filter: { insiderCiks: ['0000000006'], minValue: 300_000 } })
    await rule('a', { name: 'not counted', events, filter: { insiderCiks: ['0000000006'], maxValue: 100 } })
    await rule('a', { name: 'elsewhere', events, filter: { tickers: ['EXWA'] } })
    await rule('a', { name: 'escalated', events: ['signal.escalated'] })
    const owner = (cik: string) => [{ cik, name: `OWNER ${cik}`, isOfficer: false, isDirector: true }]
    for (const [index, cik] of ['0000000005', '0000000006', '0000000007', '0000000008'].entries()) {
      const row = { shares: String(40_000 + index), price: '10', date: '2025-03-12' }
      await service.take(filedHoursAgo(index + 1, 20 - index, { owners: owner(cik), rows: [row] }))
      await service.detectSignals()
    }
    const found = await told()
    const names = (type: EventType) =>
      found.filter((each) => each.type === type).map(({ data }) => data.matched.map(({ name }: any) => name))
    assert.deepEqual(names('signal.detected'), [['all', 'clusters', 'counted']])
    assert.deepEqual(names('signal.escalated'), [['all', 'clusters', 'counted', 'escalated']])
    assert.strictEqual(found[0]!.data.signal.type, 'cluster_buy')
  })

  it('have the same details as the feed, if a rule or an entry asks for them', async () => {
    for (const id of ['a', 'b', 'c']) await key(id)
    await rule('a', { detail: true })
    await rule('b')
    await watch('c', 'EXWI', URL, true)
    await service.take(
      filedHoursAgo(1, 1, {
        owners: [CEO],
        sic: '1311',
        rows: [
          { shares: '1234.5678', price: '48.1275', sharesAfter: '5000', date: '2025-03-12' },
          {
            shares: '10',
            price: null,
            code: 'G',
            acquiredDisposed: 'D',
            date: '2030-01-01',
            securityTitle: 'Class "B" <x>',
          },
          { shares: '5', code: 'A', price: '0', directIndirect: 'I' },
        ],
      }),
    )
    const { transactions } = await service.queries.feed({ limit: 10, detail: true })
    const [a, b, c] = await told()
    assert.deepEqual(a!.data.transactions, transactions.toReversed())
    assert.deepEqual(c!.data.transactions, transactions.toReversed())
    assert.deepEqual(
      b!.data.transactions,
      transactions.toReversed().map(({ detail: _, ...each }) => each),
    )
  })

  it('are neither raised for revoked keys nor sent to disabled addresses, which wait', async () => {
    for (const id of ['a', 'b']) await key(id)
    await rule('a')
    const id = await rule('b')
    await service.pool.query("UPDATE api_keys SET revoked_at = now() WHERE id = 'a'")
    await service.pool.query(
      `INSERT INTO endpoints (key_id, url, disabled_at, disabled_reason) VALUES ('b', '${URL}', now(), 'x')`,
    )
    await service.take(filedHoursAgo(1, 1))
    const states = () => rows(service.pool, 'SELECT key_id, status, reason FROM deliveries')
    assert.deepEqual(await states(), [{ key_id: 'b', status: 'dead', reason: 'address disabled: x' }])
    const store = service.container.get(TYPES.alertRuleStore)
    assert.deepInclude((await store.get('b', id))!.health, { status: 'disabled', reason: 'x' })
    await store.replace('b', id, settings())
    assert.deepEqual(await states(), [{ key_id: 'b', status: 'waiting', reason: null }])
    assert.deepEqual((await store.get('b', id))!.health, { status: 'active', since: null, reason: null })
  })

  it('that wait go to the new destination of their rule, and are dropped with it, unless something else uses it', async () => {
    await key('a')
    const [one, two] = [await rule('a'), await rule('a')]
    await service.take(filedHoursAgo(1, 1))
    const store = service.container.get(TYPES.alertRuleStore)
    const states = () =>
      rows<{ state: string }>(service.pool, `SELECT concat_ws(' ', status, url, format) AS state FROM deliveries`).then(
        (found) => found.map(({ state }) => state),
      )
    const chat = settings({ destination: { url: URL, format: 'slack' } })
    await store.replace('a', one, chat)
    assert.deepEqual(await states(), [`waiting ${URL} standard`])
    await store.replace('a', two, chat)
    assert.deepEqual(await states(), [`waiting ${URL} slack`])
    // The company's own entry is another address, and not theirs.
    await watch('a', 'EXWI', `${URL}w`)
    await store.remove('a', one)
    await store.replace('a', two, settings({ destination: { url: `${URL}new`, format: 'discord' } }))
    assert.deepEqual(await states(), [`waiting ${URL}new discord`])
    await store.remove('a', two)
    assert.deepEqual(await states(), [`dead ${URL}new discord`])
    assert.isNull(await store.get('a', two))
    assert.isFalse(await store.remove('a', two))
    assert.isNull(await store.replace('a', two, settings()))
  })

  it('match notices as sales by the seller, if a rule is about notices', async () => {
    await key('a')
    const events: EventType[] = ['notice.created']
    const filters: [matches: boolean, filter: AlertFilter][] = [
      [true, {}],
      [true, { tickers: [`CIK${ISSUER}`], minValue: 200_000, maxShares: 10_000 }],
      [true, { insiderCiks: ['0001999101'], transactionTypes: ['sell'], transactionCodes: ['S'] }],
      [true, { roles: ['officer'], plan10b51: ['yes'] }],
      [false, { minValue: 250_001 }],
      [false, { transactionTypes: ['buy'] }],
      [false, { insiderCiks: ['0001999102'] }],
      [false, { ownership: 'direct' }],
      [false, { ownership: 'unknown' }],
      [false, { minSignificance: 'low' }],
      [false, { routine: 'no' }],
      [false, { roles: ['ceo', 'cfo'] }],
      [false, { late: true }],
      [false, { late: false }],
      [false, { firstBuyInYears: 1 }],
      [false, { minHoldingChange: -1 }],
      [false, { maxHoldingChange: 1 }],
      [false, { plan10b51: ['no'] }],
      [false, { sectors: ['Energy'] }],
    ]
    const ids: string[] = []
    for (const [, filter] of filters) ids.push(await rule('a', { events, filter }))
    await rule('a', { filter: {} })
    await watch('a', `CIK${ISSUER}`, `${URL}w`)
    const watched = service.container.get(TYPES.watchlists)
    await watched.put('a', { ticker: 'NOSUCH', webhookUrl: `${URL}n`, detail: false, notices: true }, 10)
    const spec = { acceptedAt: '20250314110000', planAdoptionDates: ['2024-11-01'] }
    await service.record({ path: '0001999201-25-000001.txt', text: noticeSubmission(spec) })
    await service.linkNotices()
    const [one, ...more] = await told()
    assert.lengthOf(more, 0)
    assert.deepInclude(one!.data.notice, { accessionNumber: '0001999201-25-000001', units: 10_000, state: 'open' })
    const matching = filters.flatMap(([matches], place) => (matches ? [ids[place]] : []))
    assert.deepEqual(
      one!.data.matched.map(({ id }: any) => id),
      matching,
    )
    const find = service.container.get(TYPES.findMatches)
    for (const [place, [matches]] of filters.entries()) {
      const found = await find('a', ids[place]!, { days: 7, limit: 10 })
      assert.lengthOf(found!.notices!, matches ? 1 : 0, JSON.stringify(filters[place]))
    }
    await watched.put('a', { ticker: `CIK${ISSUER}`, webhookUrl: `${URL}w`, detail: false, notices: true }, 10)
    const next = { ...spec, accession: '0001999201-25-000002', seller: { name: '<b>Bob</b> & *Co*' } }
    await rule('a', { events, destination: { url: URL, format: 'slack' } })
    await service.record({ path: '0001999201-25-000002.txt', text: noticeSubmission(next) })
    await service.linkNotices()
    const all = await told()
    assert.lengthOf(all, 4)
    const slack = all.find(({ format }) => format === 'slack')!.data
    assert.include(slack.text, '&lt;b&gt;Bob&lt;/b&gt; &amp; *Co* (Officer) plans to sell $250,000 of')
    const entry = all.find(({ url }) => url === `${URL}w`)!.data
    assert.deepEqual(entry.matched, [{ kind: 'watchlist', ticker: `CIK${ISSUER}` }])
  })

  it('give a notice the symbol that filings typed, where the list of the SEC lacks the company', async () => {
    await key('a')
    await service.take(filedHoursAgo(2, 1))
    await rule('a', { events: ['notice.created'] })
    await service.record({ path: '0001999201-25-000001.txt', text: noticeSubmission({ acceptedAt: '20250314110000' }) })
    await service.linkNotices()
    const [one, ...more] = await told()
    assert.lengthOf(more, 0)
    assert.deepEqual([one!.data.notice.ticker, one!.ticker], ['EXWI', 'EXWI'])
    const { notices } = (await service.textQueries.notices({ limit: 1 })).page.value
    assert.deepEqual(one!.data.notice, notices[0])
  })

  it('show a notice that would have matched behind a thousand others', async () => {
    await key('a')
    const noticeOf = (number: number, spec: NoticeSpec) => {
      const accession = `0001999201-25-${String(number).padStart(6, '0')}`
      return { path: `${accession}.txt`, text: noticeSubmission({ accession, ...spec }) }
    }
    const others = Array.from({ length: 1_000 }, (_, index) => noticeOf(index + 2, { acceptedAt: '20250314110000' }))
    const lines = [{ units: 20_000, marketValue: '500000' }]
    const seller = { cik: '0001999102', name: 'SPECIMEN BRUNO' }
    await service.record(noticeOf(1, { acceptedAt: '20250312110000', lines, seller }), ...others)
    await service.linkNotices()
    const find = service.container.get(TYPES.findMatches)
    for (const filter of [{ insiderCiks: [seller.cik] }, { minValue: 400_000.1234 }]) {
      const id = await rule('a', { events: ['notice.created'], filter })
      const found = await find('a', id, { days: 7, limit: 10 })
      assert.deepEqual(
        found!.notices!.map(({ accessionNumber }) => accessionNumber),
        ['0001999201-25-000001'],
      )
    }
  })

  it('say that more may have matched where the search for rare matches ended early', async () => {
    await key('a')
    const find = service.container.get(TYPES.findMatches)
    const hundred = (number: number) =>
      Array.from({ length: 100 }, (_, row) => ({ shares: String(1_000 * number + row), price: '10' }))
    const filings = Array.from({ length: 10 }, (_, number) =>
      filedHoursAgo(number + 1, 20 - number, { rows: hundred(number + 1) }),
    )
    await service.take(...filings)
    const ofAmendments = await rule('a', { events: ['transaction.amended'] })
    const matches = async () => {
      const { transactions, hasMore } = (await find('a', ofAmendments, { days: 7, limit: 10 }))!
      return [transactions.length, hasMore]
    }
    assert.deepEqual(await matches(), [0, false])
    await service.take(filedHoursAgo(11, 30))
    assert.deepEqual(await matches(), [0, true])
  })

  it('show what would have matched, by the same decisions as when alerts are raised', async () => {
    await key('a')
    const find = service.container.get(TYPES.findMatches)
    const owner = (cik: string) => [{ cik, name: `OWNER ${cik}`, isOfficer: false, isDirector: true }]
    for (const [index, cik] of ['0000000005', '0000000006', '0000000007'].entries()) {
      const row = { shares: String(40_000 + index), price: '10', date: '2025-03-12' }
      await service.take(filedHoursAgo(index + 1, 40 - 19 * index, { owners: owner(cik), rows: [row] }))
    }
    await service.detectSignals()
    const matches = async (change: Partial<RuleSettings>, days = 7, limit = 10) => {
      const found = (await find('a', await rule('a', change), { days, limit }))!
      return [
        found.transactions.map(({ shares: count }) => count - 40_000),
        found.signals.map(({ type }) => type),
        found.hasMore,
      ]
    }
    const events: EventType[] = ['transaction.created']
    assert.deepEqual(await matches({}), [[2, 1, 0], ['cluster_buy'], false])
    assert.deepEqual(await matches({ events }), [[2, 1, 0], [], false])
    assert.deepEqual(await matches({ events: ['transaction.amended'] }), [[], [], false])
    assert.deepEqual(await matches({ events }, 1), [[2, 1], [], false])
    assert.deepEqual(await matches({}, 7, 2), [[2, 1], ['cluster_buy'], true])
    assert.deepEqual(await matches({ filter: { maxShares: 40_001 } }), [[1, 0], ['cluster_buy'], false])
    assert.deepEqual(await matches({ filter: { insiderCiks: ['0000000006'] } }), [[1], ['cluster_buy'], false])
    assert.deepEqual(await matches({ filter: { maxShares: 1 } }), [[], [], false])
    assert.deepEqual(await matches({ filter: { tickers: ['NOSUCH'] } }), [[], [], false])
    const { sector } = (await service.queries.feed({ limit: 1, detail: true })).transactions[0]!.detail!
    const sectors = [sector as 'Industrials']
    assert.deepEqual(await matches({ filter: { tickers: ['EXWI'], sectors } }), [[2, 1, 0], ['cluster_buy'], false])
    assert.deepEqual(await matches({ filter: { sectors: ['Energy'] } }), [[], [], false])
    assert.deepEqual(await matches({ signalTypes: ['ceo_trade', 'reversal'] }), [[2, 1, 0], [], false])
    assert.deepEqual(await matches({ minSeverity: 'critical' }), [[2, 1, 0], [], false])
    assert.isNull(
      await find('b', (await service.container.get(TYPES.alertRuleStore).list('a'))[0]!.id, { days: 7, limit: 10 }),
    )
    const [detailed] = (await find('a', await rule('a', { detail: true }), { days: 7, limit: 1 }))!.transactions
    assert.strictEqual(detailed!.detail!.issuerCik, ISSUER)
  })
})
