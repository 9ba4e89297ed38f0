// What has to be written when the notices of issuers were linked again: those that differ from what is stored.
import type { FiledNotice } from '../../domain/notices/notice.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { ChangeScope } from '../changes/change-tracker.ts'
import type { DataPart } from '../changes/data-dependencies.ts'
import type { LinkedNotice } from '../ports/notices.ts'

const DOUBTFUL_VALUE = 1_000_000_000

interface ChangedNotices {
  changed: LinkedNotice[]
  /** What is stored of notices that are no more. */
  gone: LinkedNotice[]
  /** What is stored of those that changed: their sales may no longer count. */
  former: LinkedNotice[]
  scope: ChangeScope
}

/** Compares all notices of some issuers with what is stored of them. Returns null if nothing differs. */
export function changedNotices(
  all: readonly LinkedNotice[],
  stored: readonly LinkedNotice[],
  sales: readonly Trade[],
): ChangedNotices | null {
  const before = new Map(stored.map((each) => [keyOf(each), JSON.stringify(each)]))
  const changed = all.filter((each) => before.get(keyOf(each)) !== JSON.stringify(each))
  const present = new Set(all.map(keyOf))
  const gone = stored.filter((each) => !present.has(keyOf(each)))
  if (changed.length + gone.length === 0) return null
  const keys = new Set(changed.map(keyOf))
  const former = stored.filter((each) => keys.has(keyOf(each)))
  return { changed, gone, former, scope: scopeOf([...changed, ...gone, ...former], sales) }
}

const keyOf = ({ notice: { accession, filedAt } }: LinkedNotice): string => `${filedAt} ${accession}`

/** Whether the seller filed the notice without an agent, with an unusually high value. */
export const isDoubtful = ({ accession, seller, lines }: FiledNotice): boolean =>
  accession.startsWith(seller.cik) && lines.some(({ marketValue }) => Number(marketValue) > DOUBTFUL_VALUE)

/** Returns the scope of written notices, with the sales that count for them, since these show the notices. */
function scopeOf(notices: LinkedNotice[], sales: readonly Trade[]): ChangeScope {
  const parts = new Set<DataPart>(['notices'])
  const feed = new Set<number>()
  const saleOf = new Map(sales.map((sale) => [sale.id, sale]))
  for (const { notice, link } of notices) {
    parts.add(`issuer:${notice.issuer.cik}`)
    parts.add(`insider:${notice.seller.cik}`)
    for (const { saleId } of link.allocations) {
      const sale = saleOf.get(saleId)
      if (!sale) continue
      for (const cik of sale.ownerCiks) parts.add(`insider:${cik}`)
      feed.add(sale.filedAt)
    }
  }
  return { parts, feed }
}
