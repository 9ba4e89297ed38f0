// Signals in words, made from real judgements where that is short.
import { assert } from 'chai'
import fc from 'fast-check'
import { describeSignal, signalLabel } from '../../../../../src/domain/signals/descriptions/signal-description.ts'
import type { Evidence, Signal, SignalPerson } from '../../../../../src/domain/signals/signal.ts'
import { at, bought, jointly, detected, sold, takenAway } from '../../../../support/signals/signal-cases.ts'

const COMPANY = { companyName: 'EXAMPLE WIDGETS INC', ticker: 'EXWI' }
const DAY = '2024-03-01'
const INSIDERS = [
  ['HEMSLEY STEPHEN J', 'CEO'],
  ['REX JOHN F', 'CFO'],
  ['FLYNN TIMOTHY PATRICK', 'director'],
  ['Smith Ann', 'general counsel'],
] as const
const [cluster] = detected(
  INSIDERS.map(([insiderName, insiderRole], index) =>
    bought(index + 1, `2024-03-0${index + 1}`, 300_000, { insiderName, insiderRole, price: 10 + index }),
  ),
)
const said = (parts: Partial<Signal>): string => describeSignal({ ...cluster!, ...parts }, COMPANY)
const person = (name: string, role: string, cents = 100): SignalPerson => ({ cik: '0000000009', name, role, cents })
const single = (
  type: Signal['type'],
  direction: Signal['direction'],
  evidence: Evidence,
  role = 'director',
): Signal => ({
  ...cluster!,
  type,
  direction,
  evidence,
  insiderCount: 1,
  persons: [person('Doe Jane Q', role)],
  prices: [12.5, 12.5],
  firstDay: DAY,
  lastDay: DAY,
})

