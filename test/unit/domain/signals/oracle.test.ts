// The rules' text as small cases, for the oracle; and detection held against the oracle on random histories.
import { assert } from 'chai'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../../../src/domain/shared/calendar.ts'
import type { Signal, SignalTrade } from '../../../../src/domain/signals/signal.ts'
import { DEFAULT_RULES } from '../../../../src/domain/signals/rule-thresholds.ts'
import { volume } from '../../../support/volume.ts'
import {
  histories,
  ISSUER,
  knownBy,
  otherRules,
  SHAPE_NAMES,
  type History,
  type ShapeName,
} from '../../../support/signals/signal-histories.ts'
import { oracleSignals } from '../../../support/signals/oracle/oracle.ts'
import type { DateText } from '../../../../src/domain/shared/identifiers.ts'
import { detectSignals } from '../../../support/at-once.ts'

/** Day after the first of January 2024, dollars (a sale below 0), and what else differs. */
type Row = [day: number, dollars: number, parts?: Partial<SignalTrade>]

interface Paper {
  /** A letter for each owner. */
  by: string
  rows?: Row[]
  /** Day after the first; else the day of its latest row. */
  filed?: number
  /** The filing, from 1, whose rows it takes away. */
  replaces?: number
  as?: Partial<SignalTrade>
}

const dayAt = (days: number): DateText => addDays('2024-01-01', days)
const cikOf = (letter: string) => String(letter.charCodeAt(0)).padStart(10, '0')
const accessionOf = (filing: number) => `f${String(filing).padStart(2, '0')}`
const at = (days: number) => dayNumber(dayAt(days)) * 86_400 + 17 * 3600

/** Filings in the order given; the second row of the third is `3.2`. Those of a day are accepted a second apart. */
function filed(...papers: Paper[]): History {
  const history: History = { trades: [], joint: [] }
  papers.forEach(({ by, rows = [], filed, replaces, as }, index) => {
    const day = filed ?? Math.max(...rows.map(([day]) => day))
    const filing = {
      accession: accessionOf(index + 1),
      filedAt: at(day) + index,
      filedDay: dayAt(day),
      ownerCiks: [...by].map(cikOf),
      isDayKnown: true,
    }
    const gone = history.trades.filter((row) => replaces !== undefined && row.accession === accessionOf(replaces))
    for (const row of gone) Object.assign(row, { supersededBy: filing.accession, supersededAt: filing.filedAt })
    if (by.length > 1) history.joint.push(filing)
    rows.forEach(([day, dollars, parts], place) => {
      const direction = dollars < 0 ? 'sell' : 'buy'
      history.trades.push({
        ...filing,
        id: `${index + 1}.${place + 1}`,
        place: place + 1,
        day: dayAt(day),
        direction,
        directionByCode: direction,
        valueCents: Math.round(Math.abs(dollars) * 100),
        price: 10,
        priceStatus: 'as_filed',
        sharesStatus: 'as_filed',
        plan: 'no',
        insiderName: `Name ${by}`,
        insiderRole: 'director',
        standing: 'officer_or_director',
        officer: false,
        tenPercentOnly: false,
        ceo: false,
        isCeoOrCfo: false,
        byIssuer: false,
        duplicateOf: '',
        supersededBy: '',
        supersededAt: 0,
        ...as,
        ...parts,
      })
    })
  })
  return history
}

const fromOracle = ({ trades, joint }: History): Signal[] => oracleSignals(ISSUER, trades, joint, DEFAULT_RULES)

/** Of one type; each `id severity persons sum`, and `ended` where it has. */
function told(type: string, ...papers: Paper[]): string[] {
  const signals = fromOracle(filed(...papers)).filter((signal) => signal.type.startsWith(type))
  return signals.map(({ id, severity, insiderCount, totalCents, endedAt }) => {
    const key = id.replace(/^[a-z_]+-700-/, '')
    return `${key} ${severity} ${insiderCount} ${totalCents / 100}${endedAt === null ? '' : ' ended'}`
  })
}

