// How keys are written, and that nothing but a key is read as one.
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { assert } from 'chai'
import fc from 'fast-check'
import { KEY_ID, newApiKey, readApiKey, writeApiKey } from '../../../../src/domain/alerts/api-key.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base62 = (length: number) => fc.string({ unit: fc.constantFrom(...BASE62), minLength: length, maxLength: length })
const keys = fc.record({ id: base62(10), secret: base62(32) })

describe('an API key', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const text = writeApiKey(key)
        assert.match(text, /^itd_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/)
        assert.deepEqual(readApiKey(text), key)
      }),
    )
  })

  it('ends in the CRC-32 of what stands before it', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const text = writeApiKey(key)
        const checksum = [...text.slice(-6)].reduce((sum, character) => sum * 62 + BASE62.indexOf(character), 0)
        assert.strictEqual(checksum, crc32(text.slice(0, -6)))
      }),
    )
  })

  it('with one character changed, or two neighbours swapped, is none', () => {
    const text = writeApiKey(newApiKey(randomBytes))
    for (let at = 0; at < text.length; at++) {
      for (const other of `${BASE62}_-. `) {
        if (other !== text[at])
          assert.strictEqual(readApiKey(text.slice(0, at) + other + text.slice(at + 1)), null, `${other} at ${at}`)
      }
      const swapped = text.slice(0, at) + (text[at + 1] ?? '') + text[at] + text.slice(at + 2)
      if (swapped !== text) assert.strictEqual(readApiKey(swapped), null, `swapped at ${at}`)
    }
  })

  it('shortened, lengthened, in another case or with blanks is none', () => {
    const text = writeApiKey(newApiKey(randomBytes))
    const others = [
      text.slice(1),
      text.slice(0, -1),
      `${text}0`,
      `${text}\n`,
      ` ${text}`,
      text.toUpperCase(),
      text.toLowerCase(),
      `${text}${text}`,
      '',
      'itd_',
      'itd__',
      text.replace('_', ''),
      text.replaceAll('_', '-'),
    ]
    for (const other of others) assert.strictEqual(readApiKey(other), null, other)
  })

  it('is drawn from all characters alike', () => {
    const counts = new Map([...BASE62].map((character) => [character, 0]))
    const drawn = Array.from({ length: 2_000 }, () => newApiKey(randomBytes))
    for (const { id, secret } of drawn)
      for (const character of id + secret) counts.set(character, counts.get(character)! + 1)
    // 84,000 characters: 1,355 of each, give or take 37; six times that happens once in 10^7 runs.
    for (const [character, count] of counts) {
      assert.isAtLeast(count, 1_130, character)
      assert.isAtMost(count, 1_580, character)
    }
    assert.strictEqual(new Set(drawn.map(({ id }) => id)).size, 2_000)
    for (const { id } of drawn) assert.match(id, KEY_ID)
  })

  it('passes over bytes that would make some characters likelier', () => {
    const bytes = [248, 255, 61, 62, 247]
    let drawn = 0
    const draw = (count: number) => Uint8Array.from({ length: count }, () => bytes[drawn++ % bytes.length]!)
    assert.strictEqual(newApiKey(draw).id, 'z0zz0zz0zz')
  })
})
