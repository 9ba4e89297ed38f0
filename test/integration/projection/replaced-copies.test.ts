// A later copy of a document that says something else of whose it is: nothing is left of the issuer and the owners that
// the earlier copy named, and the signals of both issuers are detected again.
import { assert } from 'chai'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { disseminationText, ownershipXml, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testServices } from '../../support/service/service.ts'

const NOW = Date.UTC(2025, 2, 20)
const [FORMER, PRESENT] = ['0001999001', '0001999002']
const company = (cik: string) => ({ cik, name: `Example ${cik} Inc`, tickerRaw: `EX${cik.slice(-1)}` })
const owner = (number: number) => ({ cik: `000990000${number}`, name: `SAMPLE ${number}`, isDirector: true })

/** A filing of three trades, accepted when a copy without that time is taken to be filed. */
const filed = (number: number, issuer: string, owners: number[], spec: FilingSpec = {}): FilingSpec => ({
  accession: `0001999009-25-${String(number).padStart(6, '0')}`,
  acceptedAt: '20250314220000',
  issuer: company(issuer),
  owners: owners.map(owner),
  rows: [{ shares: '100' }, { shares: '200' }, { shares: '300' }],
  ...spec,
})
const bare = (spec: FilingSpec) => ({ path: `${spec.accession}.xml`, text: ownershipXml(spec) })
const disseminated = (spec: FilingSpec) => ({ path: `${spec.accession}.nc`, text: disseminationText(spec) })

describe('a later copy of a document', function () {
  this.timeout(60_000)
  const open = testServices()
  const fresh = () => open(() => NOW)

  const other = { acceptedAt: '20250317120000' }
  for (const [name, earlier, later] of [
    ['of another issuer', bare(filed(1, FORMER, [1])), filed(1, PRESENT, [1], other)],
    ['of another issuer at the same time', disseminated(filed(1, FORMER, [1])), filed(1, PRESENT, [1])],
    ['of other owners at the same time', disseminated(filed(1, FORMER, [1, 2])), filed(1, FORMER, [2, 3])],
    ['with fewer rows at the same time', disseminated(filed(1, FORMER, [1])), filed(1, FORMER, [1], { rows: [{}] })],
  ] as const) {
    it(`${name} leaves what it alone would have made`, async () => {
      const service = await fresh()
      await service.take(filed(2, FORMER, [1]), filed(3, PRESENT, [2]))
      await service.take(earlier)
      const before = await service.dump()
      await service.take(later)
      await service.detectSignals()
      const alone = await fresh()
      await alone.take(filed(2, FORMER, [1]), filed(3, PRESENT, [2]), later)
      await alone.detectSignals()

      assert.notDeepEqual(before, await service.dump())
      assert.deepEqual(await service.dump(), await alone.dump())
      const [{ n } = { n: 0 }] = await rows<{ n: number }>(
        service.pool,
        `SELECT count(*) AS n FROM filings WHERE accession = '0001999009-25-000001' AND kind = 'submission'`,
      )
      assert.strictEqual(n, 1)
    })
  }

  it('of another issuer ends a signal that its trade made, and is reported to who follows either', async () => {
    const service = await fresh()
    const buy = (number: number, issuer: string, more: FilingSpec = {}) =>
      filed(number, issuer, [number], { rows: [{ shares: '1000', price: '100' }], ...more })
    await service.take(bare(buy(1, FORMER)), buy(2, FORMER), buy(3, FORMER))
    await service.detectSignals()
    const signals = async () =>
      (await service.queries.signals({ limit: 10 })).signals.map(({ type, ticker }) => `${type} ${ticker}`)
    assert.deepEqual(await signals(), ['cluster_buy EX1'])

    const [{ last } = { last: 0 }] = await rows<{ last: number }>(service.pool, 'SELECT last FROM change_position')
    await service.take(buy(1, PRESENT, other))
    await service.detectSignals()
    assert.deepEqual(await signals(), [])
    const [changed] = await rows<{ issuers: string[] }>(
      service.pool,
      `SELECT issuer_ciks AS issuers FROM changes WHERE seq > $1 AND type IS NOT NULL ORDER BY seq LIMIT 1`,
      [last],
    )
    assert.sameMembers(changed!.issuers, [FORMER, PRESENT])
  })
})
