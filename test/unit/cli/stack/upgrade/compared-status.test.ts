// What an upgrade reports as lost.
import { assert } from 'chai'
import { lostSince, statusLine, type DataStatus } from '../../../../../src/cli/stack/upgrade/compared-status.ts'

const BEFORE: DataStatus = {
  newestFilingAt: '2030-03-04T21:15:09Z',
  historyFrom: '2006-01-01',
  days: [{ date: '2030-03-04', filed: 12, listed: 10 }],
}

describe('the status after an upgrade', () => {
  it('lost nothing if it is the same or has more', () => {
    assert.deepEqual(lostSince(BEFORE, BEFORE), [])
    const days = [
      { date: '2030-03-05', filed: 3, listed: 1 },
      { ...BEFORE.days[0]!, listed: 12 },
    ]
    assert.deepEqual(lostSince(BEFORE, { ...BEFORE, newestFilingAt: '2030-03-05T11:00:00Z', days }), [])
    const empty: DataStatus = { newestFilingAt: null, historyFrom: null, days: [] }
    assert.deepEqual(lostSince(empty, BEFORE), [])
  })

  it('lost data if times or counts fell', () => {
    const after = { newestFilingAt: null, historyFrom: '2024-07-01', days: [{ ...BEFORE.days[0]!, listed: 9 }] }
    assert.deepEqual(lostSince(BEFORE, after), [
      'the newest filing is of no time, was 2030-03-04T21:15:09Z',
      'there is data from 2024-07-01 on, was 2006-01-01',
      '9 filings listed for 2030-03-04, was 10',
    ])
  })

  it('is said in one line, also without history', () => {
    const index = "10 filings of 1 day of EDGAR's index"
    assert.strictEqual(statusLine(BEFORE), `newest filing of 2030-03-04T21:15:09Z, data from 2006-01-01 on, ${index}`)
    assert.strictEqual(
      statusLine({ ...BEFORE, newestFilingAt: null, historyFrom: null }),
      `no filing, no history loaded, ${index}`,
    )
  })
})