describe('the description of a signal', () => {
  it('describes a cluster with roles, names, sum, prices and dates', () => {
    assert.strictEqual(
      said({}),
      'CEO Stephen J. Hemsley, CFO John F. Rex, director Timothy P. Flynn and 1 other insider bought ' +
        '$1.2 million of Example Widgets (EXWI) on the open market at $10.00 to $13.00 ' +
        'between 2024-03-01 and 2024-03-04.',
    )
    const persons = cluster!.persons.slice(0, 3)
    assert.match(
      said({ persons, type: 'cluster_sell', direction: 'sell' }),
      /^CEO Stephen J\. Hemsley, CFO John F\. Rex and director Timothy P\. Flynn sold \$1\.2 million of /,
    )
    assert.match(said({ persons: persons.slice(1) }), /^CFO John F\. Rex and director Timothy P\. Flynn bought /)
    assert.match(said({ persons: [...persons, ...persons] }), / and 3 other insiders bought /)
    assert.match(said({ lastDay: DAY }), / at \$10\.00 to \$13\.00 on 2024-03-01\.$/)
  })

  it('names chiefs first, then who traded most', () => {
    const persons = [
      person('Low Ann', 'director', 1),
      person('Cash Bob', 'interim CFO', 2),
      person('Top Cy', 'officer', 3),
      person('Boss Di', 'co-CEO', 1),
    ]
    assert.match(said({ persons }), /^Co-CEO Di Boss, interim CFO Bob Cash, officer Cy Top and 1 other insider /)
  })

  it('names a role of several once, and none where there is none', () => {
    const [a, b, c] = [person('A Ann', 'director', 3), person('B Bob', 'director', 2), person('C Cy', 'officer', 1)]
    assert.match(said({ persons: [a, b] }), /^Directors Ann A and Bob B bought /)
    assert.match(said({ persons: [a, b, c] }), /^Directors Ann A and Bob B, and officer Cy C bought /)
    assert.match(said({ persons: [a, b, person('D Di', 'director')] }), /^Directors Di D, Ann A and Bob B bought /)
    assert.match(
      said({ persons: [person('FUND V, L.P.', '10% owner', 2), person('E Ed', '', 1)] }),
      /^10% owner FUND V, L\.P\. and Ed E bought /,
    )
    assert.match(said({ persons: [person('iShares Trust', '')] }), /^iShares Trust bought /)
  })

  it('writes sums', () => {
    const sums: [cents: number, text: string][] = [
      [100, '$1'],
      [995_049, '$9,950'],
      [995_050, '$9,951'],
      [99_999_949, '$999,999'],
      [99_999_950, '$1 million'],
      [124_999_999, '$1.2 million'],
      [125_000_000, '$1.3 million'],
      [99_994_999_900, '$999.9 million'],
      [99_995_000_000, '$1 billion'],
      [1_234_500_000_000, '$12.3 billion'],
    ]
    for (const [totalCents, text] of sums) assert.include(said({ totalCents }), ` bought ${text} of `)
  })

  it('writes prices', () => {
    const prices: [prices: [number, number], text: string][] = [
      [[288.57, 320.8], '$288.57 to $320.80'],
      [[291.1161, 291.1161], '$291.12'],
      [[291.1161, 291.1199], '$291.12'],
      [[0.05, 0.1234], '$0.05 to $0.1234'],
      [[0.5, 0.0001], '$0.50 to $0.0001'],
      [[1, 1], '$1.00'],
      [[1234.5, 654_321.999], '$1,234.50 to $654,322.00'],
      [[1.005, 2.675], '$1.01 to $2.68'],
    ]
    for (const [of, text] of prices) assert.include(said({ prices: of }), ` at ${text} between `)
  })

  it('names what an unusual size is compared with', () => {
    const mean = single('unusual_size', 'sell', { kind: 'own-mean', mean: 23_000_000, trades: 7, ratio: 5.2 })
    assert.strictEqual(
      describeSignal(mean, COMPANY),
      'Director Jane Q. Doe sold $1.2 million of Example Widgets (EXWI) on the open market at ' +
        "$12.50 on 2024-03-01, 5.2 times the insider's average over 7 earlier sales ($230,000).",
    )
    assert.strictEqual(signalLabel(mean), 'Unusual size (5.2x own mean)')
    const one = single('unusual_size', 'buy', { kind: 'own-mean', mean: 23_000_000, trades: 1, ratio: 5 })
    assert.match(
      describeSignal(one, COMPANY),
      /, 5 times the insider's average over 1 earlier purchase \(\$230,000\)\.$/,
    )
    const rank = single('unusual_size', 'buy', { kind: 'percentile', percentile: 40_000_000, trades: 1040 })
    assert.strictEqual(
      describeSignal(rank, COMPANY),
      'Director Jane Q. Doe bought $1.2 million of Example Widgets (EXWI) on the open market at ' +
        '$12.50 on 2024-03-01, more than nearly all of 1,040 other purchases at the company (threshold $400,000).',
    )
    assert.strictEqual(signalLabel(rank), 'Unusual size (top 2.5% here)')
  })

  it('names the CEO', () => {
    assert.strictEqual(
      describeSignal(single('ceo_trade', 'buy', { kind: 'ceo' }, 'CEO'), COMPANY),
      'CEO Jane Q. Doe bought $1.2 million of Example Widgets (EXWI) on the open market at $12.50 on 2024-03-01.',
    )
    assert.strictEqual(signalLabel(single('ceo_trade', 'buy', { kind: 'ceo' })), 'CEO buy')
    assert.strictEqual(signalLabel(single('ceo_trade', 'sell', { kind: 'ceo' })), 'CEO sale')
  })

  it('names what a reversal reverses', () => {
    const signal = single('reversal', 'buy', { kind: 'reversal', against: 4, last: 10, opposite: 8 })
    assert.strictEqual(
      describeSignal(signal, COMPANY),
      'Director Jane Q. Doe bought $1.2 million of Example Widgets (EXWI) on the open market at ' +
        "$12.50 on 2024-03-01, after 4 recent sales; 8 of the insider's last 10 trades were sales.",
    )
    const short = single('reversal', 'sell', { kind: 'reversal', against: 1, last: 1, opposite: 1 })
    assert.match(
      describeSignal(short, COMPANY),
      /, after 1 recent purchase; 1 of the insider's last 1 trade was a purchase\.$/,
    )
    assert.strictEqual(signalLabel(signal), 'Reversal (buy)')
    assert.strictEqual(signalLabel({ ...signal, direction: 'sell' }), 'Reversal (sale)')
  })

  it('labels clusters by direction and size', () => {
    assert.strictEqual(signalLabel(cluster!), 'Cluster buy (4 insiders)')
    assert.strictEqual(
      signalLabel({ ...cluster!, type: 'cluster_sell', direction: 'sell', insiderCount: 3 }),
      'Cluster sell (3 insiders)',
    )
  })

  it('says where it ended, by the day in New York', () => {
    assert.match(
      said({ endedAt: at('2024-06-02') - 10 * 3600 }),
      / and 2024-03-04; no longer in effect since 2024-06-01\.$/,
    )
  })

  it('does without a company name or a symbol', () => {
    assert.match(describeSignal(cluster!, { companyName: ' ', ticker: '' }), / of the company on the open market /)
    assert.match(describeSignal(cluster!, { companyName: 'Apple Inc.', ticker: '' }), / of Apple on the open market /)
  })

  it('names fewer persons where the sentence would be too long', () => {
    const persons = ['A', 'B', 'C'].map((letter) =>
      person(`${letter.repeat(45)} JOHN PAUL`, 'chief transformation officer'),
    )
    const company = { companyName: `${'Long '.repeat(11)}Holdings Inc`, ticker: 'LONGEST' }
    const told = describeSignal({ ...cluster!, persons, endedAt: 1_800_000_000 }, company)
    assert.match(told, /^Chief transformation officer John P\. Aa+…? and 2 other insiders bought /)
    assert.match(told, /; no longer in effect since 2027-01-15\.$/)
  })

  it('never passes 300 characters, nor loses its end to long names', () => {
    const evidences: [Signal['type'], Evidence][] = [
      ['cluster_sell', { kind: 'cluster', officers: 3, chief: true }],
      ['ceo_trade', { kind: 'ceo' }],
      ['unusual_size', { kind: 'own-mean', mean: 99_999_900, trades: 5000, ratio: 4_000_000.5 }],
      ['unusual_size', { kind: 'percentile', percentile: 99_999_900, trades: 19_999 }],
      ['reversal', { kind: 'reversal', against: 5000, last: 10, opposite: 10 }],
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...evidences),
        fc.string({ maxLength: 200 }),
        fc.integer({ min: 1, max: 3000 }),
        fc.string({ maxLength: 200 }),
        ([type, evidence], name, count, companyName) => {
          const persons = Array.from({ length: type === 'cluster_sell' ? count : 1 }, () =>
            person(name, 'chief transformation officer'),
          )
          const text = describeSignal(
            {
              ...cluster!,
              type,
              direction: 'sell',
              evidence,
              persons,
              prices: [999_998.25, 999_999.99],
              totalCents: 99_999_999_999_999,
              endedAt: 1_800_000_000,
            },
            { companyName, ticker: 'ABCDEFGHIJ-KLMNO-PQRST' },
          )
          assert.isAtMost(text.length, 300)
          assert.match(text, /; no longer in effect since 2027-01-15\.$/)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('has words for every signal that is detected', () => {
    const rows = [
      sold(1, '2023-05-01', 20_000),
      sold(1, '2023-06-01', 20_000),
      bought(1, DAY, 90_000, { ceo: true }),
      bought(2, DAY, 50_000),
      bought(3, DAY, 50_000),
      sold(2, DAY, 70_000),
      sold(4, '2023-02-01', 9_000),
      sold(4, '2023-03-01', 9_000),
      takenAway(sold(4, DAY, 70_000), '0000990200-24-999999', '2024-04-01'),
    ]
    const signals = detected(rows, [jointly([8, 9], DAY)])
    assert.sameMembers(
      [...new Set(signals.map(({ type }) => type))],
      ['cluster_buy', 'ceo_trade', 'reversal', 'unusual_size'],
    )
    for (const signal of signals) {
      assert.match(
        describeSignal(signal, COMPANY),
        /^Directors? .+ (bought|sold) \$[\d.,]+ of Example Widgets \(EXWI\) on the open market at \$10\.00 [^\n]*\.$/,
      )
      assert.match(signalLabel(signal), /^[A-Z].{5,40}$/)
    }
  })
})
