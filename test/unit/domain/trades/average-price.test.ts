// Prices that are averages of several trades: invented wordings, and those of real filings.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { averagePriceOf, MENTIONS_AVERAGE } from '../../../../src/domain/trades/average-price.ts'
import { tradeFacts } from '../../../../src/domain/trades/extract-trades.ts'
import { readDocument } from '../../../../src/infrastructure/edgar/documents/read-document.ts'
import { WORDINGS } from '../../../support/filings/average-prices.ts'
import { documentsFolder, haveRealFilings } from '../../../support/filings/truth.ts'

const RECEIVED = 1_900_000_000

const priced = (...price: string[]) => ({ footnotes: { all: price, coding: [], nature: [], price } })
const read = (...texts: string[]) => {
  const footnotes = texts.map((text, index) => ({ id: `F${index + 1}`, text }))
  const { averagePrice, lowPrice, highPrice } = averagePriceOf(priced(...footnotes.map(({ id }) => id)), { footnotes })
  return [averagePrice, lowPrice, highPrice]
}

describe('average prices', () => {
  it('are read from the footnotes of a price', () => {
    for (const [text, ...expected] of WORDINGS) {
      assert.deepEqual(read(text), expected, text)
      assert.isTrue(!expected[0] || new RegExp(MENTIONS_AVERAGE, 'i').test(text), text)
    }
    assert.deepEqual(read(), [false, null, null])
    assert.deepEqual(read(WORDINGS[0]![0], WORDINGS[1]![0]), [true, '10', '73.15'])
  })

  it('are not found in texts that begin again and again', () => {
    for (const text of [
      'prices ranging from $1,111,111 ',
      'prices of the shares in a range ',
      'lowest price ',
      '$1 to ',
      '1,111',
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
    const outside: string[] = []
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
        assert.strictEqual(found.lowPrice !== null, isRange, id)
        if (found.averagePrice) averages += 1
        if (!isRange) continue
        ranges += 1
        const [low, price, high] = [found.lowPrice, priceFiled, found.highPrice].map(Number) as [number, number, number]
        if (price < low || price > high) outside.push(id)
      }
    }
    assert.isAbove(ranges, 90)
    assert.isAbove(averages, ranges)
    // A price lies between those that it is the average of, but where the filer made a mistake.
    assert.deepEqual(outside, ['0001127602-15-028697-nd-2'])
  })
})
