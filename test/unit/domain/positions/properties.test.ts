// Positions of random histories, compared with the holdings that the filings were made from, and of hostile sizes.
import { assert } from 'chai'
import fc from 'fast-check'
import type { Evidence } from '../../../../src/domain/positions/evidence.ts'
import { positionsOf, type IssuerPositions } from '../../../../src/domain/positions/positions.ts'
import { isCounted } from '../../../../src/domain/positions/totals.ts'
import { addDays } from '../../../../src/domain/shared/calendar.ts'
import { answer, filed, holders, instantOf, row, told, unitsText } from '../../../support/filings/evidence.ts'

const LINES = ['D', 'I By Trust', 'I By Trust', 'I By Spouse', 'I See footnote']
const START = '2025-01-06'

/** Trades of one day: of each line how many shares, 0 for none. */
const days = fc.array(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 5, maxLength: 5 }), { maxLength: 8 })

/** Returns what is held at the end, and filings that say so: each has all lines of the class. */
function history(trades: number[][], turned: boolean): { held: string[]; filings: Evidence[] } {
  const balances = LINES.map((_, index) => (index + 1) * 1_000_000)
  const state = () => balances.map((balance, index) => `→${balance} ${LINES[index]}`)
  const filings = [filed(`3: ${START}`, state())]
  trades.forEach((moves, index) => {
    const rows = moves.flatMap((moved, line) => {
      if (moved === 0) return []
      // In two parts, the first of one share.
      const sign = Math.sign(moved)
      const parts = Math.abs(moved) > 1 ? [sign, moved - sign] : [moved]
      return parts.map((part) => {
        balances[line]! += part
        return `${part > 0 ? 'P A' : 'S D'} ${Math.abs(part)} →${balances[line]} ${LINES[line]}`
      })
    })
    if (rows.length === 0) return
    const restated = state().filter((_, line) => moves[line] === 0)
    const all = [...rows, ...restated]
    filings.push(filed(`4: ${addDays(START, index + 1)}`, turned ? all.reverse() : all))
  })
  return { held: balances.map(String).sort(), filings }
}

describe('positions of random histories', () => {
  it('equal the actual holdings on every day, all exact', () => {
    fc.assert(
      fc.property(days, fc.boolean(), (trades, turned) => {
        const { held, filings } = history(trades, turned)
        const { positions } = positionsOf(filings, instantOf('2025-12-31'))
        assert.deepEqual(positions.map(({ units }) => unitsText(units)).sort(), held)
        assert.isTrue(
          positions.every(({ status }) => status === 'exact'),
          positions.map(told).join(', '),
        )
        const day = addDays(START, 3)
        const then = history(trades.slice(0, 3), turned)
        assert.deepEqual(answer(filings, day), answer(then.filings, day))
      }),
    )
  })

  const owner = fc.constantFrom('0001999101', '0001999102', '0001999103')
  const told2 = fc.record({
    form: fc.constantFrom('3', '3/A', '4', '4', '4', '4/A', '5'),
    day: fc.integer({ min: 0, max: 20 }),
    late: fc.integer({ min: 0, max: 6 }),
    owners: fc.uniqueArray(owner, { minLength: 1, maxLength: 3 }),
    rows: fc.array(
      fc.constantFrom(
        ...['→100', '→200', '→100 I By Trust', '→150 I See footnote', 'S D 50 →100', 'P A 100 →200', 'S D 100 →0'],
        ...['P A 50 →150 I By Trust', 'S D 10 →140 I', '→1000', '→100 I By Spouse'],
      ),
      { maxLength: 4 },
    ),
    exit: fc.boolean(),
  })
  const papers = fc.array(told2, { maxLength: 12 }).map((all) =>
    all.map(({ form, day, late, owners, rows, exit }, index) => {
      const period = addDays(START, day)
      return filed(`${form}: ${period} ${addDays(period, late)}`, rows, {
        accession: `0001999001-25-${String(index).padStart(6, '0')}`,
        owners: owners.map((cik) => ({ cik, name: `SAMPLE ${cik}`, isTenPercentOwner: true })),
        notSubjectToSection16: exit,
        dateOfOriginalSubmission: form.endsWith('A') ? period : null,
      })
    }),
  )
  const plain = ({ positions, owners }: IssuerPositions) => ({
    positions: positions.map((each) => `${each.owners.join()} ${each.run.evidence.accession} ${told(each)}`).sort(),
    owners: [...owners].sort(([a], [b]) => (a < b ? -1 : 1)),
  })

  it('are the same whatever the order of arrival', () => {
    fc.assert(
      fc.property(
        papers.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const asOf = instantOf('2025-12-31')
          assert.deepEqual(plain(positionsOf(shuffled, asOf)), plain(positionsOf(all, asOf)))
          assert.deepEqual(holders(shuffled), holders(all))
        },
      ),
    )
  })

  it('add up to no more than balances that were reported, each once', () => {
    fc.assert(
      fc.property(papers, (all) => {
        const { positions } = positionsOf(all, instantOf('2025-12-31'))
        const rows = positions.map(({ run }) => run.last)
        assert.strictEqual(new Set(rows).size, rows.length)
        for (const { units, run } of positions) assert.strictEqual(unitsText(units), run.last.after)
        const counted = positions.filter((each) => isCounted(each) && each.sameAs === null)
        const reported = counted.reduce((sum, { units, unitsAdjusted }) => sum + (unitsAdjusted ?? units!), 0n)
        const [held] = holders(all)
        assert.strictEqual(held?.total ?? '0', unitsText(reported))
      }),
    )
  })

  it('take linear time for many lines of one name', () => {
    const rows = Array.from({ length: 300 }, (_, index) => row(`→${index + 1} I By Trust`))
    const filings = Array.from({ length: 40 }, (_, index) => filed(`4: ${addDays(START, index)}`, rows))
    assert.strictEqual(positionsOf(filings, instantOf('2025-12-31')).positions.length, 300)
  })
})
