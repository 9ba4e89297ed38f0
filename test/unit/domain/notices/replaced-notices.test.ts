// Which notice a 144/A replaces, in any order of arrival.
import { assert } from 'chai'
import { replacedNotices } from '../../../../src/domain/notices/replaced-notices.ts'
import { filed, type NoticeSpec } from '../../../support/notices/notice-builder.ts'

const number = (sequence: number) => `0001999201-26-${String(sequence).padStart(6, '0')}`
const notice = (sequence: number, spec: NoticeSpec = {}) =>
  filed({ accession: number(sequence), acceptedAt: `202606${String(sequence).padStart(2, '0')}110000`, ...spec })
const amendment = (sequence: number, of: number | null, spec: NoticeSpec = {}) =>
  notice(sequence, { form: '144/A', previousAccession: of === null ? null : number(of), ...spec })
const replaced = (...notices: ReturnType<typeof notice>[]) => {
  const found = Object.fromEntries(replacedNotices(notices))
  assert.deepEqual(Object.fromEntries(replacedNotices(notices.toReversed())), found)
  return found
}

describe('amendments of notices', () => {
  it('a 144/A replaces the notice that it names', () => {
    assert.deepEqual(replaced(notice(1), notice(2), amendment(3, 1)), { [number(1)]: number(3) })
  })

  it('several 144/As of one notice replace each other, whichever they name', () => {
    const expected = { [number(1)]: number(2), [number(2)]: number(3), [number(3)]: number(4) }
    assert.deepEqual(replaced(notice(1), amendment(2, 1), amendment(3, 1), amendment(4, 1)), expected)
    assert.deepEqual(replaced(notice(1), amendment(2, 1), amendment(3, 2), amendment(4, 1)), expected)
  })

  it('a 144/A that names no known notice replaces the newest of 90 days with the same sale date or units', () => {
    const units = { lines: [{ units: 700 }] }
    assert.deepEqual(replaced(notice(1, units), notice(2, units), notice(3), amendment(4, null, units)), {
      [number(2)]: number(4),
    })
    assert.deepEqual(replaced(notice(1), notice(2, units), amendment(4, 99, { lines: [{ saleDate: '2026-06-01' }] })), {
      [number(1)]: number(4),
    })
    assert.deepEqual(replaced(notice(1, units), amendment(4, null)), {})
    const late = (day: string) => amendment(4, null, { ...units, acceptedAt: `2026${day}110000` })
    assert.deepEqual(replaced(notice(1, units), late('0830')), { [number(1)]: number(4) })
    assert.deepEqual(replaced(notice(1, units), late('0831')), {})
  })

  it('a second 144/A that names no notice replaces the first', () => {
    const [first, second] = [amendment(3, null), amendment(4, null)].map((each, index) => ({
      ...each,
      filedAt: each.filedAt + index,
    }))
    assert.deepEqual(replaced(notice(1, { lines: [{ saleDate: null }] }), notice(2), first!, second!), {
      [number(2)]: number(3),
      [number(3)]: number(4),
    })
  })

  it('a 144/A does not replace the notice of another seller, a later notice, or itself', () => {
    const other = { seller: { cik: '0001999109' } }
    assert.deepEqual(replaced(notice(1, other), amendment(2, 1)), {})
    assert.deepEqual(replaced(amendment(1, 2), notice(2)), {})
    assert.deepEqual(replaced(amendment(1, 1)), {})
  })

  it('a chain of many 144/As is followed in linear time', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => {
      const one = amendment(1, 0)
      return { ...one, accession: `0001999201-27-${String(index).padStart(6, '0')}`, filedAt: one.filedAt + index }
    })
    const original = { ...notice(0, { acceptedAt: '20260601100000' }), accession: number(0) }
    assert.strictEqual(replacedNotices([...many, original]).size, 20_000)
  })
})
