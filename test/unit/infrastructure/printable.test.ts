// Text that others wrote: nothing of it moves the cursor, hides or turns other text, or ends the line; no secret shows.
import { assert } from 'chai'
import fc from 'fast-check'
import { printable, withoutSecrets } from '../../../src/infrastructure/printable.ts'

// Listed by number, apart from the classes by which the function goes.
const FORBIDDEN: [from: number, to: number][] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe0fff],
]
const isForbidden = (character: string) =>
  FORBIDDEN.some(([from, to]) => {
    const code = character.codePointAt(0)!
    return code >= from && code <= to
  })

describe('text made printable', () => {
  it("leaves no character that a terminal obeys or that can't be seen, of all there are", () => {
    const wrong: string[] = []
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code)
      const shown = printable(`a${character}b`)
      const isKept = shown === `a${character}b`
      const isEscaped = /^a(\\[nrt]|(\\u[0-9a-f]{4}){1,2})b$/.test(shown)
      if (isKept ? isForbidden(character) : !isEscaped) wrong.push(code.toString(16))
    }
    assert.deepEqual(wrong, [])
  })

  it('leaves letters of all languages, marks, spaces and symbols as they are', () => {
    const texts = [
      'Müller & Söhne',
      'Москва',
      '東京証券',
      'ตลาดหุ้น',
      'e\u0301',
      'a\u00a0b',
      '🙂 50 % §',
      'C:\\new',
      '"<b>',
    ]
    for (const text of texts) assert.strictEqual(printable(text), text)
  })

  it('writes controls, turned text, line ends and half characters as escapes', () => {
    assert.strictEqual(
      printable('a\x1b[2J\x07\x9b1m\x7f\u202eb\u2066\r\n\t\u2028\ud83d!'),
      'a\\u001b[2J\\u0007\\u009b1m\\u007f\\u202eb\\u2066\\r\\n\\t\\u2028\\ud83d!',
    )
  })

  it('shows each byte of a name that is not UTF-8', () => {
    const bytes = Buffer.from([0x61, 0xff, 0xc3, 0xa9, 0x9b, 0xe2, 0x82, 0x1b])
    assert.strictEqual(printable(bytes), 'a\\xff\\xc3\\xa9\\x9b\\xe2\\x82\\u001b')
    assert.strictEqual(printable(Buffer.from('é🙂\u202e')), 'é🙂\\u202e')
    fc.assert(
      fc.property(fc.uint8Array(), (any) => {
        assert.strictEqual([...printable(any)].some(isForbidden), false)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.strictEqual(printable(Buffer.from(text)), printable(text))
      }),
    )
  })

  it('keeps JSON the same JSON, and text that it made as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const shown = printable(JSON.stringify(value))
        assert.deepEqual(JSON.parse(shown), JSON.parse(JSON.stringify(value)))
        assert.strictEqual(printable(shown), shown)
      }),
    )
  })
})

describe('text without secrets', () => {
  const key = 'itd_0123456789_ABCDEFGHIJABCDEFGHIJABCDEFGHIJABabcdef'
  const secret = `whsec_${'aB+/'.repeat(10)}abc=`

  it('blots out keys, whole, cut short or mistyped, and webhook secrets, wherever they stand', () => {
    const wrong = [key.slice(0, 25), key.replace('_0', '_-0')]
    for (const text of [key, `Bearer ${key}`, `/v1/${key}?x`, `"${key}"`, `x${key}`, ...wrong]) {
      assert.include(withoutSecrets(text), '_***')
      assert.notInclude(withoutSecrets(text), 'ABCDEFGHIJ')
    }
    assert.strictEqual(withoutSecrets(`${secret}, ${key}`), 'whsec_***, itd_0123456789_***')
  })

  it('leaves what is no key, and those that are to be shown', () => {
    const texts = ['itd_...', '/srv/itd_data/logs/service.log', 'itd_x', 'whsec_...']
    for (const text of texts) assert.strictEqual(withoutSecrets(text), text)
    assert.strictEqual(withoutSecrets(`${key} ${key}x ${secret}`, [key]), `${key} itd_0123456789_*** whsec_***`)
  })
})
