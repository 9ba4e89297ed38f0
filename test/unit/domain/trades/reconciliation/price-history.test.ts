// Price history: which prices of an issuer are suspect, filing by filing.
import { assert } from 'chai'
import fc from 'fast-check'
import { superlinear } from '../../../../support/linear-time.ts'
import { PriceChecker, type PricedTrade } from '../../../../../src/domain/trades/reconciliation/price-history.ts'

let next = 0
const row = (price: number | string, of: Partial<PricedTrade> = {}): PricedTrade => ({
  id: `row-${next++}`,
  filedDay: '2024-06-03',
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
const statuses = (...filings: PricedTrade[][]): string[] => {
  const prices = new PriceChecker()
  return filings.map((filing) => prices.check(filing, [], () => undefined).join(' '))
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
      assert.strictEqual(statuses(...before, newcomer, award)[5], 'suspect', 'a later filing changes nothing before it')
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
        for (const filing of before) prices.check(filing, [], () => undefined)
        return prices
      }
      const [typed, restated] = [bought('6000'), bought('6000')]
      const prices = checker()
      prices.check(typed, [], () => undefined)
      assert.deepEqual(
        prices.check(restated, [typed[0]!.id], () => undefined),
        ['as_filed'],
        'restated as it was',
      )
      const other = checker()
      const award = [row('0', { ownerCiks: ['2'], code: 'A', shares: '500', sharesAfter: '5500' })]
      other.check(award, [], () => undefined)
      const corrected = [row('0', { ownerCiks: ['2'], code: 'A', shares: '500', sharesAfter: '100500' })]
      other.check(corrected, [award[0]!.id], () => undefined)
      assert.deepEqual(
        other.check(bought('1000', { ownerCiks: ['9'] }), [], () => undefined),
        ['suspect'],
      )
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
    for (const price of [10, 10, 10]) prices.check([row(price)], [], () => undefined)
    const typed = row(1025)
    prices.check([typed], [], () => undefined)
    assert.deepEqual(
      prices.check([row(1025)], [typed.id], () => undefined),
      ['suspect'],
    )
  })

  it('judges a duplicate as the row it repeats', () => {
    const prices = new PriceChecker()
    for (const price of [10, 10, 10]) prices.check([row(price)], [], () => undefined)
    const typed = row(1025)
    prices.check([typed], [], () => undefined)
    assert.deepEqual(
      prices.check([row(1025)], [], () => typed.id),
      ['suspect'],
    )
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
