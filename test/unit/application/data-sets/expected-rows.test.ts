// The rows that are expected of quarters as more becomes known of them.
import { assert } from 'chai'
import { expectedRows, type AskedQuarter } from '../../../../src/application/data-sets/expected-rows.ts'

const expected = (quarters: Record<string, AskedQuarter>): Record<string, number> =>
  Object.fromEntries([...expectedRows(new Map(Object.entries(quarters)))].map(([quarter, { rows }]) => [quarter, rows]))

describe('the rows that quarters are expected to have', () => {
  it('are those that were counted, and by the size of their zip for the others', () => {
    assert.deepEqual(
      expected({
        '2024q1': { bytes: 1_000, rows: 20 },
        '2024q2': { bytes: 3_000, rows: 60 },
        '2024q3': { bytes: 2_000, rows: null },
      }),
      { '2024q1': 20, '2024q2': 60, '2024q3': 40 },
    )
  })

  it('are as many as those of the others on average for a quarter that is not stored yet', () => {
    const { '2024q3': rows } = expected({
      '2024q1': { bytes: 1_000, rows: 20 },
      '2024q2': { bytes: 3_000, rows: 60 },
      '2024q3': { bytes: null, rows: null },
    })
    assert.strictEqual(rows, 40)
  })

  it('are none for quarters that need no loading, whose zips say nothing of the others', () => {
    assert.deepEqual(
      expected({
        '2024q1': { bytes: 9_000, rows: 0 },
        '2024q2': { bytes: 1_000, rows: 50 },
        '2024q3': { bytes: 2_000, rows: null },
        '2024q4': { bytes: null, rows: 0 },
      }),
      { '2024q1': 0, '2024q2': 50, '2024q3': 100, '2024q4': 0 },
    )
  })

  it('are some for every quarter from the start', () => {
    const { '2024q1': stored, '2024q2': missing } = expected({
      '2024q1': { bytes: 9_000_000, rows: null },
      '2024q2': { bytes: null, rows: null },
    })
    assert.closeTo(stored!, 55_000, 10_000)
    assert.strictEqual(missing, stored)
  })
})
