// Invented worlds whose notices and sales are known to belong together, through real stores: documents in any order are
// linked as they were made, and named by the sales.
import { assert } from 'chai'
import { newYorkToUtc } from '../../../src/domain/shared/new-york-time.ts'
import { seeded } from '../../support/edgar/invented/seeded.ts'
import { documentsOf, noticeWorld } from '../../support/notices/notice-world.ts'
import { testService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

const WORLDS = volume('worlds of notices on real stores', 2, 20)

describe('notices of an invented world on real stores', function () {
  this.timeout(120_000)

  it('are all linked to the sales that were made under them', async () => {
    let [notices, linked] = [0, 0]
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const world = noticeWorld(seed)
      const service = await testService(() => newYorkToUtc(world.end, 0) * 1000)
      try {
        const { notices: own, filings } = documentsOf(world)
        const random = seeded(seed)
        const documents = [...own, ...filings]
          .map(({ accession, text }) => ({ place: random(), document: { path: `${accession}.txt`, text } }))
          .sort((a, b) => a.place - b.place)
          .map(({ document }) => document)
        const half = documents.length >> 1
        for (const some of [documents.slice(0, half), documents.slice(half)]) {
          await service.record(...some)
          await service.project()
          await service.linkNotices()
        }
        for (const [accession, { kind, state, linkedBy, group, replacedBy, allocations }] of world.expected) {
          const what = `${kind}, ${accession} of seed ${seed}`
          const found = await service.textQueries.notice(accession)
          assert.deepInclude(found, { state, linkedBy, group, replacedBy }, what)
          const sales = found!.sales.map(({ transactionId, units }) => `${transactionId} ${units}`)
          assert.sameMembers(
            sales,
            allocations.map(({ saleId, units }) => `${saleId} ${Number(units)}`),
            what,
          )
          notices += 1
          if (sales.length > 0) linked += 1
        }
      } finally {
        await service.close()
      }
    }
    assert.isAbove(linked, notices / 3)
  })
})
