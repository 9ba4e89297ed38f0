// Price history: which prices of an issuer are suspect, filing by filing.
import { assert } from 'chai'
import fc from 'fast-check'
import { superlinear } from '../../../../support/linear-time.ts'
import { PriceChecker, type PricedTrade } from '../../../../../src/domain/trades/reconciliation/price-history.ts'

let next = 0
const row = (price: number | string, of: Partial<PricedTrade> = {}): PricedTrade => ({
  id: `row-${next++}`,
  filedDay: '2024-06-03',
  filedAt: 0,
  code: 'P',
  foreign: false,
  otherUnit: false,
  securityTitle: 'Common Stock',
  shares: '100',
  priceFiled: String(price),
  tenPercentOwner: false,
  ownerCiks: ['0000000001'],
  acquiredDisposed: 'A',
  directIndirect: 'D',
  sharesAfter: null,
  ...of,
})
/** Judges a filing; returns the statuses of its rows. */
function checked(prices: PriceChecker, filing: PricedTrade[], superseded: string[] = [], repeated?: string): string[] {
  prices.check(filing, superseded, () => repeated)
  return filing.map(({ id }) => prices.verdict(id).priceStatus)
}
/** Returns the statuses of each filing's rows when it was filed. */
const statuses = (...filings: PricedTrade[][]): string[] => {
  const prices = new PriceChecker()
  return filings.map((filing) => checked(prices, filing).join(' '))
}
const last = (...filings: PricedTrade[][]) => statuses(...filings).at(-1)

