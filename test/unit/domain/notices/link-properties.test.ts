// Links in random histories: their invariants, and the allocation of sales against a slow implementation that follows
// the rule literally.
import { assert } from 'chai'
import fc from 'fast-check'
import { allocateSales, ONE_UNIT, type Allocation, type Offer } from '../../../../src/domain/notices/allocate-sales.ts'
import { saleDateStatus } from '../../../../src/domain/notices/judge-notice.ts'
import {
  linkNotices,
  openUntil,
  type NoticeLink,
  type NoticesAndSales,
} from '../../../../src/domain/notices/link-notices.ts'
import type { DatedSale } from '../../../../src/domain/notices/sales-by-seller.ts'
import { addDays, dayNumber } from '../../../../src/domain/shared/calendar.ts'
import { newYorkDay, newYorkToUtc } from '../../../../src/domain/shared/new-york-time.ts'
import { filed } from '../../../support/notices/notice-builder.ts'
import { cikOf, saleOf } from '../../../support/notices/reported-sales.ts'
import { volume } from '../../../support/volume.ts'

const RUNS = volume('random histories of notices', 300, 20_000)
const START = '2026-01-05'

const NAMES: Record<string, string> = {
  7: 'SAMPLE GRETA',
  17: 'Bruno Specimen',
  27: 'Specimen Fund LP',
  37: 'Greta Sample',
}
const seller = fc.constantFrom('7', '17', '27', '37')
const title = fc.constantFrom('Common', 'Common', 'Class A', 'Class B', 'ADS')
const day = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 12 }), weight: 4 },
  { arbitrary: fc.integer({ min: 0, max: 200 }), weight: 1 },
)
const remarks = fc.constantFrom(
  null,
  null,
  'Held by the Sample Living Trust.',
  'For the same shares.',
  'Bruno Specimen files too.',
)
const units = fc.constantFrom(0, 1, 100, 100, 200, 300, 1000)

const notices = fc.array(
  fc.record({
    seller,
    title,
    second: fc.option(title, { freq: 5 }),
    day,
    saleAfter: fc.constantFrom(0, 0, 0, 3, -2, 40, 130),
    units,
    remarks,
    amends: fc.option(fc.nat(5), { freq: 3 }),
    former: fc.boolean(),
  }),
  { minLength: 1, maxLength: 10 },
)
const sales = fc.array(
  fc.record({
    owners: fc.uniqueArray(fc.constantFrom('7', '17', '27', '8'), { minLength: 1, maxLength: 2 }),
    title,
    day,
    late: fc.integer({ min: 0, max: 5 }),
    shares: fc.constantFrom('100', '100', '99.5', '0.4', '250', '1200', '0'),
    holders: fc.constantFrom([], [], ['SAMPLE LIVING TRUST'], ['~GRETA SAMPLE'], ['SPECIMEN FUND']),
    superseded: fc.option(fc.integer({ min: 0, max: 60 }), { freq: 4 }),
  }),
  { maxLength: 12 },
)
const owners = fc.array(fc.record({ owner: seller, day, left: fc.boolean() }), { maxLength: 4 })

const history = fc
  .record({ notices, sales, owners, asOf: fc.integer({ min: 0, max: 330 }) })
  .map((random): NoticesAndSales => {
    const number = (index: number) => `0001999201-26-${String(index).padStart(6, '0')}`
    return {
      notices: random.notices.map((each, index) => {
        const filedDay = addDays(START, each.day)
        const line = { units: each.units, saleDate: addDays(filedDay, each.saleAfter), marketValue: '1000' }
        return filed({
          accession: number(index),
          form: each.amends === null ? '144' : '144/A',
          previousAccession: each.amends === null ? null : number(each.amends),
          acceptedAt: `${filedDay.replaceAll('-', '')}120000`,
          seller: {
            cik: cikOf(each.seller),
            name: NAMES[each.seller]!,
            relationships: [each.former ? 'Former Officer' : 'Officer'],
          },
          lines: [each.title, ...(each.second === null ? [] : [each.second])].map((classTitle) => ({
            ...line,
            classTitle,
          })),
          remarks: each.remarks,
        })
      }),
      sales: random.sales.map((each, index) => {
        const tradeDay = addDays(START, each.day)
        const filedAt = newYorkToUtc(addDays(tradeDay, each.late), 18 * 3600)
        return saleOf({
          accession: number(500 + Math.floor(index / 2)),
          place: 1 + (index % 2),
          tradeDay,
          filedAt,
          shares: each.shares,
          securityTitle: each.title,
          owners: each.owners.map((owner) => ({ cik: cikOf(owner), name: NAMES[owner] ?? 'OTHER OWNER' })),
          holderNames: each.holders,
          supersededAt: each.superseded === null ? 0 : filedAt + each.superseded * 86_400,
        })
      }),
      owners: random.owners.map(({ owner, day, left }) => ({
        cik: cikOf(owner),
        name: NAMES[owner]!,
        day: addDays(START, day),
        filedAt: newYorkToUtc(addDays(START, day), 19 * 3600),
        left,
      })),
      asOf: newYorkToUtc(addDays(START, random.asOf), 20 * 3600),
    }
  })

