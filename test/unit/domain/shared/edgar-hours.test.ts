// EDGAR's hours on the New York clock: both changes of the clock, holidays, and how they guide a poller.
import { assert } from 'chai'
import fc from 'fast-check'
import { isBusinessDay } from '../../../../src/domain/shared/calendar.ts'
import {
  isEdgarOpen,
  isSilenceSuspicious,
  pollWait,
  previousBusinessDay,
} from '../../../../src/domain/shared/edgar-hours.ts'

const utc = (text: string): number => Date.parse(`${text}Z`) / 1000

describe('EDGAR hours', () => {
  it('open at 06:00 and close at 22:00 New York time, in winter and in summer', () => {
    const edges: [instant: string, open: boolean][] = [
      ['2026-11-18T10:59:59', false],
      ['2026-11-18T11:00:00', true],
      ['2026-11-19T02:59:59', true],
      ['2026-11-19T03:00:00', false],
      ['2026-07-15T09:59:59', false],
      ['2026-07-15T10:00:00', true],
      ['2026-07-16T01:59:59', true],
      ['2026-07-16T02:00:00', false],
    ]
    for (const [instant, open] of edges) assert.strictEqual(isEdgarOpen(utc(instant)), open, instant)
  })

  it('open by the changed clock on the first business day after it', () => {
    // The clock went on on Sunday 8 March and back on Sunday 1 November 2026.
    assert.deepEqual(
      ['2026-03-06T11:00:00', '2026-03-09T10:00:00', '2026-10-30T10:00:00', '2026-11-02T11:00:00'].map((first) => [
        isEdgarOpen(utc(first) - 1),
        isEdgarOpen(utc(first)),
      ]),
      Array.from({ length: 4 }, () => [false, true]),
    )
  })

  it('close on weekends and holidays', () => {
    // Saturday, Sunday, Thanksgiving, Independence Day (observed on Friday), all at noon.
    for (const day of ['2026-11-21', '2026-11-22', '2026-11-26', '2026-07-03']) {
      assert.isFalse(isEdgarOpen(utc(`${day}T17:00:00`)), day)
    }
    assert.isTrue(isEdgarOpen(utc('2026-11-27T17:00:00')))
  })

  it('agree with the time zone data of the machine', () => {
    const clock = new Intl.DateTimeFormat('en-CA', {
      timeZone: 'America/New_York',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
    })
    fc.assert(
      fc.property(fc.integer({ min: utc('2007-01-01T00:00:00'), max: utc('2040-01-01T00:00:00') }), (at) => {
        const part = Object.fromEntries(clock.formatToParts(at * 1000).map(({ type, value }) => [type, value]))
        const hours = part['hour']! >= '06' && part['hour']! < '22'
        const open = hours && isBusinessDay(`${part['year']}-${part['month']}-${part['day']}`)
        assert.strictEqual(isEdgarOpen(at), open)
      }),
      { numRuns: 300 },
    )
  })

  it('let the poller look every 10 seconds, a while longer than they are open, else every minute', () => {
    const waits: [instant: string, wait: number][] = [
      ['2026-11-18T11:00:00', 10],
      ['2026-11-18T21:30:00', 10],
      ['2026-11-19T03:00:00', 10],
      ['2026-11-19T03:09:59', 10],
      ['2026-11-19T03:10:00', 60],
      ['2026-11-19T05:00:00', 60],
      ['2026-11-19T10:58:30', 60],
      ['2026-11-19T10:59:30', 30],
      ['2026-11-19T10:59:59', 1],
      ['2026-11-21T17:00:00', 60],
      ['2026-11-26T17:00:00', 60],
    ]
    for (const [instant, wait] of waits) assert.strictEqual(pollWait(utc(instant)), wait, instant)
  })

  it('never let the poller sleep over an opening', () => {
    fc.assert(
      fc.property(fc.integer({ min: utc('2024-01-01T00:00:00'), max: utc('2028-01-01T00:00:00') }), (at) => {
        const wait = pollWait(at)
        assert.isTrue(wait >= 1 && wait <= 60)
        for (let step = 1; step < wait; step += 1) assert.isTrue(isEdgarOpen(at) || !isEdgarOpen(at + step))
      }),
      { numRuns: 300 },
    )
  })

  it('make silence suspicious after two open hours only', () => {
    const closing = utc('2026-11-21T02:59:00')
    // Friday night to Monday morning: a minute on Friday counts, the weekend does not.
    assert.isFalse(isSilenceSuspicious(utc('2026-11-22T17:00:00'), closing))
    assert.isFalse(isSilenceSuspicious(utc('2026-11-23T12:59:00'), closing))
    assert.isTrue(isSilenceSuspicious(utc('2026-11-23T12:59:01'), closing))
    assert.isFalse(isSilenceSuspicious(utc('2026-11-18T18:00:00'), utc('2026-11-18T16:00:00')))
    assert.isTrue(isSilenceSuspicious(utc('2026-11-18T18:00:01'), utc('2026-11-18T16:00:00')))
    assert.isTrue(isSilenceSuspicious(utc('2026-11-18T18:00:00'), null))
    assert.isTrue(isSilenceSuspicious(utc('2026-11-18T18:00:00'), 0))
    assert.isFalse(isSilenceSuspicious(utc('2026-11-18T18:00:00'), utc('2026-11-18T18:05:00')))
  })

  it('name the business day before', () => {
    const before: [date: string, earlier: string][] = [
      ['2026-11-20', '2026-11-19'],
      ['2026-11-23', '2026-11-20'],
      ['2026-11-22', '2026-11-20'],
      ['2026-11-27', '2026-11-25'],
      ['2027-01-04', '2026-12-31'],
      ['2026-07-06', '2026-07-02'],
    ]
    for (const [date, earlier] of before) assert.strictEqual(previousBusinessDay(date), earlier, date)
  })
})
