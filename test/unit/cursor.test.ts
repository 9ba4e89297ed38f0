import { expect } from 'chai'
import fc from 'fast-check'
import { ServiceError } from '../../src/application/errors.ts'
import { decodeCursor, encodeCursor } from '../../src/infrastructure/clickhouse/cursor.ts'

const refused = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    return error instanceof ServiceError && error.code === 'invalid_cursor'
  }
  return false
}

describe('cursor', () => {
  const key = fc.tuple(fc.nat(), fc.string(), fc.nat())

  it('gives back what it was made from, in URL-safe letters', () => {
    fc.assert(fc.property(fc.string(), key, (of, parts) => {
      const cursor = encodeCursor(of, parts)
      expect(cursor).to.match(/^[A-Za-z0-9_-]+$/)
      expect(decodeCursor(of, cursor)).to.deep.equal(parts)
    }))
  })

  it('is refused for another list or filter', () => {
    expect(refused(() => decodeCursor('feed:sells', encodeCursor('feed:buys', [1, 'a', 2])))).to.equal(true)
    expect(refused(() => decodeCursor('signals::', encodeCursor('feed:', [1, 'a', 2])))).to.equal(true)
  })

  it('is refused when any letter is changed, dropped or added', () => {
    const cursor = encodeCursor('feed:', [1_700_000_000, '0001234567-24-000001', 3])
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (let at = 0; at < cursor.length; at += 1) {
      expect(refused(() => decodeCursor('feed:', cursor.slice(0, at) + cursor.slice(at + 1)))).to.equal(true)
      for (const letter of alphabet) {
        const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1)
        if (changed !== cursor) expect(refused(() => decodeCursor('feed:', changed)), changed).to.equal(true)
      }
    }
    for (const text of ['', 'x', '====', `${cursor}=`, `${cursor}A`, ` ${cursor}`, 'A'.repeat(10_000)]) {
      expect(refused(() => decodeCursor('feed:', text)), text.slice(0, 20)).to.equal(true)
    }
  })
})
