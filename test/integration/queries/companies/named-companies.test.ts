// Companies by symbols without the hyphen of their class, over real stores: in profiles, lists, filters and watchlists.
import { randomBytes } from 'node:crypto'
import { assert } from 'chai'
import { makeWatchlist } from '../../../../src/application/commands/watchlist.ts'
import { createContainer } from '../../../../src/container/container.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import { dependenciesOf } from '../../../../src/application/changes/data-dependencies.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const issuer = (number: number) => String(1_999_000 + number).padStart(10, '0')
const named = (ticker: string) => ({ ticker, cik: null })

describe('companies by symbols without a hyphen', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
    await service.container.get(TYPES.companyList).replace(
      ['LSTD-B', 'LSTD-A'].map((ticker) => ({ cik: issuer(2), ticker, name: 'Listed Inc', exchange: 'NYSE' })),
      'test',
      Buffer.alloc(32),
    )
    await service.container.get(TYPES.refreshCompanies)(() => {})
    await file(1, 'INV.A, INV.B')
    await file(2, 'LSTD.A')
  })
  after(() => service.close())

  let filings = 0
  const file = (number: number, tickerRaw: string) => {
    filings += 1
    return service.take({
      accession: `0001999001-25-${String(filings).padStart(6, '0')}`,
      acceptedAt: `202503${String(filings).padStart(2, '0')}120000`,
      issuer: { cik: issuer(number), name: `Example ${number} Inc`, tickerRaw },
      rows: ['Class A Common Stock', 'Class B Common Stock'].map((securityTitle, row) => ({
        ...{ securityTitle, shares: String(1_000 + filings * 10 + row) },
      })),
    })
  }
  const shown = async (ticker: string) => (await service.queries.company(ticker))?.ticker

  it('are found, and shown with the symbol that they have', async () => {
    assert.deepEqual(await Promise.all(['INVA', 'inva', 'INVB', 'INV-A', 'inv.b'].map(shown)), [
      ...['INV-A', 'INV-A', 'INV-B', 'INV-A', 'INV-B'],
    ])
    assert.deepEqual(await Promise.all(['LSTDA', 'LSTDB', 'INVC', 'NVA', 'INVAA', 'IN-VA'].map(shown)), [
      ...['LSTD-A', 'LSTD-B', undefined, undefined, undefined, undefined],
    ])
    const { companies, unknown } = await service.queries.companies(['INVA', 'LSTDB', 'INVC'].map(named))
    assert.deepEqual(
      companies.map(({ ticker }) => ticker),
      ['INV-A', 'LSTD-B'],
    )
    assert.deepEqual(unknown, ['INVC'])
  })

  it('are accepted in filters and as of an instant', async () => {
    const { transactions } = await service.queries.feed({ limit: 10, companies: [named('INVB')] })
    assert.deepEqual(transactions.map(({ ticker }) => ticker).sort(), ['INV-A', 'INV-B'])
    const asOf = Date.UTC(2025, 5, 1) / 1000
    assert.strictEqual((await service.queries.company('INVA', false, asOf))?.ticker, 'INV-A')
    const { filings: found } = (await service.textQueries.filings({ companies: [named('LSTDA')], limit: 5 })).page.value
    assert.lengthOf(found, 1)
  })

  it('yield at once to a company that has the symbol', async () => {
    const answer = (await service.textQueries.company('INVB'))!
    const changes = service.container.get(TYPES.changes)
    const version = changes.version()
    await file(3, 'INVB')
    assert.isFalse(changes.isCurrent(dependenciesOf(answer)!, version))
    assert.strictEqual((await service.queries.company('INVB'))?.name, 'Example 3 Inc')
    assert.deepEqual([await shown('INVB'), await shown('INV-B')], ['INVB', 'INV-B'])
    const before = Date.UTC(2025, 2, 1, 20) / 1000
    assert.strictEqual((await service.queries.company('INVB', false, before))?.name, 'Example 3 Inc')
  })

  it('are reported on the watchlist if no company has them', async () => {
    const keys = createContainer({ pool: service.pool, secretsKey: randomBytes(32) })
    const { id } = await keys.get(TYPES.apiKeys).issue('test', 1)
    const watchlist = makeWatchlist(keys.get(TYPES.watchlists), async () => {}, service.textQueries)
    const warning = async (text: string) => (await watchlist.add(id, text, null)).warning
    for (const text of ['INVA', 'INV-A', 'LSTD-B', 'LSTDA', 'CIK0001999001', '42'])
      assert.isUndefined(await warning(text), text)
    for (const text of ['INVC', 'ZZZZ', 'inv-z']) assert.include((await warning(text))!, text.toUpperCase())
    await file(4, 'ZZZZ')
    assert.isUndefined(await warning('ZZZZ'))
  })
})
