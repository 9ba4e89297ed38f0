// The list of filings, over real stores and HTTP: every page of every filter against plain JavaScript over all filings.
import { assert } from 'chai'
import fc from 'fast-check'
import type { components } from '../../../../src/contract.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import { newYorkDay } from '../../../../src/domain/shared/new-york-time.ts'
import { call } from '../../../support/http/contract-client.ts'
import { startExampleService, type ExampleService } from '../../../support/http/example-service.ts'
import { dataSetOf } from '../../../support/edgar/invented/data-set-files.ts'
import { loadSets } from '../../../support/edgar/invented/in-data-set.ts'
import { filingOf, ownershipXml, type FilingSpec } from '../../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

type Listed = components['schemas']['Filing']

const FORMS = ['3', '4', '4/A', '5'] as const
const ISSUERS = [1999001, 1999002, 1999003]
const OWNERS = [1999101, 1999102, 1999103, 1999104]
const cik = (number: number) => String(number).padStart(10, '0')
const accession = (number: number) => `0001999001-25-${String(number).padStart(6, '0')}`

/** Forty filings of six days, some accepted in the same second. */
const specs = Array.from({ length: 40 }, (_, index): FilingSpec & { accession: string; acceptedAt: string } => ({
  accession: accession(((index * 7) % 40) + 1),
  acceptedAt: `202503${String(7 + (index % 6)).padStart(2, '0')}${index % 4 === 0 ? '223000' : `1${index % 10}0000`}`,
  formType: FORMS[index % 4]!,
  ...(FORMS[index % 4] === '4/A' && { dateOfOriginalSubmission: '2020-01-02' }),
  issuer: {
    cik: cik(ISSUERS[index % 3]!),
    name: `Example ${index % 3}`,
    tickerRaw: index % 3 === 2 ? 'NONE' : `EX${index % 3}`,
  },
  owners: [OWNERS[index % 4]!, ...(index % 5 === 0 ? [OWNERS[(index + 1) % 4]!] : [])].map((owner) => ({
    cik: cik(owner),
    name: `SAMPLE ${owner} ${index}`,
    isDirector: true,
  })),
  rows: Array.from({ length: index % 3 }, (_, row) => ({ shares: String(100 + index + row), date: '2025-03-06' })),
}))

/** In the order of the list. */
const expected = specs
  .map((spec, index) => ({ spec, index, filing: filingOf(spec), at: instantOf(spec.acceptedAt) }))
  .sort((a, b) => b.at - a.at || (a.spec.accession < b.spec.accession ? 1 : -1))

/** Daylight saving time began on 9 March. */
function instantOf(stamp: string): number {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)/.exec(stamp)!.map(Number)
  return Date.UTC(year!, month! - 1, day, hour! + (day! < 9 ? 5 : 4), minute) / 1000
}

interface Ask {
  tickers?: string[]
  issuerCiks?: number[]
  insiderCiks?: number[]
  forms?: string[]
  filedFrom?: string
  filedTo?: string
}

const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined })
const moment = fc.option(
  fc.oneof(
    fc.integer({ min: 6, max: 13 }).map((day) => `2025-03-${String(day).padStart(2, '0')}`),
    fc.constantFrom(...expected.map(({ at }) => new Date(at * 1000).toISOString().replace('.000Z', 'Z'))),
  ),
  { nil: undefined },
)
const asks = fc.record({
  tickers: some(['EX0', 'ex1', 'CIK1999003', 'ZZZZ', 'EX0']),
  issuerCiks: some([...ISSUERS, 7]),
  insiderCiks: some([...OWNERS, 7]),
  forms: some(FORMS),
  filedFrom: moment,
  filedTo: moment,
}) as fc.Arbitrary<Ask>

const COMPANIES: Record<string, number> = { EX0: 1999001, ex1: 1999002, CIK1999003: 1999003 }

