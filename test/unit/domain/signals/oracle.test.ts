// Detection held against the oracle on random histories. The small cases of detect-signals.test.ts and rules/ are held
// against it too (signal-cases.ts).
import { assert } from 'chai'
import fc from 'fast-check'
import { detectSignals } from '../../../support/signals/detect-signals.ts'
import type { Signal } from '../../../../src/domain/signals/signal.ts'
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

const fromOracle = ({ trades, joint }: History): Signal[] => oracleSignals(ISSUER, trades, joint, DEFAULT_RULES)

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

  it('has totals, persons and histories that match the trades', () => {
    for (const name of SHAPE_NAMES) {
      fc.assert(
        fc.property(histories(name), (history) => {
          const cents = new Map(history.trades.map(({ id, valueCents }) => [id, valueCents]))
          for (const signal of detect(history)) {
            const { counted, leftOut, persons, insiderCount, totalCents, severity } = signal
            assert.strictEqual(
              totalCents,
              counted.reduce((sum, id) => sum + cents.get(id)!, 0),
            )
            assert.lengthOf(persons, insiderCount)
            assert.isEmpty(leftOut.filter(({ id }) => counted.includes(id)))
            const last = signal.history.at(-1)!
            assert.deepInclude(last, { severity, insiderCount, totalCents })
            assert.isAtLeast(signal.changedAt, signal.endedAt ?? last.at)
            if (signal.type === 'cluster_buy') assert.isAtLeast(insiderCount, DEFAULT_RULES.cluster_buy.persons)
          }
        }),
        runs(name, 60),
      )
    }
  })

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
