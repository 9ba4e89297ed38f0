// Signals about one person: unusual size, trades of the CEO, reversals. Each at its thresholds.
import { assert } from 'chai'
import { addDays } from '../../../../../src/domain/shared/calendar.ts'
import type { JointFiling, SignalTrade } from '../../../../../src/domain/signals/signal.ts'
import type { Severity } from '../../../../../src/domain/trades/significance.ts'
import {
  accession,
  at,
  bought,
  jointly,
  ofType,
  reasonFor,
  sold,
  takenAway,
} from '../../../../support/signals/signal-cases.ts'

const DAY = '2024-03-01'
const unusual = (trades: SignalTrade[]) => ofType('unusual_size', trades)
const ceo = (trades: SignalTrade[]) => ofType('ceo_trade', trades)
const reversals = (trades: SignalTrade[]) => ofType('reversal', trades)

describe('signals of unusual size', () => {
  /** Two earlier sales with a mean of 50,000. */
  const earlier = () => [sold(1, '2023-01-10', 20_000), sold(1, '2023-02-10', 80_000)]

  it('is graded by the own mean, step by step', () => {
    const found = (dollars: number) => unusual([...earlier(), sold(1, DAY, dollars)])[0]
    assert.isUndefined(found(149_999.99))
    const steps: [dollars: number, severity: Severity, ratio: number][] = [
      [150_000, 'low', 3],
      [249_999.99, 'low', 4.9],
      [250_000, 'medium', 5],
      [499_999.99, 'medium', 9.9],
      [500_000, 'high', 10],
      [999_999.99, 'high', 19.9],
      [1_000_000, 'critical', 20],
    ]
    for (const [dollars, severity, ratio] of steps) {
      assert.deepInclude(
        found(dollars)!,
        { severity, evidence: { kind: 'own-mean', mean: 5_000_000, trades: 2, ratio } },
        String(dollars),
      )
    }
  })

  it('is exact where products pass 2^53', () => {
    // Three times the sum is 2^53 + 1, which doubles take for 2^53.
    const large = [3_000_000_000_000_000, 2_399_751_580_331].map((cents, n) =>
      sold(1, `2023-0${n + 1}-10`, 1, { valueCents: cents }),
    )
    const found = (cents: number) =>
      unusual([...large, sold(1, DAY, 1, { valueCents: cents })]).filter(({ firstDay }) => firstDay === DAY).length
    assert.strictEqual(found(2 ** 52), 0)
    assert.strictEqual(found(2 ** 52 + 1), 1)
  })

  it('has id, person and counted trades', () => {
    const trade = sold(1, DAY, 150_000)
    assert.deepInclude(unusual([...earlier(), trade])[0], {
      id: `unusual_size-990100-1-${DAY}-sell`,
      direction: 'sell',
      insiderCount: 1,
      totalCents: 15_000_000,
      firstDay: DAY,
      lastDay: DAY,
      persons: [{ cik: '0000000001', name: 'Name 1', role: 'director', cents: 15_000_000 }],
      prices: [10, 10],
      counted: [trade.id],
      leftOut: [],
    })
  })

  it('needs 50,000 dollars', () => {
    const small = [bought(1, '2023-01-10', 100), bought(1, '2023-02-10', 100)]
    assert.lengthOf(unusual([...small, bought(1, DAY, 50_000)]), 1)
    assert.isEmpty(unusual([...small, bought(1, DAY, 49_999.99)]))
  })

  it('takes one day as one trade, earlier ones too', () => {
    assert.lengthOf(unusual([...earlier(), sold(1, DAY, 75_000), sold(1, DAY, 75_000)]), 1)
    assert.isEmpty(
      unusual([sold(1, '2023-01-10', 20_000), sold(1, '2023-01-10', 20_000), sold(1, DAY, 900_000)]),
      'one earlier trade',
    )
  })

  it('goes by the same direction only', () => {
    assert.isEmpty(unusual([...earlier(), bought(1, DAY, 900_000)]))
  })

  it('counts plan trades as history and raises none by them', () => {
    const planned = earlier().map((trade): SignalTrade => ({ ...trade, plan: 'yes' }))
    assert.lengthOf(unusual([...planned, sold(1, DAY, 150_000)]), 1)
    assert.isEmpty(unusual([...earlier(), sold(1, DAY, 900_000, { plan: 'yes' })]))
    const part = sold(1, DAY, 800_000, { plan: 'yes' })
    assert.isEmpty(unusual([...earlier(), part, sold(1, DAY, 149_999)]))
    assert.strictEqual(reasonFor(unusual([...earlier(), part, sold(1, DAY, 150_000)])[0], part), 'plan')
  })

  it('counts a trade of a pure 10 % owner', () => {
    assert.lengthOf(
      unusual([...earlier(), sold(1, DAY, 150_000)].map((trade) => ({ ...trade, tenPercentOnly: true }))),
      1,
    )
  })

  it('does not know what is filed later, nor reach back when it comes', () => {
    const late = sold(1, '2023-02-10', 80_000, { filedDay: '2024-03-02' })
    assert.isEmpty(unusual([sold(1, '2023-01-10', 20_000), sold(1, DAY, 900_000), late]))
    const small = sold(1, '2023-03-10', 2_000_000, { filedDay: '2024-03-02' })
    assert.deepInclude(
      unusual([...earlier(), sold(1, DAY, 900_000), small]).find(({ firstDay }) => firstDay === DAY),
      { severity: 'high', endedAt: null, changedAt: at(DAY) },
    )
  })

  describe('by the trades of the company', () => {
    /** So many of other persons, 1,000 dollars apart from 1,000 on. */
    const company = (count: number, last = '2024-02-28') =>
      Array.from({ length: count }, (_, n) => bought(100 + n, addDays(last, -10 * n), 1000 * (n + 1)))

    it('needs 20 others', () => {
      assert.isEmpty(unusual([...company(19), bought(1, DAY, 60_000)]))
      assert.deepInclude(unusual([...company(20), bought(1, DAY, 60_000)])[0], {
        severity: 'medium',
        evidence: { kind: 'percentile', percentile: 2_000_000, trades: 20 },
      })
    })

    it('is above the nearest rank', () => {
      // Of 40 the 39th, of 41 the 40th: the largest one may be larger.
      const found = (count: number, second: number) =>
        unusual([
          ...company(count - 2),
          bought(98, '2024-01-01', 900_000),
          bought(99, '2024-01-02', second),
          bought(1, DAY, 60_000),
        ]).filter(({ firstDay }) => firstDay === DAY).length
      assert.strictEqual(found(40, 59_999.99), 1)
      assert.strictEqual(found(40, 60_000), 0)
      assert.strictEqual(found(41, 59_999.99), 1)
      // Of 39 it is the 39th.
      assert.strictEqual(found(39, 500), 0)
    })

    it('asks of three years up to the day itself, in that direction', () => {
      const others = company(19)
      assert.lengthOf(unusual([...others, bought(98, '2021-03-01', 10), bought(1, DAY, 60_000)]), 1)
      assert.isEmpty(unusual([...others, bought(98, '2021-02-28', 10), bought(1, DAY, 60_000)]))
      assert.lengthOf(unusual([...others, bought(98, DAY, 10), bought(1, DAY, 60_000)]), 1)
      assert.isEmpty(
        unusual([...others, bought(98, '2024-03-02', 10, { filedDay: '2024-02-01' }), bought(1, DAY, 60_000)]),
      )
      assert.isEmpty(unusual([...others, sold(98, '2024-02-01', 10), bought(1, DAY, 60_000)]))
    })

    it('takes persons as they are by then', () => {
      const others = [...company(18), bought(98, '2024-02-05', 100), bought(99, '2024-02-05', 100)]
      // This one looks at all the others while they are two persons.
      const before = bought(97, '2024-02-29', 70_000)
      const found = (joint: JointFiling[], rows = others) =>
        ofType('unusual_size', [...rows, before, bought(1, DAY, 90_000)], joint).map(({ evidence }) =>
          evidence.kind === 'percentile' ? evidence.trades : 0,
        )
      assert.deepEqual(found([]), [20, 21])
      assert.deepEqual(found([jointly([98, 99], DAY)]), [20, 20])
    })

    it('only with fewer than two own earlier ones', () => {
      const others = company(20)
      assert.lengthOf(unusual([...others, bought(1, '2020-01-01', 30_000), bought(1, DAY, 60_000)]), 1)
      const own = [bought(1, '2020-01-01', 30_000), bought(1, '2020-02-01', 30_000)]
      assert.isEmpty(unusual([...others, ...own, bought(1, DAY, 60_000)]))
    })
  })

  it('ends, is corrected and comes again by amendments', () => {
    const by = accession()
    const trade = takenAway(sold(1, DAY, 300_000), by, '2024-04-01')
    assert.deepInclude(unusual([...earlier(), trade])[0], { severity: 'medium', endedAt: at('2024-04-01') })
    const corrected = sold(1, DAY, 160_000, { accession: by, filedDay: '2024-04-01' })
    const [signal, ...others] = unusual([...earlier(), trade, corrected])
    assert.isEmpty(others)
    assert.deepInclude(signal, {
      severity: 'low',
      endedAt: null,
      detectedAt: at(DAY),
      changedAt: at('2024-04-01'),
      counted: [corrected.id],
    })
    assert.strictEqual(reasonFor(signal, trade), 'superseded')
    const again = sold(1, DAY, 600_000, { filedDay: '2024-06-01' })
    const revived = unusual([...earlier(), trade, again])
    assert.lengthOf(revived, 1)
    assert.deepInclude(revived[0], {
      severity: 'high',
      endedAt: null,
      detectedAt: at(DAY),
      changedAt: at('2024-06-01'),
    })
    assert.deepEqual(
      revived[0]!.history.map(({ severity }) => severity),
      ['medium', 'high'],
    )
  })
})

