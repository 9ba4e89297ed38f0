// The progress of jobs in words.
import { assert } from 'chai'
import { jobLine } from '../../../src/cli/commands/jobs.ts'
import { paceText } from '../../../src/cli/progress-text.ts'
import type { JobState } from '../../../src/application/ports/jobs.ts'

const PACE = { phase: 'write', rows: 340, totalRows: 980, rowsPerSecond: 12, secondsLeft: 53 }
const JOB: JobState = {
  id: 3,
  kind: 'backfill',
  args: { quarters: ['2006q1', '2006q2'] },
  status: 'running',
  done: 60,
  total: 100,
  pace: PACE,
  result: null,
  error: null,
  attempts: 1,
  createdAt: new Date('2030-03-04T12:00:00Z'),
  startedAt: new Date('2030-03-04T12:00:05Z'),
  finishedAt: null,
}

describe('the progress of jobs in words', () => {
  it('has the phase with its rows, their rate and the time left', () => {
    assert.strictEqual(
      jobLine(JOB),
      '3  backfill 2006q1..2006q2  running 60 %, write 340 of 980 rows, 12/s, 53 s left, begun 2030-03-04T12:00:05Z',
    )
  })

  it('is the share alone for a job that is not measured', () => {
    assert.strictEqual(
      jobLine({ ...JOB, pace: null }),
      '3  backfill 2006q1..2006q2  running 60 %, begun 2030-03-04T12:00:05Z',
    )
  })

  it('says nothing of rate and time as long as they are unknown, and gives long times roughly', () => {
    assert.strictEqual(paceText({ ...PACE, rowsPerSecond: null, secondsLeft: null }), 'write 340 of 980 rows')
    const left = (secondsLeft: number) => /, ([^,]+) left$/.exec(paceText({ ...PACE, secondsLeft }))![1]
    assert.deepEqual([0, 119, 120, 1_000, 7_199, 7_230, 20_000].map(left), [
      ...['0 s', '119 s', '2 min', '17 min', '2 h 0 min', '2 h 1 min', '5 h 33 min'],
    ])
  })
})
