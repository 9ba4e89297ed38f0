// Notices of proposed sales from the document on, on real stores: how they are recorded, linked to the sales of Forms 4
// and answered, now and as of an instant.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { noticeRows, storedOf } from '../../../src/infrastructure/clickhouse/stores/notice-rows.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { deletionText, ownershipXml, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { noticeSubmission, noticeXml, type NoticeSpec } from '../../support/notices/notice-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const ISSUER = '0001999001'
const SELLER = { cik: '0001999101', name: 'SAMPLE ADA' }
/** 16:30 on 2 June 2025 in New York. */
const NOTICED = Date.UTC(2025, 5, 2, 20, 30, 5) / 1000
const DAY = 86_400

const notice = (number: number, spec: NoticeSpec = {}) => {
  const accession = `0001999201-25-${String(number).padStart(6, '0')}`
  return { path: `${accession}.txt`, text: noticeSubmission({ accession, ...spec }) }
}

/** A sale by the seller, filed two days after. */
const sale = (number: number, day: string, shares: string, spec: FilingSpec = {}): FilingSpec => ({
  accession: `0001999001-25-${String(number).padStart(6, '0')}`,
  acceptedAt: `${day.replaceAll('-', '')}180000`,
  issuer: { cik: ISSUER, tickerRaw: 'EXWI' },
  owners: [{ ...SELLER, isOfficer: true, officerTitle: 'General Counsel' }],
  rows: [{ code: 'S', acquiredDisposed: 'D', date: day, shares, price: '25.00', securityTitle: 'Common Stock' }],
  ...spec,
})

