// Many companies at once, over real stores: each equals its profile, in the requested order.
import { assert } from 'chai'
import fc from 'fast-check'
import { TYPES } from '../../../../src/container/tokens.ts'
import type { NamedCompany } from '../../../../src/domain/filings/ticker-symbol.ts'
import { inventedFiling } from '../../../support/edgar/invented/filings.ts'
import { INVENTED_COMPANIES } from '../../../support/edgar/invented/world.ts'
import { dependenciesOf } from '../../../../src/application/changes/data-dependencies.ts'
import type { FilingSpec } from '../../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const START = Date.UTC(2026, 1, 2, 14)
const COMPANIES = INVENTED_COMPANIES.slice(0, 12)
const [FIRST, SECOND] = COMPANIES as [(typeof COMPANIES)[0], (typeof COMPANIES)[0]]
const byTicker = (ticker: string): NamedCompany => ({ ticker, cik: null })
const byCik = (cik: string): NamedCompany => ({ ticker: null, cik })

describe('many companies at once', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService(() => START)
    const list = [
      ...COMPANIES.slice(0, 8).map(({ cik, ticker, name }) => ({ cik, ticker, name, exchange: 'NYSE' })),
      { cik: FIRST.cik, ticker: 'EXTWO', name: FIRST.name, exchange: 'OTC' },
      { cik: '0009999999', ticker: 'EXNEW', name: 'Example Without Filings Inc', exchange: null },
    ]
    await service.container.get(TYPES.companyList).replace(list, 'test', Buffer.alloc(32))
    await service.container.get(TYPES.refreshCompanies)(() => {})
    const filings = Array.from({ length: 1_500 }, (_, index) =>
      inventedFiling(index + 1, { acceptedAt: (number) => START - (1_600 - number) * 3_600_000 }),
    ).filter(({ spec }) => COMPANIES.some(({ cik }) => cik === spec.issuer!.cik))
    await service.take(...filings.map(({ accession, text }) => ({ path: `${accession}.txt`, text })))
  })
  after(() => service.close())

  /** What the profile and the list of filings say. */
  async function expected(named: NamedCompany) {
    const { queries } = service
    const profile = await queries.company(named.ticker ?? named.cik)
    if (profile === null) return null
    const [cik] = (await service.textQueries.issuers([named])).issuers
    const { page } = await service.textQueries.filings({ companies: [byCik(cik!)], limit: 1 })
    const { ticker, name, exchange, sector, totalBuys, totalSells, netSentiment } = profile
    const lastFilingDate = page.value.filings[0]?.filingDate ?? null
    return { cik, ticker, name, exchange, sector, totalBuys, totalSells, netSentiment, lastFilingDate }
  }

  it('equal their profiles, each symbol once, in the requested order', async () => {
    const person = COMPANIES[0]!.insiders[0]!.cik
    const names = [
      ...COMPANIES.map(({ ticker }) => byTicker(ticker)),
      ...COMPANIES.map(({ cik }) => byCik(cik)),
      ...['EXTWO', 'EXNEW', 'ZZZZ', 'ZZZY'].map(byTicker),
      ...[person, '0000000007'].map(byCik),
    ]
    const known = new Map<NamedCompany, Awaited<ReturnType<typeof expected>>>()
    for (const named of names) known.set(named, await expected(named))
    const found = [...known.values()].filter((company) => company !== null)
    assert.isAbove(found.filter(({ totalBuys, totalSells }) => totalBuys > 0 && totalSells > 0).length, 4)
    assert.strictEqual(found.find(({ ticker }) => ticker === 'EXNEW')?.lastFilingDate, null)

    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(names, { minLength: 1 }), async (asked) => {
        const { companies, unknown } = await service.queries.companies(asked)

        assert.deepEqual(
          companies,
          asked.flatMap((named) => known.get(named) ?? []),
        )
        assert.deepEqual(
          unknown,
          asked.filter((named) => known.get(named) === null).map(({ ticker, cik }) => ticker ?? `CIK${cik}`),
        )
      }),
      { numRuns: 40 },
    )
  })

  it('are an empty list if none is known', async () => {
    assert.deepEqual(await service.queries.companies([byTicker('ZZZZ'), byCik('0000000007')]), {
      companies: [],
      unknown: ['ZZZZ', 'CIK0000000007'],
    })
  })

  it('are recomputed after a change of each one, and when an unknown symbol appears', async () => {
    const isCurrent = async (asked: NamedCompany[], change: FilingSpec) => {
      const changes = service.container.get(TYPES.changes)
      const answer = await service.textQueries.companies(asked)
      const version = changes.version()
      await service.take({ acceptedAt: '20260201120000', ...change })
      return changes.isCurrent(dependenciesOf(answer)!, version)
    }
    const filed = (number: number, cik: string, tickerRaw: string): FilingSpec => ({
      accession: `0009900001-26-${String(number).padStart(6, '0')}`,
      issuer: { cik, name: 'Example Late Inc', tickerRaw },
    })

    const first = [byTicker(FIRST.ticker), byTicker('ZZLATE')]
    assert.isFalse(await isCurrent(first, filed(1, FIRST.cik, FIRST.ticker)))
    assert.isTrue(await isCurrent(first, filed(2, SECOND.cik, SECOND.ticker)))
    assert.isFalse(await isCurrent(first, filed(3, '0009999998', 'ZZLATE')))
    assert.isFalse(await isCurrent([byCik('0009999997')], filed(4, '0009999997', 'NONE')))
    assert.deepInclude((await service.queries.companies(first)).companies[1], { cik: '0009999998', ticker: 'ZZLATE' })
  })
})
