// Clusters: who and what counts, the window, severity, growth, and what amendments do to them.
import { assert } from 'chai'
import { parseRules } from '../../../../../src/domain/signals/rule-thresholds.ts'
import type { SignalTrade } from '../../../../../src/domain/signals/signal.ts'
import {
  accession,
  at,
  bought,
  cik,
  detected,
  ofType,
  reasonFor,
  sold,
  takenAway,
} from '../../../../support/signals/signal-cases.ts'

const buys = (trades: SignalTrade[]) => ofType('cluster_buy', trades)
const sells = (trades: SignalTrade[]) => ofType('cluster_sell', trades)
const three = (last = '2024-03-10', dollars = 50_000) => [
  bought(1, '2024-03-01', dollars),
  bought(2, '2024-03-05', dollars),
  bought(3, last, dollars),
]

describe('cluster signals', () => {
  describe('opening', () => {
    it('takes three persons within 14 days', () => {
      const trades = three()
      const [signal, ...others] = buys(trades)
      assert.isEmpty(others)
      assert.deepInclude(signal, {
        id: `cluster_buy-990100-${trades[0]!.id}`,
        type: 'cluster_buy',
        direction: 'buy',
        issuerCik: '0000990100',
        severity: 'medium',
        detectedAt: at('2024-03-10'),
        changedAt: at('2024-03-10'),
        endedAt: null,
        insiderCount: 3,
        totalCents: 15_000_000,
        firstDay: '2024-03-01',
        lastDay: '2024-03-10',
        prices: [10, 10],
        counted: trades.map(({ id }) => id),
        leftOut: [],
        persons: [1, 2, 3].map((who) => ({ cik: cik(who), name: `Name ${who}`, role: 'director', cents: 5_000_000 })),
        evidence: { kind: 'cluster', officers: 0, chief: false },
      })
      assert.deepEqual(signal!.history, [
        {
          at: at('2024-03-10'),
          accession: trades[2]!.accession,
          severity: 'medium',
          insiderCount: 3,
          totalCents: 15_000_000,
        },
      ])
    })

    it('finds none with two', () => assert.isEmpty(buys([...three().slice(0, 2), bought(2, '2024-03-06', 90_000)])))

    for (const [day, count] of [
      ['2024-03-14', 1],
      ['2024-03-15', 1],
      ['2024-03-16', 0],
    ] as const) {
      it(`finds ${count} where the last trade is on ${day}`, () => assert.lengthOf(buys(three(day)), count))
    }

    it('asks 10,000 dollars of each in sum', () => {
      const others = three().slice(0, 2)
      assert.lengthOf(buys([...others, bought(3, '2024-03-10', 10_000)]), 1)
      assert.isEmpty(buys([...others, bought(3, '2024-03-10', 9_999.99)]))
      assert.lengthOf(buys([...others, bought(3, '2024-03-10', 9_999.99), bought(3, '2024-03-11', 0.01)]), 1)
    })

    it('asks 100,000 dollars of each for sales', () => {
      const sales = (dollars: number) => [1, 2, 3].map((who) => sold(who, '2024-03-01', who === 3 ? dollars : 100_000))
      assert.lengthOf(sells(sales(100_000)), 1)
      assert.isEmpty(sells(sales(99_999.99)))
    })

    it('does not mix buys and sales', () => {
      assert.isEmpty(
        detected([bought(1, '2024-03-01', 40_000), bought(2, '2024-03-01', 40_000), sold(3, '2024-03-01', 40_000)]),
      )
    })

    it('starts at the earliest day that completes it, not at trades before that', () => {
      const [early, ...rest] = [
        bought(1, '2024-03-01', 50_000),
        bought(2, '2024-03-14', 50_000),
        bought(3, '2024-03-16', 50_000),
        bought(4, '2024-03-20', 50_000),
      ]
      const [signal] = buys([early, ...rest])
      assert.strictEqual(signal!.firstDay, '2024-03-14')
      assert.strictEqual(signal!.detectedAt, at('2024-03-20'))
      assert.isUndefined(reasonFor(signal, early))
    })

    it('needs a counted trade on its first day', () => {
      const small = bought(9, '2024-03-01', 500)
      const [signal] = buys([small, ...[5, 6, 7].map((who) => bought(who, '2024-03-04', 50_000))])
      assert.strictEqual(signal!.firstDay, '2024-03-04')
      assert.isEmpty(signal!.leftOut)
    })
  })

  describe('who and what counts', () => {
    const left: [reason: string, parts: Partial<SignalTrade>][] = [
      ['plan', { plan: 'yes' }],
      ['ten_percent_owner', { tenPercentOnly: true }],
      ['suspect_price', { priceStatus: 'suspect' }],
      ['suspect_price', { suspectUntil: at('2024-03-02') + 60 }],
      ['foreign_price', { priceStatus: 'foreign' }],
      ['no_price', { priceStatus: 'zero', valueCents: 0 }],
      ['no_price', { priceStatus: 'footnote_only', valueCents: 0 }],
      ['issuer_itself', { byIssuer: true }],
      ['contradictory_code', { direction: null }],
      ['duplicate', { duplicateOf: 'another' }],
      ['below_minimum', { valueCents: 999_999 }],
      ['superseded', { supersededBy: '0000990200-24-900000', supersededAt: at('2024-03-02') }],
    ]
    for (const [reason, parts] of left) {
      it(`not a trade that is left out as ${reason} (${JSON.stringify(parts)})`, () => {
        const odd = bought(4, '2024-03-02', 50_000, parts)
        assert.isEmpty(buys([odd, bought(1, '2024-03-01', 50_000), bought(2, '2024-03-03', 50_000)]))
        const [signal] = buys([odd, ...three()])
        assert.strictEqual(signal!.insiderCount, 3)
        assert.deepEqual(signal!.leftOut, [{ id: odd.id, reason }])
      })
    }

    it('nor one without a possible day, nor one filed later than the last detection', () => {
      const [signal] = buys([
        ...three(),
        bought(4, '2024-03-02', 50_000, { day: null }),
        bought(5, '2024-03-06', 100, { plan: 'yes', filedDay: '2024-04-01' }),
      ])
      assert.isEmpty(signal!.leftOut)
    })

    it('of several reasons the first', () => {
      for (const [reason, parts] of [
        ['duplicate', { plan: 'yes', tenPercentOnly: true, duplicateOf: 'another' }],
        ['duplicate', { duplicateOf: 'another', direction: null }],
        ['foreign_price', { plan: 'yes', priceStatus: 'foreign' }],
        ['plan', { plan: 'yes', tenPercentOnly: true }],
      ] as const) {
        const odd = bought(4, '2024-03-02', 50_000, parts)
        assert.strictEqual(reasonFor(buys([odd, ...three()])[0], odd), reason)
      }
    })

    it('nor one of the other direction, which is left out without a reason', () => {
      assert.isEmpty(buys([...three(), sold(4, '2024-03-02', 70_000)])[0]!.leftOut)
    })

    it('a trade of which no plan is known', () => {
      assert.lengthOf(buys(three().map((trade) => ({ ...trade, plan: 'unknown' }))), 1)
    })

    it('not the plan part of a person who also trades outside it', () => {
      const planned = bought(3, '2024-03-10', 9_000, { plan: 'yes' })
      assert.isEmpty(buys([...three().slice(0, 2), planned, bought(3, '2024-03-10', 9_000)]))
    })
  })

  describe('severity', () => {
    const severity = (
      count: number,
      dollars: number,
      first: Partial<SignalTrade> = {},
      second: Partial<SignalTrade> = {},
    ): string =>
      buys(
        Array.from({ length: count }, (_, who) => bought(who + 1, '2024-03-01', dollars, [first, second][who] ?? {})),
      )[0]!.severity
    it('goes by persons', () => {
      assert.deepEqual(
        [3, 4, 5, 6].map((count) => severity(count, 400_000)),
        ['medium', 'high', 'critical', 'critical'],
      )
    })
    it('is high for three with two officers', () => {
      assert.strictEqual(severity(3, 100_000, { officer: true }), 'medium')
      assert.strictEqual(severity(3, 100_000, { officer: true }, { officer: true }), 'high')
    })
    it('is raised by officers only where the persons are the fewest', () => {
      const rules = parseRules({
        cluster_buy: {
          severities: [
            { from: 3, severity: 'low' },
            { from: 5, severity: 'high' },
          ],
        },
      })
      const by = (count: number) =>
        detected(
          Array.from({ length: count }, (_, who) => bought(who + 1, '2024-03-01', 90_000, { officer: true })),
          [],
          rules,
        )[0]!.severity
      assert.deepEqual([by(3), by(4)], ['high', 'low'])
    })
    it('is critical for four with the CEO or CFO', () => {
      assert.strictEqual(severity(4, 250_000, { isCeoOrCfo: true }), 'critical')
      assert.strictEqual(severity(3, 400_000, { isCeoOrCfo: true }), 'medium')
    })
    it('is limited by the total', () => {
      assert.strictEqual(severity(4, 24_999.99), 'low')
      assert.strictEqual(severity(4, 25_000), 'medium')
      assert.strictEqual(severity(9, 11_000), 'low')
      assert.strictEqual(severity(4, 62_499.99), 'medium')
      assert.strictEqual(severity(4, 62_500), 'high')
      assert.strictEqual(severity(5, 199_999.99), 'high')
      assert.strictEqual(severity(5, 200_000), 'critical')
    })
    it('is one step lower for sales', () => {
      const sale = (count: number, parts: Partial<SignalTrade> = {}, dollars = 4_000_000) =>
        sells(Array.from({ length: count }, (_, who) => sold(who + 1, '2024-03-01', dollars, parts)))[0]!.severity
      assert.deepEqual(
        [3, 4, 5].map((count) => sale(count)),
        ['low', 'medium', 'high'],
      )
      assert.deepEqual(
        [199_999.99, 200_000, 499_999.99, 500_000, 1_999_999, 2_000_000].map((dollars) => sale(5, {}, dollars)),
        ['low', 'medium', 'medium', 'high', 'high', 'high'],
      )
      assert.strictEqual(sale(3, { officer: true }), 'medium')
      assert.strictEqual(sale(4, { isCeoOrCfo: true }), 'high')
    })
  })

  describe('growth', () => {
    it('keeps id and detection while it escalates', () => {
      const trades = [...three(), bought(4, '2024-03-12', 100_000), bought(5, '2024-03-15', 750_000)]
      const [before] = buys(trades.slice(0, 3))
      const [signal, ...others] = buys(trades)
      assert.isEmpty(others)
      assert.deepInclude(signal, {
        id: before!.id,
        detectedAt: before!.detectedAt,
        severity: 'critical',
        insiderCount: 5,
        totalCents: 100_000_000,
        changedAt: at('2024-03-15'),
        lastDay: '2024-03-15',
      })
      assert.deepEqual(
        signal!.history.map(({ severity, insiderCount }) => [severity, insiderCount]),
        [
          ['medium', 3],
          ['high', 4],
          ['critical', 5],
        ],
      )
    })

    it('takes in a trade of the window that is filed late, before its first counted one too', () => {
      const late = bought(9, '2024-03-01', 20_000, { filedDay: '2024-06-01' })
      const [signal] = buys([...three(), late])
      assert.strictEqual(signal!.insiderCount, 4)
      assert.strictEqual(signal!.changedAt, at('2024-06-01'))
    })

    it('leaves what is after the window to another, without trades already counted', () => {
      const more = [4, 5].map((who) => bought(who, '2024-03-16', 50_000))
      assert.lengthOf(buys([...three(), ...more]), 1)
      const [first, second] = buys([...three(), ...more, bought(1, '2024-03-20', 50_000)])
      assert.strictEqual(first!.insiderCount, 3)
      assert.strictEqual(second!.firstDay, '2024-03-16')
      assert.strictEqual(second!.insiderCount, 3)
    })

    it('leaves out of a later opened one what an earlier opened one holds', () => {
      const held = three()
      const before = [7, 8, 9].map((who) => bought(who, '2024-02-25', 50_000, { filedDay: '2024-04-01' }))
      const [first, second] = buys([...held, ...before])
      assert.strictEqual(first!.firstDay, '2024-03-01')
      assert.strictEqual(second!.insiderCount, 3)
      assert.deepEqual(
        second!.leftOut,
        held.map(({ id }) => ({ id, reason: 'other_cluster' })),
      )
    })

    it('adds below the minimum without counting', () => {
      const small = bought(4, '2024-03-12', 9_999)
      const [signal] = buys([...three(), small])
      assert.deepInclude(signal, {
        insiderCount: 3,
        changedAt: at('2024-03-12'),
        leftOut: [{ id: small.id, reason: 'below_minimum' }],
      })
      assert.lengthOf(signal!.history, 1)
    })

    it('has the name as in the newest filing', () => {
      const again = bought(2, '2024-03-12', 5, { insiderName: 'New Name' })
      assert.strictEqual(buys([...three(), again])[0]!.persons[1]!.name, 'New Name')
    })
  })

  describe('amendments', () => {
    it('end a cluster that falls below the rule', () => {
      const [one, two, gone] = three()
      const by = accession()
      const [signal] = buys([one!, two!, takenAway(gone!, by, '2024-04-01')])
      assert.deepInclude(signal, {
        endedAt: at('2024-04-01'),
        changedAt: at('2024-04-01'),
        insiderCount: 3,
        severity: 'medium',
      })
      assert.lengthOf(signal!.history, 1)
    })

    it('correct one that still holds', () => {
      const [one, two, gone] = three()
      const by = accession()
      const corrected = bought(3, '2024-03-10', 20_000, { accession: by, filedDay: '2024-04-01' })
      const [signal, ...others] = buys([one!, two!, takenAway(gone!, by, '2024-04-01'), corrected])
      assert.isEmpty(others)
      assert.deepInclude(signal, {
        endedAt: null,
        totalCents: 12_000_000,
        detectedAt: at('2024-03-10'),
        changedAt: at('2024-04-01'),
      })
      assert.strictEqual(reasonFor(signal, gone!), 'superseded')
      assert.deepEqual(
        signal!.history.map(({ totalCents }) => totalCents),
        [15_000_000, 12_000_000],
      )
    })

    it('lower its severity', () => {
      const by = accession()
      const fourth = takenAway(bought(4, '2024-03-11', 100_000), by, '2024-04-01')
      const [signal] = buys([...three(), fourth])
      assert.strictEqual(signal!.severity, 'medium')
      assert.deepEqual(
        signal!.history.map(({ severity }) => severity),
        ['medium', 'high', 'medium'],
      )
    })

    it('let it be the same signal again when it is completed again', () => {
      const [one, two, gone] = three()
      const again = bought(4, '2024-03-11', 50_000, { filedDay: '2024-05-01' })
      const [signal, ...others] = buys([one!, two!, takenAway(gone!, accession(), '2024-04-01'), again])
      assert.isEmpty(others)
      assert.deepInclude(signal, {
        endedAt: null,
        detectedAt: at('2024-03-10'),
        changedAt: at('2024-05-01'),
        counted: [one!.id, two!.id, again.id],
      })
      assert.lengthOf(signal!.history, 1, 'count, sum and severity are as before')
    })

    it('free the trades of one that ends for another', () => {
      const [first, two, third] = three()
      const by = accession()
      const others = [bought(4, '2024-03-18', 50_000, { accession: by, filedDay: '2024-04-01' })]
      const signals = buys([takenAway(first!, by, '2024-04-01'), two!, third!, ...others])
      assert.deepEqual(
        signals.map(({ endedAt, firstDay }) => [endedAt, firstDay]),
        [
          [at('2024-04-01'), '2024-03-01'],
          [null, '2024-03-05'],
        ],
      )
    })

    it('hand the trades of one that ends to one opened later, which counts them once it is touched', () => {
      const [first, second, third] = three()
      const before = [7, 8, 9].map((who) => bought(who, '2024-02-25', 50_000, { filedDay: '2024-03-20' }))
      const trades = [takenAway(first!, accession(), '2024-04-01'), second!, third!, ...before]
      const untouched = buys(trades)[1]
      assert.deepInclude(untouched!, { insiderCount: 3, changedAt: at('2024-03-20') })
      const [ended, grown, ...others] = buys([...trades, bought(7, '2024-02-26', 50, { filedDay: '2024-05-01' })])
      assert.isEmpty(others)
      assert.strictEqual(ended!.endedAt, at('2024-04-01'))
      assert.deepInclude(grown!, { insiderCount: 5, changedAt: at('2024-05-01') })
    })

    it('before the trades they amend leave them out from the start', () => {
      const [one, two, gone] = three()
      assert.isEmpty(buys([one!, two!, takenAway(gone!, accession(), '2024-02-01')]))
    })
  })
})
