// Units of price: wordings are made up after what filings say.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  isForeignPrice,
  MENTIONS_UNIT,
  otherUnit,
  securityKind,
  unitFlags,
} from '../../../../src/domain/trades/price-unit.ts'
import { filingOf } from '../../../support/filings/filing-builder.ts'

const other = (securityTitle: string, price: string[], row: string[] = [], foreignTickerRaw: string | null = null) => {
  const texts = [...price, ...row]
  const ids = texts.map((_, index) => `F${index + 1}`)
  const filing = filingOf({
    issuer: { foreignTickerRaw },
    footnotes: texts.map((text, index) => ({ id: ids[index]!, text })),
    rows: [{ securityTitle, footnotes: { price: ids.slice(0, price.length), title: ids.slice(price.length) } }],
  })
  return otherUnit(filing.nonDerivative[0]!, filing)
}

describe('a price is of another unit', () => {
  it('in another currency', () => {
    const texts = [
      'The price is in Japanese yen.',
      'Purchased on the TSX, price in C$.',
      'Price in GBp.',
      'EUR 13.70',
      'NT$2,200',
      'Prices from 280 pence to 290 pence per share.',
      'The price is in Canadian dollars.',
      'Sold at NOK 45.10.',
      'The price is in yen, not US dollars.',
      'The price is in C$ and has not been converted to U.S. dollars.',
      'HK$12.50',
      'R$48.24 per share',
      'Price in rupees.',
      'Price in shekels.',
      'In Swiss francs.',
      '45 rand per share',
      'Acquired upon conversion of debentures at a price of C$2.00 per share.',
    ]
    for (const text of texts) assert.isTrue(other('Ordinary Shares', [text]), text)
    assert.isTrue(other('Common Shares', [], ['Purchased on the TSX, price in C$.']))
  })

  it('not where it is converted, or the currency is a name, a par value or another sum', () => {
    const texts = [
      'Converted from C$ at 0.73.',
      'EUR 13.70, based on an exchange rate of EUR 1 to USD 1.1026.',
      'US$45.00 per share',
      'The price was translated from New Taiwan dollars, NT$2,200.',
      'The U.S. dollar equivalent of C$61.20.',
      'The price was paid by Owl Fund (Euro), L.P.',
      'Price paid by Owl Euro Growth Fund, L.P.',
      'Won at a price of $5.',
      'Ordinary shares, par value NIS 0.01 per share, sold at a price of $10.',
      'Dividends paid in Canadian dollars.',
      'Weighted average price of sales at $10.00 to $10.50.',
    ]
    for (const text of texts) assert.isFalse(other('Ordinary Shares', [text]), text)
    assert.isFalse(other('Common Shares', ['The price is in C$.'], ['Converted at an exchange rate of 0.73.']))
  })

  it('not where the currency is the name of an issuer or a person, or a time', () => {
    const texts = [
      'Weighted average purchase price of shares of Sterling common stock purchased at prices from $10.00 to $11.00.',
      'These shares of Sterling Owl common stock were sold at prices from $10.00 to $11.00.',
      'The closing price of Sterling Owl stock.',
      'The average price per Rand share.',
      'Shares of Rand Owl purchased at $2.00.',
      'Sold at $3.00 per share in a private transaction with Yuan Perch.',
      "Yen Perch, the reporting person's spouse, purchased at $10.00.",
      'Sold at $10.00 at 4:00p ET.',
    ]
    for (const text of texts) assert.isFalse(other('Common Stock', [text]), text)
    const sums = [
      'Price in Sterling.',
      'Price of 45 Rand per share.',
      'Sale price of 500 Yen per Common Share.',
      'Bought at 500 Pence Ordinary Shares.',
      'Shares of Euro 0.05 each were bought at Euro 13.70.',
      'Purchased with Euros at 12.50 per share.',
      'Euro Price Per Share: 13.70.',
      'Euro share price of 13.70.',
      'Bought at 250p.',
    ]
    for (const text of sums) assert.isTrue(other('Common Stock', [text]), text)
  })

  it('for a depositary share, in a row of ordinary shares', () => {
    const perAds = 'The price is per ADS, each of 1,440 shares.'
    assert.isTrue(other('Ordinary Shares', [perAds]))
    assert.isFalse(other('American Depositary Shares', [perAds]))
    for (const more of ['Each ADS represents one ordinary share.', 'The price per ADS was divided by 1,440.']) {
      assert.isFalse(other('Ordinary Shares', [perAds, more]), more)
    }
    assert.isTrue(other('Ordinary Shares', [perAds, 'Each ADS represents one-half of one ordinary share.']))
  })

  it('of debt, of preferred stock not priced by the share, and of shares traded abroad', () => {
    assert.isTrue(other('8.00% Senior Notes due 2029', []))
    assert.isFalse(other('Common Stock (see Note 1)', []))
    assert.isFalse(other('5.25% Series E Term Preferred Stock due 2026', []))
    assert.isTrue(other('Series A Preferred Stock', ['The price is 98.25% of the liquidation preference.']))
    const tokyo = 'The ordinary shares trade on the Tokyo Stock Exchange.'
    assert.isTrue(other('Ordinary Shares', [], [tokyo], '7203'))
    assert.isFalse(other('Ordinary Shares', [], [tokyo]))
    assert.isFalse(other('Ordinary Shares', [], ['The shares are listed on the NYSE and the TSX.'], 'TSX: OWL'))
  })

  it('by what the title names first', () => {
    assert.strictEqual(securityKind('American Depositary Shares, each representing 8 ordinary shares'), 'ads')
    assert.strictEqual(securityKind('Ordinary Shares (represented by ADSs)'), 'ordinary')
    assert.strictEqual(securityKind('Convertible Note (convertible into Common Stock)'), 'debt')
    assert.strictEqual(securityKind('Common Stock issuable on conversion of Notes'), 'ordinary')
    assert.strictEqual(securityKind('Owl Municipal Bond Fund Common Shares'), 'ordinary')
  })

  it('and a row in a foreign security is foreign unless its price was converted', () => {
    const foreign = (text: string) => {
      const filing = filingOf({
        issuer: { tickerRaw: 'OWL', foreignTickerRaw: '2330.TW' },
        footnotes: [{ id: 'F1', text }],
        rows: [{ securityTitle: 'Common Shares (2330.TW)', footnotes: { price: ['F1'] } }],
      })
      return isForeignPrice(filing.nonDerivative[0]!, filing)
    }
    assert.isTrue(foreign('Weighted average.'))
    assert.isFalse(foreign('The price was translated from New Taiwan dollars at the rate of NT$32.366 to US$1.'))
  })

  it('is read from no text that the quick test does not let through, however long', () => {
    const mention = new RegExp(MENTIONS_UNIT)
    const words = [
      'price',
      'C$5',
      'yen',
      'per',
      'ADS',
      'converted',
      'at',
      '0.73',
      'rate',
      'USD',
      'divided',
      '%',
      'of',
      'Tokyo',
      'Stock',
      'Exchange',
      'Act',
      'traded',
      'shares',
      'not',
      '.',
      'The',
      'total',
      'is',
      '(Euro)',
      'L.P.',
      'on',
      'the',
      'TSX',
    ]
    const text = fc.array(fc.constantFrom(...words), { maxLength: 2000 }).map((parts) => parts.join(' '))
    fc.assert(fc.property(text, (written) => unitFlags(written).length === 0 || mention.test(written)))
  })
})
