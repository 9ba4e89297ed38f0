// Links in invented worlds where it is known which sales belong to which notices, starting from documents.
import { assert } from 'chai'
import { filedNotice } from '../../../../src/domain/notices/filed-notice.ts'
import { linkNotices, type NoticesAndSales } from '../../../../src/domain/notices/link-notices.ts'
import { newYorkToUtc } from '../../../../src/domain/shared/new-york-time.ts'
import { readDocument } from '../../../../src/infrastructure/edgar/documents/read-document.ts'
import { readNotice } from '../../../../src/infrastructure/edgar/documents/read-notice.ts'
import { documentsOf, noticeWorld, type NoticeWorld } from '../../../support/notices/notice-world.ts'
import { reportsOf, salesOf } from '../../../support/notices/reported-sales.ts'
import { volume } from '../../../support/volume.ts'

const WORLDS = volume('worlds of notices', 8, 200)

/** What the documents of a world say. */
function asRead(world: NoticeWorld): NoticesAndSales {
  const { notices, filings } = documentsOf(world)
  const read = filings.map(({ text }) => {
    const reading = readDocument(Buffer.from(text), 'x')
    if (reading.kind !== 'filing') throw new Error(reading.reason)
    return reading.filing
  })
  return {
    notices: notices.map(({ text }) => {
      const reading = readNotice(Buffer.from(text), 'x')
      if (reading.kind !== 'notice') throw new Error(reading.reason)
      return filedNotice(reading.notice, 4e9)
    }),
    sales: read.flatMap((filing) => salesOf(filing)),
    owners: read.flatMap((filing) => reportsOf(filing)),
    asOf: newYorkToUtc(world.end, 0),
  }
}

describe('notices of an invented world', () => {
  it('are linked to the sales that were made under them, and to no others', () => {
    const kinds = new Set<string>()
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const world = noticeWorld(seed)
      const links = linkNotices(asRead(world))
      assert.strictEqual(links.length, world.notices.length)
      for (const { accession, state, linkedBy, allocations, group, replacedBy } of links) {
        const { kind, ...expected } = world.expected.get(accession)!
        kinds.add(kind)
        const found = {
          state,
          linkedBy,
          group,
          replacedBy,
          allocations: allocations.map(({ saleId, units }) => ({ saleId, units })),
        }
        assert.deepEqual(sorted(found), sorted(expected), `${kind}, ${accession} of seed ${seed}`)
      }
    }
    assert.lengthOf([...kinds], 12)
  })
})

function sorted<T extends { allocations: { saleId: string }[] }>(link: T): T {
  return { ...link, allocations: link.allocations.toSorted((a, b) => (a.saleId < b.saleId ? -1 : 1)) }
}