const ten = (text: string): bigint => BigInt(Math.round(Number(text) * 10_000))

describe('links in random histories', function () {
  this.timeout(120_000)

  it('are the same in any order of arrival', () => {
    const any = history.chain((given) =>
      fc.record({
        given: fc.constant(given),
        notices: fc.shuffledSubarray([...given.notices], { minLength: given.notices.length }),
        sales: fc.shuffledSubarray([...given.sales], { minLength: given.sales.length }),
        owners: fc.shuffledSubarray([...given.owners], { minLength: given.owners.length }),
      }),
    )
    fc.assert(
      fc.property(any, ({ given, ...shuffled }) => {
        assert.deepEqual(linkNotices({ ...shuffled, asOf: given.asOf }), linkNotices(given))
      }),
      { numRuns: RUNS },
    )
  })

  it('as of an instant depend only on filings by then', () => {
    fc.assert(
      fc.property(history, (given) => {
        const { asOf } = given
        const cut = {
          notices: given.notices.filter(({ filedAt }) => filedAt <= asOf),
          sales: given.sales
            .filter((sale) => sale.filedAt <= asOf && (sale.supersededAt === 0 || sale.supersededAt > asOf))
            .map((sale) => ({ ...sale, supersededAt: 0 })),
          owners: given.owners.filter(({ filedAt }) => filedAt <= asOf),
          asOf,
        }
        assert.deepEqual(linkNotices(given), linkNotices(cut))
      }),
      { numRuns: RUNS },
    )
  })

  it('count each sold unit once, give no notice more than its units, and state the allocated units', () => {
    let linked = 0
    fc.assert(
      fc.property(history, (given) => {
        const links = linkNotices(given)
        assert.sameMembers(
          links.map(({ accession }) => accession),
          given.notices.filter(({ filedAt }) => filedAt <= given.asOf).map(({ accession }) => accession),
        )
        const used = new Map<string, bigint>()
        for (const link of links) {
          checkLink(link, given)
          linked += link.allocations.length
          if (link.group !== null && link.group !== link.accession) continue
          for (const { saleId, units } of link.allocations) used.set(saleId, (used.get(saleId) ?? 0n) + ten(units))
        }
        const shares = new Map(given.sales.map(({ id, shares }) => [id, ten(shares)]))
        for (const [id, units] of used) assert.isTrue(units <= shares.get(id)!, id)
      }),
      { numRuns: RUNS },
    )
    assert.isAbove(linked, RUNS / 10)
  })

  function checkLink(link: NoticeLink, given: NoticesAndSales): void {
    const notice = given.notices.find(({ accession }) => accession === link.accession)!
    const offered = ten(String(notice.lines.reduce((sum, { units }) => sum + (units ?? 0), 0)))
    const reported = link.allocations.reduce((sum, { units }) => sum + ten(units), 0n)
    assert.strictEqual(ten(link.reportedUnits), reported)
    assert.isTrue(reported <= offered)
    const days = link.allocations.map(({ saleId }) => given.sales.find(({ id }) => id === saleId)!.tradeDay!)
    assert.deepEqual([link.firstSale, link.lastSale], [days[0] ?? null, days.at(-1) ?? null])
    assert.deepEqual(days, days.toSorted())
    assert.strictEqual(link.linkedBy !== null, reported > 0n)
    assert.strictEqual(link.state === 'replaced', link.replacedBy !== null)
    assert.strictEqual(link.state === 'fulfilled' || link.state === 'partly', reported > 0n)
    assert.strictEqual(link.state === 'fulfilled', reported > 0n && reported >= offered - ONE_UNIT)
    if (link.windowOpen) assert.notInclude(['not_reported', 'not_expected'], link.state)
    if (link.state === 'open') assert.isAtMost(dayNumber(newYorkDay(given.asOf)), dayNumber(openUntil(notice)))
    const isPlausible = saleDateStatus(notice.lines[0]!.saleDate, notice.filedDay) === 'plausible'
    if (isPlausible && newYorkDay(given.asOf) <= notice.lines[0]!.saleDate!) assert.isTrue(link.windowOpen)
  }
})

const offers = fc.array(
  fc
    .record({
      units: fc.constantFrom(1, 2, 3, 5, 8, 0.5),
      saleDay: fc.integer({ min: 0, max: 6 }),
      before: fc.integer({ min: 0, max: 3 }),
      after: fc.integer({ min: 0, max: 6 }),
      sellers: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 }),
      classKey: fc.constantFrom('', '', 'x'),
    })
    .map(({ units, saleDay, before, after, ...rest }): Offer => ({
      ...rest,
      units: BigInt(units * 10_000),
      saleDay,
      window: { from: saleDay - before, to: saleDay + after },
    })),
  { maxLength: 8 },
)
const sold = fc
  .array(
    fc.record({
      sellers: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 }),
      day: fc.integer({ min: 0, max: 9 }),
      units: fc.constantFrom(1, 2, 2.5, 4, 9),
      classKey: fc.constantFrom('', '', 'x'),
    }),
    { maxLength: 10 },
  )
  .map((sales) => sales.toSorted((a, b) => a.day - b.day))

