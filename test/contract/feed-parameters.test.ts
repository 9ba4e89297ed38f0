// The parameters that filter the feed and signals, over HTTP: what each one queries, and what is refused and why.
import { assert } from 'chai'
import { asked, startExampleService, type ExampleService } from '../support/http/example-service.ts'

describe('parameters of the feed and of signals', () => {
  let service: ExampleService
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())

  const ask = (path: string) => fetch(`${service.url}/v1/${path}`)
  const refusal = async (path: string) => {
    const reply = await ask(path)
    const { error } = (await reply.json()) as { error: { code: string; details: { path: string; message: string }[] } }
    return [reply.status, error.code, ...error.details.map((each) => each.path)]
  }

  const FEED: [query: string, expected: Record<string, unknown>][] = [
    ['', {}],
    ['sort=newest', { sort: 'newest' }],
    ['filter=buys&limit=7&detail=full', { filter: 'buys', limit: 7, detail: true }],
    [
      'tickers=brk.b,EXMP,exmp&issuerCiks=42',
      {
        companies: [
          { ticker: 'BRK-B', cik: null },
          { ticker: 'EXMP', cik: null },
          { ticker: null, cik: '0000000042' },
        ],
      },
    ],
    ['insiderCiks=7,0000000005,7', { insiderCiks: ['0000000005', '0000000007'] }],
    ['transactionTypes=sell,buy,buy', { types: ['buy', 'sell'] }],
    ['transactionCodes=P,none', { codes: ['P', ''] }],
    ['roles=cfo,ceo', { roles: ['ceo', 'cfo'] }],
    ['sectors=health%20care,Energy', { sectors: ['Energy', 'Health Care'] }],
    ['ownership=indirect', { ownership: 'indirect' }],
    ['plan10b51=unknown,no', { plans: ['no', 'unknown'] }],
    ['routine=no', { routine: false }],
    ['routine=yes', { routine: true }],
    ['late=true', { late: true }],
    ['late=false', { late: false }],
    ['firstBuyInYears=20', { firstBuyYears: 20 }],
    ['minHoldingChange=-.50&maxHoldingChange=0.1', { holdingChange: { min: -0.5, max: 0.1 } }],
    ['maxHoldingChange=-0', { holdingChange: { max: 0 } }],
    ['sort=holdingChange&insiderCiks=7', { sort: 'holdingChange', insiderCiks: ['0000000007'] }],
    ['minSignificance=high', { minSignificance: 'high' }],
    ['minValue=250000.50&maxValue=1000000', { value: { min: '250000.5', max: '1000000' } }],
    ['maxShares=0.0001', { shares: { max: '0.0001' } }],
    [
      'filedFrom=2026-10-01&filedTo=2026-10-02T00:00:00Z',
      { filed: { from: Date.UTC(2026, 9, 1, 4) / 1000, before: Date.UTC(2026, 9, 2) / 1000 } },
    ],
    ['asOf=2026-10-01T12:00:00Z', { asOf: Date.UTC(2026, 9, 1, 12) / 1000 }],
    ['tradedFrom=2026-10-01', { traded: { min: '2026-10-01' } }],
    ['sort=value', { sort: 'value' }],
    ['sort=value&tickers=EXMP', { sort: 'value', companies: [{ ticker: 'EXMP', cik: null }] }],
  ]
  for (const [query, expected] of FEED)
    it(`ask the feed for ${query || 'everything'}`, async () => {
      assert.strictEqual((await ask(`feed?${query}`)).status, 200)
      assert.deepEqual(asked.feed, { limit: 20, ...expected })
    })

  it('ask signals for companies, severities and times', async () => {
    const reply = await ask('signals?tickers=EXMP,SPY&minSeverity=high&detectedFrom=2026-10-01&detectedTo=2026-10-01')
    assert.strictEqual(reply.status, 200)
    assert.deepEqual(asked.signals, {
      companies: [
        { ticker: 'EXMP', cik: null },
        { ticker: 'SPY', cik: null },
      ],
      minSeverity: 'high',
      detected: { from: Date.UTC(2026, 9, 1, 4) / 1000, before: Date.UTC(2026, 9, 2, 4) / 1000 },
      limit: 20,
    })
  })

  it('ask signals for insiders, sectors and filing times, which are those of detection', async () => {
    const span = 'filedFrom=2026-10-01&detectedFrom=2026-10-01T05:00:00Z&filedTo=2026-10-02T00:00:00%2B02:00'
    for (const path of ['signals', 'signals.atom']) {
      const reply = await ask(`${path}?insiderCiks=7,9900102&sectors=technology,Energy&${span}`)
      assert.strictEqual(reply.status, 200)
      assert.deepEqual(asked.signals, {
        insiderCiks: ['0000000007', '0009900102'],
        sectors: ['Energy', 'Technology'],
        detected: { from: Date.UTC(2026, 9, 1, 5) / 1000, before: Date.UTC(2026, 9, 1, 22) / 1000 },
        limit: 20,
      })
    }
  })

  it('ask for profiles as of an instant', async () => {
    for (const path of ['companies/EXMP', 'companies?tickers=EXMP', 'insiders/9900002']) {
      const separator = path.includes('?') ? '&' : '?'
      assert.strictEqual((await ask(`${path}${separator}asOf=2026-10-01T12:00:00Z`)).status, 200, path)
    }
  })

  for (const path of ['feed', 'signals'])
    it(`name the unknown symbols of ${path}`, async () => {
      const reply = await ask(`${path}?tickers=SPY,EXMP,QQQ`)
      assert.strictEqual(reply.headers.get('x-unknown-tickers'), 'QQQ,SPY')
      assert.include(reply.headers.get('access-control-expose-headers'), 'X-Unknown-Tickers')
      assert.isNull((await ask(path)).headers.get('x-unknown-tickers'))
    })

  const REFUSED: [path: string, ...paths: string[]][] = [
    ['feed?tickers=', 'query.tickers'],
    ['feed?tickers=A,,B', 'query.tickers'],
    ['feed?tickers=A&tickers=B', 'query.tickers'],
    ['feed?transactionTypes=buy,bought', 'query.transactionTypes'],
    ['feed?transactionCodes=P,PP', 'query.transactionCodes'],
    ['feed?roles=king', 'query.roles'],
    ['feed?sectors=Tech', 'query.sectors'],
    ['feed?ownership=both', 'query.ownership'],
    ['feed?plan10b51=maybe', 'query.plan10b51'],
    ['feed?routine=true', 'query.routine'],
    ['feed?late=yes', 'query.late'],
    ['feed?firstBuyInYears=0', 'query.firstBuyInYears'],
    ['feed?firstBuyInYears=21', 'query.firstBuyInYears'],
    ['feed?firstBuyInYears=2.5', 'query.firstBuyInYears'],
    ['feed?minHoldingChange=10%25', 'query.minHoldingChange'],
    ['feed?minHoldingChange=--1', 'query.minHoldingChange'],
    ['feed?maxHoldingChange=0.00001', 'query.maxHoldingChange'],
    ['feed?minHoldingChange=0.1&maxHoldingChange=-0.1', 'query.minHoldingChange', 'query.maxHoldingChange'],
    ['feed?minSignificance=huge', 'query.minSignificance'],
    ['feed?minValue=-1', 'query.minValue'],
    ['feed?minValue=1e6', 'query.minValue'],
    ['feed?minValue=2&maxValue=1', 'query.minValue', 'query.maxValue'],
    ['feed?minShares=0.00001', 'query.minShares'],
    ['feed?filedFrom=2026-02-30', 'query.filedFrom'],
    ['feed?filedFrom=2026-10-02&filedTo=2026-10-01', 'query.filedFrom', 'query.filedTo'],
    ['feed?tradedFrom=2026-10-01T00:00:00Z', 'query.tradedFrom'],
    ['feed?sort=price', 'query.sort'],
    ['feed?asOf=2026-10-01', 'query.asOf'],
    ['feed?asOf=2099-01-01T00:00:00Z', 'query.asOf'],
    ['signals?asOf=2099-01-01T00:00:00Z', 'query.asOf'],
    ['companies?tickers=EXMP&asOf=2099-01-01T00:00:00Z', 'query.asOf'],
    ['companies/EXMP?asOf=now', 'query.asOf'],
    ['insiders/9900102?asOf=2099-01-01T00:00:00Z', 'query.asOf'],
    ['feed/stats?asOf=2026-10-01T12:00:00Z', 'query.asOf'],
    ['changes?asOf=2026-10-01T12:00:00Z', 'query.asOf'],
    ['feed?minSeverity=high', 'query.minSeverity'],
    ['signals?minSeverity=huge', 'query.minSeverity'],
    ['signals?detectedTo=yesterday', 'query.detectedTo'],
    ['signals?roles=ceo', 'query.roles'],
    ['signals?sectors=Tech', 'query.sectors'],
    ['signals?insiderCiks=CIK7', 'query.insiderCiks'],
    [`signals?insiderCiks=${Array.from({ length: 51 }, (_, cik) => cik + 1).join()}`, 'query.insiderCiks'],
    ['signals.atom?filedFrom=2026-02-30&sectors=Tech', 'query.sectors', 'query.filedFrom'],
    ['signals?filedFrom=2026-10-02&filedTo=2026-10-01', 'query.filedFrom', 'query.filedTo'],
  ]
  for (const [path, ...paths] of REFUSED)
    it(`refuse ${path.slice(0, 60)}`, async () => {
      assert.deepEqual(await refusal(path), [400, 'invalid_parameter', ...paths])
    })
})
