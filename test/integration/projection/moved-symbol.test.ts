// A company whose symbol went to another one: by its CIK it is found, watched and alerted of all the same.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const NOW = Date.UTC(2025, 2, 14, 16)
const LEFT = '0001999008'
const TAKER = '0001999009'
const URL = 'https://alerts.example.com/'

describe('a symbol that moved on', () => {
  let service: TestService
  before(async () => {
    service = await testService(() => NOW)
    await service.container
      .get(TYPES.companyList)
      .replace([{ ticker: 'EXMV', cik: TAKER, name: 'Example Taker Inc', exchange: 'NYSE' }], 'test', Buffer.alloc(32))
    await service.container.get(TYPES.refreshCompanies)(() => {})
    await service.take(filed(1, { rows: [{ shares: '70' }, { code: 'S', acquiredDisposed: 'D' }] }))
  })
  after(() => service.close())

  const filed = (number: number, spec: FilingSpec = {}): FilingSpec => ({
    accession: `0001999008-25-${String(number).padStart(6, '0')}`,
    acceptedAt: '20250314110000',
    issuer: { cik: LEFT, name: 'Example Leaver Corp', tickerRaw: 'EXMV' },
    ...spec,
  })

  it('leads to the company that has it now, and the CIK to the one that had it', async () => {
    const { queries } = service
    assert.deepInclude(await queries.company('EXMV'), {
      ticker: 'EXMV',
      name: 'Example Taker Inc',
      totalBuys: 0,
      totalSells: 0,
    })
    for (const form of ['CIK0001999008', 'cik1999008', '1999008', '0001999008']) {
      const company = await queries.company(form, true)
      assert.deepInclude(
        company,
        {
          ticker: 'EXMV',
          name: 'Example Leaver Corp',
          totalBuys: 1,
          totalSells: 1,
        },
        form,
      )
      assert.deepEqual(
        company!.recentTransactions.map(({ detail }) => detail!.issuerCik),
        [LEFT, LEFT],
      )
    }
    assert.deepInclude(await queries.company('CIK1999009'), {
      ticker: 'EXMV',
      name: 'Example Taker Inc',
      exchange: 'NYSE',
    })
  })

  it('and CIKs that are unknown, or of an insider, lead to no company', async () => {
    const [newest] = (await service.queries.feed({ limit: 1, detail: true })).transactions
    for (const form of ['CIK0000000000', '42', '9999999999', newest!.detail!.insiderCik])
      assert.strictEqual(await service.queries.company(form), null, form)
  })

  it('leaves the entry by CIK with its company, under the name it was watched by', async () => {
    await service.pool.query(
      `INSERT INTO api_keys (id, name, secret_hash, webhook_secret)
       SELECT key, key, '', '' FROM unnest($1::text[]) AS key`,
      [['cik', 'symbol', 'both']],
    )
    const watch = (key: string, ticker: string) =>
      service.pool.query('INSERT INTO watchlist (key_id, ticker, webhook_url) VALUES ($1, $2, $3)', [key, ticker, URL])
    await watch('cik', `CIK${LEFT}`)
    await watch('symbol', 'EXMV')
    for (const ticker of [`CIK${TAKER}`, 'EXMV']) await watch('both', ticker)
    await service.take(filed(2), { ...filed(3), issuer: { cik: TAKER, name: 'Example Taker Inc', tickerRaw: 'EXMV' } })
    const told = await rows<{ event: string; key: string; ticker: string }>(
      service.pool,
      `SELECT right(event_id, 20) AS event, key_id AS key, ticker
      FROM deliveries WHERE event_id LIKE 'transaction.%' ORDER BY event_id, key_id`,
    )
    assert.deepEqual(told, [
      { event: '0001999008-25-000002', key: 'cik', ticker: `CIK${LEFT}` },
      { event: '0001999008-25-000003', key: 'both', ticker: 'EXMV' },
      { event: '0001999008-25-000003', key: 'symbol', ticker: 'EXMV' },
    ])
  })
})
