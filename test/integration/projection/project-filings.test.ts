// From the ledger to answers on real stores: what is listed, what is hidden, and that neither the order of arrival nor
// a rebuild makes a difference.
import { assert } from 'chai'
import type { RaiseEvents } from '../../../src/application/alerts/raise-events.ts'
import { ServiceError } from '../../../src/application/errors.ts'
import type { Compute } from '../../../src/application/ports/computations.ts'
import type { PendingDocument } from '../../../src/application/ports/filings.ts'
import { makeProjector } from '../../../src/application/projection/project-filings.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { ownershipXml, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const filed = (number: number, spec: FilingSpec = {}): FilingSpec => ({
  accession: `0001999001-25-${String(number).padStart(6, '0')}`,
  acceptedAt: `202503${10 + number}120000`,
  ...spec,
})
const person = (cik: number, roles: object = { isDirector: true }) => ({
  cik: String(cik).padStart(10, '0'),
  name: `SAMPLE ${cik}`,
  ...roles,
})

describe('the projection of filings', () => {
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  it('lists Table I of Form 4, newest filing first, places counted down as numbers', async () => {
    const rows = Array.from({ length: 11 }, (_, index) => ({ shares: String(index + 1) }))
    await service.take(
      filed(1, { rows }),
      filed(2, { rows: [{ kind: 'holding' }, { code: 'S', acquiredDisposed: 'D' }] }),
      filed(3, { formType: '3', rows: [{ kind: 'holding' }] }),
      filed(4, { formType: '5' }),
      filed(5, { rows: [], derivativeRows: [{}] }),
    )
    const first = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((place) => `0001999001-25-000001-nd-${place}`)
    assert.deepEqual(await service.listed(), ['0001999001-25-000002-nd-1', ...first])
  })

  it("gives a page with the contract's fields and exact amounts", async () => {
    await service.take(
      filed(1, {
        owners: [person(5), person(6, { isOfficer: true, officerTitle: 'Chief Financial Officer' })],
        rows: [{ shares: '275.634', price: '18.1450' }],
        issuer: { tickerRaw: 'exwi' },
      }),
    )
    const { transactions } = await service.queries.feed({ limit: 1 })
    assert.deepEqual(transactions, [
      {
        id: '0001999001-25-000001-nd-1',
        ticker: 'EXWI',
        companyName: 'Example Widgets Inc',
        insiderName: 'SAMPLE 6',
        insiderTitle: 'Chief Financial Officer',
        transactionType: 'buy',
        shares: 275.634,
        pricePerShare: 18.145,
        totalValue: 5001.38,
        filingDate: '2025-03-11T16:00:00Z',
        significance: 'low',
        signals: [],
      },
    ])
    assert.deepInclude((await service.queries.feed({ limit: 1, detail: true })).transactions[0], {
      detail: {
        accessionNumber: '0001999001-25-000001',
        transactionCode: 'P',
        acquiredDisposed: 'A',
        ownership: 'direct',
        tradeDate: '2025-03-12',
        tradeDateStatus: 'impossible',
        sharesOwnedAfter: 1000,
        sharesStatus: 'as_filed',
        priceStatus: 'as_filed',
        filingDateBasis: 'accepted',
        plan10b51: 'unknown',
        planSource: 'none',
        ambiguousAmendment: false,
        issuerCik: '0001999001',
        insiderCik: '0000000006',
        form: '4',
        securityTitle: 'Common Stock',
        sector: 'Technology',
        routine: false,
        holdingChange: 0.3805,
        holdingChangeKind: 'changed',
        businessDaysToFile: null,
        late: null,
        isWeightedAverage: false,
        lowPrice: null,
        highPrice: null,
        coOwners: [{ cik: '0000000005', name: 'SAMPLE 5', roles: ['director'], title: 'Director' }],
        firstBuyInYears: null,
        previousBuyDate: null,
        url: 'https://www.sec.gov/Archives/edgar/data/1999001/000199900125000001/0001999001-25-000001-index.htm',
      },
    })
    await service.take({ path: 'without-a-number.xml', text: ownershipXml({ rows: [{ shares: '7' }] }) })
    const { transactions: both } = await service.queries.feed({ limit: 2, detail: true })
    assert.deepInclude(both.find(({ id }) => id.startsWith('local-'))!.detail, { form: '4', url: null })
    assert.lengthOf((await service.queries.feed({ limit: 1, filter: 'ceo_cfo' })).transactions, 1)
    assert.deepEqual((await service.queries.feed({ limit: 1, filter: 'sells' })).transactions, [])
  })

  it('says by what a plan is known, row by row, and who is CEO', async () => {
    const footnotes = [{ id: 'F1', text: 'Sold under a Rule 10b5-1 plan.' }]
    await service.take(
      filed(1, { footnotes, rows: [{}, { footnotes: { coding: ['F1'] } }] }),
      filed(2, {
        footnotes,
        aff10b5One: false,
        rows: [{ footnotes: { coding: ['F1'] } }],
        owners: [person(5, { isOfficer: true, officerTitle: 'CEO' })],
      }),
    )
    const { transactions } = await service.queries.feed({ limit: 3, detail: true })
    assert.deepEqual(
      transactions.map(({ detail }) => [detail?.plan10b51, detail?.planSource]),
      [
        ['yes', 'footnote'],
        ['yes', 'footnote'],
        ['unknown', 'none'],
      ],
    )
    assert.deepEqual(
      await service.store.rows(sql`SELECT count() AS n FROM transactions FINAL WHERE has(roles, 'ceo')`),
      [{ n: 1 }],
    )
  })

  it('counts a joint filing once, in the profile of each owner', async () => {
    await service.take(filed(1, { owners: [person(5), person(6, { isTenPercentOwner: true })] }))
    const company = await service.queries.company('exwi')
    assert.deepInclude(company, { totalBuys: 1, totalSells: 0, netSentiment: 1 })
    assert.deepEqual(
      company!.topInsiders.map((insider) => insider.name),
      ['SAMPLE 5'],
    )
    for (const cik of ['5', '0000000006']) {
      assert.deepEqual((await service.queries.insider(cik))!.stats, { totalBuys: 1, totalSells: 0 })
    }
    assert.deepEqual((await service.queries.insider('6'))!.titles, ['10% Owner'])
  })

  it("shows a chain of filings of one event once, and each filer's own in their profile", async () => {
    await service.take(
      filed(1, { owners: [person(5, { isTenPercentOwner: true })] }),
      filed(2, { owners: [person(6, { isTenPercentOwner: true })] }),
    )
    assert.deepEqual(await service.listed(), ['0001999001-25-000001-nd-1'])
    assert.deepEqual(
      (await service.queries.insider('6'))!.recentTransactions.map((each) => each.id),
      ['0001999001-25-000002-nd-1'],
    )
    assert.strictEqual((await service.queries.company('EXWI'))!.totalBuys, 1)
  })

  it('lets an amendment take the place of what it restates', async () => {
    const amendment = filed(2, { formType: '4/A', dateOfOriginalSubmission: '2025-03-11', rows: [{ price: '11' }] })
    await service.take(filed(1))
    await service.take(amendment)
    assert.deepEqual(await service.listed(), ['0001999001-25-000002-nd-1'])
    assert.strictEqual((await service.queries.company('EXWI'))!.totalBuys, 1)
  })

  it('keeps a suspect price in the feed and out of the statistics', async () => {
    const clock = Date.UTC(2025, 2, 12)
    const timed = await testService(() => clock)
    try {
      await timed.take(
        filed(1, {
          rows: [
            { shares: '1', price: '2000000' },
            { shares: '20000', price: '10' },
          ],
        }),
      )
      assert.lengthOf(await timed.listed(), 2)
      const { topBuys } = await timed.queries.feedStats()
      assert.deepEqual(
        topBuys.map((each) => each.id),
        ['0001999001-25-000001-nd-2'],
      )
      assert.deepInclude(topBuys[0], { significance: 'medium', totalValue: 200_000 })
      assert.deepInclude((await timed.queries.company('EXWI'))!.topInsiders[0], {
        totalBuys: 2,
        totalValue: 200_000,
      })
    } finally {
      await timed.close()
    }
  })

  it('takes back the rows of a bare document when its submission comes', async () => {
    const [local] = await service.take({ path: 'form4.xml', text: ownershipXml() })
    assert.deepEqual(await service.listed(), [`${local!.accession}-nd-1`])
    await service.take({ accession: '0001999001-25-000007', acceptedAt: '20250314163005' })
    assert.deepEqual(await service.listed(), ['0001999001-25-000007-nd-1'])
    assert.strictEqual((await service.queries.insider('1999101'))!.stats.totalBuys, 1)
    // The same accession twice, first bare: the time of filing becomes exact, and nothing is left at the guessed one.
    const named = { path: '0001999001-25-000008.xml', text: ownershipXml({ rows: [{ shares: '7' }] }) }
    await service.take(named)
    await service.take(filed(8, { acceptedAt: '20250318120000', rows: [{ shares: '7' }] }))
    assert.deepEqual(await service.listed(), ['0001999001-25-000008-nd-1', '0001999001-25-000007-nd-1'])
    assert.strictEqual((await service.queries.insider('1999101'))!.stats.totalBuys, 2)
  })

  it('knows who appears only in a Form 3, and no one else', async () => {
    await service.take(filed(1, { formType: '3', rows: [{ kind: 'holding' }], owners: [person(9)] }))
    assert.deepEqual(await service.queries.insider('9'), {
      cik: '0000000009',
      name: 'SAMPLE 9',
      titles: [],
      companies: [],
      stats: { totalBuys: 0, totalSells: 0 },
      recentTransactions: [],
    })
    assert.strictEqual(await service.queries.insider('10'), null)
    assert.strictEqual((await service.queries.company('EXWI'))!.totalBuys, 0)
    assert.strictEqual(await service.queries.company('EXWX'), null)
  })

  describe('symbols', () => {
    const load = async (...companies: [string, string, string, string | null][]) => {
      const listed = companies.map(([ticker, cik, name, exchange]) => ({ ticker, cik, name, exchange }))
      await service.container.get(TYPES.companyList).replace(listed, 'test', Buffer.alloc(32))
      return service.container.get(TYPES.refreshCompanies)(() => {})
    }

    it("follow the SEC's list, then the newest filing", async () => {
      await service.take(
        filed(1, { issuer: { tickerRaw: 'OLDW' } }),
        filed(2, { rows: [{ shares: '7' }], issuer: { tickerRaw: 'NASDAQ: EXWI' } }),
      )
      const tickers = async () => (await service.queries.feed({ limit: 10 })).transactions.map((each) => each.ticker)
      assert.deepEqual(await tickers(), ['EXWI', 'EXWI'])
      assert.strictEqual((await service.queries.company('oldw'))!.ticker, 'EXWI')
      const result = await load(
        ['EXWA', '0001999001', 'EXAMPLE WIDGETS', 'NYSE'],
        ['EXWI', '0001999001', 'EXAMPLE WIDGETS', 'Nasdaq'],
      )
      assert.deepEqual(result, { companies: 2, issuersChanged: 1 })
      assert.deepEqual(await tickers(), ['EXWI', 'EXWA'])
      assert.deepInclude(await service.queries.company('exwi'), {
        ticker: 'EXWI',
        name: 'EXAMPLE WIDGETS',
        exchange: 'Nasdaq',
      })
      assert.deepInclude(await service.queries.company('OLDW'), {
        ticker: 'EXWA',
        exchange: 'NYSE',
        sector: 'Technology',
      })
    })

    it('that only stand in the list are known, with zeros', async () => {
      await load(['BRX-B', '0001999777', 'Example Holdings', null])
      for (const asked of ['brx.b', 'BRX/B', 'BRX-B']) {
        assert.deepEqual(await service.queries.company(asked), {
          ticker: 'BRX-B',
          name: 'Example Holdings',
          exchange: 'Unknown',
          sector: 'Unknown',
          totalBuys: 0,
          totalSells: 0,
          netSentiment: 0,
          recentTransactions: [],
          topInsiders: [],
        })
      }
      await load()
      assert.strictEqual(await service.queries.company('BRX-B'), null)
    })
  })

  describe('of a tangled history', () => {
    const amended = { formType: '4/A' as const, dateOfOriginalSubmission: '2025-03-11' }
    const history: FilingSpec[] = [
      filed(1, { rows: [{ shares: '100' }, { shares: '200' }, { shares: '300', code: 'S', acquiredDisposed: 'D' }] }),
      filed(2, {
        ...amended,
        rows: [{ shares: '100' }, { shares: '250' }, { shares: '300', code: 'S', acquiredDisposed: 'D' }],
      }),
      filed(3, { ...amended, dateOfOriginalSubmission: '2025-03-12', rows: [{ shares: '260', price: '12' }] }),
      filed(4, { owners: [person(5, { isTenPercentOwner: true })], rows: [{ shares: '900' }] }),
      filed(5, { owners: [person(6, { isOther: true, otherText: 'Member of a Group' })], rows: [{ shares: '900' }] }),
      filed(6, { owners: [person(7), person(5)], rows: [{ shares: '900' }, { shares: '1', price: '3000000' }] }),
      filed(7, { issuer: { cik: '0001999002', tickerRaw: 'EXWI', name: 'Example Gadgets Ltd' } }),
      filed(8, { issuer: { tickerRaw: 'EXNEW' } }),
    ]

    it('is the same in any order of arrival, in one batch or many, and after a rebuild', async () => {
      await service.take(...history)
      const [dump, listed] = [await service.dump(), await service.listed()]
      for (const order of [
        history.toReversed(),
        [...history.slice(4), ...history.slice(0, 4)],
        history.toSorted(() => Math.random() - 0.5),
      ]) {
        const other = await testService()
        try {
          for (const filing of order) await other.take(filing)
          assert.deepEqual(await other.dump(), dump, order.map((each) => each.accession).join(' '))
          assert.deepEqual(await other.container.get(TYPES.rebuild)(() => {}), {
            filings: 8,
            trades: 13,
            sets: 0,
            unjudged: [],
          })
          assert.deepEqual(await other.dump(), dump)
          assert.deepEqual(await other.listed(), listed)
        } finally {
          await other.close()
        }
      }
    })

    it('is projected again without effect', async () => {
      await service.take(...history)
      const dump = await service.dump()
      await service.pool.query('UPDATE filings SET pending = true')
      await service.project()
      assert.deepEqual(await service.dump(), dump)
    })
  })

  it('sets a filing aside that breaks the projection, and projects the others', async () => {
    await service.record(filed(1, { rows: [{ shares: '8' }] }), filed(2))
    const { container } = service
    const faulty: Compute = (urgency, name, input, signal) => {
      const { documents = [] } = input as { documents?: PendingDocument[] }
      if (documents.some(({ accession }) => accession.endsWith('000001')))
        return Promise.reject(new RangeError('broken'))
      return container.get(TYPES.compute)(urgency, name, input, signal)
    }
    await makeProjector({
      compute: faulty,
      ledger: container.get(TYPES.ledger),
      analytics: container.get(TYPES.analytics),
      listings: container.get(TYPES.listings),
      locks: container.get(TYPES.locks),
    }).projectPending()
    assert.deepEqual(await service.listed(), ['0001999001-25-000002-nd-1'])
    const {
      rows: [broken],
    } = await service.pool.query(`SELECT status, pending, reason FROM filings WHERE accession = '0001999001-25-000001'`)
    assert.deepInclude(broken, { status: 'rejected', pending: false })
    assert.match(broken.reason, /could not be projected/)
  })

  it('keeps filings pending whose events can not be made once they are shown, and tries again', async () => {
    await service.record(filed(1), filed(2))
    const { container } = service
    const projector = (ofFilings: RaiseEvents['ofFilings']) =>
      makeProjector({
        compute: container.get(TYPES.compute),
        ledger: container.get(TYPES.ledger),
        analytics: container.get(TYPES.analytics),
        listings: container.get(TYPES.listings),
        locks: container.get(TYPES.locks),
        alerts: { since: () => 0, ofFilings, ofSignals: async () => [] },
      })
    const failure = await projector(async () => {
      throw new TypeError('a rule is broken')
    })
      .projectPending()
      .catch((error: unknown) => error)
    assert.instanceOf(failure, ServiceError)
    const states = async () => (await service.pool.query('SELECT reason, pending FROM filings')).rows
    assert.deepEqual(
      await states(),
      [true, true].map((pending) => ({ reason: null, pending })),
    )
    assert.strictEqual(await projector(async () => []).projectPending(), 2)
    assert.deepEqual(
      await states(),
      [false, false].map((pending) => ({ reason: null, pending })),
    )
  })
})
