// Judges notices of proposed sales and links them to sales, issuer by issuer.
import { classKey } from '../../domain/notices/class-key.ts'
import { byAcceptance } from '../../domain/shared/order.ts'
import { judgeNotice, medianPrice, type NoticeJudgement } from '../../domain/notices/judge-notice.ts'
import { linkNotices, type OwnerReport } from '../../domain/notices/link-notices.ts'
import type { FiledNotice } from '../../domain/notices/notice.ts'
import { newYorkDay } from '../../domain/shared/new-york-time.ts'
import { isCredible } from '../../domain/trades/credible-value.ts'
import type { AccessionNumber, Cik, DecimalText } from '../../domain/shared/identifiers.ts'
import { lowerBound } from '../../domain/shared/lower-bound.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { LinkedNotice, StoredLink } from '../ports/notices.ts'
import { valueStatusOf } from './notice-answer.ts'

/** All notices, sales and owners of some issuers, in any order. */
export interface NoticesOfIssuers {
  notices: FiledNotice[]
  sales: Trade[]
  owners: (OwnerReport & { issuerCik: Cik })[]
}

/** After this time the state of every notice is final. */
const FAR_SECONDS = 400 * 86_400
const DAY_SECONDS = 86_400
/** A notice's prices are compared with those of so many days before it. */
const COMPARED_DAYS = 30

/** Judges and links all notices as of `now`, in seconds. `fromUnknownSellers`: see NoticeLedger. */
export function judgedNotices(
  all: NoticesOfIssuers & { fromUnknownSellers: ReadonlySet<AccessionNumber>; now: number },
): LinkedNotice[] {
  const judgements = judged(all)
  // All that is stored counts: a document without an acceptance time counts as filed when EDGAR closes, which may be
  // hours from now.
  const on = (at: number) => linksAt(all, judgements, Infinity, newYorkDay(at))
  const links = on(all.now)
  const last = on(all.now + FAR_SECONDS)
  return all.notices.map((notice) => ({
    notice,
    judgement: judgements.get(notice.accession)!,
    link: { ...links.get(notice.accession)!, finalState: last.get(notice.accession)!.state },
  }))
}

type Judgements = ReadonlyMap<AccessionNumber, NoticeJudgement>

/** Judges each notice by the prices of its company that were known when it was filed. */
function judged({
  notices,
  sales,
  fromUnknownSellers,
}: NoticesOfIssuers & { fromUnknownSellers: ReadonlySet<AccessionNumber> }): Judgements {
  const judgements = new Map<AccessionNumber, NoticeJudgement>()
  const salesOf = Map.groupBy(sales, ({ issuerCik }) => issuerCik)
  for (const [issuer, own] of Map.groupBy(notices, ({ issuer: { cik } }) => cik)) {
    const prices = new PricesByClass(salesOf.get(issuer) ?? [])
    for (const notice of own.toSorted(byAcceptance)) {
      const judgement = judgeNotice(notice, {
        usualPrice: ({ classTitle }) => medianPrice(prices.before(classTitle, notice.filedAt)),
        isNewSeller: fromUnknownSellers.has(notice.accession),
        isKnownBroker: () => !fromUnknownSellers.has(notice.accession),
      })
      prices.add(notice, judgement)
      judgements.set(notice.accession, judgement)
    }
  }
  return judgements
}

/**
 * Returns the links by accession number, as of an instant in seconds, with the states of a day, by default that of the
 * instant, which are their final states too.
 */
export function linksAt(
  { notices, sales, owners }: NoticesOfIssuers,
  judgements: Judgements,
  asOf: number,
  day = newYorkDay(asOf),
): Map<AccessionNumber, StoredLink> {
  const salesOf = Map.groupBy(eventsOf(sales, asOf), ({ issuerCik }) => issuerCik)
  const ownersOf = Map.groupBy(owners, ({ issuerCik }) => issuerCik)
  const accessions = notices.map(({ accession }) => accession)
  const suspects = new Set(accessions.filter((each) => valueStatusOf(judgements.get(each)!) === 'suspect'))
  const links = new Map<AccessionNumber, StoredLink>()
  for (const [issuer, own] of Map.groupBy(notices, ({ issuer: { cik } }) => cik)) {
    const known = { sales: salesOf.get(issuer) ?? [], owners: ownersOf.get(issuer) ?? [] }
    for (const link of linkNotices({ ...known, notices: own, asOf, day, suspects }))
      links.set(link.accession, { ...link, finalState: link.state })
  }
  return links
}

/** Returns the sales without those that repeat another, each with the owners of all filings that report it. */
function eventsOf(sales: readonly Trade[], asOf: number): Trade[] {
  const isKnown = ({ filedAt, supersededAt }: Trade) => filedAt <= asOf && (supersededAt === 0 || supersededAt > asOf)
  const repeats = Map.groupBy(
    sales.filter((sale) => sale.duplicateOf !== '' && isKnown(sale)),
    ({ duplicateOf }) => duplicateOf,
  )
  return sales.flatMap((sale) => {
    if (sale.duplicateOf !== '') return []
    const all = [sale, ...(repeats.get(sale.id) ?? [])]
    if (all.length === 1) return all
    return {
      ...sale,
      owners: all.flatMap(({ owners }) => owners),
      holderNames: all.flatMap(({ holderNames }) => holderNames),
    }
  })
}

interface DatedPrice {
  at: number
  price: DecimalText
}

/** The prices of an issuer's sales and of its notices that are plausible, by class, each list oldest first. */
class PricesByClass {
  readonly #sales = new Map<string, DatedPrice[]>()
  readonly #notices = new Map<string, DatedPrice[]>()

  constructor(sales: readonly Trade[]) {
    // A price that was suspect when it was filed was not known then.
    const credible = sales.filter((sale) => isCredible(sale) && sale.suspectUntil === 0 && sale.priceFiled !== null)
    for (const { securityTitle, filedAt, priceFiled } of credible.sort((a, b) => a.filedAt - b.filedAt))
      append(this.#sales, classKey(securityTitle), { at: filedAt, price: priceFiled! })
  }

  /** Adds a notice, which is no older than those added before. */
  add({ lines, filedAt }: FiledNotice, judgement: NoticeJudgement): void {
    for (const [place, { classTitle }] of lines.entries()) {
      const { valueStatus, pricePerUnit } = judgement.lines[place]!
      if (valueStatus === 'plausible' && pricePerUnit !== null)
        append(this.#notices, classKey(classTitle), { at: filedAt, price: pricePerUnit })
    }
  }

  /** Returns the prices of the weeks before an instant: a notice is judged by what was known when it was filed. */
  before(classTitle: string, at: number): DecimalText[] {
    const key = classKey(classTitle)
    return [this.#sales.get(key) ?? [], this.#notices.get(key) ?? []].flatMap((prices) =>
      prices
        .slice(placeOf(prices, at - COMPARED_DAYS * DAY_SECONDS), placeOf(prices, at + 1))
        .map(({ price }) => price),
    )
  }
}

function append(lists: Map<string, DatedPrice[]>, key: string, price: DatedPrice): void {
  const list = lists.get(key)
  if (list) list.push(price)
  else lists.set(key, [price])
}

/** Returns the place of the first price at or after an instant. */
const placeOf = (prices: readonly DatedPrice[], at: number): number => lowerBound(prices, (each) => each.at < at)
