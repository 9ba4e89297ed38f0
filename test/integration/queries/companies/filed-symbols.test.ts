// Symbols as typed in filings, over real stores, against plain JavaScript: each leads to the issuer of the newest
// filing with it, now or as of an instant.
import { assert } from 'chai'
import { issuersOfSymbols } from '../../../../src/infrastructure/clickhouse/queries/shared/filed-symbols.ts'
import { hashOf, seeded } from '../../../support/edgar/invented/seeded.ts'
import { ownershipXml } from '../../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const SYMBOLS = ['EXA', 'EXB', 'EXC', 'EXD', 'EXNONE']
const at = (day: number, hour = 20) => Date.UTC(2025, 2, day, hour) / 1000

describe('symbols in filings', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.close())

  it('lead to the issuer of the newest filing with them, now and by an instant', async () => {
    const chance = seeded(hashOf('symbols as of'))
    const draw = (count: number) => Math.floor(chance() * count)
    const filed: { symbol: string; issuer: number; filedAt: number; accession: string; isEstimated: boolean }[] = []
    const file = async (symbol: string, issuer: number, day: number, isEstimated = false) => {
      const accession = `0001999001-25-${String(filed.length + 1).padStart(6, '0')}`
      const spec = {
        ...{ accession, acceptedAt: `202503${String(day).padStart(2, '0')}120000` },
        issuer: { cik: String(1_999_000 + issuer).padStart(10, '0'), name: `Example ${issuer} Inc`, tickerRaw: symbol },
      }
      await service.take(isEstimated ? { path: `${accession}.xml`, text: ownershipXml(spec) } : spec)
      const entry = { symbol, issuer: 1_999_000 + issuer, accession, isEstimated }
      filed.push({ ...entry, filedAt: Date.parse(`2025-03-${String(day).padStart(2, '0')}T16:00:00Z`) / 1000 })
    }
    const expected = (asked: readonly string[], asOf?: number) =>
      asked.flatMap((symbol): [string, number][] => {
        const typed = filed
          .filter((each) => each.symbol === symbol && !each.isEstimated && each.filedAt <= (asOf ?? Infinity))
          .sort((a, b) => b.filedAt - a.filedAt || (a.accession < b.accession ? 1 : -1))
        return typed[0] ? [[symbol, typed[0].issuer]] : []
      })
    const found = async (asked: readonly string[], asOf?: number) =>
      [...(await issuersOfSymbols(service.store, asked, asOf))].sort()

    for (let round = 0; round < 25; round += 1) {
      // The first two pass from issuer to issuer, the others are typed by any of three.
      const symbol = draw(4)
      await file(SYMBOLS[symbol]!, symbol < 2 ? 1 + (round >> 3) : 1 + draw(3), 14 + draw(14))
      const asked = SYMBOLS.filter(() => chance() < 0.7)
      assert.deepEqual(await found(asked), expected(asked))
      const asOf = at(10 + draw(20), draw(24))
      assert.deepEqual(await found(SYMBOLS, asOf), expected(SYMBOLS, asOf), String(asOf))
    }
    // A day of filing that is only made out from the document counts now, and as of no instant.
    await file('EXNONE', 9, 28, true)
    assert.deepEqual(await found(['EXNONE']), [['EXNONE', 1_999_009]])
    assert.isEmpty(await found(['EXNONE'], at(31)))
    const then = await Promise.all([16, 20, 24, 29].map((day) => found(['EXA', 'EXB'], at(day))))
    assert.isAbove(new Set(then.flat().map(String)).size, 3)
  })
})
