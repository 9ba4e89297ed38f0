// Price status: prices as filed, suspect or missing.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  isForeignSecurity,
  medianPrice,
  priceStatus,
  tradeDateStatus,
  type PriceHistory,
} from '../../../../src/domain/trades/price-status.ts'

const home = { foreignTickerRaw: null, tickerRaw: 'OWL' }
const none: PriceHistory = { median: null, rows: 0 }
const around20: PriceHistory = { median: '20', rows: 3 }
function status(price: string | null, shares: string | null = '100', history = none): string {
  return priceStatus({ securityTitle: 'Common Stock', shares, price }, home, history)
}

describe('price status', () => {
  it('distinguishes a filed price from 0 and from none', () => {
    assert.strictEqual(status('12.34'), 'as_filed')
    assert.strictEqual(status('.0001'), 'as_filed')
    assert.strictEqual(status('0'), 'zero')
    assert.strictEqual(status('0.00'), 'zero')
    assert.strictEqual(status(null), 'footnote_only')
  })

  describe('is suspect', () => {
    it('above a million dollars, whatever the history', () => {
      assert.strictEqual(status('1000000'), 'as_filed')
      assert.strictEqual(status('1000000.0001'), 'suspect')
      assert.strictEqual(status('24000000', null), 'suspect')
    })

    it('where price times shares passes 50 billion', () => {
      assert.strictEqual(status('500', '100000000'), 'as_filed')
      assert.strictEqual(status('500', '100000001'), 'suspect')
    })

    it('over 20 medians if over 100,000', () => {
      assert.strictEqual(status('100000.01', '7', around20), 'suspect')
      assert.strictEqual(status('100000', '7', around20), 'as_filed')
      assert.strictEqual(status('700000', '7', { median: '650000', rows: 9 }), 'as_filed')
    })

    it('over 20 medians if price / shares is within a factor 3 of the median: a total typed as a price', () => {
      assert.strictEqual(status('50000', '2500', around20), 'suspect')
      assert.strictEqual(status('50000', '7500', around20), 'suspect', '6.67, a third of the median')
      assert.strictEqual(status('50000', '7501', around20), 'as_filed')
      assert.strictEqual(status('60000', '1000', around20), 'suspect', '60, three medians')
      assert.strictEqual(status('60000', '999', around20), 'as_filed')
      assert.strictEqual(status('400', '20', around20), 'as_filed', 'exactly 20 medians')
      assert.strictEqual(status('400.01', '20', around20), 'suspect')
      assert.strictEqual(status('5000', '0', around20), 'as_filed')
      assert.strictEqual(status('5000', null, around20), 'as_filed')
    })

    it('by the median only with three rows of history', () => {
      assert.strictEqual(status('50000', '2500', { median: '20', rows: 2 }), 'as_filed')
      assert.strictEqual(status('150000', '2500', { median: '20', rows: 2 }), 'as_filed')
      assert.strictEqual(status('50000', '2500', none), 'as_filed')
    })

    it('never at exactly 20 medians, but by the absolute limits', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 50_000 }), (shares, median) => {
          assert.strictEqual(
            status(String(median * 20), String(shares), { median: String(median), rows: 50 }),
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
      const row = { securityTitle: 'Common Shares (2330.TW)', shares: '1', price: null }
      for (const price of [null, '0', '5', '99999999'])
        assert.strictEqual(priceStatus({ ...row, price }, tsm, none), 'foreign')
    })
  })

  it('takes the middle price', () => {
    assert.isNull(medianPrice([]))
    assert.strictEqual(medianPrice(['7']), '7')
    assert.strictEqual(medianPrice(['10', '9', '2']), '9')
    assert.strictEqual(medianPrice(['10', '9.5', '2', '100']), '9.75')
    assert.strictEqual(medianPrice(['0.0001', '0.0002']), '0.00015')
  })

  it('calls a date impossible that is none, follows the filing or lies over 3 years back', () => {
    const possible = ['2024-07-19', '2021-07-19', '2023-12-31']
    for (const date of possible) assert.strictEqual(tradeDateStatus(date, '2024-07-19'), 'plausible', date)
    for (const date of ['2024-07-20', '2021-07-18', '0023-03-23', '2027-02-17', '2024-02-30', '', null]) {
      assert.strictEqual(tradeDateStatus(date, '2024-07-19'), 'impossible', String(date))
    }
    assert.strictEqual(tradeDateStatus('2021-02-28', '2024-02-29'), 'plausible')
    assert.strictEqual(tradeDateStatus('2021-02-27', '2024-02-29'), 'impossible')
  })
})
