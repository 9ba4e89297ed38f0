// Price status: prices as filed, suspect or missing.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  isForeignSecurity,
  priceStatus,
  type PricedRow,
  type PriceHistory,
} from '../../../../src/domain/trades/price-status.ts'

const none: PriceHistory = { median: null, rows: 0, seenBefore: false, splitShown: false }
const around = (median: number, rows = 3): PriceHistory => ({
  median: { units: BigInt(median), scale: 0 },
  rows,
  seenBefore: false,
  splitShown: false,
})
function status(priceFiled: string | null, shares = '1', history = none, row: Partial<PricedRow> = {}) {
  return priceStatus({ priceFiled, shares, foreign: false, otherUnit: false, tenPercentOwner: false, ...row }, history)
}

describe('price status', () => {
  it('distinguishes a filed price from 0 and from none', () => {
    assert.strictEqual(status('12.34'), 'as_filed')
    assert.strictEqual(status('.0001'), 'as_filed')
    assert.strictEqual(status('0'), 'zero')
    assert.strictEqual(status('0.00'), 'zero')
    assert.strictEqual(status(null), 'footnote_only')
  })

  it('is of another unit before it is suspect, and after it is none', () => {
    for (const price of ['45', '99999999']) {
      assert.strictEqual(status(price, '1', none, { otherUnit: true }), 'other_unit')
      assert.strictEqual(status(price, '1', none, { otherUnit: true, foreign: true }), 'foreign')
    }
    assert.strictEqual(status('0', '1', none, { otherUnit: true }), 'zero')
    assert.strictEqual(status(null, '1', none, { otherUnit: true }), 'footnote_only')
  })

  describe('is suspect', () => {
    const seen = (history: PriceHistory) => ({ ...history, seenBefore: true })

    it('above a million dollars, whatever the history', () => {
      assert.strictEqual(status('1000000', '1', around(650_000)), 'as_filed')
      assert.strictEqual(status('1000000.0001', '1', seen(around(650_000))), 'suspect')
      assert.strictEqual(status('24000000', '0', seen(none)), 'suspect')
    })

    it('where price times shares passes 50 billion', () => {
      assert.strictEqual(status('500', '100000000', around(500)), 'as_filed')
      assert.strictEqual(status('500', '100000001', seen(around(500))), 'suspect')
    })

    it('over 20 medians, whatever the amount, unless seen before', () => {
      assert.strictEqual(status('400', '20', around(20)), 'as_filed', 'exactly 20 medians')
      assert.strictEqual(status('400.01', '20', around(20)), 'suspect')
      assert.strictEqual(status('400.01', '0', around(20)), 'suspect')
      assert.strictEqual(status('400.01', '20', seen(around(20))), 'as_filed')
      assert.strictEqual(status('700000', '7', around(650_000)), 'as_filed')
    })

    it('with fewer than three prices above 10,000, unless seen before', () => {
      for (const history of [none, around(1, 2)]) {
        assert.strictEqual(status('10000', '1', history), 'as_filed')
        assert.strictEqual(status('10000.01', '1', history), 'suspect')
        assert.strictEqual(status('10000.01', '1', seen(history)), 'as_filed')
      }
      assert.strictEqual(status('50000', '5000'), 'suspect')
    })

    it('with fewer than three prices above a billion in all, unless of a ten per cent owner', () => {
      assert.strictEqual(status('100', '10000000'), 'as_filed')
      assert.strictEqual(status('100', '10000001'), 'suspect')
      assert.strictEqual(status('100', '10000001', seen(none)), 'suspect')
      assert.strictEqual(status('100', '10000001', none, { tenPercentOwner: true }), 'as_filed')
      assert.strictEqual(status('100', '10000001', around(100)), 'as_filed')
    })

    it('never at exactly 20 medians, but by the absolute limits', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 50_000 }), (shares, median) => {
          assert.strictEqual(
            status(String(median * 20), String(shares), around(median, 50)),
            median * 20 > 1_000_000 || median * 20 * shares > 50_000_000_000 ? 'suspect' : 'as_filed',
          )
        }),
      )
    })
  })

  describe('is foreign', () => {
    const tsm = { foreignTickerRaw: '2330.TW', tickerRaw: 'TSM' }
    it('where the title holds the symbol traded abroad', () => {
      assert.isTrue(isForeignSecurity('Common Shares (2330.TW)', tsm))
      assert.isTrue(isForeignSecurity('common shares (2330 tw)', tsm))
      assert.isFalse(isForeignSecurity('American Depositary Shares (TSM)', tsm))
      assert.isTrue(isForeignSecurity('PETR4', { foreignTickerRaw: 'PETR4', tickerRaw: 'PBR' }))
      assert.isTrue(isForeignSecurity('PETR4', { foreignTickerRaw: 'PETR3, PETR4', tickerRaw: 'PBR' }))
      assert.isTrue(isForeignSecurity('Ordinary Shares (OWLX)', { foreignTickerRaw: 'ASX: OWLX', tickerRaw: 'OWL' }))
    })

    it('as whole words only', () => {
      assert.isFalse(isForeignSecurity('PETR40 Units', { foreignTickerRaw: 'PETR4', tickerRaw: 'PBR' }))
      assert.isFalse(isForeignSecurity('Class A Common Stock', { foreignTickerRaw: 'A', tickerRaw: 'OWL' }))
      assert.isTrue(isForeignSecurity('Ordinary Shares (BP)', { foreignTickerRaw: 'BP', tickerRaw: 'BPX' }))
    })

    it('not where there is no symbol, or the same one at home', () => {
      for (const foreignTickerRaw of [null, '', ' ', 'N/A', 'NA', 'None', '(none)', '-']) {
        assert.isFalse(
          isForeignSecurity('Common Stock N/A none', { foreignTickerRaw, tickerRaw: 'OWL' }),
          String(foreignTickerRaw),
        )
      }
      assert.isFalse(isForeignSecurity('Common Shares (OWL)', { foreignTickerRaw: 'OWL', tickerRaw: 'OWL' }))
    })

    it('before all else', () => {
      for (const price of [null, '0', '5', '99999999'])
        assert.strictEqual(status(price, '1', none, { foreign: true }), 'foreign')
    })
  })
})
