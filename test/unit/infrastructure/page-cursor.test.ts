// Feed cursors: written, read back, and refused where they were damaged.
import { assert } from 'chai'
import fc from 'fast-check'
import { ServiceError } from '../../../src/application/errors.ts'
import { decodeCursor, encodeCursor } from '../../../src/infrastructure/page-cursor.ts'

const refused = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    return error instanceof ServiceError && error.code === 'invalid_cursor'
  }
  return false
}

describe('the feed cursor', () => {
  const number = fc.integer({ min: 0, max: 0xffff_ffff })
  const key = fc.tuple(number, fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/), number)
  const shape = ['number', 'id', 'number'] as const

  it('gives back what it was made from, in URL-safe letters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), key, (of, parts) => {
        const cursor = encodeCursor(of, parts)
        assert.match(cursor, /^[A-Za-z0-9_-]+$/)
        assert.deepEqual(decodeCursor(of, cursor, shape), parts)
      }),
    )
  })

  it('is refused for another list or filter', () => {
    assert.strictEqual(
      refused(() => decodeCursor('feed:sells', encodeCursor('feed:buys', [1, 'a', 2]), shape)),
      true,
    )
    assert.strictEqual(
      refused(() => decodeCursor('signals::', encodeCursor('feed:', [1, 'a', 2]), shape)),
      true,
    )
  })

  it('is refused when any letter is changed, dropped or added', () => {
    const cursor = encodeCursor('feed:', [1_700_000_000, '0001234567-24-000001', 3])
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (let at = 0; at < cursor.length; at += 1) {
      assert.strictEqual(
        refused(() => decodeCursor('feed:', cursor.slice(0, at) + cursor.slice(at + 1), shape)),
        true,
      )
      for (const letter of alphabet) {
        const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1)
        if (changed !== cursor)
          assert.strictEqual(
            refused(() => decodeCursor('feed:', changed, shape)),
            true,
            changed,
          )
      }
    }
    for (const text of ['', 'x', '====', `${cursor}=`, `${cursor}A`, ` ${cursor}`, 'A'.repeat(10_000)]) {
      assert.strictEqual(
        refused(() => decodeCursor('feed:', text, shape)),
        true,
        text.slice(0, 20),
      )
    }
  })
})
