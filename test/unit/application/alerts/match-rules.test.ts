// Which notices rules of alerts match.
import { assert } from 'chai'
import type { components } from '../../../../src/contract.ts'
import { indexRules, rulesOfNotice } from '../../../../src/application/alerts/match-rules.ts'
import type { ActiveRule, AlertFilter } from '../../../../src/application/ports/alerts.ts'
import { example } from '../../../support/http/example-service.ts'

type Notice = components['schemas']['Notice']

describe('rules on notices', () => {
  const notice = example('notice-detail').data as Notice
  const matches = (filter: AlertFilter, change: Partial<Notice> = {}) => {
    const rule = { id: 'a', events: ['notice.created'], filter, signalTypes: null, minSeverity: null }
    const subject = { type: 'notice.created', issuer: { cik: notice.issuerCik, symbols: [] } } as const
    const index = indexRules([rule as unknown as ActiveRule])
    return rulesOfNotice(index, subject, { ...notice, ...change }, () => 'Unknown').length === 1
  }

  it('compare numbers of shares with the units, and match none that cannot be read', () => {
    for (const filter of [{ maxShares: 10_000 }, { minShares: 10_000 }, { minShares: 1, maxShares: 20_000 }]) {
      assert.isTrue(matches(filter), JSON.stringify(filter))
      assert.isFalse(matches(filter, { units: null }), JSON.stringify(filter))
    }
    assert.isFalse(matches({ maxShares: 9_999 }))
    assert.isTrue(matches({}, { units: null }))
  })
})
