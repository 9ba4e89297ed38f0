// Which dates of trades are plausible, by the day of filing and by the period of report.
import { assert } from 'chai'
import { tradeFacts } from '../../../../src/domain/trades/extract-trades.ts'
import { tradeDateStatus, type TradeDateStatus } from '../../../../src/domain/trades/trade-date.ts'
import { filingOf, type FilingSpec, type RowSpec } from '../../../support/filings/filing-builder.ts'

const RECEIVED = 1_900_000_000

interface Dated extends Omit<FilingSpec, 'rows'> {
  /** The period of report and the day of filing. */
  period: string | null
  filed: string
}

type RowDates = [TradeDateStatus, businessDays: number | null, late: boolean | null]

/** Returns what is said of the date of each row. */
function datesOf({ period, filed, ...spec }: Dated, ...rows: (string | null | RowSpec)[]): RowDates[] {
  const day = filed.replaceAll('-', '')
  const filing = filingOf({
    ...{ filedAsOf: day, acceptedAt: `${day}163000`, ...spec },
    rows: rows.map((row) => (typeof row === 'string' || row === null ? { date: row } : row)),
  })
  return tradeFacts({ ...filing, periodOfReport: period }, RECEIVED).map((trade) => [
    tradeDateStatus(trade),
    trade.businessDays,
    trade.late,
  ])
}
const statusesOf = (...args: Parameters<typeof datesOf>): string[] => datesOf(...args).map(([status]) => status)

// Tuesday, the 6th, and Wednesday, the 7th.
const JANUARY: Dated = { period: '2026-01-06', filed: '2026-01-07' }
const DOUBTFUL: RowDates = ['doubtful', null, null]
const IMPOSSIBLE: RowDates = ['impossible', null, null]

