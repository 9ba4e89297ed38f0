// The change tracker learns of every write of the projection, and what the projection compares with is what the store
// has, also where another process wrote it.
import { assert } from 'chai'
import type { Cik } from '../../../src/domain/shared/identifiers.ts'
import { makeProjector } from '../../../src/application/projection/project-filings.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { ClickHouseAnalyticsStore } from '../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import { ownershipXml } from '../../support/filings/filing-builder.ts'
import { loopReport, testService, type TestService } from '../../support/service/service.ts'
import type { AnalyticsChange } from '../../../src/application/ports/analytics.ts'
import { changeInserts } from '../../../src/infrastructure/clickhouse/stores/change-inserts.ts'

const ISSUER: Cik = '0001999001'

describe('the stores of the projection', () => {
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const analytics = () => service.container.get(TYPES.analytics)
  const known = async () => ({
    trades: new Map((await analytics().trades([ISSUER])).map((trade) => [trade.id, trade])),
    newest: (await analytics().newestSymbols([ISSUER], [])).get(ISSUER)?.symbols,
  })

  const group = { isTenPercentOwner: true }
  const first = { accession: '0001999001-25-000001', owners: [{ cik: '0000000005', ...group }] }
  const repeated = {
    accession: '0001999001-25-000002',
    acceptedAt: '20250315120000',
    owners: [{ cik: '0000000006', ...group }],
  }

  it('give the symbols of a bare document until its submission comes without any', async () => {
    await service.take({ path: 'form4.xml', text: ownershipXml({ issuer: { tickerRaw: 'EXOLD' } }) })
    assert.deepEqual((await known()).newest, ['EXOLD'])
    await service.take({ issuer: { tickerRaw: '' } })
    assert.isUndefined((await known()).newest)
  })

  it('give what another process has written', async () => {
    await service.take(repeated)
    const { container } = service
    const other = makeProjector({
      compute: container.get(TYPES.compute),
      ledger: container.get(TYPES.ledger),
      analytics: new ClickHouseAnalyticsStore(service.store),
      listings: container.get(TYPES.listings),
      locks: container.get(TYPES.locks),
    })
    await service.record(first)
    await other.projectPending()
    await service.take({ ...repeated, accession: '0001999001-25-000003', acceptedAt: '20250316120000' })
    assert.deepEqual(await service.listed(), [`${first.accession}-nd-1`])
  })

  it('give what the tables of a rebuild have', async () => {
    await service.take(first)
    await service.pool.query("UPDATE filings SET status = 'rejected'")
    await service.container.get(TYPES.rebuild)(() => {})
    await service.take(repeated)
    assert.deepEqual(await service.listed(), [`${repeated.accession}-nd-1`])
  })

  describe('record in the change tracker', () => {
    const nothing: AnalyticsChange = { trades: [], goneTrades: [], entries: [], goneEntries: [], goneDetails: [] }
    const ofIssuer = { parts: [`issuer:${ISSUER}` as const] }
    const changes = () => service.container.get(TYPES.changes)

    it('each write', async () => {
      await service.take(first)
      const trades = await analytics().trades([ISSUER])
      const before = changes().version()
      assert.isTrue(changes().isCurrent(ofIssuer, before))
      await analytics().write(changeInserts({ ...nothing, trades }, 1_000))
      assert.isFalse(changes().isCurrent(ofIssuer, before))
      assert.isTrue(changes().areListsCurrent(before))
    })

    it('that everything may have changed where a write failed half way', async () => {
      await service.take(first)
      const trades = [...(await known()).trades.values()].map((trade) => ({ ...trade, ticker: 'EXNEW' }))
      const unreadable = { accession: trades[0]!.accession, issuerCik: ISSUER, filedAt: Number.NaN }
      const before = changes().version()
      const failure = await analytics()
        .write(changeInserts({ ...nothing, trades, goneDetails: [unreadable] }, 1_000))
        .then(() => null, String)
      assert.match(failure!, /Cannot parse input/)
      assert.isFalse(changes().areListsCurrent(before))
      const { transactions } = await service.queries.feed({ limit: 1 })
      assert.deepEqual(
        transactions.map(({ ticker }) => ticker),
        ['EXNEW'],
      )
    })

    it('that everything may have changed before this process began to write', async () => {
      const before = changes().version()
      await service.container.get(TYPES.projectionLoop).run(AbortSignal.abort(), async () => {}, loopReport())
      assert.isFalse(changes().areListsCurrent(before))
    })
  })

  it('are left between two batches on the signal', async () => {
    const accessions = Array.from({ length: 26 }, (_, index) => `0001999001-25-${String(index).padStart(6, '0')}`)
    await service.record(...accessions.map((accession) => ({ accession })))
    // The first batch has 25 filings.
    assert.strictEqual(await service.container.get(TYPES.projector).projectPending(undefined, AbortSignal.abort()), 25)
    assert.strictEqual(await service.project(), 1)
  })
})