describe("signals of a CEO's trade", () => {
  it('go by their sum', () => {
    const severities = (trade: typeof bought, dollars: number[]) =>
      dollars.map((sum) => ceo([trade(1, DAY, sum, { ceo: true })])[0]?.severity ?? 'none')
    assert.deepEqual(
      severities(bought, [24_999.99, 25_000, 99_999.99, 100_000, 999_999.99, 1_000_000, 4_999_999.99, 5_000_000]),
      ['none', 'low', 'low', 'medium', 'medium', 'high', 'high', 'critical'],
    )
    assert.deepEqual(severities(sold, [999_999.99, 1_000_000, 9_999_999.99, 10_000_000, 49_999_999.99, 50_000_000]), [
      'none',
      'low',
      'low',
      'medium',
      'medium',
      'high',
    ])
  })

  it("are no one else's", () => assert.isEmpty(ceo([bought(1, DAY, 900_000, { isCeoOrCfo: true, officer: true })])))

  it('by plan count for buys only', () => {
    assert.lengthOf(ceo([bought(1, DAY, 25_000, { ceo: true, plan: 'yes' })]), 1)
    assert.isEmpty(ceo([sold(1, DAY, 2_000_000, { ceo: true, plan: 'yes' })]))
    const [planned, own] = [sold(1, DAY, 900_000, { ceo: true, plan: 'yes' }), sold(1, DAY, 1_000_000, { ceo: true })]
    const [signal] = ceo([planned, own])
    assert.deepInclude(signal, {
      id: `ceo_trade-990100-1-${DAY}-sell`,
      totalCents: 100_000_000,
      counted: [own.id],
      evidence: { kind: 'ceo' },
      leftOut: [{ id: planned.id, reason: 'plan' }],
    })
  })

  it('add up over a day and grow with what is filed later', () => {
    const [signal] = ceo([
      bought(1, DAY, 20_000, { ceo: true }),
      bought(1, DAY, 5_000, { ceo: true }),
      bought(1, DAY, 75_000, { ceo: true, filedDay: '2024-03-04' }),
    ])
    assert.deepEqual(
      signal!.history.map(({ severity, totalCents }) => [severity, totalCents]),
      [
        ['low', 2_500_000],
        ['medium', 10_000_000],
      ],
    )
    assert.isEmpty(ceo([bought(1, DAY, 20_000, { ceo: true }), bought(1, '2024-03-02', 20_000, { ceo: true })]))
  })
})