describe('dealing out of sales', function () {
  this.timeout(120_000)

  it('equals a literal implementation of the rule', () => {
    fc.assert(
      fc.property(offers, sold, (offers, sold) => {
        const sellers = new Map<DatedSale, string[]>()
        const sales = sold.map((each, index): DatedSale => {
          const { day, classKey } = each
          const sale = { sale: saleOf({ accession: `s${index}` }), day, classKey, units: BigInt(each.units * 10_000) }
          sellers.set(sale, each.sellers)
          return sale
        })
        const shown = (all: Allocation[][]) => all.map((each) => each.map(({ sale, units }) => [sale.sale.id, units]))
        const sellersOf = (sale: DatedSale) => sellers.get(sale)!
        assert.deepEqual(shown(allocateSales(offers, sales, sellersOf)), shown(slowly(offers, sales, sellersOf)))
      }),
      { numRuns: 3 * RUNS },
    )
  })

  function slowly(
    offers: Offer[],
    sales: DatedSale[],
    sellersOf: (sale: DatedSale) => readonly string[],
  ): Allocation[][] {
    const given = offers.map((): Allocation[] => [])
    const open = offers.map(({ units }) => units)
    const fits = (offer: Offer, sale: DatedSale) =>
      offer.classKey === sale.classKey && offer.sellers.some((seller) => sellersOf(sale).includes(seller))
    const exact = new Set<number>()
    let today = -1
    for (const sale of sales) {
      if (sale.day !== today) {
        today = sale.day
        exact.clear()
        for (const [index, offer] of offers.entries()) {
          const ofDay = sales.filter((each) => each.day === today && fits(offer, each))
          const rest = ofDay.reduce((sum, { units }) => sum + units, 0n) - open[index]!
          if (offer.saleDay === today && rest >= -ONE_UNIT && rest <= ONE_UNIT) exact.add(index)
        }
      }
      let left = sale.units
      const isOpen = (index: number) =>
        open[index]! > 0n &&
        (open[index]! > ONE_UNIT || given[index]!.length === 0 || given[index]!.at(-1)!.sale.day === sale.day)
      const orders: ((offer: Offer, index: number) => boolean)[] = [
        ({ saleDay }, index) => saleDay === sale.day && exact.has(index),
        ({ saleDay }) => saleDay === sale.day,
        ({ window }) => window.from <= sale.day && sale.day <= window.to,
      ]
      for (const order of orders) {
        for (const [index, offer] of offers.entries()) {
          if (left === 0n || !fits(offer, sale) || !order(offer, index) || !isOpen(index)) continue
          const units = left < open[index]! ? left : open[index]!
          open[index]! -= units
          left -= units
          given[index]!.push({ sale, units })
        }
      }
    }
    return given
  }

  it('takes linear time in the sales and notices of an issuer, whatever they have in common', function () {
    const many = 30_000
    const offer = (index: number): Offer => ({
      units: 20_000n,
      saleDay: index % 50,
      window: { from: (index % 50) - 20, to: (index % 50) + 90 },
      sellers: ['a', 'b'],
      classKey: '',
    })
    const sale = saleOf()
    const sales = Array.from({ length: many }, (_, index) => ({
      sale,
      day: Math.floor((index * 60) / many),
      units: 15_000n,
      classKey: '',
    }))
    const offers = Array.from({ length: many }, (_, index) => offer(index))
    const given = allocateSales(offers, sales, () => ['a', 'b', 'c'])
    const total = given.flat().reduce((sum, { units }) => sum + units, 0n)
    assert.strictEqual(total, BigInt(many) * 15_000n)
  })
})

describe('links of many notices and sales', () => {
  it('of one seller on few days', function () {
    this.timeout(20_000)
    const many = 20_000
    const notice = filed({ acceptedAt: '20260601110000', seller: { cik: cikOf('7') }, remarks: 'For the same shares.' })
    const sale = saleOf({ shares: '10' })
    const number = (index: number) => String(index).padStart(6, '0')
    const links = linkNotices({
      notices: Array.from({ length: many }, (_, index) => ({
        ...notice,
        accession: `0001999201-26-${number(index)}`,
        seller: { ...notice.seller, cik: cikOf(String(index % 3)) },
        lines: [{ ...notice.lines[0]!, units: 10 }],
      })),
      sales: Array.from({ length: many }, (_, index) => ({
        ...sale,
        id: `sale ${index}`,
        accession: `0001999301-26-${number(index)}`,
        owners: [{ cik: cikOf(String(index % 3)), name: `SAMPLE OWNER ${index}` }],
        securityTitle: index % 2 === 0 ? 'Common Stock' : 'Common Shares',
      })),
      owners: [],
      asOf: newYorkToUtc('2026-06-20', 0),
    })
    assert.strictEqual(links.filter(({ state }) => state === 'fulfilled').length, many)
    assert.isAbove(dayNumber(links[0]!.firstSale!), 0)
  })
})
