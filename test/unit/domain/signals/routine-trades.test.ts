// Routine trades, by what had been accepted before, beside a search through all trades.
import { assert } from 'chai'
import fc from 'fast-check'
import { routineTrades } from '../../../../src/domain/signals/routine-trades.ts'
import type { MarketTrade } from '../../../../src/domain/trades/first-buys.ts'

const OWNERS = ['0000000001', '0000000002']
const routine = routineTrades

function trade(id: string, parts: Partial<MarketTrade>): MarketTrade {
  return {
    ...{ id, accession: id, filedAt: 0, filedDay: '2025-01-01', isDayKnown: true, day: '2025-01-01' },
    ...{ direction: 'buy', ownerCiks: [OWNERS[0]!], byIssuer: false },
    ...{ duplicateOf: '', supersededBy: '', supersededAt: 0 },
    ...parts,
  }
}

/** Looks at all trades for each. */
function plainly(trades: MarketTrade[]): Set<string> {
  const counting = trades.filter(({ day, duplicateOf }) => day !== null && duplicateOf === '')
  const isBefore = (earlier: MarketTrade, { day, filedAt, ownerCiks }: MarketTrade, owner: string, years: number) =>
    ownerCiks.includes(owner) &&
    earlier.ownerCiks.includes(owner) &&
    earlier.day!.slice(0, 7) === `${Number(day!.slice(0, 4)) - years}${day!.slice(4, 7)}` &&
    earlier.filedAt <= filedAt &&
    (earlier.supersededBy === '' || earlier.supersededAt > filedAt)
  return new Set(
    counting
      .filter((each) =>
        OWNERS.some((owner) => [1, 2, 3].every((years) => counting.some((one) => isBefore(one, each, owner, years)))),
      )
      .map(({ id }) => id),
  )
}

const trades = fc
  .array(
    fc.record({
      year: fc.integer({ min: 2021, max: 2024 }),
      month: fc.constantFrom('03', '03', '03', '11'),
      isDated: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
      filedAt: fc.integer({ min: 1, max: 30 }),
      owners: fc.subarray(OWNERS, { minLength: 1 }),
      supersededAt: fc.option(fc.integer({ min: 1, max: 30 }), { freq: 3 }),
      isDuplicate: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    }),
    { minLength: 25, maxLength: 40 },
  )
  .map((all) =>
    all.map(({ year, month, isDated, filedAt, owners, supersededAt, isDuplicate }, number) =>
      trade(`t${number}`, {
        ...{ filedAt, ownerCiks: owners, day: isDated ? `${year}-${month}-10` : null },
        ...{ duplicateOf: isDuplicate ? 'another' : '' },
        ...(supersededAt !== null && { supersededBy: 'amendment', supersededAt: Math.max(filedAt, supersededAt) }),
      }),
    ),
  )

describe('routine trades', () => {
  it('follow trades of the owner in that month of each of the three years before', () => {
    const march = [2022, 2023, 2024, 2025].map((year, at) =>
      trade(`t${year}`, { day: `${year}-03-10`, filedAt: at + 1 }),
    )
    assert.deepEqual([...routine(march)], ['t2025'])
    assert.deepEqual([...routine(march.slice(1))], [])
  })

  it('are those that a search through all trades finds, in any order', () => {
    let found = 0
    fc.assert(
      fc.property(trades, (all) => {
        const expected = plainly(all)
        found += expected.size
        assert.deepEqual([...routine(all)].sort(), [...expected].sort())
        assert.deepEqual([...routine(all.toReversed())].sort(), [...expected].sort())
      }),
    )
    assert.isAbove(found, 50)
  })
})