describe('signals of a reversal', () => {
  const sales = (...days: string[]) => days.map((day) => sold(1, day, 1000))

  it('are against two trades of 24 months', () => {
    const found = (...days: string[]) => reversals([...sales(...days), bought(1, DAY, 500)]).length
    assert.strictEqual(found('2022-03-01', '2023-06-01'), 1)
    assert.strictEqual(found('2022-02-28', '2023-06-01'), 0)
    assert.strictEqual(found('2023-06-01'), 0)
    assert.strictEqual(found('2023-06-01', '2023-06-01'), 0, 'one day is one trade')
    assert.strictEqual(found('2023-06-01', DAY), 0, 'the same day is not earlier')
  })

  it('have no own trade in 12 months', () => {
    const found = (own: string) =>
      reversals([...sales('2023-06-01', '2023-07-01'), bought(1, own, 10), bought(1, DAY, 500)]).filter(
        ({ firstDay }) => firstDay === DAY,
      ).length
    assert.strictEqual(found('2023-03-01'), 0)
    assert.strictEqual(found('2023-02-28'), 1)
  })

  it('are medium for a buy, low for a sale', () => {
    assert.deepInclude(reversals([...sales('2023-06-01', '2023-07-01'), bought(1, DAY, 500)])[0], {
      severity: 'medium',
      id: `reversal-990100-1-${DAY}-buy`,
      totalCents: 50_000,
      evidence: { kind: 'reversal', against: 2, last: 2, opposite: 2 },
    })
    assert.strictEqual(
      reversals([bought(1, '2023-06-01', 5), bought(1, '2023-07-01', 5), sold(1, DAY, 500)])[0]!.severity,
      'low',
    )
  })

  it('are a step higher where 80 % of the last ten, at least five, were opposite', () => {
    const months = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11'].map((month) => `2022-${month}-15`)
    const severity = (sold: number, own: number, base = sales('2023-10-01', '2023-11-01')) =>
      reversals([
        ...base,
        ...sales(...months.slice(0, sold)),
        ...Array.from({ length: own }, (_, n) => bought(1, `2022-12-${20 + n}`, 5)),
        bought(1, DAY, 500),
      ]).find(({ firstDay }) => firstDay === DAY)
    assert.strictEqual(severity(2, 0)!.severity, 'medium', 'four')
    assert.strictEqual(severity(3, 0)!.severity, 'high', 'five')
    assert.strictEqual(severity(2, 1)!.severity, 'high', 'four of five')
    assert.strictEqual(severity(1, 1)!.severity, 'medium')
    assert.deepInclude(severity(11, 2), {
      severity: 'high',
      evidence: { kind: 'reversal', against: 11, last: 10, opposite: 8 },
    })
    assert.deepInclude(severity(11, 3), {
      severity: 'medium',
      evidence: { kind: 'reversal', against: 11, last: 10, opposite: 7 },
    })
  })

  it('take buys before sells of one day, newest day first', () => {
    const days = Array.from({ length: 9 }, (_, n) => `2023-0${n + 1}-10`)
    const trades = [
      ...days.map((day) => bought(1, day, 5)),
      bought(1, '2022-11-10', 5),
      sold(1, '2022-11-10', 5),
      sold(1, DAY, 500),
    ]
    assert.deepInclude(reversals(trades).find(({ firstDay }) => firstDay === DAY)!.evidence, { last: 10, opposite: 10 })
  })

  it('are a step higher from a million, and at most critical', () => {
    const severity = (dollars: number, count = 2) =>
      reversals([
        ...sales(...Array.from({ length: count }, (_, n) => `2023-0${n + 4}-01`)),
        bought(1, DAY, dollars),
      ])[0]!.severity
    assert.deepEqual(
      [severity(999_999.99), severity(1_000_000), severity(1_000_000, 5)],
      ['medium', 'high', 'critical'],
    )
  })

  it('count plan trades as history and raise none by them', () => {
    const planned = sales('2023-06-01', '2023-07-01').map((trade): SignalTrade => ({ ...trade, plan: 'yes' }))
    assert.lengthOf(reversals([...planned, bought(1, DAY, 500)]), 1)
    assert.isEmpty(reversals([...planned, bought(1, DAY, 500, { plan: 'yes' })]))
  })

  it('are of one insider', () => {
    assert.isEmpty(reversals([sold(1, '2023-06-01', 5), sold(2, '2023-07-01', 5), bought(1, DAY, 500)]))
  })
})
