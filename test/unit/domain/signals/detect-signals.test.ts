// What holds for all signals: who is one person when, and that only what was accepted by then has a say.
import { assert } from 'chai'
import { parseRules } from '../../../../src/domain/signals/rule-thresholds.ts'
import type { JointFiling, SignalTrade } from '../../../../src/domain/signals/signal.ts'
import {
  accession,
  at,
  bought,
  cik,
  jointly,
  detected,
  ofType,
  reasonFor,
  sold,
  takenAway,
} from '../../../support/signals/signal-cases.ts'

const DAY = '2024-03-01'

describe('signals', () => {
  it('are none without trades', () => assert.deepEqual(detected([], [jointly([1, 2], DAY)]), []))

  describe('one person', () => {
    const trades = () => [1, 2, 3].map((who) => bought(who, DAY, 50_000))
    const clusters = (joint: JointFiling[], rows = trades()) => ofType('cluster_buy', rows, joint).length

    it('are owners of a joint filing', () => {
      assert.strictEqual(clusters([]), 1)
      assert.strictEqual(clusters([jointly([1, 2], '2024-01-01')]), 0)
      assert.strictEqual(clusters([jointly([2, 9], '2024-01-01')]), 1)
    })

    it('for 24 months after it', () => {
      assert.strictEqual(clusters([jointly([1, 2], '2022-03-01')]), 0)
      assert.strictEqual(clusters([jointly([1, 2], '2022-02-28')]), 1)
      assert.strictEqual(clusters([jointly([1, 2], '2021-01-01'), jointly([1, 2], '2022-05-01')]), 0)
    })

    it('by way of others, however far', () => {
      assert.strictEqual(
        clusters([jointly([1, 9], '2024-01-01'), jointly([9, 8], '2023-01-01'), jointly([8, 2], '2024-02-01')]),
        0,
      )
      assert.strictEqual(
        clusters([jointly([1, 9], '2024-01-01'), jointly([9, 8], '2021-01-01'), jointly([8, 2], '2024-02-01')]),
        1,
      )
    })

    it('are joined only once the joint filing is accepted', () => {
      const rows = trades()
      const [first, last] = ['0000990200-24-000000', '0000990200-24-999999']
      assert.strictEqual(clusters([jointly([1, 2], '2024-03-02')], rows), 1)
      assert.strictEqual(
        clusters([jointly([1, 2], DAY, { accession: last })], rows),
        1,
        'the same second, later in order',
      )
      assert.strictEqual(
        clusters([jointly([1, 2], DAY, { accession: first })], rows),
        0,
        'the same second, earlier in order',
      )
      assert.strictEqual(
        clusters([jointly([1, 2], DAY, { accession: rows[2]!.accession })], rows),
        0,
        'the filing itself',
      )
    })

    it('end a cluster that has too few persons by then once a trade of its window is filed', () => {
      const rows = trades()
      const joint = [jointly([1, 2], '2024-03-02')]
      assert.isNull(ofType('cluster_buy', rows, joint)[0]!.endedAt)
      const [signal] = ofType('cluster_buy', [...rows, bought(3, '2024-03-04', 1)], joint)
      assert.deepInclude(signal, { endedAt: at('2024-03-04'), insiderCount: 3 })
    })

    it('are the owners of one trade', () => {
      const [signal] = ofType('cluster_buy', [
        bought([7, 4], DAY, 50_000),
        bought(2, DAY, 50_000),
        bought(3, DAY, 50_000),
      ])
      assert.deepEqual(
        signal!.persons.map((person) => person.cik),
        [2, 3, 4].map(cik),
      )
      assert.isEmpty(
        ofType('cluster_buy', [bought([1, 2], DAY, 50_000), bought(2, DAY, 50_000), bought(3, DAY, 50_000)]),
      )
    })

    it('add up to the minimum together', () => {
      const rows = [bought(1, DAY, 5_000), bought(9, DAY, 5_000), bought(2, DAY, 80_000), bought(3, DAY, 80_000)]
      assert.strictEqual(clusters([], rows), 0)
      assert.strictEqual(clusters([jointly([1, 9], '2024-01-01')], rows), 1)
    })

    it('part again when the joint filing is too old, and then have a common history', () => {
      const joint = jointly([1, 2], '2020-01-01')
      const common = ['2020-02-01', '2020-03-01'].map((day) => sold([1, 2], day, 20_000))
      const own = [sold(1, DAY, 90_000), sold(2, DAY, 90_000)]
      const ids = ofType('unusual_size', [...common, ...own], [joint]).map(({ id }) => id)
      assert.deepEqual(ids, [`unusual_size-990100-1-${DAY}-sell`, `unusual_size-990100-2-${DAY}-sell`])
    })

    it('stay together where another joint filing holds them when one lapses', () => {
      const joint = [
        jointly([1, 2], '2022-02-01'),
        jointly([2, 9], '2022-06-01'),
        jointly([9, 1], '2023-06-01'),
        jointly([9, 8], '2022-02-01'),
      ]
      const rows = [bought(5, '2024-01-15', 100), ...trades()]
      assert.strictEqual(clusters(joint, rows), 0)
      assert.strictEqual(clusters(joint.slice(0, 2), rows), 1)
    })

    it('up to the last day of the 24 months, also when they were one before', () => {
      const rows = [bought(5, '2024-01-15', 100), ...trades()]
      const other = jointly([8, 9], '2022-02-15')
      assert.strictEqual(
        clusters([jointly([1, 2], '2022-03-01'), other], rows),
        0,
        'on the day on which another one lapses',
      )
      assert.strictEqual(clusters([jointly([1, 2], '2022-02-28')], rows), 1)
    })

    it('by the newest filing day of any joint filing, whatever was accepted last', () => {
      const joint = [jointly([1, 2], '2023-01-01'), jointly([1, 2], '2021-01-01', { filedAt: at('2023-06-01') })]
      assert.strictEqual(clusters(joint), 0)
    })

    it('again for a filing whose day is earlier than that of one accepted before it', () => {
      const joint = [jointly([1, 2], '2022-01-10')]
      const backdated = trades().map((trade): SignalTrade => ({ ...trade, filedDay: '2024-01-05' }))
      assert.strictEqual(clusters(joint, [bought(5, '2024-02-15', 100), ...backdated]), 0)
    })

    it('with each common trade once in their history', () => {
      const rows = ['2023-02-01', '2023-03-01'].map((day) => sold([1, 2], day, 20_000))
      const found = ofType('unusual_size', [...rows, sold(1, DAY, 60_000)], [jointly([1, 2], '2023-02-01')])
      assert.deepEqual(
        found.map(({ evidence }) => evidence),
        [{ kind: 'own-mean', mean: 2_000_000, trades: 2, ratio: 3 }],
      )
    })

    it('have the smallest CIK of all, whichever person trades', () => {
      const [signal] = ofType('ceo_trade', [bought(5, DAY, 50_000, { ceo: true })], [jointly([5, 2], '2024-01-01')])
      assert.strictEqual(signal!.id, `ceo_trade-990100-2-${DAY}-buy`)
      assert.deepEqual(signal!.persons, [{ cik: cik(2), name: 'Name 5', role: 'director', cents: 5_000_000 }])
    })

    it('keep the id of before they became one, and of two signals the first', () => {
      const rows = [
        bought(5, DAY, 50_000, { ceo: true }),
        bought(2, DAY, 60_000, { ceo: true, filedDay: '2024-03-04' }),
      ]
      const joint = [jointly([2, 5], '2024-03-10')]
      const more = bought(5, DAY, 70_000, { filedDay: '2024-04-01' })
      assert.deepEqual(
        ofType('ceo_trade', rows, joint).map(({ endedAt }) => endedAt),
        [null, null],
        'not touched yet',
      )
      const [first, second] = ofType('ceo_trade', [...rows, more], joint)
      assert.deepInclude(first, {
        id: `ceo_trade-990100-5-${DAY}-buy`,
        endedAt: null,
        totalCents: 11_000_000,
        severity: 'medium',
      })
      assert.deepInclude(second, {
        id: `ceo_trade-990100-2-${DAY}-buy`,
        endedAt: at('2024-04-01'),
        totalCents: 6_000_000,
      })
    })
  })

  describe('time', () => {
    it('of two filings of one second goes by accession number', () => {
      const rows = [3, 2, 1].map((who) => bought(who, DAY, 50_000, { accession: `0000990200-24-00000${who}` }))
      assert.strictEqual(ofType('cluster_buy', rows)[0]!.history[0]!.accession, '0000990200-24-000003')
    })

    it('does not let a later filing reach back', () => {
      const rows = [1, 2, 3].map((who) => bought(who, DAY, 50_000))
      const before = detected(rows)
      const later = [
        bought(4, DAY, 90_000, { filedDay: '2024-05-01' }),
        sold(1, '2023-02-01', 70_000, { filedDay: '2024-05-01' }),
        sold(1, '2023-03-01', 70_000, { filedDay: '2024-05-01' }),
      ]
      const after = detected([...rows, ...later])
      for (const signal of before) {
        const now = after.find(({ id }) => id === signal.id)
        assert.strictEqual(now!.detectedAt, signal.detectedAt)
        assert.deepEqual(now!.history.slice(0, 1), signal.history)
      }
      assert.isEmpty(after.filter(({ type }) => type === 'reversal'))
    })

    it('takes the filing day of a filing that only takes away from the joint filings, else from its acceptance', () => {
      // 02:00 UTC is the day before in New York, so that a joint filing of two years before that day is in force.
      const by = accession()
      const rows = [1, 2, 3, 4].map((who) => bought(who, '2024-03-05', 50_000))
      const instant = at('2024-03-13') - 10 * 3600
      const gone = { ...rows[3]!, supersededBy: by, supersededAt: instant }
      const joint = [jointly([1, 2], '2022-03-12', { filedAt: at('2024-03-12') })]
      const trades = [...rows.slice(0, 3), gone]
      assert.strictEqual(ofType('cluster_buy', trades, joint)[0]!.endedAt, instant)
      const own = jointly([8, 9], '2024-03-13', { accession: by, filedAt: instant })
      assert.isNull(ofType('cluster_buy', trades, [...joint, own])[0]!.endedAt)
    })
  })

  it('come in the order of detection and id', () => {
    const rows = [
      bought(7, DAY, 200_000, { ceo: true }),
      bought(5, DAY, 200_000, { ceo: true }),
      bought(6, '2024-02-01', 200_000, { ceo: true }),
    ].map((trade): SignalTrade => ({ ...trade, filedAt: at(trade.day!) }))
    assert.deepEqual(
      detected(rows).map(({ id }) => id),
      [`ceo_trade-990100-6-2024-02-01-buy`, `ceo_trade-990100-5-${DAY}-buy`, `ceo_trade-990100-7-${DAY}-buy`],
    )
  })

  it('follow the rules they are given', () => {
    const rows = [bought(1, DAY, 600), bought(2, DAY, 600)]
    const rules = parseRules({
      cluster_buy: {
        persons: 2,
        minimum: 500,
        ...{ lowBelow: 1_200, mediumBelow: 1_200 },
        severities: [{ from: 2, severity: 'high' }],
      },
    })
    assert.deepEqual(
      detected(rows, [], rules).map(({ severity }) => severity),
      ['high'],
    )
    assert.isEmpty(detected(rows))
  })

  it('leave a trade out for a reason as of the last detection', () => {
    const planned = takenAway(bought(9, DAY, 40_000, { plan: 'yes' }), accession(), '2024-03-10')
    const rows = [1, 2, 3].map((who) => bought(who, DAY, 50_000))
    const signal = (...more: SignalTrade[]) => ofType('cluster_buy', [planned, ...rows, ...more])[0]
    assert.strictEqual(reasonFor(signal(), planned), 'plan')
    assert.strictEqual(reasonFor(signal(bought(4, DAY, 10, { filedDay: '2024-03-11' })), planned), 'superseded')
  })
})
