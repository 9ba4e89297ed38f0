// Prices that are averages of several trades: invented wordings, and those of real filings.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { averagePriceOf, MENTIONS_AVERAGE } from '../../../../src/domain/trades/average-price.ts'
import { tradeFacts } from '../../../../src/domain/trades/extract-trades.ts'
import { readDocument } from '../../../../src/infrastructure/edgar/documents/read-document.ts'
import { priceOf, WORDINGS } from '../../../support/filings/average-prices.ts'
import { documentsFolder, haveRealFilings } from '../../../support/filings/truth.ts'

const RECEIVED = 1_900_000_000

const readAt = (price: string | null, ...texts: string[]) => {
  const footnotes = texts.map((text, index) => ({ id: `F${index + 1}`, text }))
  const ids = footnotes.map(({ id }) => id)
  const row = { price, footnotes: { all: ids, coding: [], nature: [], price: ids } }
  const { averagePrice, lowPrice, highPrice } = averagePriceOf(row, { footnotes })
  return [averagePrice, lowPrice, highPrice]
}
const read = (...texts: string[]) => readAt(null, ...texts)

describe('average prices', () => {
  it('are read from the footnotes of a price', () => {
    for (const wording of WORDINGS) {
      const [text, ...expected] = wording
      assert.deepEqual(read(text), expected, text)
      assert.deepEqual(readAt(priceOf(wording), text), expected, text)
      assert.isTrue(!expected[0] || new RegExp(MENTIONS_AVERAGE, 'i').test(text), text)
    }
    assert.deepEqual(read(), [false, null, null])
    assert.deepEqual(read(WORDINGS[0]![0], WORDINGS[1]![0]), [true, '10', '73.15'])
  })

  it('have no range that does not contain the price', () => {
    const text = 'Sold at prices ranging from $10.00 to $10.50.'
    for (const price of ['10', '10.25', '10.5', '10.50', '10.50004', null])
      assert.deepEqual(readAt(price, text), [true, '10', '10.5'], String(price))
    for (const price of ['9.9999', '10.5001', '0', '1025'])
      assert.deepEqual(readAt(price, text), [true, null, null], price)
    // As data sets have it: 5.1004 is 5.10 there.
    assert.deepEqual(readAt('5.10', 'Sold at prices ranging from $5.1001 to $5.1008.'), [true, '5.1001', '5.1008'])
    assert.deepEqual(readAt('11.5', text, 'Sold at prices ranging from $12.00 to $13.00.'), [true, '10', '13'])
  })

  it('are not found in texts that begin again and again', () => {
    for (const text of [
      'prices ranging from $1,111,111 ',
      'prices of the shares in a range ',
      'lowest price ',
      '$1 to ',
      '1,111',
      'sold at prices from ',
      'average price. sold between $1 and ',
      'low of $1 ',
      'lowest, highest ',
      'sales, ',
    ])
      assert.isNull(read(text.repeat(4_000 / text.length))[1], text)
  })

  it('take no number that no price can be', () => {
    for (const number of ['123,456,789,012', '1234567890123', '0', '10%'])
      assert.deepEqual(read(`prices ranging from $${number} to $${number}`).slice(1), [null, null], number)
  })

  it('are found in real filings where these words are', function () {
    if (!haveRealFilings) this.skip()
    let [averages, ranges] = [0, 0]
    for (const path of readdirSync(documentsFolder)) {
      const read = readDocument(readFileSync(join(documentsFolder, path)), path)
      if (read.kind !== 'filing') continue
      const { footnotes, nonDerivative } = read.filing
      const rows = nonDerivative.filter(({ kind }) => kind === 'transaction')
      for (const [index, { id, priceFiled, ...found }] of tradeFacts(read.filing, RECEIVED).entries()) {
        const ids = rows[index]!.footnotes.price
        const text = footnotes.flatMap((each) => (ids.includes(each.id) ? [each.text] : [])).join(' ')
        const isRange = /ranging\s+from \$|highest price was \$/.test(text)
        assert.strictEqual(found.averagePrice, isRange || /weighted[- ]average|average weighted/.test(text), id)
        // A price lies between those that it is the average of, but where the filer made a mistake.
        assert.strictEqual(found.lowPrice !== null, isRange && id !== '0001127602-15-028697-nd-2', id)
        if (found.averagePrice) averages += 1
        if (found.lowPrice === null) continue
        ranges += 1
        const [low, price, high] = [found.lowPrice, priceFiled, found.highPrice].map(Number) as [number, number, number]
        assert.isTrue(low <= price && price <= high, id)
      }
    }
    assert.isAbove(ranges, 90)
    assert.isAbove(averages, ranges)
  })
})