describe('notices of proposed sales', function () {
  this.timeout(60_000)
  let service: TestService
  let now = 0
  beforeEach(async () => {
    now = (NOTICED + 3600) * 1000
    service = await testService(() => now)
  })
  afterEach(() => service.close())

  const settle = async () => {
    await service.project()
    await service.linkNotices()
  }
  const list = async (ask: object = {}) => (await service.textQueries.notices({ limit: 20, ...ask })).page.value.notices
  const states = async (ask: object = {}) =>
    (await list(ask)).map(({ accessionNumber, state }) => `${accessionNumber.slice(-1)} ${state}`)

  it('are open, partly and wholly reported as sales come', async () => {
    assert.deepInclude((await service.record(notice(1)))[0], { outcome: 'ingested', accession: '0001999201-25-000001' })
    await settle()
    const [open] = await list()
    assert.deepInclude(open, {
      form: '144',
      issuerCik: ISSUER,
      companyName: 'Example Widgets Inc',
      units: 10_000,
      marketValue: 250_000,
      pricePerUnit: 25,
      valueStatus: 'plausible',
      saleDate: '2025-06-02',
      state: 'open',
      reportedUnits: 0,
      windowEnd: '2025-08-31',
      windowOpen: true,
    })
    assert.deepInclude(open!.seller, { cik: SELLER.cik, roles: ['officer'] })
    now += 2 * DAY * 1000
    await service.record(sale(1, '2025-06-02', '4000'))
    await settle()
    assert.deepInclude((await list())[0], {
      state: 'partly',
      reportedUnits: 4000,
      linkedBy: 'cik',
      firstSale: '2025-06-02',
    })
    await service.record(sale(2, '2025-06-03', '6000'))
    await settle()
    const whole = await service.textQueries.notice('0001999201-25-000001')
    assert.deepInclude(whole, { state: 'fulfilled', reportedUnits: 10_000, lastSale: '2025-06-03' })
    assert.deepEqual(
      whole!.sales.map(({ transactionId, units }) => [transactionId, units]),
      [
        ['0001999001-25-000001-nd-1', 4000],
        ['0001999001-25-000002-nd-1', 6000],
      ],
    )
    assert.lengthOf(whole!.lines, 1)
    assert.strictEqual(whole!.acquisitions[0]!.nature, 'Restricted Stock Vesting')
  })

  it('give the same rows in any order of arrival, and after a rebuild', async () => {
    const documents = [
      notice(1),
      notice(2, { form: '144/A', previousAccession: '0001999201-25-000001', acceptedAt: '20250602165005' }),
      notice(3, { acceptedAt: '20250609163005' }),
      sale(1, '2025-06-02', '4000'),
      sale(2, '2025-06-10', '12000'),
    ]
    now += 30 * DAY * 1000
    for (const document of documents) {
      await service.record(document)
      await settle()
    }
    const dump = async (of: TestService) => {
      const { notices, notice_sales } = await of.dump()
      return { notices, notice_sales }
    }
    const expected = await dump(service)
    assert.lengthOf(expected.notices!, 3)
    const other = await testService(() => now)
    try {
      for (const document of documents.toReversed()) {
        await other.record(document)
        await other.project()
        await other.linkNotices()
      }
      assert.deepEqual(await dump(other), expected)
      await other.container.get(TYPES.rebuild)(() => {})
      assert.deepEqual(await dump(other), expected)
    } finally {
      await other.close()
    }
  })

  it('change their state when time passes, and are found by it', async () => {
    await service.record(notice(1), notice(2, { seller: { cik: '0001999777', name: 'STRANGER BOB' } }))
    // A Form 4 makes the first seller one who reports; the sale is of another day.
    await service.record(sale(1, '2025-05-02', '10'))
    await settle()
    const at = async (days: number) => {
      now = (NOTICED + days * DAY) * 1000
      return (await states()).sort()
    }
    assert.deepEqual(await at(1), ['1 open', '2 open'])
    assert.deepEqual(await at(90), ['1 open', '2 open'])
    assert.deepEqual(await at(91), ['1 open', '2 not_expected'])
    assert.deepEqual(await at(100), ['1 not_reported', '2 not_expected'])
    assert.deepEqual(await states({ states: ['not_reported'] }), ['1 not_reported'])
    assert.deepEqual(await states({ states: ['open'] }), [])
  })

  it('expect no report of a seller who has left', async () => {
    await service.record(
      notice(1),
      sale(1, '2025-05-02', '10'),
      sale(2, '2025-05-20', '10', { notSubjectToSection16: true }),
    )
    await settle()
    now = (NOTICED + 91 * DAY) * 1000
    assert.deepEqual(await states(), ['1 not_expected'])
  })

  it('are answered as of an instant, states included', async () => {
    now += 30 * DAY * 1000
    await service.record(notice(1), sale(1, '2025-06-02', '4000'), sale(2, '2025-06-09', '6000'))
    await settle()
    assert.deepEqual(await states({ asOf: NOTICED - 1 }), [])
    assert.deepEqual(await states({ asOf: NOTICED }), ['1 open'])
    assert.deepEqual(await states({ asOf: NOTICED + 2 * DAY }), ['1 partly'])
    assert.deepEqual(await states({ asOf: NOTICED + 10 * DAY }), ['1 fulfilled'])
    assert.deepEqual(await states({ asOf: NOTICED + 2 * DAY, states: ['fulfilled'] }), [])
    assert.deepEqual(await states({ asOf: NOTICED + 2 * DAY, states: ['partly'] }), ['1 partly'])
    assert.isNull(await service.textQueries.notice('0001999201-25-000001', NOTICED - 1))
    assert.strictEqual((await service.textQueries.notice('0001999201-25-000001', NOTICED))!.state, 'open')
  })

  it('whose day is only estimated are in no answer as of an instant, nor are such sales', async () => {
    now += 30 * DAY * 1000
    const bare = (spec: NoticeSpec) => ({ path: 'primary_doc.xml', text: noticeXml(spec) })
    await service.record(notice(1), bare({ noticeDate: '2025-06-02', lines: [{ units: 700 }] }), {
      path: 'form4.xml',
      text: ownershipXml(sale(1, '2025-06-02', '4000')),
    })
    await settle()
    assert.deepEqual(
      (await list()).map(({ filingDateBasis, state }) => `${filingDateBasis} ${state}`),
      ['signature open', 'accepted partly'],
    )
    const asOf = now / 1000
    assert.deepEqual(await states({ asOf }), ['1 open'])
    assert.deepEqual(await states({ asOf, states: ['open', 'partly'] }), ['1 open'])
    const [estimated] = await list()
    assert.isNull(await service.textQueries.notice(estimated!.accessionNumber, asOf))
    assert.isNotNull(await service.textQueries.notice('0001999201-25-000001', asOf))
  })

  /** Returns the last digits of the accession numbers on each page. */
  async function pages(ask: object, limit: number) {
    const found: string[] = []
    for (let cursor: string | undefined; ;) {
      const { page } = await service.textQueries.notices({ ...ask, limit, ...(cursor && { cursor }) })
      const { notices, hasMore, nextCursor } = page.value
      found.push(notices.map(({ accessionNumber }) => accessionNumber.slice(-1)).join(''))
      if (!hasMore) return found
      assert.lengthOf(notices, limit)
      cursor = nextCursor!
    }
  }

  it('fill each page but the last as of an instant, past notices whose day is only estimated', async () => {
    now += 30 * DAY * 1000
    const bare = Array.from({ length: 10 }, (_, index) => ({
      path: 'primary_doc.xml',
      text: noticeXml({ noticeDate: '2025-06-02', lines: [{ units: 100 + index }] }),
    }))
    await service.record(...bare)
    await settle()
    const asOf = now / 1000
    for (const ask of [{ asOf }, { asOf, states: ['open'] }]) assert.deepEqual(await pages(ask, 2), [''])
    const sellers = [1, 2, 3].map((number) => notice(number, { seller: { cik: `000199910${number}` } }))
    await service.record(...sellers)
    await settle()
    assert.lengthOf(await list(), 13)
    for (const ask of [{ asOf }, { asOf, states: ['open'] }]) assert.deepEqual(await pages(ask, 2), ['12', '3'])
  })

  it('fill each page but the last as of an instant, past thousands in other states', async () => {
    await service.record(...[1, 2, 3].map((number) => notice(number)), sale(1, '2025-06-02', '30000'))
    await settle()
    const store = service.container.get(TYPES.noticeStore)
    const [one] = storedOf(await store.ofIssuers([ISSUER])).stored
    const others = Array.from({ length: 2_100 }, (_, index) => {
      const [accession, filedAt] = [`0001999301-25-${String(index).padStart(6, '0')}`, NOTICED + 20 * DAY + index]
      return { ...one!, notice: { ...one!.notice, accession, filedAt, filedDay: '2025-06-22' } }
    })
    await store.write(noticeRows({ changed: others, gone: [], former: [] }, 99))
    now += 30 * DAY * 1000
    assert.deepEqual(await pages({ asOf: now / 1000, states: ['fulfilled'] }, 2), ['12', '3'])
  })

  it('are filtered and read in pages', async () => {
    for (let number = 1; number <= 7; number += 1) {
      await service.record(
        notice(number, {
          acceptedAt: `202506020${number}3005`.replace('0602', '0602'),
          issuer: { cik: number % 2 === 0 ? '0001999002' : ISSUER },
          planAdoptionDates: number === 3 ? ['2025-01-15'] : [],
          lines: [{ marketValue: String(number * 100_000), units: number * 4_000 }],
        }),
      )
    }
    await settle()
    const numbers = async (ask: object) =>
      (await list(ask)).map(({ accessionNumber }) => accessionNumber.slice(-1)).join('')
    assert.strictEqual(await numbers({}), '7654321')
    assert.strictEqual(await numbers({ plan: 'yes' }), '3')
    assert.strictEqual(await numbers({ minValue: '500000' }), '765')
    assert.strictEqual(await numbers({ companies: [{ ticker: null, cik: '0001999002' }] }), '642')
    assert.strictEqual(await numbers({ insiderCiks: ['0001999999'] }), '')
    const { page } = await service.textQueries.notices({ limit: 3 })
    assert.isTrue(page.value.hasMore)
    assert.strictEqual(await numbers({ limit: 3, cursor: page.value.nextCursor }), '432')
  })

  it('with values that can not be right stay out of sums and raise no event', async () => {
    await service.record(sale(1, '2025-06-01', '10'))
    await service.record(notice(1, { lines: [{ units: 1_000, marketValue: '25000000' }] }), notice(2))
    await settle()
    const found = await list()
    assert.deepEqual(
      found.map(({ accessionNumber, valueStatus }) => `${accessionNumber.slice(-1)} ${valueStatus}`),
      ['1 suspect', '2 plausible'],
    )
    assert.lengthOf(await list({ minValue: '1' }), 1)
    const events = await rows<{ id: string }>(service.pool, `SELECT id FROM events WHERE type = 'notice.created'`)
    assert.deepEqual(
      events.map(({ id }) => id),
      ['notice.created/0001999201-25-000002'],
    )
  })

  it('count a sale at once whose filing has a day and no time', async () => {
    now += 2 * DAY * 1000
    await service.record(notice(1))
    await settle()
    const times = { acceptedAt: null, filedAsOf: '20250604' }
    await service.record(sale(1, '2025-06-02', '4000', times))
    await settle()
    assert.deepInclude((await list())[0], { state: 'partly', reportedUnits: 4000, windowOpen: true })
  })

  it('count a sale that several filings report once, for the owners of each', async () => {
    now += 7 * DAY * 1000
    const partner = { cik: '0001999102', name: 'SAMPLE PARTNERS LP', isTenPercentOwner: true }
    const fund = { cik: '0001999103', name: 'SAMPLE FUND LP', isTenPercentOwner: true }
    await service.record(
      notice(1, { seller: partner }),
      sale(1, '2025-06-02', '10000', { owners: [fund] }),
      sale(2, '2025-06-02', '10000', { owners: [partner], acceptedAt: '20250603180000' }),
    )
    await settle()
    assert.lengthOf(await service.listed(), 1)
    const fulfilled = { state: 'fulfilled', linkedBy: 'cik', reportedUnits: 10_000 } as const
    assert.deepInclude((await list())[0], fulfilled)
    assert.deepInclude((await list({ asOf: NOTICED + 2 * DAY }))[0], fulfilled)
    assert.deepEqual(await states({ asOf: NOTICED + 2 * 3600 }), ['1 open'])
  })

  it('with suspect values count sales of the CIK, and of no one else who has the name', async () => {
    now += DAY * 1000
    const lines = [{ marketValue: '25000000' }]
    await service.record(sale(1, '2025-05-20', '10'))
    await service.record(
      notice(1, { lines }),
      notice(2, { lines, issuer: { cik: '0001999002' }, seller: { cik: '0001999777', name: SELLER.name } }),
      sale(2, '2025-06-02', '10000'),
      sale(3, '2025-05-20', '10', { issuer: { cik: '0001999002' } }),
      sale(4, '2025-06-02', '10000', { issuer: { cik: '0001999002' } }),
    )
    await settle()
    assert.deepEqual(
      (await list()).map(({ accessionNumber, valueStatus, state, linkedBy }) =>
        [accessionNumber.slice(-1), valueStatus, state, linkedBy].join(' '),
      ),
      ['1 suspect fulfilled cik', '2 suspect open '],
    )
  })

  it('replaced by a 144/A are one each, and earlier ones of as many units stand', async () => {
    now += 60 * DAY * 1000
    await service.record(
      notice(1),
      notice(2, { acceptedAt: '20250702163005', lines: [{ marketValue: '2500000000' }] }),
      notice(3, { acceptedAt: '20250703163005', form: '144/A', previousAccession: '0001999201-25-000002' }),
      sale(1, '2025-06-02', '10000'),
    )
    await settle()
    const expected = ['3 open', '2 replaced', '1 fulfilled']
    assert.deepEqual(await states(), expected)
    assert.deepEqual(await states({ asOf: now / 1000 }), expected)
  })

  it('announce what they changed to other processes, also after an attempt that failed', async () => {
    await service.record(notice(1))
    const scopes = async () =>
      (
        await rows<{ scope: { parts: string[] } }>(service.pool, 'SELECT scope FROM changes WHERE scope IS NOT NULL')
      ).map(({ scope }) => scope.parts ?? [])
    // Marking them as linked fails, and the rows are written by then.
    await service.pool.query('ALTER TABLE change_position RENAME TO change_position_away')
    const attempt = service.container.get(TYPES.projectNotices).pending(() => {})
    assert.instanceOf(await attempt.catch((error: unknown) => error), Error)
    assert.lengthOf(await list(), 1)
    await service.pool.query('ALTER TABLE change_position_away RENAME TO change_position')
    await service.linkNotices()
    assert.strictEqual(await service.container.get(TYPES.noticeLedger).countWaiting(), 0)
    assert.isTrue((await scopes()).some((parts) => parts.includes('notices') && parts.includes(`issuer:${ISSUER}`)))
  })

  it('are named by the sales that count for them, and by their filings', async () => {
    now += 30 * DAY * 1000
    await service.record(
      notice(1, { planAdoptionDates: ['2025-07-01', '2025-01-15', '2025-03-20'] }),
      sale(1, '2025-06-02', '4000'),
      sale(2, '2025-06-09', '8000'),
    )
    await settle()
    const accession = '0001999201-25-000001'
    const details = async (ask: object) => {
      const { page } = await service.textQueries.feed({ limit: 20, detail: true, ...ask })
      return page.value.transactions.map(({ detail }) => [
        detail!.notices?.map(({ units }) => units),
        detail!.planAdoptedOn,
        detail!.planAdoptedSource,
      ])
    }
    const [first, second] = [
      [[4000], '2025-03-20', accession],
      [[6000], '2025-03-20', accession],
    ]
    assert.deepEqual(await details({}), [second, first])
    assert.deepEqual(await details({ minValue: '1', types: ['sell'] }), [second, first])
    assert.deepEqual(await details({ asOf: NOTICED + 2 * DAY }), [first])
    const early = { asOf: NOTICED - 2 * 3600 }
    assert.deepEqual(await details(early), [])
    const filing = await service.textQueries.filing('0001999001-25-000002')
    assert.deepEqual(filing!.nonDerivative[0]!.decision!.notices, [{ accessionNumber: accession, units: 6000 }])
    const insider = await service.textQueries.insider('1999101', true)
    assert.lengthOf(insider!.value.recentTransactions[0]!.detail!.notices!, 1)
    const alike = { planAdoptionDates: ['2025-04-01'], remarks: 'For the same shares.', acceptedAt: '20250610163005' }
    await service.record(
      notice(2, alike),
      notice(3, { ...alike, acceptedAt: '20250610163006', seller: { cik: '0001999102', name: 'SPECIMEN BRUNO' } }),
      sale(3, '2025-06-10', '10000'),
    )
    await settle()
    const present = await details({ limit: 1 })
    assert.deepEqual(present[0]![0], [10_000, 10_000])
    assert.deepEqual(await details({ limit: 1, asOf: now / 1000 }), present)
  })

  it('are gone once the SEC has deleted them, whichever comes first', async () => {
    const deletion = (number: number) => {
      const accession = `0001999201-25-${String(number).padStart(6, '0')}`
      return { path: `${accession}.nc`, text: deletionText(accession).replace('<TYPE>4', '<TYPE>144') }
    }
    now += 2 * DAY * 1000
    await service.record(notice(1), notice(2), sale(1, '2025-06-02', '10000'))
    await settle()
    assert.deepEqual(await states(), ['1 fulfilled', '2 open'])
    const [first, second] = await service.record(deletion(1), deletion(3), deletion(1))
    assert.deepInclude(first, { outcome: 'ingested', accession: '0001999201-25-000001', reason: null })
    assert.strictEqual(second!.outcome, 'ingested')
    await service.record(notice(3))
    await settle()
    assert.deepEqual(await states(), ['2 fulfilled'])
    assert.isNull(await service.textQueries.notice('0001999201-25-000001'))
    const { page } = await service.textQueries.feed({ limit: 1, detail: true })
    const counting = page.value.transactions[0]!.detail!.notices
    assert.deepEqual(counting, [{ accessionNumber: '0001999201-25-000002', units: 10_000 }])
    assert.deepInclude((await service.record(deletion(1)))[0], { outcome: 'known' })
  })

  it('keep remarks that look like an escape', async () => {
    const remarks = String.raw`Not a character: \u0000 and "\u0000"`
    assert.deepInclude((await service.record(notice(1, { remarks })))[0], { outcome: 'ingested', reason: null })
    await settle()
    assert.strictEqual((await service.textQueries.notice('0001999201-25-000001'))!.remarks, remarks)
  })

  it('are recorded once, also where a bare document comes first', async () => {
    const bare = { path: 'primary_doc.xml', text: noticeXml({ accession: '0001999201-25-000001' }) }
    assert.deepInclude((await service.record(bare))[0], { outcome: 'ingested' })
    await settle()
    assert.match((await list())[0]!.accessionNumber, /^local-/)
    assert.deepInclude((await service.record(notice(1)))[0], { outcome: 'ingested' })
    assert.deepInclude((await service.record(notice(1)))[0], { outcome: 'known' })
    assert.deepInclude((await service.record(bare))[0], { outcome: 'known' })
    await settle()
    assert.deepEqual(await states(), ['1 open'])
    const queue = service.container.get(TYPES.fetchQueue)
    assert.deepEqual(
      await queue.add([{ accession: '0001999201-25-000001', formType: '144', path: 'edgar/data/1/x.txt' }], 'live'),
      [],
    )
  })
})