describe('the price history', () => {
  it('makes a price suspect that is over 20 medians, and the next one like it not', () => {
    const before = [[row('10.1')], [row('10.2')], [row('10.3')]]
    assert.strictEqual(last(...before, [row(1025, { shares: '5000' })]), 'suspect')
    assert.strictEqual(last(...before, [row(204)]), 'as_filed')
    assert.strictEqual(last(...before, [row(250)], [row(255)]), 'as_filed', 'after a reverse split')
    assert.strictEqual(last(...before, [row(250)], [row(751)]), 'suspect', 'more than a factor of 3')
  })

  describe('after a reverse split', () => {
    // Five insiders bought at 0.40; the price is 9 after 1:20.
    const before = ['1', '2', '3', '4', '5'].map((owner) => [
      row('0.40', { ownerCiks: [owner], shares: '1000', sharesAfter: '100000' }),
    ])
    const bought = (sharesAfter: string | null, of: Partial<PricedTrade> = {}) => [
      row('9', { ownerCiks: ['1'], shares: '1000', sharesAfter, ...of }),
    ]

    it('takes the first price where its own balance opens at the fraction of the one before', () => {
      assert.strictEqual(last(...before, bought('6000')), 'as_filed')
      assert.strictEqual(last(...before, bought('6000.5')), 'as_filed', 'fractions rounded up')
      assert.strictEqual(last(...before, bought('4000', { code: 'S', acquiredDisposed: 'D' })), 'as_filed')
      const tranches = [...bought('6000'), ...bought('7000')]
      assert.strictEqual(last(...before, tranches), 'as_filed as_filed')
      assert.strictEqual(last(...before, tranches.toReversed()), 'as_filed as_filed')
    })

    it('takes the first price where a filing before shows the split, also without a price', () => {
      const award = [row('0', { ownerCiks: ['2'], code: 'A', shares: '500', sharesAfter: '5500' })]
      const newcomer = bought('1000', { ownerCiks: ['9'] })
      assert.strictEqual(last(...before, newcomer), 'suspect')
      assert.strictEqual(last(...before, award, newcomer), 'as_filed')
      assert.strictEqual(last(...before, newcomer, award), 'zero')
      assert.strictEqual(statuses(...before, newcomer, award)[5], 'suspect', 'when it was filed')
    })

    describe('that only a later filing shows', () => {
      const AT = 1_800_000_000
      const award = (of: Partial<PricedTrade> = {}) => [
        row('0', { ownerCiks: ['2'], code: 'A', shares: '500', sharesAfter: '5500', filedAt: AT, ...of }),
      ]
      const newcomer = (of: Partial<PricedTrade> = {}) => bought('1000', { ownerCiks: ['9'], filedAt: AT - 60, ...of })
      /** Returns the checker after these filings. */
      const after = (...filings: PricedTrade[][]) => {
        const prices = new PriceChecker()
        for (const filing of [...before, ...filings]) checked(prices, filing)
        return prices
      }

      it('believes the price from the acceptance of that filing on', () => {
        const first = newcomer()
        const prices = after(first)
        assert.deepEqual(prices.verdict(first[0]!.id), { priceStatus: 'suspect', suspectUntil: 0 })
        checked(prices, award())
        assert.deepEqual(prices.verdict(first[0]!.id), { priceStatus: 'as_filed', suspectUntil: AT })
        checked(prices, award({ filedAt: AT + 90, sharesAfter: '6000' }))
        assert.deepEqual(prices.verdict(first[0]!.id), { priceStatus: 'as_filed', suspectUntil: AT }, 'and stays so')
      })

      it('leaves prices suspect that the split does not explain', () => {
        const others: [what: string, filing: PricedTrade[]][] = [
          ['a price of 1:200', newcomer({ priceFiled: '80' })],
          ['another class', newcomer({ securityTitle: 'Class B Common Stock' })],
          ['more than a year before', newcomer({ filedDay: '2023-06-02' })],
          ['worth more than 50 billion', newcomer({ shares: '50000000000' })],
        ]
        for (const [what, [first]] of others) {
          const cheap = (place: number) =>
            row('0.40', {
              ownerCiks: [String(10 + place)],
              securityTitle: first!.securityTitle,
              filedDay: first!.filedDay,
            })
          const prices = new PriceChecker()
          const owner = row('0.40', { ...before[1]![0]!, filedDay: first!.filedDay })
          for (const filing of [[owner], [cheap(1)], [cheap(2)], [cheap(3)], [first!]]) checked(prices, filing)
          assert.strictEqual(prices.verdict(first!.id).priceStatus, 'suspect', what)
          checked(prices, award())
          assert.deepEqual(prices.verdict(first!.id), { priceStatus: 'suspect', suspectUntil: 0 }, what)
        }
        const sameDay = newcomer({ filedDay: '2023-06-03' })
        const old = before.map(([each]) => [{ ...each!, filedDay: '2023-06-03' }])
        const prices = new PriceChecker()
        for (const filing of [...old, sameDay, award()]) checked(prices, filing)
        assert.strictEqual(prices.verdict(sameDay[0]!.id).priceStatus, 'as_filed', 'a year before to the day')
      })

      it('counts the price as history from then on, for a year from its own filing', () => {
        const four = Array.from({ length: 4 }, () => newcomer())
        const high = row('30', { ownerCiks: ['7'] })
        assert.deepEqual(
          checked(after(newcomer(), ...four), [high]),
          ['suspect'],
          '75 medians of five of 0.40 and four',
        )
        assert.deepEqual(checked(after(newcomer(), ...four, award()), [high]), ['as_filed'], 'of five and five')

        const yearOn = (filedDay: string) => {
          const prices = after(newcomer(), award({ filedDay: '2024-12-03' }))
          for (const price of ['0.41', '0.42']) checked(prices, [row(price, { filedDay, ownerCiks: ['6'] })])
          return checked(prices, [{ ...high, filedDay }])
        }
        assert.deepEqual(yearOn('2025-06-03'), ['suspect'])
        assert.deepEqual(yearOn('2025-06-04'), ['as_filed'], 'with fewer than three clean prices')
      })

      it('judges duplicates alike, suspect only where they were filed before', () => {
        const [first, repeated, late] = [newcomer(), newcomer(), newcomer({ filedAt: AT + 60 })]
        const prices = after(first)
        checked(prices, repeated, [], first[0]!.id)
        checked(prices, award())
        checked(prices, late, [], first[0]!.id)
        assert.deepEqual(prices.verdict(repeated[0]!.id), { priceStatus: 'as_filed', suspectUntil: AT })
        assert.deepEqual(prices.verdict(late[0]!.id), { priceStatus: 'as_filed', suspectUntil: 0 })
      })

      it('keeps what was believed where an amendment replaces the balance, but believes nothing more by it', () => {
        const [first, showing] = [newcomer(), award()]
        const prices = after(first, showing)
        checked(prices, award({ sharesAfter: '100500' }), [showing[0]!.id])
        assert.deepEqual(prices.verdict(first[0]!.id), { priceStatus: 'as_filed', suspectUntil: AT })
        const replaced = newcomer()
        const other = after(replaced)
        checked(other, newcomer({ priceFiled: '9.5' }), [replaced[0]!.id])
        checked(other, award())
        assert.deepEqual(
          other.verdict(replaced[0]!.id),
          { priceStatus: 'suspect', suspectUntil: 0 },
          'superseded before',
        )
      })

      it('is a function of the filings before, and of that one', () => {
        const kinds = fc.constantFrom('cheap', 'newcomer', 'high', 'award', 'repeat')
        fc.assert(
          fc.property(fc.array(kinds, { maxLength: 14 }), (all) => {
            const filings = all.map((kind, place) => {
              const at = AT + place
              if (kind === 'award') return award({ filedAt: at })
              const price = { cheap: '0.41', newcomer: '9', high: '90', repeat: '9.20' }[kind]
              return [row(price, { ownerCiks: [`1${place}`], filedAt: at })]
            })
            const whole = after(...filings)
            for (const [place, [one]] of filings.entries()) {
              const { priceStatus, suspectUntil } = whole.verdict(one!.id)
              const then = after(...filings.slice(0, place + 1)).verdict(one!.id)
              assert.strictEqual(suspectUntil > 0 ? 'suspect' : priceStatus, then.priceStatus)
              if (suspectUntil === 0) continue
              const showing = suspectUntil - AT
              assert.strictEqual(all[showing], 'award')
              assert.strictEqual(after(...filings.slice(0, showing)).verdict(one!.id).priceStatus, 'suspect')
              const shown = after(...filings.slice(0, showing + 1)).verdict(one!.id)
              assert.deepEqual(shown, { priceStatus, suspectUntil })
            }
          }),
        )
      })

      it('costs time in proportion to the filings', function () {
        this.timeout(60_000)
        const slow = superlinear((size) => {
          // Each price is over 20 medians and three times the one before; each award shows a split.
          const filings = Array.from({ length: size / 400 }, (_, place) =>
            place % 2 === 0
              ? Array.from({ length: 8 }, (__, each) => row(String(9 + (place % 64) * 40 + each), { ownerCiks: ['9'] }))
              : [row('0', { ownerCiks: ['2'], code: 'A', shares: '1', sharesAfter: String(2 ** (place % 16) * 5000) })],
          )
          return () => void statuses(...before, ...filings)
        })
        assert.isNull(slow)
      })
    })

    it('stays suspicious where balances show no split, or another than the price', () => {
      const others: [what: string, filing: PricedTrade[]][] = [
        ['no balance', bought(null)],
        ['a balance that continues', bought('101000')],
        ['another fraction', bought('6150')],
        ['a split 1:3', bought('34333.3333')],
        ['too few shares', bought('1005')],
        ['another line', bought('6000', { directIndirect: 'I' })],
        ['another owner', bought('6000', { ownerCiks: ['9'] })],
        ['a price of 1:200', [row('80', { ownerCiks: ['1'], shares: '1000', sharesAfter: '6000' })]],
      ]
      for (const [what, filing] of others) assert.strictEqual(last(...before, filing), 'suspect', what)
    })

    it('forgets balances that an amendment replaced', () => {
      const checker = () => {
        const prices = new PriceChecker()
        for (const filing of before) checked(prices, filing)
        return prices
      }
      const [typed, restated] = [bought('6000'), bought('6000')]
      const prices = checker()
      checked(prices, typed)
      assert.deepEqual(checked(prices, restated, [typed[0]!.id]), ['as_filed'], 'restated as it was')
      const other = checker()
      const award = [row('0', { ownerCiks: ['2'], code: 'A', shares: '500', sharesAfter: '5500' })]
      checked(other, award)
      const corrected = [row('0', { ownerCiks: ['2'], code: 'A', shares: '500', sharesAfter: '100500' })]
      checked(other, corrected, [award[0]!.id])
      assert.deepEqual(checked(other, bought('1000', { ownerCiks: ['9'] })), ['suspect'])
    })

    it('costs time in proportion to the filings', function () {
      this.timeout(60_000)
      const slow = superlinear((size) => {
        const filings = Array.from({ length: size / 200 }, (_, number) =>
          Array.from({ length: 4 }, (_, place) =>
            row('9', { ownerCiks: ['1'], shares: '1', sharesAfter: String((number + 21) * 1000 - place * 7) }),
          ),
        )
        return () => void statuses(...filings)
      })
      assert.isNull(slow)
    })
  })

  it('counts rows of the same filing', () => {
    assert.strictEqual(last([row(12000), row(30), row(30), row(30)]), 'suspect as_filed as_filed as_filed')
    assert.strictEqual(last([row(30), row(30), row(30), row(900)]), 'as_filed as_filed as_filed suspect')
    assert.strictEqual(last([row(10)], [row(10)], [row(250), row(251)]), 'as_filed as_filed', 'tranches alike')
  })

  it('judges a first price by its height', () => {
    assert.strictEqual(last([row(50000, { shares: '5000' })]), 'suspect')
    assert.strictEqual(last([row(50000), row(50000), row(50000), row(50000)]), 'suspect suspect suspect suspect')
    assert.strictEqual(last([row(50000)], [row(40000)]), 'as_filed')
  })

  it('is kept per class', () => {
    const b = { securityTitle: 'Class B Common Stock' }
    const a = { securityTitle: 'Class A Common Stock' }
    const cheap = [[row(480, b)], [row(481, b)], [row(482, b)]]
    assert.strictEqual(last([row(731000, a)], ...cheap, [row(731500, a)]), 'as_filed')
    assert.strictEqual(
      last(...cheap, [row(20000, { securityTitle: 'Class B Common Shares, par value $.01' })]),
      'suspect',
    )
  })

  it('leaves out strike prices, other units and what is over a year old', () => {
    const three = (of: Partial<PricedTrade>) => [[row(10, of)], [row(10, of)], [row(10, of)]]
    assert.strictEqual(last(...three({ code: 'S' }), [row(500)]), 'suspect')
    assert.strictEqual(last(...three({ code: 'M' }), [row(500)]), 'as_filed')
    assert.strictEqual(last(...three({ otherUnit: true }), [row(500)]), 'as_filed')
    assert.strictEqual(last(...three({ filedDay: '2023-06-02' }), [row(500)]), 'as_filed')
    assert.strictEqual(last(...three({ filedDay: '2023-06-03' }), [row(500)]), 'suspect')
  })

  it('does not take an amendment for a second opinion', () => {
    const prices = new PriceChecker()
    for (const price of [10, 10, 10]) checked(prices, [row(price)])
    const typed = row(1025)
    checked(prices, [typed])
    assert.deepEqual(checked(prices, [row(1025)], [typed.id]), ['suspect'])
  })

  it('judges a duplicate as the row it repeats', () => {
    const prices = new PriceChecker()
    for (const price of [10, 10, 10]) checked(prices, [row(price)])
    const typed = row(1025)
    checked(prices, [typed])
    assert.deepEqual(checked(prices, [row(1025)], [], typed.id), ['suspect'])
  })

  it('depends neither on the order of rows in a filing nor on later filings', () => {
    const price = fc.constantFrom(1, 5, 9, 10, 11, 150, 250, 900, 11000, 50000)
    const filings = fc.array(fc.array(price, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(filings, fc.nat(8), (all, end) => {
        const trades = all.map((prices) => prices.map((each) => row(each)))
        const whole = statuses(...trades)
        assert.deepEqual(statuses(...trades.slice(0, end)), whole.slice(0, end))
        const reversed = statuses(...trades.map((filing) => filing.toReversed()))
        assert.deepEqual(
          reversed.map((each) => each.split(' ').toReversed().join(' ')),
          whole,
        )
      }),
    )
  })
})