const one = (type: string, ...papers: Paper[]): Signal => {
  const signals = fromOracle(filed(...papers)).filter((signal) => signal.type.startsWith(type))
  assert.lengthOf(signals, 1)
  return signals[0]!
}

const officer = { officer: true }
const ceo = { officer: true, ceo: true, isCeoOrCfo: true }
const plan = { plan: 'yes' as const }
const trade = (by: string, day: number, dollars: number, parts: Partial<SignalTrade> = {}): Paper => ({
  by,
  rows: [[day, dollars, parts]],
})
const three = [trade('A', 1, 40_000), trade('B', 2, 40_000), trade('C', 3, 40_000)]

describe('signal oracle', () => {
  describe('clusters', () => {
    it('open with the third person, and are named for their earliest counted trade', () => {
      const signal = one('cluster', ...three)
      const state = { severity: 'medium', insiderCount: 3, totalCents: 12_000_000 } as const
      assert.deepEqual(signal, {
        id: 'cluster_buy-700-1.1',
        type: 'cluster_buy',
        direction: 'buy',
        issuerCik: ISSUER,
        ...state,
        detectedAt: at(3) + 2,
        changedAt: at(3) + 2,
        endedAt: null,
        firstDay: dayAt(1),
        lastDay: dayAt(3),
        persons: ['A', 'B', 'C'].map((name) => ({
          cik: cikOf(name),
          name: `Name ${name}`,
          role: 'director',
          cents: 4_000_000,
        })),
        prices: [10, 10],
        counted: ['1.1', '2.1', '3.1'],
        leftOut: [],
        evidence: { kind: 'cluster', officers: 0, chief: false },
        history: [{ at: at(3) + 2, accession: 'f03', ...state }],
      })
      assert.deepEqual(told('cluster', ...three.slice(1)), [])
    })

    it('reach over 14 days and no more', () => {
      const until = (day: number) => told('cluster', ...three.slice(0, 2), trade('C', day, 40_000))
      assert.deepEqual(until(15), ['1.1 medium 3 120000'])
      assert.deepEqual(until(16), [])
    })

    it('ask the least sum of each person, over several trades', () => {
      const last = (...rows: Row[]) => told('cluster', ...three.slice(0, 2), { by: 'C', rows })
      assert.deepEqual(last([3, 9_999.99]), [])
      assert.deepEqual(last([3, 10_000]), ['1.1 low 3 90000'])
      assert.deepEqual(last([3, 4_000], [5, 6_000]), ['1.1 low 3 90000'])
      assert.deepEqual(last([3, 4_000], [5, 5_999.99]), [])
    })

    it('begin with a trade that counts, not with one that stays below the minimum', () => {
      assert.deepEqual(told('cluster', trade('D', 0, 500), ...three), ['2.1 medium 3 120000'])
    })

    it('say why a trade around them is not counted, by the first reason', () => {
      const signal = one(
        'cluster',
        trade('D', 1, 70_000, { plan: 'yes', tenPercentOnly: true }),
        trade('E', 1, 70_000, { tenPercentOnly: true }),
        trade('F', 1, 70_000, { byIssuer: true }),
        trade('G', 2, 70_000, { priceStatus: 'suspect' }),
        trade('H', 2, 70_000, { priceStatus: 'foreign', plan: 'yes' }),
        trade('I', 2, 0, { priceStatus: 'zero' }),
        trade('J', 2, 70_000, { duplicateOf: '1.1', direction: null }),
        trade('K', 2, 70_000, { direction: null }),
        trade('L', 2, 9_999),
        trade('M', 2, 70_000),
        { by: 'M', replaces: 10, filed: 3 },
        trade('N', 2, -70_000),
        ...three,
      )
      assert.deepEqual(
        signal.leftOut.map(({ id, reason }) => `${id} ${reason}`),
        [
          '1.1 plan',
          '2.1 ten_percent_owner',
          '3.1 issuer_itself',
          '4.1 suspect_price',
          '5.1 foreign_price',
          '6.1 no_price',
          '7.1 duplicate',
          '8.1 contradictory_code',
          '9.1 below_minimum',
          '10.1 superseded',
        ],
      )
    })

    it('grade by persons, officers, chiefs and the sum', () => {
      const grade = (dollars: number, ...roles: Partial<SignalTrade>[]) =>
        one('cluster', ...roles.map((parts, index) => trade('ABCDE'[index]!, index, dollars, parts))).severity
      assert.strictEqual(grade(40_000, {}, {}, officer), 'medium')
      assert.strictEqual(grade(90_000, {}, officer, officer), 'high')
      assert.strictEqual(grade(90_000, {}, {}, {}, {}), 'high')
      assert.strictEqual(grade(250_000, {}, {}, {}, ceo), 'critical')
      assert.strictEqual(grade(200_000, {}, {}, {}, {}, {}), 'critical')
      assert.strictEqual(grade(199_999, {}, {}, {}, {}, {}), 'high')
      assert.strictEqual(grade(33_333.33, {}, officer, officer), 'low')
      assert.strictEqual(grade(33_333.34, {}, officer, officer), 'medium')
      assert.strictEqual(grade(83_333.34, {}, officer, officer), 'high')
      assert.strictEqual(grade(-625_000, {}, {}, {}, {}), 'medium')
      assert.strictEqual(grade(-500_000, {}, {}, {}, {}, {}), 'high')
      assert.strictEqual(grade(-499_999, {}, {}, {}, {}, {}), 'medium')
      assert.strictEqual(grade(-200_000, {}, {}, {}, {}), 'low')
      assert.strictEqual(grade(-100_000, {}, {}, {}), 'low')
    })

    it('grow, shrink and end with their filings, and come back under their name', () => {
      const grown = [...three, trade('D', 9, 40_000), { by: 'D', replaces: 4, filed: 10 }]
      assert.deepEqual(told('cluster', ...grown), ['1.1 medium 3 120000'])
      const counts = one('cluster', ...grown).history.map((state) => `${state.accession} ${state.insiderCount}`)
      assert.deepEqual(counts, ['f03 3', 'f04 4', 'f05 3'])
      const gone = [...three, { by: 'B', replaces: 2, filed: 8 }]
      assert.deepEqual(told('cluster', ...gone), ['1.1 medium 3 120000 ended'])
      const back = one('cluster', ...gone, trade('B', 9, 60_000))
      assert.deepInclude(back, {
        id: 'cluster_buy-700-1.1',
        detectedAt: at(3) + 2,
        endedAt: null,
        changedAt: at(9) + 4,
        totalCents: 14_000_000,
      })
    })

    it('keep their window, and leave their members to no other', () => {
      const after = [trade('D', 15, 50_000), trade('E', 16, 50_000), trade('F', 17, 50_000)]
      assert.deepEqual(told('cluster', ...three, ...after), ['1.1 medium 4 170000'])
      const late: Paper[] = [
        trade('A', 11, 40_000),
        trade('B', 12, 40_000),
        trade('C', 13, 40_000),
        ...[trade('D', 1, 20_000), trade('E', 2, 20_000), trade('F', 3, 20_000)].map((one) => ({ ...one, filed: 14 })),
      ]
      assert.deepEqual(told('cluster', ...late), ['1.1 medium 3 120000', '4.1 low 3 60000'])
      const second = fromOracle(filed(...late)).at(-1)!
      assert.deepEqual(
        second.leftOut.map(({ id, reason }) => `${id} ${reason}`),
        ['1.1 other_cluster', '2.1 other_cluster', '3.1 other_cluster'],
      )
    })

    it('count those of a joint filing as one for two years, also of a form without trades', () => {
      assert.deepEqual(told('cluster', { by: 'BC', filed: -100 }, ...three), [])
      assert.deepEqual(told('cluster', { by: 'BX', filed: -100 }, { by: 'XC', filed: -90 }, ...three), [])
      assert.deepEqual(told('cluster', { by: 'BC', filed: 3 - 730 }, ...three), [])
      assert.deepEqual(told('cluster', { by: 'BC', filed: 3 - 731 }, ...three), ['2.1 medium 3 120000'])
      assert.deepEqual(told('cluster', ...three, { by: 'BC', filed: 4 }), ['1.1 medium 3 120000'])
      assert.deepEqual(told('cluster', ...three, { by: 'BC', filed: 4 }, trade('A', 5, 1)), [
        '1.1 medium 3 120000 ended',
      ])
    })
  })

  describe('unusual size', () => {
    const before = [trade('A', 1, 20_000), trade('A', 2, 20_000)]
    it('is a multiple of the mean of two earlier trades', () => {
      const then = (dollars: number) => told('unusual', ...before, trade('A', 3, dollars))
      assert.deepEqual(then(59_999.99), [])
      assert.deepEqual(then(60_000), ['65-2024-01-04-buy low 1 60000'])
      assert.deepEqual(
        [100_000, 200_000, 400_000].map((dollars) => then(dollars)[0]!.split(' ')[1]),
        ['medium', 'high', 'critical'],
      )
      assert.deepEqual(one('unusual', ...before, trade('A', 3, 79_999)).evidence, {
        kind: 'own-mean',
        mean: 2_000_000,
        trades: 2,
        ratio: 3.9,
      })
      assert.deepEqual(told('unusual', trade('A', 1, 5_000), trade('A', 2, 5_000), trade('A', 3, 49_999.99)), [])
    })

    it('takes plan trades for history only, and tranches of a day for one trade', () => {
      assert.deepEqual(
        told('unusual', trade('A', 1, 20_000, plan), ...before.slice(1), trade('A', 3, 600_000, plan)),
        [],
      )
      const signal = one('unusual', trade('A', 1, 20_000, plan), ...before.slice(1), {
        by: 'A',
        rows: [
          [3, 30_000],
          [3, 30_000],
          [3, 70_000, plan],
        ],
      })
      assert.deepInclude(signal, {
        severity: 'low',
        totalCents: 6_000_000,
        counted: ['3.1', '3.2'],
        leftOut: [{ id: '3.3', reason: 'plan' }],
      })
    })

    it('does not see what is filed later', () => {
      assert.deepEqual(
        told('unusual', before[0]!, trade('A', 3, 60_000), { by: 'A', rows: [[2, 20_000]], filed: 4 }),
        [],
      )
    })

    it('is graded again when its own filings change, up, down and away', () => {
      const raised = [...before, trade('A', 3, 60_000)]
      assert.deepEqual(told('unusual', ...raised, { by: 'A', replaces: 3, rows: [[3, 50_000]], filed: 5 }), [
        '65-2024-01-04-buy low 1 60000 ended',
      ])
      assert.deepEqual(told('unusual', ...raised, { by: 'A', rows: [[3, 50_000]], filed: 5 }), [
        '65-2024-01-04-buy medium 1 110000',
      ])
      assert.deepEqual(
        told('unusual', ...raised, { by: 'A', replaces: 3, filed: 5 }, { by: 'A', rows: [[3, 70_000]], filed: 6 }),
        ['65-2024-01-04-buy low 1 70000'],
      )
    })

    it('is above the percentile of the company where the person has no history', () => {
      const company = (trades: number) =>
        Array.from({ length: trades }, (_, index) =>
          trade(String.fromCharCode(200 + index), 1 + (index % 9), index === 0 ? 90_000 : 60_000 + index),
        )
      assert.deepEqual(told('unusual', ...company(19), trade('A', 10, 90_000.01)), [])
      assert.deepEqual(told('unusual', ...company(20), trade('A', 10, 90_000)), [])
      assert.deepEqual(told('unusual', ...company(20), trade('A', 10, 90_000.01)), [
        '65-2024-01-11-buy medium 1 90000.01',
      ])
      // Of 40 the rank is 39: the second largest.
      assert.deepEqual(one('unusual', ...company(40), trade('A', 10, 60_040)).evidence, {
        kind: 'percentile',
        percentile: 6_003_900,
        trades: 40,
      })
    })
  })

  describe('trades of the CEO', () => {
    it('are graded by what the CEO bought or, not by plan, sold', () => {
      const grades = (...amounts: number[]) =>
        amounts.map((dollars) => told('ceo', trade('A', 1, dollars, ceo))[0]?.split(' ')[1] ?? '')
      assert.deepEqual(grades(24_999.99, 25_000, 99_999.99, 100_000, 1_000_000, 5_000_000), [
        '',
        'low',
        'low',
        'medium',
        'high',
        'critical',
      ])
      assert.deepEqual(grades(-999_999.99, -1_000_000, -10_000_000, -50_000_000), ['', 'low', 'medium', 'high'])
      assert.deepEqual(told('ceo', trade('A', 1, 25_000, { ...ceo, plan: 'yes' })), ['65-2024-01-02-buy low 1 25000'])
      assert.deepEqual(told('ceo', trade('A', 1, -25_000_000, { ...ceo, plan: 'yes' })), [])
      assert.deepEqual(told('ceo', trade('A', 1, 25_000, officer)), [])
    })
  })

  describe('reversal', () => {
    const sold = [trade('A', 1, -5_000), trade('A', 2, -5_000)]
    it('is a trade against two of 24 months, none of its own in 12', () => {
      assert.deepEqual(told('reversal', ...sold, trade('A', 5, 500)), ['65-2024-01-06-buy medium 1 500'])
      assert.deepEqual(told('reversal', sold[0]!, trade('A', 5, 500)), [])
      assert.deepEqual(told('reversal', ...sold, trade('A', 1 + 731, 500)), ['65-2026-01-02-buy medium 1 500'])
      assert.deepEqual(told('reversal', ...sold, trade('A', 2 + 731, 500)), [])
      assert.deepEqual(told('reversal', trade('A', 0, 9), ...sold, trade('A', 366, 500)), [])
      assert.deepEqual(told('reversal', trade('A', 0, 9), ...sold, trade('A', 367, 500)), [
        '65-2025-01-02-buy medium 1 500',
      ])
      assert.deepEqual(told('reversal', ...sold, trade('A', 5, 500, plan)), [])
    })

    it('is graded up by a long habit and by a million', () => {
      const habit = [3, 4, 5].map((day) => trade('A', day, -5_000))
      const grade = (...papers: Paper[]) =>
        told('reversal', ...papers, trade('A', 900, 9))
          .at(-1)
          ?.split(' ')[1]
      assert.strictEqual(one('reversal', ...sold, trade('A', 9, 1_000_000)).severity, 'high')
      assert.strictEqual(one('reversal', ...sold, ...habit, trade('A', 9, 9)).severity, 'high')
      assert.strictEqual(one('reversal', ...sold, ...habit, trade('A', 9, 1_000_000)).severity, 'critical')
      const recent = [trade('A', 800, -1), trade('A', 801, -1)]
      assert.strictEqual(grade(trade('A', 1, 9), trade('A', 2, -9), trade('A', 3, -9), ...recent), 'high')
      assert.strictEqual(grade(trade('A', 1, 9), trade('A', 2, 9), trade('A', 3, -9), ...recent), 'medium')
    })
  })

  it('keeps the signal detected first where two persons turn out to be one', () => {
    const apart = [trade('B', 1, 30_000, ceo), trade('A', 1, 30_000, ceo)]
    assert.deepEqual(told('ceo', ...apart), ['66-2024-01-02-buy low 1 30000', '65-2024-01-02-buy low 1 30000'])
    const met = [...apart, { by: 'AB', rows: [[1, 40_000]] as Row[], as: ceo, filed: 2 }]
    assert.deepEqual(told('ceo', ...met), ['66-2024-01-02-buy medium 1 100000', '65-2024-01-02-buy low 1 30000 ended'])
    const live = fromOracle(filed(...met)).find(({ type, endedAt }) => type === 'ceo_trade' && endedAt === null)
    assert.deepEqual(live?.persons, [{ cik: cikOf('A'), name: 'Name AB', role: 'director', cents: 10_000_000 }])
  })
})