describe('the date of a trade', () => {
  it('is impossible if there is no such day, it follows the filing or lies over 3 years back', () => {
    const of = (filed: string, ...dates: (string | null)[]) => statusesOf({ period: null, filed }, ...dates)
    const [possible, impossible] = ['plausible', 'impossible']
    assert.deepEqual(of('2024-07-19', '2024-07-19', '2021-07-19', '2023-12-31'), [possible, possible, possible])
    const none = ['2024-07-20', '2021-07-18', '0023-03-23', '2027-02-17', '2024-02-30', '', null]
    for (const date of none) assert.deepEqual(of('2024-07-19', date), [impossible], String(date))
    assert.deepEqual(of('2024-02-29', '2021-02-28', '2021-02-27'), [possible, impossible])
  })

  it('is doubtful if it has another year than the period of report, for which the filing was in time', () => {
    for (const date of ['2025-01-06', '2024-01-06', '2025-01-07', '2025-02-03', '2025-12-06', '2024-12-31'])
      assert.deepEqual(datesOf(JANUARY, date), [DOUBTFUL], date)
    assert.deepEqual(datesOf(JANUARY, '2022-01-06', '2026-02-06'), [IMPOSSIBLE, IMPOSSIBLE])
    assert.deepEqual(datesOf({ period: '2026-01-06', filed: '2026-01-08' }, '2025-01-06'), [DOUBTFUL])
  })

  it('is doubtful around leap days', () => {
    assert.deepEqual(datesOf({ period: '2028-02-29', filed: '2028-03-01' }, '2027-02-28', '2027-03-01'), [
      DOUBTFUL,
      DOUBTFUL,
    ])
    assert.deepEqual(datesOf({ period: '2029-02-28', filed: '2029-03-02' }, '2028-02-29', '2029-02-28'), [
      DOUBTFUL,
      ['plausible', 2, false],
    ])
  })

  it('is doubtful in one row while the others stay as they are', () => {
    assert.deepEqual(datesOf(JANUARY, '2026-01-06', '2025-01-07', '2026-01-07', '2025-01-06'), [
      ['plausible', 1, false],
      DOUBTFUL,
      ['plausible', 0, false],
      DOUBTFUL,
    ])
  })

  it('stays plausible a day or two before the period, over the end of the year, too', () => {
    assert.deepEqual(datesOf(JANUARY, '2026-01-05', '2026-01-02'), [
      ['plausible', 2, false],
      ['plausible', 3, true],
    ])
    // The first of January is a holiday, the third and fourth a weekend.
    assert.deepEqual(datesOf({ period: '2026-01-02', filed: '2026-01-06' }, '2025-12-31', '2025-12-30'), [
      ['plausible', 3, true],
      ['plausible', 4, true],
    ])
    assert.deepEqual(datesOf({ period: '2026-01-05', filed: '2026-01-05' }, '2025-12-31', '2025-12-30'), [
      ['plausible', 2, false],
      DOUBTFUL,
    ])
  })

  it('stays late in a belated filing, whose period is as old or not in time either', () => {
    assert.deepEqual(datesOf({ period: '2025-01-06', filed: '2026-01-07' }, '2025-01-06'), [['plausible', 248, true]])
    assert.deepEqual(datesOf({ period: '2025-11-03', filed: '2026-01-07' }, '2025-01-06'), [['plausible', 248, true]])
    assert.deepEqual(datesOf({ period: '2026-01-06', filed: '2026-01-09' }, '2025-01-06')[0]![0], 'plausible')
  })

  it('says nothing where the period is missing, no day, or after the filing', () => {
    for (const period of [null, '2026-02-30', '0026-01-06', '2027-01-06'])
      assert.deepEqual(datesOf({ ...JANUARY, period }, '2025-01-06'), [['plausible', 248, true]], String(period))
  })

  it('stays plausible in rows that were not due in two days', () => {
    const rows: RowSpec[] = [
      ...[...'JLWZ'].map((code) => ({ code })),
      { code: 'G', acquiredDisposed: 'A' },
      { formType: '5' },
      { timeliness: 'E' },
    ]
    for (const row of rows)
      assert.deepEqual(
        datesOf(JANUARY, { date: '2025-01-06', ...row }),
        [['plausible', 248, null]],
        JSON.stringify(row),
      )
    assert.deepEqual(statusesOf(JANUARY, { date: '2025-01-06', code: 'G', acquiredDisposed: 'D' }), ['doubtful'])
    assert.deepEqual(datesOf({ period: '2002-01-08', filed: '2002-01-09' }, '2001-01-08')[0]![2], null)
    assert.deepEqual(statusesOf({ period: '2002-01-08', filed: '2002-01-09' }, '2001-01-08'), ['plausible'])
  })

  it('stays plausible where the day of deemed execution makes it timely', () => {
    const filing: Dated = { period: '2026-01-08', filed: '2026-01-09' }
    assert.deepEqual(datesOf(filing, { date: '2026-01-05', deemedExecutionDate: '2026-01-08' }), [
      ['plausible', 4, false],
    ])
    assert.deepEqual(datesOf(filing, { date: '2026-01-05' }), [DOUBTFUL])
    assert.deepEqual(datesOf(filing, { date: '2025-01-08', deemedExecutionDate: '2026-01-08' }), [DOUBTFUL])
  })

  it('is doubtful in an amendment by the day on which the original was filed', () => {
    const amended = (filed: string, dateOfOriginalSubmission: string | null, date = '2025-01-06') =>
      statusesOf({ period: '2026-01-06', filed, formType: '4/A', dateOfOriginalSubmission }, date)
    assert.deepEqual(amended('2026-03-02', '2026-01-07'), ['doubtful'])
    assert.deepEqual(amended('2026-01-08', null), ['doubtful'])
    for (const original of [null, '2026-01-09', '2025-01-07', '2026-04-01', '2026-02-30'])
      assert.deepEqual(amended('2026-03-02', original), ['plausible'], String(original))
    assert.deepEqual(amended('2026-03-02', '2026-01-07', '2026-01-05'), ['plausible'])
    // Only an amendment has an original.
    assert.deepEqual(
      statusesOf({ period: '2026-01-06', filed: '2026-03-02', dateOfOriginalSubmission: '2026-01-07' }, '2025-01-06'),
      ['plausible'],
    )
  })

  it('is judged by the day on which the filing counts as filed', () => {
    const late = { period: '2026-01-06', filed: '2026-01-08', filedAsOf: null }
    assert.deepEqual(statusesOf({ ...late, acceptedAt: '20260108215959' }, '2025-01-06'), ['doubtful'])
    assert.deepEqual(statusesOf({ ...late, acceptedAt: '20260108220000' }, '2025-01-06'), ['plausible'])
    // Made out from the signature where nothing else is known.
    const signed = { ...JANUARY, filedAsOf: null, acceptedAt: null, signatures: [{ date: '2026-01-07' }] }
    assert.deepEqual(datesOf(signed, '2025-01-06', '2026-01-06'), [DOUBTFUL, ['plausible', null, null]])
  })
})