function matching(ask: Ask) {
  const issuers = [...(ask.tickers ?? []).flatMap((ticker) => COMPANIES[ticker] ?? []), ...(ask.issuerCiks ?? [])]
  return expected.filter(({ filing, at }) => {
    const { issuer, owners, formType } = filing
    if ((ask.tickers || ask.issuerCiks) && !issuers.includes(Number(issuer.cik))) return false
    if (ask.insiderCiks && !owners.some((owner) => ask.insiderCiks!.includes(Number(owner.cik)))) return false
    if (ask.forms && !ask.forms.includes(formType)) return false
    const [from, to] = [ask.filedFrom, ask.filedTo]
    if (from && (from.length === 10 ? newYorkDay(at) < from : at < Date.parse(from) / 1000)) return false
    return !(to && (to.length === 10 ? newYorkDay(at) > to : at >= Date.parse(to) / 1000))
  })
}

describe('the list of filings', function () {
  this.timeout(120_000)
  let service: TestService
  let http: ExampleService
  const open = async () => {
    service = await testService(() => Date.UTC(2026, 11, 1))
    http = await startExampleService({ queries: service.textQueries })
  }
  const close = async () => {
    await http.close()
    await service.close()
  }
  const get = (query: string) => call(http.url, 'GET', `/v1/filings?${query}`)
  const queryOf = (ask: Ask) =>
    Object.entries(ask)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join('&')

  async function allPages(ask: Ask, limit: number): Promise<Listed[]> {
    const found: Listed[] = []
    for (let cursor = ''; ;) {
      const { status, body } = await get(`${queryOf(ask)}&limit=${limit}${cursor}`)
      assert.strictEqual(status, 200, JSON.stringify(body))
      found.push(...body.data.filings)
      if (!body.data.hasMore) return found
      assert.lengthOf(body.data.filings, limit)
      cursor = `&cursor=${body.data.nextCursor}`
    }
  }

  describe('of forty', () => {
    before(async () => {
      await open()
      await service.take(...specs)
    })
    after(close)

    it('has every filing once, newest first, with its content', async () => {
      const tradesOf = Map.groupBy(
        (await service.queries.feed({ limit: 100, detail: true })).transactions,
        ({ detail }) => detail!.accessionNumber,
      )

      const listed = await allPages({}, 7)

      assert.deepEqual(
        listed,
        expected.map(({ spec, index, filing, at }): Listed => ({
          accessionNumber: spec.accession,
          form: filing.formType,
          filingDate: new Date(at * 1000).toISOString().replace('.000Z', 'Z'),
          filingDateBasis: 'accepted',
          issuerCik: filing.issuer.cik,
          ticker: index % 3 === 2 ? '' : `EX${index % 3}`,
          companyName: filing.issuer.name,
          owners: filing.owners.map((owner) => ({ cik: owner.cik, name: owner.name })),
          transactions: filing.formType.startsWith('4') ? filing.nonDerivative.length : 0,
          url: [
            'https://www.sec.gov/Archives/edgar/data',
            Number(filing.issuer.cik),
            spec.accession.replaceAll('-', ''),
            `${spec.accession}-index.htm`,
          ].join('/'),
        })),
      )
      for (const { accessionNumber, ticker } of listed)
        for (const trade of tradesOf.get(accessionNumber) ?? []) assert.strictEqual(trade.ticker, ticker)
    })

    it('has the matching filings, for any filter and page', async () => {
      await fc.assert(
        fc.asyncProperty(asks, fc.integer({ min: 1, max: 9 }), async (ask, limit) => {
          const { status, body, headers } = await get(queryOf(ask))
          const details = (body.error?.details ?? []).map(({ path }: { path: string }) => path)
          if (status === 400) return assert.deepEqual(details, ['query.filedFrom', 'query.filedTo'])
          const unknown = ask.tickers?.includes('ZZZZ')
          const namesNone = ask.tickers?.length === 1 && ask.issuerCiks === undefined
          if (unknown && namesNone) {
            assert.deepEqual([status, body.error.code, details], [404, 'unknown_ticker', ['query.tickers']])
            return
          }
          assert.strictEqual(headers['x-unknown-tickers'], unknown ? 'ZZZZ' : undefined)
          assert.deepEqual(
            (await allPages(ask, limit)).map(({ accessionNumber }) => accessionNumber),
            matching(ask).map(({ spec }) => spec.accession),
            JSON.stringify(ask),
          )
        }),
        { numRuns: 60, seed: 20250307 },
      )
    })

    it('has none filed before 1970', async () => {
      const { body } = await get('filedTo=1970-01-01T00:00:00Z')
      assert.deepEqual(body.data, { filings: [], hasMore: false })
    })

    it('accepts a cursor only with the filter that it was made for, in any spelling', async () => {
      const { nextCursor } = (await get('tickers=EX0,EX1&forms=4,3&limit=2')).body.data

      const same = await get(`forms=3,4,4&tickers=ex1,EX0&limit=5&cursor=${nextCursor}`)
      assert.strictEqual(same.status, 200)
      for (const other of ['forms=3,4', 'tickers=EX0&forms=3,4', 'tickers=EX0,EX1&forms=3,4&filedTo=2025-03-12']) {
        const { status, body } = await get(`${other}&cursor=${nextCursor}`)
        assert.deepEqual([status, body.error.code], [400, 'invalid_cursor'], other)
      }
    })

    it('finds companies in the SEC list first, as profiles do', async () => {
      const list = [{ ticker: 'EX0', cik: cik(1999002), name: 'Another', exchange: null }]
      await service.container
        .get(TYPES.analytics)
        .replaceCompanies(list, { nextVersion: service.container.get(TYPES.nextVersion) })

      const { body } = await get('tickers=EX0&limit=100')

      assert.deepEqual([...new Set(body.data.filings.map((each: Listed) => each.issuerCik))], [cik(1999002)])
    })
  })

  describe('after changes', () => {
    beforeEach(open)
    afterEach(close)

    it('no longer has a bare document whose full submission came', async () => {
      const spec = specs[1]!
      await service.take({ path: 'bare.xml', text: ownershipXml(spec) })
      const [bare] = await allPages({}, 5)
      assert.match(bare!.accessionNumber, /^local-/)
      assert.deepEqual([bare!.url, bare!.filingDateBasis], [null, 'signature'])

      await service.take(spec)

      for (const ask of [{}, { issuerCiks: ISSUERS }, { insiderCiks: OWNERS }]) {
        assert.deepEqual(
          (await allPages(ask, 5)).map(({ accessionNumber }) => accessionNumber),
          [spec.accession],
        )
      }
    })

    it('has filings of data sets until their own documents replace them', async () => {
      const whole = specs.slice(0, 12).map((spec) => ({ ...spec, acceptedAt: null, filedAsOf: '20240715' }))
      await loadSets(service, [['2024q3', dataSetOf(whole.map((spec) => filingOf(spec)))]])

      const before = await allPages({}, 5)
      assert.sameMembers(
        before.map(({ accessionNumber }) => accessionNumber),
        whole.map((spec) => spec.accession),
      )
      const documents = specs.slice(0, 12)
      for (const { accessionNumber, transactions, filingDateBasis } of before) {
        const filing = filingOf(documents.find((spec) => spec.accession === accessionNumber))
        assert.strictEqual(transactions, filing.formType.startsWith('4') ? filing.nonDerivative.length : 0)
        assert.strictEqual(filingDateBasis, 'filed-date')
      }

      await service.take(...documents)

      assert.deepEqual(
        (await allPages({}, 5)).map(({ accessionNumber }) => accessionNumber),
        expected.filter(({ index }) => index < 12).map(({ spec }) => spec.accession),
      )
    })
  })
})