/** What each shape of histories is there for; it must come up in a third of them, or the comparison says little. */
const RICH_IN: Record<ShapeName, (signal: Signal) => boolean> = {
  cluster_buy: ({ type }) => type === 'cluster_buy',
  cluster_sell: ({ type }) => type === 'cluster_sell',
  overlapping: ({ type, history }) => type === 'cluster_buy' && history.length > 1,
  own_mean: ({ evidence }) => evidence.kind === 'own-mean',
  percentile: ({ evidence }) => evidence.kind === 'percentile',
  ceo_trade: ({ type }) => type === 'ceo_trade',
  reversal: ({ type }) => type === 'reversal',
  reunions: ({ evidence, history }) => evidence.kind !== 'cluster' && history.length > 1,
  everything: ({ type }) => type === 'unusual_size' || type === 'reversal',
}

describe('signal detection, held against the oracle', () => {
  const tenths = volume('tenths of the random histories held against the oracle', 3, 10)
  const detect = ({ trades, joint }: History) => detectSignals(ISSUER, trades, joint, DEFAULT_RULES)
  /** One seed for the same histories each time; the percentile's are five times as long. */
  const runs = (name: ShapeName, most: number) => {
    const full = name === 'percentile' ? most / 5 : most
    return { seed: 20240229, numRuns: Math.ceil((full * tenths) / 10) }
  }

  for (const name of SHAPE_NAMES) {
    it(`says what the oracle says of histories of the shape ${name}`, () => {
      let rich = 0
      const { seed, numRuns } = runs(name, 300)
      fc.assert(
        fc.property(histories(name), (history) => {
          const expected = fromOracle(history)
          if (expected.some(RICH_IN[name])) rich += 1
          assert.deepEqual(detect(history), expected)
        }),
        { seed, numRuns },
      )
      assert.isAtLeast(rich, numRuns / 3)
    })
  }

  it('takes every threshold from the table', () => {
    for (const name of SHAPE_NAMES) {
      fc.assert(
        fc.property(histories(name), otherRules, ({ trades, joint }, rules) => {
          assert.deepEqual(detectSignals(ISSUER, trades, joint, rules), oracleSignals(ISSUER, trades, joint, rules))
        }),
        runs(name, 60),
      )
    }
  })

  it('does not depend on the order of its input', () => {
    const whole = <T>(list: T[]) => fc.shuffledSubarray(list, { minLength: list.length })
    for (const name of SHAPE_NAMES) {
      const shuffled = histories(name).chain((history) =>
        fc.record({ history: fc.constant(history), trades: whole(history.trades), joint: whole(history.joint) }),
      )
      fc.assert(
        fc.property(shuffled, ({ history, trades, joint }) => {
          const turned = <T extends { ownerCiks: string[] }>(each: T): T => ({
            ...each,
            ownerCiks: each.ownerCiks.toReversed(),
          })
          assert.deepEqual(detect({ trades: trades.map(turned), joint: joint.map(turned) }), detect(history))
        }),
        runs(name, 60),
      )
    }
  })

  it('has no hindsight', () => {
    for (const name of SHAPE_NAMES) {
      fc.assert(
        fc.property(histories(name), fc.nat(), (history, number) => {
          const filings = [...history.trades, ...history.joint]
          const { filedAt, accession } = filings[number % filings.length]!
          const before = detect(knownBy(history, filedAt, accession))
          const after = detect(history)
          assert.deepEqual(toldBy(after, filedAt, accession), toldBy(before, filedAt, accession))
          const unchanged = after.filter((signal) => signal.changedAt < filedAt)
          assert.deepEqual(
            before.filter(({ id }) => unchanged.some((signal) => signal.id === id)),
            unchanged,
          )
        }),
        runs(name, 100),
      )
    }
  })

  /** What had been said up to the filing accepted at (at, accession). */
  function toldBy(signals: Signal[], at: number, accession: string) {
    return signals
      .map(({ id, detectedAt, history }) => ({
        id,
        detectedAt,
        history: history.filter((state) => state.at < at || (state.at === at && state.accession <= accession)),
      }))
      .filter(({ history }) => history.length > 0)
  }
})
