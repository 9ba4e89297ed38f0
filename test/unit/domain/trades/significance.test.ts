// How a transaction is graded by its signals and by the sum of its filing.
import { assert } from 'chai'
import {
  compareSeverity,
  highest,
  SEVERITIES,
  significances,
  type Weighed,
} from '../../../../src/domain/trades/significance.ts'

const trade = (dollars: number, parts: Partial<Weighed> = {}): Weighed => ({
  accession: '0001999001-26-000001',
  direction: 'buy',
  priceStatus: 'as_filed',
  sharesStatus: 'as_filed',
  valueCents: Math.round(dollars * 100),
  duplicateOf: '',
  supersededBy: '',
  byIssuer: false,
  standing: 'officer_or_director',
  plan: 'no',
  routine: false,
  signalled: 'low',
  ...parts,
})
const grade = (dollars: number, parts: Partial<Weighed> = {}) => significances([trade(dollars, parts)])[0]
const sale = { direction: 'sell' } as const

describe('significance', () => {
  it('orders severities', () => {
    assert.deepEqual([...SEVERITIES].reverse().toSorted(compareSeverity), ['low', 'medium', 'high', 'critical'])
    assert.strictEqual(highest([]), 'low')
    assert.strictEqual(highest(['medium', 'critical', 'high']), 'critical')
  })

  const grades: [parts: Partial<Weighed>, steps: [dollars: number, severity: string][]][] = [
    [
      {},
      [
        [49_999.99, 'low'],
        [50_000, 'medium'],
        [499_999.99, 'medium'],
        [500_000, 'high'],
        [4_999_999.99, 'high'],
        [5_000_000, 'critical'],
      ],
    ],
    [{ plan: 'unknown' }, [[500_000, 'high']]],
    [
      sale,
      [
        [999_999.99, 'low'],
        [1_000_000, 'medium'],
        [9_999_999.99, 'medium'],
        [10_000_000, 'high'],
        [40_000_000_000, 'high'],
      ],
    ],
    [
      { standing: 'ten_percent_owner' },
      [
        [499_999.99, 'low'],
        [500_000, 'medium'],
        [5_000_000, 'high'],
        [40_000_000_000, 'high'],
      ],
    ],
    [
      { ...sale, standing: 'ten_percent_owner' },
      [
        [9_999_999.99, 'low'],
        [10_000_000, 'medium'],
        [40_000_000_000, 'medium'],
      ],
    ],
    [{ standing: 'other' }, [[40_000_000_000, 'low']]],
    [{ plan: 'yes' }, [[40_000_000_000, 'low']]],
    [{ ...sale, plan: 'yes' }, [[40_000_000_000, 'low']]],
    [{ routine: true }, [[40_000_000_000, 'low']]],
    [{ ...sale, routine: true }, [[40_000_000_000, 'low']]],
    [{ supersededBy: 'another' }, [[40_000_000_000, 'low']]],
    [{ byIssuer: true }, [[40_000_000_000, 'low']]],
    [{ priceStatus: 'suspect' }, [[40_000_000_000, 'low']]],
    [{ priceStatus: 'foreign' }, [[40_000_000_000, 'low']]],
    [{ priceStatus: 'other_unit' }, [[40_000_000_000, 'low']]],
    [{ sharesStatus: 'suspect' }, [[40_000_000_000, 'low']]],
    [{ priceStatus: 'zero' }, [[40_000_000_000, 'low']]],
    [{ priceStatus: 'footnote_only' }, [[40_000_000_000, 'low']]],
    [{ direction: null }, [[40_000_000_000, 'low']]],
  ]
  for (const [parts, steps] of grades) {
    it(`goes by size: ${JSON.stringify(parts)}`, () => {
      for (const [dollars, severity] of steps) assert.strictEqual(grade(dollars, parts), severity, String(dollars))
    })
  }

  it("goes by the sum of a filing's counted trades of one direction, those under a plan and routine ones too", () => {
    const other = { accession: '0001999001-26-000002' }
    assert.deepEqual(significances([trade(250_000), trade(250_000), trade(100, sale), trade(499_999, other)]), [
      'high',
      'high',
      'low',
      'medium',
    ])
    assert.deepEqual(
      significances([
        trade(600_000, sale),
        trade(300_000, { ...sale, plan: 'yes' }),
        trade(100_000, { ...sale, routine: true }),
      ]),
      ['medium', 'low', 'low'],
    )
    const leftOut = [
      { supersededBy: 'a' },
      { duplicateOf: 'b' },
      { priceStatus: 'suspect' },
      { direction: null },
    ] as const
    for (const left of leftOut) {
      assert.deepEqual(significances([trade(49_999), trade(40_000_000, left)]), ['low', 'low'], JSON.stringify(left))
    }
  })

  it('is raised by signals, by two steps at most, unless the price or the number of shares is marked', () => {
    assert.strictEqual(grade(5, { signalled: 'high' }), 'high')
    assert.strictEqual(grade(13_000, { signalled: 'critical' }), 'high')
    assert.strictEqual(grade(13_000, { signalled: 'critical', plan: 'yes' }), 'high')
    assert.strictEqual(grade(5, { sharesStatus: 'suspect', signalled: 'high' }), 'low')
    assert.strictEqual(grade(5_000_000, { signalled: 'low' }), 'critical')
    assert.strictEqual(grade(60_000, { signalled: 'critical' }), 'critical')
    for (const parts of [{ plan: 'yes' }, { routine: true }, { standing: 'other' }] as const)
      assert.strictEqual(grade(5, { ...parts, signalled: 'medium' }), 'medium')
    for (const priceStatus of ['suspect', 'foreign', 'other_unit'] as const)
      assert.strictEqual(grade(5, { priceStatus, signalled: 'high' }), 'low')
  })

  it('takes other thresholds from the operator', () => {
    const floors = { buyMedium: 5, buyHigh: 10, buyCritical: 20, sellMedium: 0, sellHigh: 7 }
    const graded = (dollars: number, parts = {}) => significances([trade(dollars, parts)], floors)[0]
    assert.deepEqual(
      [4.99, 5, 10, 20].map((dollars) => graded(dollars)),
      ['low', 'medium', 'high', 'critical'],
    )
    assert.deepEqual(
      [0.01, 6.99, 7].map((dollars) => graded(dollars, sale)),
      ['medium', 'medium', 'high'],
    )
  })
})
