// Judges notices of proposed sales and links them to sales, issuer by issuer.
import { classKey } from '../../domain/notices/class-key.ts'
import { COMPARED_DAYS, judgeNotice, medianPrice, pricePerUnit } from '../../domain/notices/judge-notice.ts'
import { linkNotices, type OwnerReport } from '../../domain/notices/link-notices.ts'
import type { FiledNotice } from '../../domain/notices/notice.ts'
import { isCredible } from '../../domain/trades/credible-value.ts'
import type { AccessionNumber, Cik, DecimalText } from '../../domain/shared/identifiers.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { LinkedNotice, StoredLink } from '../ports/notices.ts'
import { timeSlices } from '../shared/time-slices.ts'

/** All of some issuers, in any order. */
export interface NoticesOfIssuers {
  notices: FiledNotice[]
  sales: Trade[]
  owners: (OwnerReport & { issuerCik: Cik })[]
}

/** The state of every notice is final long before. */
const FAR_SECONDS = 400 * 86_400
const DAY_SECONDS = 86_400

/** Returns all notices with what is decided of them now, in seconds. `strangers`: see NoticeLedger. */
export async function judgedNotices(
  all: NoticesOfIssuers & { strangers: ReadonlySet<AccessionNumber>; now: number },
): Promise<LinkedNotice[]> {
  const links = await linksAt(all, all.now)
  const last = await linksAt(all, all.now + FAR_SECONDS)
  const pause = timeSlices()
  const judged: LinkedNotice[] = []
  const salesOf = Map.groupBy(all.sales, ({ issuerCik }) => issuerCik)
  for (const [issuer, notices] of Map.groupBy(all.notices, ({ issuer: { cik } }) => cik)) {
    const prices = pricesByClass(notices, salesOf.get(issuer) ?? [])
    for (const notice of notices) {
      await pause()
      const link = links.get(notice.accession)
      // One of the future, by a clock that is ahead.
      if (!link) continue
      const judgement = judgeNotice(notice, {
        usualPrice: ({ classTitle }) => medianPrice(pricesBefore(prices.get(classKey(classTitle)) ?? [], notice)),
        isNewSeller: all.strangers.has(notice.accession),
        isKnownBroker: () => !all.strangers.has(notice.accession),
      })
      judged.push({ notice, judgement, link: { ...link, finalState: last.get(notice.accession)!.state } })
    }
  }
  return judged
}

/** Returns the links by accession number, as of an instant in seconds. Their final state is that of the instant. */
export async function linksAt(
  { notices, sales, owners }: NoticesOfIssuers,
  asOf: number,
): Promise<Map<AccessionNumber, StoredLink>> {
  const salesOf = Map.groupBy(
    sales.filter(({ duplicateOf }) => duplicateOf === ''),
    ({ issuerCik }) => issuerCik,
  )
  const ownersOf = Map.groupBy(owners, ({ issuerCik }) => issuerCik)
  const pause = timeSlices()
  const links = new Map<AccessionNumber, StoredLink>()
  for (const [issuer, own] of Map.groupBy(notices, ({ issuer: { cik } }) => cik)) {
    await pause()
    const known = { sales: salesOf.get(issuer) ?? [], owners: ownersOf.get(issuer) ?? [] }
    for (const link of linkNotices({ notices: own, ...known, asOf }))
      links.set(link.accession, { ...link, finalState: link.state })
  }
  return links
}

interface DatedPrice {
  at: number
  accession: string
  price: DecimalText
}

/** Returns the prices of sales, and those of notices that are not suspect by themselves, by class, oldest first. */
function pricesByClass(notices: FiledNotice[], sales: Trade[]): Map<string, DatedPrice[]> {
  const ofSales = sales.filter(isCredible).map((sale) => ({
    key: classKey(sale.securityTitle),
    price: { at: sale.filedAt, accession: sale.accession, price: sale.priceFiled ?? '0' },
  }))
  const alone = { usualPrice: () => null, isNewSeller: false, isKnownBroker: () => true }
  const ofNotices = notices.flatMap((notice) => {
    const { lines } = judgeNotice(notice, alone)
    return notice.lines.flatMap((line, place) => {
      const price = lines[place]!.valueStatus === 'plausible' ? pricePerUnit(line) : null
      const { filedAt: at, accession } = notice
      return price === null ? [] : [{ key: classKey(line.classTitle), price: { at, accession, price } }]
    })
  })
  const byClass = new Map<string, DatedPrice[]>()
  for (const { key, price } of [...ofSales, ...ofNotices].sort((a, b) => a.price.at - b.price.at)) {
    const known = byClass.get(key)
    if (known) known.push(price)
    else byClass.set(key, [price])
  }
  return byClass
}

/** Returns the prices of the weeks before a notice: it is judged by what was known when it was filed. */
function pricesBefore(prices: DatedPrice[], { filedAt, accession }: FiledNotice): DecimalText[] {
  const from = placeOf(prices, filedAt - COMPARED_DAYS * DAY_SECONDS)
  const to = placeOf(prices, filedAt + 1)
  return prices.slice(from, to).flatMap((each) => (each.accession === accession ? [] : [each.price]))
}

/** Returns the place of the first price at or after an instant. */
function placeOf(prices: DatedPrice[], at: number): number {
  let [low, high] = [0, prices.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (prices[middle]!.at < at) low = middle + 1
    else high = middle
  }
  return low
}
