// First purchases in years, by what had been accepted before, beside a search through all trades.
import { assert } from 'chai'
import fc from 'fast-check'
import { addDays, addYears } from '../../../../src/domain/shared/calendar.ts'
import { firstBuys, NO_PURCHASE, type MarketTrade } from '../../../../src/domain/trades/first-buys.ts'

const DAY = 86_400
const OWNERS = ['0000000001', '0000000002', '0000000003']
const dayAt = (at: number) => addDays('1970-01-01', Math.floor(at / DAY))

function trade(parts: Partial<MarketTrade> & Pick<MarketTrade, 'accession'>): MarketTrade {
  const day = parts.day ?? '2020-01-01'
  const filedDay = parts.filedDay ?? addDays(day, 2)
  return {
    id: `${parts.accession}-1`,
    filedAt: Date.parse(filedDay) / 1000,
    ...{ filedDay, day, direction: 'buy', ownerCiks: [OWNERS[0]!], byIssuer: false },
    ...{ isDayKnown: true, duplicateOf: '', supersededBy: '', supersededAt: 0 },
    ...parts,
  }
}

/** Looks at all trades for each. */
function plainly(trades: MarketTrade[]) {
  const before = (a: MarketTrade, b: MarketTrade) =>
    a.filedAt < b.filedAt || (a.filedAt === b.filedAt && a.accession < b.accession)
  const isBuy = (each: MarketTrade) => each.direction === 'buy' && !each.byIssuer && each.day !== null
  const begin = trades.toSorted((a, b) => (before(a, b) ? -1 : 1)).find(({ isDayKnown }) => isDayKnown)?.filedDay
  return new Map(
    trades.filter(isBuy).map((buy) => {
      const days = trades
        .filter((each) => isBuy(each) && before(each, buy) && each.accession !== buy.accession)
        .filter(({ isDayKnown, duplicateOf }) => isDayKnown && duplicateOf === '')
        .filter(({ supersededBy, supersededAt }) => supersededBy === '' || supersededAt > buy.filedAt)
        .filter(({ ownerCiks }) => ownerCiks.some((cik) => buy.ownerCiks.includes(cik)))
        .map(({ day }) => day!)
      const previousBuy = days.sort().at(-1) ?? null
      const since = previousBuy ?? begin ?? buy.day!
      const years = Array.from({ length: 20 }, (_, index) => index + 1)
      return [buy.id, { firstBuyYears: years.filter((year) => addYears(since, year) <= buy.day!).length, previousBuy }]
    }),
  )
}

const trades = fc
  .array(
    fc.record({
      filing: fc.integer({ min: 0, max: 30 }),
      row: fc.integer({ min: 0, max: 2 }),
      at: fc.integer({ min: 0, max: 40 }),
      age: fc.option(fc.integer({ min: 0, max: 900 }), { nil: null, freq: 8 }),
      owners: fc.subarray(OWNERS, { minLength: 1 }),
      direction: fc.constantFrom('buy', 'buy', 'buy', 'sell', null),
      byIssuer: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
      superseded: fc.option(fc.integer({ min: 0, max: 40 }), { freq: 3 }),
      duplicate: fc.integer({ min: 0, max: 5 }),
      isDayKnown: fc.integer({ min: 0, max: 5 }).map((number) => number > 0),
    }),
    { maxLength: 40 },
  )
  .map((all) => {
    const timeOf = new Map(all.map(({ filing, at }) => [filing, 1_000_000_000 + at * 200 * DAY]))
    const byId = new Map<string, MarketTrade>()
    for (const { filing, row, age, owners, direction, byIssuer, superseded, duplicate, isDayKnown } of all) {
      const filedAt = timeOf.get(filing)!
      const accession = String(filing).padStart(3, '0')
      const id = `${accession}-${row}`
      byId.set(id, {
        ...{ id, accession, filedAt, filedDay: dayAt(filedAt), direction, byIssuer, ownerCiks: owners, isDayKnown },
        day: age === null ? null : dayAt(filedAt - age * DAY),
        duplicateOf: duplicate === 0 ? 'another' : '',
        supersededBy: superseded === null ? '' : 'an amendment',
        supersededAt: superseded === null ? 0 : Math.max(filedAt, 1_000_000_000 + superseded * 200 * DAY),
      })
    }
    return [...byId.values()]
  })

describe('first purchases', () => {
  it('are what a search through all trades finds', () => {
    fc.assert(
      fc.property(trades, (all) => {
        assert.deepEqual(firstBuys(all), plainly(all))
        assert.deepEqual(firstBuys(all.toReversed()), plainly(all))
      }),
    )
  })

  it('are counted in whole years since the one before, 20 at most', () => {
    const days = ['1994-06-01', '2019-05-31', '2020-05-31', '2022-05-30', '2022-06-01']
    const found = firstBuys(days.map((day, index) => trade({ accession: String(index), day })))
    assert.deepEqual(
      [...found.values()].map(({ firstBuyYears, previousBuy }) => [firstBuyYears, previousBuy]),
      [
        [0, null],
        [20, '1994-06-01'],
        [1, '2019-05-31'],
        [1, '2020-05-31'],
        [0, '2022-05-30'],
      ],
    )
  })

  it('without one before reach back to where the history begins', () => {
    const sold = trade({ accession: '1', direction: 'sell', filedDay: '2010-03-03' })
    const bought = trade({ accession: '2', day: '2015-03-02', ownerCiks: [OWNERS[1]!] })
    assert.deepEqual(firstBuys([sold, bought]).get(bought.id), { firstBuyYears: 4, previousBuy: null })
    assert.deepEqual(firstBuys([bought]).get(bought.id), { firstBuyYears: 0, previousBuy: null })
    assert.isUndefined(firstBuys([sold]).get(sold.id))
    assert.deepEqual(NO_PURCHASE, { firstBuyYears: null, previousBuy: null })
  })

  it('are not changed by what is filed later, nor by the rows of their own filing', () => {
    const first = trade({ accession: '2', day: '2015-03-02' })
    const second = { ...first, id: '2-2', day: '2015-03-03' }
    const late = trade({ accession: '3', day: '2014-03-02', filedDay: '2016-01-05' })
    const alone = firstBuys([first])
    const all = firstBuys([first, second, late])
    assert.deepEqual(all.get(first.id), alone.get(first.id))
    assert.strictEqual(all.get(second.id)!.previousBuy, null)
    assert.deepEqual(all.get(late.id), { firstBuyYears: 0, previousBuy: '2015-03-03' })
  })
})
