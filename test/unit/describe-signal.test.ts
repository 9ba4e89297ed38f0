// Signals in words, made from real judgements where that is short.
import { assert } from 'chai'
import fc from 'fast-check'
import { describeSignal, signalLabel } from '../../src/domain/describe-signal.ts'
import type { Evidence, Signal } from '../../src/domain/signal.ts'
import { at, bought, jointly, judged, sold, takenAway } from '../support/signal-cases.ts'

const COMPANY = 'Example Widgets Inc'
const DAY = '2024-03-01'
const [cluster] = judged([1, 2, 3, 4].map((who) => bought(who, `2024-03-0${who}`, 300_000,
  { insiderName: 'ABCD'[who - 1]! })))
const said = (parts: Partial<Signal>): string => describeSignal({ ...cluster!, ...parts }, COMPANY)
const single = (type: Signal['type'], direction: Signal['direction'], evidence: Evidence): Signal =>
  ({ ...cluster!, type, direction, evidence, insiderCount: 1, persons: cluster!.persons.slice(0, 1), firstDay: DAY,
    lastDay: DAY })

describe('signal in words', () => {
  it('tells a cluster with names, count, sum and dates', () => {
    assert.equal(said({}),
      '4 insiders (A, B, C and 1 other) bought $1.2 million of Example Widgets Inc between 2024-03-01 and 2024-03-04.')
    const five = [...cluster!.persons, { cik: '0000000009', name: 'E' }]
    assert.match(said({ persons: five }), /^5 insiders \(A, B, C and 2 others\) bought /)
    assert.match(said({ persons: five.slice(0, 3), type: 'cluster_sell', direction: 'sell' }),
      /^3 insiders \(A, B and C\) sold /)
    assert.match(said({ lastDay: DAY }), / Example Widgets Inc on 2024-03-01\.$/)
  })

  it('writes sums', () => {
    const sums: [cents: number, text: string][] = [[995_049, '$9,950'], [995_050, '$9,951'], [99_999_949, '$999,999'],
      [99_999_950, '$1 million'],
      [124_999_999, '$1.2 million'], [125_000_000, '$1.3 million'], [99_994_999_900, '$999.9 million'],
        [99_995_000_000, '$1 billion'],
      [1_234_500_000_000, '$12.3 billion']]
    for (const [totalCents, text] of sums) assert.include(said({ totalCents }), ` bought ${text} of `)
  })

  it('tells what an unusual size is held against', () => {
    const mean = single('unusual_size', 'sell', { kind: 'own-mean', mean: 23_000_000, trades: 7, ratio: 5.2 })
    assert.equal(describeSignal(mean, COMPANY),
      'A sold $1.2 million of Example Widgets Inc on 2024-03-01, 5.2 times the mean of 7 own earlier sales ($230,000).')
    assert.equal(signalLabel(mean), 'Unusual size (5.2x own mean)')
    const rank = single('unusual_size', 'buy', { kind: 'percentile', percentile: 40_000_000, trades: 40 })
    assert.equal(describeSignal(rank, COMPANY),
      'A bought $1.2 million of Example Widgets Inc on 2024-03-01, more than nearly all of 40 other ' +
        'purchases there (threshold $400,000).')
    assert.equal(signalLabel(rank), 'Unusual size (top 2.5% here)')
  })

  it('names the CEO', () => {
    assert.equal(describeSignal(single('ceo_trade', 'buy', { kind: 'ceo' }), COMPANY),
      'The CEO, A, bought $1.2 million of Example Widgets Inc on 2024-03-01.')
    assert.equal(signalLabel(single('ceo_trade', 'buy', { kind: 'ceo' })), 'CEO buy')
    assert.equal(signalLabel(single('ceo_trade', 'sell', { kind: 'ceo' })), 'CEO sale')
  })

  it('tells what a reversal goes against', () => {
    const signal = single('reversal', 'buy', { kind: 'reversal', against: 4, last: 10, opposite: 8 })
    assert.equal(describeSignal(signal, COMPANY),
      'A bought $1.2 million of Example Widgets Inc on 2024-03-01, after 4 recent sales; 8 of the last ' +
        '10 trades were sales.')
    assert.equal(signalLabel(signal), 'Reversal (buy)')
    assert.equal(signalLabel({ ...signal, direction: 'sell' }), 'Reversal (sale)')
  })

  it('labels clusters by direction and size', () => {
    assert.equal(signalLabel(cluster!), 'Cluster buy (4 insiders)')
    assert.equal(signalLabel({ ...cluster!, type: 'cluster_sell', direction: 'sell', insiderCount: 3 }),
      'Cluster sell (3 insiders)')
  })

  it('says where it ended, by the day in New York', () => {
    assert.match(said({ endedAt: at('2024-06-02') - 10 * 3600 }),
      / and 2024-03-04; this stopped to hold on 2024-06-01\.$/)
  })

  it('does without a company name', () => {
    assert.equal(describeSignal(cluster!, ' '),
      '4 insiders (A, B, C and 1 other) bought $1.2 million of the company between 2024-03-01 and 2024-03-04.')
  })

  it('never passes 300 characters, nor loses its end to long names', () => {
    const evidences: [Signal['type'], Evidence][] = [['cluster_sell', { kind: 'cluster', officers: 3, chief: true }],
      ['ceo_trade', { kind: 'ceo' }],
      ['unusual_size', { kind: 'own-mean', mean: 99_999_900, trades: 5000, ratio: 4_000_000.5 }],
      ['unusual_size', { kind: 'percentile', percentile: 99_999_900, trades: 19_999 }], ['reversal',
        { kind: 'reversal', against: 5000, last: 10, opposite: 10 }]]
    fc.assert(fc.property(fc.constantFrom(...evidences), fc.string({ maxLength: 200 }), fc.integer({ min: 1,
      max: 3000 }), fc.string({ maxLength: 200 }),
      ([type, evidence], name, count, company) => {
        const persons = Array.from({ length: type === 'cluster_sell' ? count : 1 }, () => ({ cik: '0000000001', name }))
        const text = describeSignal({ ...cluster!, type, direction: 'sell', evidence, persons,
          totalCents: 99_999_999_999_999, endedAt: 1_800_000_000 }, company)
        assert.isAtMost(text.length, 300)
        assert.match(text, /this stopped to hold on 2027-01-15\.$/)
      }), { numRuns: 300 })
  })

  it('has words for every signal that is judged', () => {
    const rows = [sold(1, '2023-05-01', 20_000), sold(1, '2023-06-01', 20_000), bought(1, DAY, 90_000, { ceo: true }),
      bought(2, DAY, 50_000), bought(3, DAY, 50_000),
      sold(2, DAY, 70_000), sold(4, '2023-02-01', 9_000), sold(4, '2023-03-01', 9_000), takenAway(sold(4, DAY,
        70_000), '0000990200-24-999999', '2024-04-01')]
    const signals = judged(rows, [jointly([8, 9], DAY)])
    assert.sameMembers([...new Set(signals.map(({ type }) => type))], ['cluster_buy', 'ceo_trade', 'reversal',
      'unusual_size'])
    for (const signal of signals) {
      assert.match(describeSignal(signal, COMPANY), /^[^.]+ (bought|sold) \$[\d.,]+ of Example Widgets Inc [^\n]*\.$/)
      assert.match(signalLabel(signal), /^[A-Z].{5,40}$/)
    }
  })
})
