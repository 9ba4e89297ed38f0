import { assert } from 'chai'
import { compareSeverity, highest, SEVERITIES, significanceOf, type Weighed } from '../../src/domain/significance.ts'

const trade = (parts: Partial<Weighed>): Weighed =>
  ({ type: 'buy', priceStatus: 'as_filed', totalValue: '5000', byOfficerOrDirector: true, byIssuer: false, signals: [],
    ...parts })
const weight = (parts: Partial<Weighed>) => significanceOf(trade(parts))

describe('significance', () => {
  it('orders severities', () => {
    assert.deepEqual([...SEVERITIES].reverse().toSorted(compareSeverity), ['low', 'medium', 'high', 'critical'])
    assert.equal(highest([]), 'low')
    assert.equal(highest(['medium', 'critical', 'high']), 'critical')
  })

  it('is the highest severity among the signals', () => {
    assert.equal(weight({}), 'low')
    assert.equal(weight({ signals: ['low', 'high', 'medium'] }), 'high')
    assert.equal(weight({ signals: ['critical'], totalValue: '2000000' }), 'critical')
  })

  it('is at least high for a buy of a million by an officer or director', () => {
    assert.equal(weight({ totalValue: '1000000' }), 'high')
    assert.equal(weight({ totalValue: '999999.99' }), 'medium')
    assert.equal(weight({ totalValue: '1000000', byOfficerOrDirector: false }), 'medium')
    assert.equal(weight({ totalValue: '90000000', type: 'sell' }), 'medium')
    assert.equal(weight({ totalValue: '1000000', signals: ['low'] }), 'high')
  })

  it('is at least medium for an open-market trade of 100,000', () => {
    assert.equal(weight({ totalValue: '100000' }), 'medium')
    assert.equal(weight({ totalValue: '99999.99' }), 'low')
    assert.equal(weight({ totalValue: '100000', type: 'sell', byOfficerOrDirector: false }), 'medium')
  })

  it('has no floor for what is no open-market trade', () => {
    for (const type of ['award', 'exercise', 'gift', 'tax_withholding', 'other'] as const) {
      assert.equal(weight({ type, totalValue: '90000000' }), 'low', type)
    }
    assert.equal(weight({ byIssuer: true, totalValue: '90000000' }), 'low')
    for (const priceStatus of ['zero', 'footnote_only'] as const) assert.equal(weight({ priceStatus,
      totalValue: '90000000' }), 'low')
  })

  it('is low for a suspect or foreign price', () => {
    for (const priceStatus of ['suspect', 'foreign'] as const) {
      assert.equal(weight({ priceStatus, totalValue: '90000000', signals: ['high'] }), 'low')
    }
  })

  it('takes other floors from the operator', () => {
    const floors = { highBuy: 10, mediumTrade: 5 }
    assert.equal(significanceOf(trade({ totalValue: '10' }), floors), 'high')
    assert.equal(significanceOf(trade({ totalValue: '5' }), floors), 'medium')
    assert.equal(significanceOf(trade({ totalValue: '4.99' }), floors), 'low')
  })
})
