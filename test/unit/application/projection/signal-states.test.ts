// Signals and trades as shown at every earlier instant equal those of a store without later filings: random histories
// of one issuer, with changing names.
import { assert } from 'chai'
import fc from 'fast-check'
import type { ListedState, MarkedTrade } from '../../../../src/application/ports/analytics.ts'
import { signalChanges } from '../../../../src/application/projection/signal-changes.ts'
import { listedStates, nameSteps } from '../../../../src/application/projection/signal-states.ts'
import { DEFAULT_RULES } from '../../../../src/domain/signals/rule-thresholds.ts'
import type { SignalTrade } from '../../../../src/domain/signals/signal.ts'
import { NO_PURCHASE } from '../../../../src/domain/trades/first-buys.ts'
import { histories, ISSUER, knownBy, SHAPE_NAMES, type History } from '../../../support/signals/signal-histories.ts'
import { volume } from '../../../support/volume.ts'

const NAMES = ['EXAMPLE WIDGETS INC', 'EXAMPLE GADGETS LTD']

/** As stored, with marks that no detection makes, so that all are detected again. */
const stored = (trade: SignalTrade): MarkedTrade => ({
  ...trade,
  issuerCik: ISSUER,
  companyName: NAMES[trade.filedAt % 5 === 0 ? 1 : 0]!,
  ticker: trade.filedAt % 3 === 0 ? 'EXG' : 'EXW',
  signals: ['nothing yet'],
  signalled: 'low',
  routine: false,
  ...NO_PURCHASE,
  significance: 'low',
  earlier: [],
})

async function detected({ trades, joint }: History) {
  const history = {
    trades: trades.map(stored),
    joint: joint.map((filing) => ({ ...filing, issuerCik: ISSUER })),
    stored: [],
  }
  const { all, marks, past } = signalChanges([ISSUER], history, DEFAULT_RULES)
  assert.lengthOf(marks, trades.length)
  assert.lengthOf(past.marks, 0)
  return { all, marks }
}

/** The same history, in which its last filing explains prices of some trades before it. */
function explained(history: History): History {
  const last = Math.max(...history.trades.map(({ filedAt }) => filedAt))
  const isExplained = ({ filedAt, priceStatus }: SignalTrade, place: number) =>
    priceStatus === 'as_filed' && filedAt < last && place % 3 === 0
  return {
    ...history,
    trades: history.trades.map((trade, place) =>
      isExplained(trade, place) ? { ...trade, suspectUntil: last } : trade,
    ),
  }
}

type Detected = Awaited<ReturnType<typeof detected>>

const shownOf = ({ significance, signals }: Pick<MarkedTrade, 'significance' | 'signals'>) => ({
  significance,
  signals,
})

/** What was listed at a time, by what is stored now. */
function listedAt({ all, marks }: Detected, at: number) {
  const shownAt = (states: ListedState[]) => states.findLast(({ since }) => since <= at)?.shown ?? null
  return {
    signals: all.map(({ signal, states }) => [signal.id, shownAt(states)]).filter(([, shown]) => shown),
    trades: marks
      .filter(({ filedAt, supersededBy, supersededAt }) => filedAt <= at && (supersededBy === '' || supersededAt > at))
      .map((trade) => [trade.id, shownOf(trade.earlier.find(({ until }) => until > at) ?? trade)]),
  }
}

/** What is listed now. */
function listed({ all, marks }: Detected) {
  return {
    signals: all
      .filter(({ signal }) => signal.endedAt === null)
      .map(({ signal, states }) => [signal.id, states.at(-1)!.shown]),
    trades: marks.filter(({ supersededBy }) => supersededBy === '').map((trade) => [trade.id, shownOf(trade)]),
  }
}

describe('what was shown of signals and trades before', function () {
  this.timeout(120_000)
  const runs = volume('histories of signals as of every instant', 10, 200)

  for (const name of SHAPE_NAMES) {
    it(`is what a store without later filings shows, for histories of the shape ${name}`, async () => {
      let changed = 0
      await fc.assert(
        fc.asyncProperty(histories(name), fc.boolean(), async (plain, isExplained) => {
          const history = isExplained ? explained(plain) : plain
          const whole = await detected(history)
          changed += whole.marks.filter(({ earlier }) => earlier.length > 0).length
          const times = [...history.trades, ...history.joint].flatMap(({ filedAt }) => [filedAt - 1, filedAt])
          for (const at of new Set(times)) {
            const then = knownBy(history, at, '~')
            if (then.trades.length === 0) continue
            assert.deepEqual(listedAt(whole, at), listed(await detected(then)))
          }
        }),
        { seed: 20240229, numRuns: runs },
      )
      assert.isAtLeast(changed, runs / 5)
    })
  }

  it('begins nowhere before acceptance, has no equal neighbours and is in order', async () => {
    await fc.assert(
      fc.asyncProperty(histories(SHAPE_NAMES[0]!), async (history) => {
        for (const { earlier, filedAt, ...present } of (await detected(history)).marks) {
          const times = [filedAt, ...earlier.map(({ until }) => until)]
          assert.deepEqual(
            times,
            [...new Set(times)].sort((a, b) => a - b),
          )
          const shown = [...earlier, present].map((each) => JSON.stringify(shownOf(each)))
          assert.isTrue(shown.every((each, place) => each !== shown[place + 1]))
        }
      }),
      { seed: 1, numRuns: runs },
    )
  })

  it('distinguishes at most a hundred names of one company', async () => {
    const trades = Array.from({ length: 300 }, (_, number) => ({
      ...stored({ filedAt: number, accession: String(number) } as SignalTrade),
      companyName: `NAME ${number}`,
    }))
    const names = nameSteps(trades)
    assert.lengthOf(names, 100)
    assert.strictEqual(names.at(-1)!.companyName, 'NAME 299')
    assert.lengthOf(listedStates([{ at: 0, listed: null }], names), 1)
  })
})
