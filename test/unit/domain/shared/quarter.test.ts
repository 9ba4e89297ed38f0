// Quarters by which the SEC names its data sets.
import { assert } from 'chai'
import fc from 'fast-check'
import { firstDayOf, quarterOf, quartersBetween, startOfLastRun } from '../../../../src/domain/shared/quarter.ts'

describe('quarters', () => {
  it('are read from themselves and from the names of data sets', () => {
    assert.strictEqual(quarterOf('2024q3'), '2024q3')
    assert.strictEqual(quarterOf('2006q1_form345.zip'), '2006q1')
  })

  for (const name of [
    '',
    '2024',
    '2024q',
    '2024q0',
    '2024q5',
    '24q3',
    '02024q3',
    '2024Q3',
    '2024-q3',
    ' 2024q3',
    '2024q3\n',
    '2024q3.zip',
    '2024q3_form345',
    '2024q3_form345.zip.part',
    '2024q3_form345xzip',
    '../2024q3_form345.zip',
  ]) {
    it(`are not read from ${JSON.stringify(name)}`, () => assert.isNull(quarterOf(name)))
  }

  it('begin on a day', () => {
    assert.deepEqual(['2006q1', '2024q2', '2024q3', '2024q4'].map(firstDayOf), [
      '2006-01-01',
      '2024-04-01',
      '2024-07-01',
      '2024-10-01',
    ])
  })

  it('are without a gap from one of them up to the newest', () => {
    assert.isNull(startOfLastRun([]))
    assert.strictEqual(startOfLastRun(['2024q3']), '2024q3')
    assert.strictEqual(startOfLastRun(quartersBetween('2006q1', '2026q3')), '2006q1')
    assert.strictEqual(startOfLastRun(['2006q1', '2006q2', '2023q4', '2024q1', '2024q2']), '2023q4')
    assert.strictEqual(startOfLastRun(['2006q1', '2023q4', '2026q3']), '2026q3')
  })

  it('are listed from one to another in order, over the ends of years', () => {
    assert.deepEqual(quartersBetween('2023q3', '2024q2'), ['2023q3', '2023q4', '2024q1', '2024q2'])
    assert.deepEqual(quartersBetween('2024q3', '2024q3'), ['2024q3'])
    const all = quartersBetween('2006q1', '2026q3')
    assert.lengthOf(all, 83)
    assert.deepEqual([all[0], all.at(-1)], ['2006q1', '2026q3'])
    assert.deepEqual(all, [...new Set(all)].sort())
  })

  it('are listed without gap between any two', () => {
    const quarter = fc.tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 1, max: 4 }))
    fc.assert(
      fc.property(quarter, fc.integer({ min: 0, max: 200 }), ([year, part], more) => {
        const end = { year: year + Math.floor((part - 1 + more) / 4), part: ((part - 1 + more) % 4) + 1 }
        fc.pre(end.year <= 9999)
        const text = (at: { year: number; part: number }): string => `${String(at.year).padStart(4, '0')}q${at.part}`
        const listed = quartersBetween(text({ year, part }), text(end))
        assert.lengthOf(listed, more + 1)
        assert.deepEqual([listed[0], listed.at(-1)], [text({ year, part }), text(end)])
        assert.isTrue(listed.every((one) => quarterOf(one) === one))
      }),
    )
  })

  it('are refused where they are none or the wrong way round', () => {
    assert.throws(() => quartersBetween('2024q5', '2025q1'), Error, '"2024q5" must be a quarter such as 2024q3')
    assert.throws(() => quartersBetween('2024q1', 'now'), Error, '"now" must be a quarter such as 2024q3')
    assert.throws(() => quartersBetween('2024q1', '2024q3_form345.zip'), Error, 'must be a quarter')
    assert.throws(
      () => quartersBetween('2024q3', '2024q2'),
      Error,
      'the quarters are the wrong way round: 2024q2 lies before 2024q3',
    )
  })
})
