// Sums over trades via HTTP: answers equal the contract's examples, and parameters are accepted or refused with
// reasons.
import { assert } from 'chai'
import { newYorkDay } from '../../src/domain/shared/new-york-time.ts'
import { asked, example, startExampleService, type ExampleService } from '../support/http/example-service.ts'

describe('parameters of sentiment and rankings', () => {
  let service: ExampleService
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())

  const ask = (path: string) => fetch(`${service.url}/v1/${path}`)

  for (const [path, name] of [
    ['sentiment?ticker=EXMP&from=2030-02-01&to=2030-03-31', 'sentiment'],
    ['sentiment?interval=quarter&by=traded&from=2030-01-01&to=2030-03-31', 'sentiment-market'],
    ['rankings', 'rankings-companies'],
    ['rankings?of=insiders&by=sells&days=1', 'rankings-insiders'],
  ] as const)
    it(`answer ${path} with the example of the contract`, async () => {
      assert.deepEqual(await (await ask(path)).json(), example(name))
    })

  it("show an insider with details, as in the contract's example", () => {
    const { record, lateFilings: _, ...profile } = example('insider-with-record').data
    assert.deepEqual(Object.keys(profile), Object.keys(example('insider').data))
    assert.strictEqual(record.buys + record.sells, profile.stats.totalBuys + profile.stats.totalSells)
  })

  const SENTIMENT: [query: string, expected: Record<string, unknown>][] = [
    ['from=2026-01-31&to=2026-03-01', { starts: ['2026-01-01', '2026-02-01', '2026-03-01'] }],
    ['interval=week&from=2026-03-01&to=2026-03-02', { interval: 'week', starts: ['2026-02-23', '2026-03-02'] }],
    [
      'interval=day&by=traded&from=2028-02-28&to=2028-03-01&routine=no',
      { interval: 'day', by: 'traded', routine: false, starts: ['2028-02-28', '2028-02-29', '2028-03-01'] },
    ],
    [
      'sector=health%20care&plan10b51=unknown,no&interval=quarter&from=2026-05-05&to=2026-05-05',
      { sector: 'Health Care', plans: ['no', 'unknown'], interval: 'quarter', starts: ['2026-04-01'] },
    ],
    [
      'ticker=exmp&roles=cfo,ceo&from=2026-05-05&to=2026-05-05',
      { company: { ticker: 'EXMP', cik: null }, roles: ['ceo', 'cfo'], starts: ['2026-05-01'] },
    ],
    [
      // Still the last of February in New York.
      'ticker=EXMP&asOf=2026-03-01T04:59:59Z&from=2026-01-31',
      {
        company: { ticker: 'EXMP', cik: null },
        asOf: Date.UTC(2026, 2, 1, 4, 59, 59) / 1000,
        starts: ['2026-01-01', '2026-02-01'],
      },
    ],
    [
      'asOf=2026-03-01T04:59:59Z&from=2026-01-31&sector=energy',
      {
        sector: 'Energy',
        asOf: Date.UTC(2026, 2, 1, 4, 59, 59) / 1000,
        starts: ['2026-01-01', '2026-02-01'],
      },
    ],
    [
      'asOf=2026-03-01T04:59:59Z&from=2026-02-28&to=2026-02-28',
      { asOf: Date.UTC(2026, 2, 1, 4, 59, 59) / 1000, starts: ['2026-02-01'] },
    ],
  ]
  for (const [query, expected] of SENTIMENT)
    it(`ask for the sums of ${query}`, async () => {
      assert.strictEqual((await ask(`sentiment?${query}`)).status, 200)
      assert.deepEqual(asked.sentiment, { interval: 'month', by: 'filed', ...expected })
    })

  it('default to the last 24 months, and the answer is kept until the next month begins', async () => {
    const today = newYorkDay(Math.floor(Date.now() / 1000))
    assert.strictEqual((await ask('sentiment')).status, 200)
    const { starts, until } = asked.sentiment
    assert.lengthOf(starts, 24)
    assert.strictEqual(starts.at(-1), `${today.slice(0, 7)}-01`)
    assert.isAbove(until, Date.now())
    assert.isBelow(until, Date.now() + 32 * 86_400_000)
  })

  const RANKINGS: [query: string, expected: Record<string, unknown>][] = [
    ['', {}],
    ['of=insiders&by=netValue&days=92&limit=100', { of: 'insiders', by: 'netValue', days: 92, limit: 100 }],
    [
      'sectors=energy&roles=officer&plan10b51=no&routine=yes&minValue=0250000.50',
      { sectors: ['Energy'], roles: ['officer'], plans: ['no'], routine: true, minValue: '250000.5' },
    ],
    ['to=2026-02-01&days=31', { to: '2026-02-01', days: 31 }],
    ['asOf=2026-03-01T05:59:59%2B01:00', { asOf: Date.UTC(2026, 2, 1, 4, 59, 59) / 1000 }],
  ]
  for (const [query, expected] of RANKINGS)
    it(`ask for the ranking of ${query || 'everything'}`, async () => {
      assert.strictEqual((await ask(`rankings?${query}`)).status, 200)
      assert.deepEqual(asked.rankings, { of: 'companies', by: 'buyValue', days: 7, limit: 20, ...expected })
    })

  const REFUSED: [path: string, ...at: string[]][] = [
    ['sentiment?ticker=EXMP&sector=Energy', 'query.ticker', 'query.sector'],
    ['sentiment?ticker=a%20b', 'query.ticker'],
    ['sentiment?sector=Tech', 'query.sector'],
    ['sentiment?roles=ceo', 'query.roles'],
    ['sentiment?sector=Energy&roles=ceo', 'query.roles'],
    ['sentiment?ticker=EXMP&roles=king', 'query.roles'],
    ['sentiment?sector=Energy&asOf=2099-01-01T00:00:00Z', 'query.asOf'],
    ['sentiment?ticker=EXMP&asOf=2026-03-01', 'query.asOf'],
    ['sentiment?ticker=EXMP&asOf=2099-01-01T00:00:00Z', 'query.asOf'],
    ['sentiment?ticker=EXMP&asOf=2026-03-01T04:59:59Z&from=2026-03-01', 'query.from'],
    ['sentiment?interval=year', 'query.interval'],
    ['sentiment?by=accepted', 'query.by'],
    ['sentiment?from=2026-02-30', 'query.from'],
    ['sentiment?to=2026-02-01T00:00:00Z', 'query.to'],
    ['sentiment?from=2026-02-02&to=2026-02-01', 'query.from', 'query.to'],
    ['sentiment?from=2100-01-01', 'query.from'],
    ['sentiment?interval=day&from=2020-01-01&to=2021-06-04', 'query.from', 'query.to'],
    ['sentiment?plan10b51=maybe', 'query.plan10b51'],
    ['sentiment?routine=true', 'query.routine'],
    ['sentiment?limit=5', 'query.limit'],
    ['rankings?of=funds', 'query.of'],
    ['rankings?by=shares', 'query.by'],
    ['rankings?of=insiders&by=buyers', 'query.by'],
    ['rankings?of=insiders&by=sellers', 'query.by'],
    ['rankings?days=0', 'query.days'],
    ['rankings?days=93', 'query.days'],
    ['rankings?days=7.5', 'query.days'],
    ['rankings?sectors=Tech', 'query.sectors'],
    ['rankings?roles=king', 'query.roles'],
    ['rankings?plan10b51=maybe', 'query.plan10b51'],
    ['rankings?routine=1', 'query.routine'],
    ['rankings?minValue=1e6', 'query.minValue'],
    ['rankings?to=2026-02-30', 'query.to'],
    ['rankings?to=2026-02-01T00:00:00Z', 'query.to'],
    ['rankings?asOf=2026-02-01', 'query.asOf'],
    ['rankings?asOf=2099-01-01T00:00:00Z&to=x', 'query.to', 'query.asOf'],
    ['rankings?limit=101', 'query.limit'],
    ['rankings?cursor=x', 'query.cursor'],
  ]
  for (const [path, ...at] of REFUSED)
    it(`refuse ${path}`, async () => {
      const reply = await ask(path)
      const { error } = (await reply.json()) as { error: { code: string; details: { path: string }[] } }
      assert.deepEqual(
        [reply.status, error.code, ...error.details.map((each) => each.path)],
        [400, 'invalid_parameter', ...at],
      )
    })

  it('answer up to 520 days, and 404 for an unknown symbol', async () => {
    assert.strictEqual((await ask('sentiment?interval=day&from=2020-01-01&to=2021-06-03')).status, 200)
    assert.lengthOf(asked.sentiment.starts, 520)
    const reply = await ask('sentiment?ticker=NONE')
    const { error } = (await reply.json()) as { error: { code: string } }
    assert.deepEqual([reply.status, error.code], [404, 'unknown_ticker'])
  })
})
