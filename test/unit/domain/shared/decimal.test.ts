// Decimal arithmetic on texts: 8 places kept, longer ones rounded half up.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  add,
  comparableDecimal,
  compare,
  multiply,
  parseDecimal,
  round,
  subtract,
  toText,
  totalValue,
} from '../../../../src/domain/shared/decimal.ts'

const parsed = (text: string) => parseDecimal(text) ?? assert.fail(`${text} is a decimal`)

/** Filed numbers: up to 12 digits before the point and up to 8 after it. */
const filed = fc
  .tuple(fc.bigInt(0n, 999_999_999_999n), fc.stringMatching(/^[0-9]{0,8}$/))
  .map(([whole, fraction]) => (fraction ? `${whole}.${fraction}` : `${whole}`))
/** The same number as an integer of 10^-8 steps, worked out without the code under test. */
const steps = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(8, '0'))
}

describe('decimal', () => {
  it('reads the forms that are filed', () => {
    const forms = {
      '9': '9',
      '9.0': '9',
      '.5': '0.5',
      '5.': '5',
      '106150.00': '106150',
      '0': '0',
      '0.00': '0',
      '999999999999.9999': '999999999999.9999',
      ' 12.5 ': '12.5',
      '007': '7',
    }
    for (const [text, value] of Object.entries(forms)) assert.strictEqual(toText(parsed(text)), value)
  })

  it('refuses what is no plain decimal', () => {
    for (const text of ['', '.', '-1', '+1', '1e3', 'NaN', '1,000', '$5', '1.2.3', 'Infinity', '0x10', '½']) {
      assert.isNull(parseDecimal(text), text)
    }
  })

  it('keeps 8 places and rounds longer ones half up', () => {
    assert.strictEqual(toText(parsed('0.123456785')), '0.12345679')
    assert.strictEqual(toText(parsed('0.123456784999')), '0.12345678')
  })

  it('adds, subtracts, multiplies and compares as integers do', () => {
    fc.assert(
      fc.property(filed, filed, (a, b) => {
        const [x, y] = [parsed(a), parsed(b)]
        assert.strictEqual(steps(toText(add(x, y))), steps(a) + steps(b))
        const product = multiply(x, y)
        assert.strictEqual(product.units * 10n ** BigInt(16 - product.scale), steps(a) * steps(b))
        assert.strictEqual(compare(x, y), steps(a) < steps(b) ? -1 : steps(a) > steps(b) ? 1 : 0)
        assert.strictEqual(compare(subtract(x, y), subtract(y, x)), compare(x, y))
      }),
    )
  })

  it('writes one text per value, which reads back as the value', () => {
    fc.assert(
      fc.property(filed, (text) => {
        assert.strictEqual(compare(parsed(toText(parsed(text))), parsed(text)), 0)
        assert.strictEqual(toText(parsed(`${text}${text.includes('.') ? '' : '.'}0`)), toText(parsed(text)))
      }),
    )
  })

  it('rounds half up, away from zero', () => {
    const rounded = { '0.005': '0.01', '0.00499999': '0', '1.995': '2', '2.675': '2.68', '3': '3' }
    for (const [text, value] of Object.entries(rounded)) assert.strictEqual(toText(round(parsed(text), 2)), value)
    assert.strictEqual(toText(round(subtract(parsed('0'), parsed('0.005')), 2)), '-0.01')
  })

  it('totals shares times price to the cent, rounding once', () => {
    assert.strictEqual(totalValue('84603', '2.36'), '199663.08')
    assert.strictEqual(totalValue('275.634', '12.3456'), '3402.87')
    // In doubles 1.005 * 1 is 1.00499999999999989.
    assert.strictEqual(totalValue('1', '1.005'), '1.01')
    // Rounding to 8 places first would make 0.005 of this, and a cent of that.
    assert.strictEqual(totalValue('0.9999', '0.0049999'), '0')
    assert.strictEqual(totalValue('999999999999.9999', '999999999999.9999'), '999999999999999800000000')
    assert.strictEqual(totalValue(null, '5'), '0')
    assert.strictEqual(totalValue('5', null), '0')
  })

  it('rounds totals as exact integers do', () => {
    fc.assert(
      fc.property(filed, filed, (shares, price) => {
        const exact = steps(shares) * steps(price)
        const cents = (exact + 10n ** 14n / 2n) / 10n ** 14n
        assert.strictEqual(steps(totalValue(shares, price)), cents * 10n ** 6n)
      }),
    )
  })

  it('gives equal keys to equal numbers', () => {
    assert.strictEqual(comparableDecimal('9'), comparableDecimal('9.0'))
    assert.strictEqual(comparableDecimal('.5'), comparableDecimal('0.50'))
    assert.notStrictEqual(comparableDecimal('0'), comparableDecimal(null))
    assert.strictEqual(comparableDecimal(' n/a '), 'n/a')
  })
})
