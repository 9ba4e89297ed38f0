// Which events rules of alerts match.
import { assert } from 'chai'
import type { components } from '../../../../src/contract.ts'
import { indexRules, rulesOfNotice, type RuleSubject } from '../../../../src/application/alerts/match-rules.ts'
import { factsOfTrade } from '../../../../src/application/changes/change-facts.ts'
import type { ActiveRule, AlertFilter, SharedRules } from '../../../../src/application/ports/alerts.ts'
import { LONGEST_TURN_MS, longestTurnMs } from '../../../support/event-loop.ts'
import { exampleTrade } from '../../../support/filings/trade.ts'
import { example } from '../../../support/http/example-service.ts'
import { compute } from '../../../support/workers/shared-workers.ts'

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

describe('ten thousand rules', function () {
  this.timeout(60_000)

  it('are matched in a worker thread, which indexes them once after each change', async () => {
    const listed = Array.from({ length: 30 }, (_, place) => exampleTrade({ totalValue: String(place * 1000) }))
    const subject: RuleSubject = {
      type: 'transaction.created',
      issuer: { cik: '0001999001', symbols: ['EX'] },
      sector: 'Energy',
      listed: listed.map(factsOfTrade),
      replaced: [],
    }
    const [some, others] = [rulesFrom(19_000), rulesFrom(29_001)]
    for (const [rules, matching] of [
      [some, 10_000],
      [others, 0],
      [some, 10_000],
    ] as const) {
      const match = () => compute('live', 'matchRules', { rules, subject })
      const found = await match()
      assert.lengthOf(found, matching)
      const last = matching > 0 ? [{ id: '9999', passing: [29], of: 30 }] : []
      assert.deepEqual(
        found.filter(({ id }) => id === '9999'),
        last,
      )
      assert.isBelow(await longestTurnMs(match), LONGEST_TURN_MS)
    }
    assert.deepEqual(await compute('live', 'needsOfRules', some), { namesSectors: true, needsCountedTrades: false })
  })

  /** Each asks for a value of a dollar more than the one before, of one company or two sectors. */
  function rulesFrom(least: number): SharedRules {
    const rules = Array.from({ length: 10_000 }, (_, place) => ({
      id: String(place),
      events: ['transaction.created'],
      filter: { minValue: least + place, ...(place % 2 ? { sectors: ['Energy', 'Technology'] } : { tickers: ['EX'] }) },
      signalTypes: null,
      minSeverity: null,
    }))
    const bytes = Buffer.from(JSON.stringify(rules))
    const json = new SharedArrayBuffer(bytes.length)
    new Uint8Array(json).set(bytes)
    return { id: `rules from ${least}`, json }
  }
})
