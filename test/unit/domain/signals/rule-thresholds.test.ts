// What an operator sets of the rules, and how it is distinguished from the defaults.
import { assert } from 'chai'
import {
  DEFAULT_RULES,
  parseRules,
  rulesVersion,
  type SignalRules,
} from '../../../../src/domain/signals/rule-thresholds.ts'

describe('signal rules', () => {
  it('are the defaults where nothing is set', () => {
    assert.deepEqual(parseRules({}), DEFAULT_RULES)
    assert.deepEqual(parseRules({ cluster_buy: {}, ceo_trade: {} }), DEFAULT_RULES)
  })

  it('take what is set and keep the rest', () => {
    const rules = parseRules({
      cluster_buy: { minimum: 20_000, days: 0 },
      ceo_trade: { buy: [{ from: 5, severity: 'high' }] },
      personMonths: 6,
      reversal: { buy: 'low', oppositeShare: 0.75 },
      unusual_size: { ratios: [{ from: 1.5, severity: 'low' }] },
      significance: { buyHigh: 60_000 },
    })
    assert.deepEqual(rules, {
      ...DEFAULT_RULES,
      cluster_buy: { ...DEFAULT_RULES.cluster_buy, minimum: 20_000, days: 0 },
      ceo_trade: { ...DEFAULT_RULES.ceo_trade, buy: [{ from: 5, severity: 'high' }] },
      reversal: { ...DEFAULT_RULES.reversal, buy: 'low', oppositeShare: 0.75 },
      unusual_size: { ...DEFAULT_RULES.unusual_size, ratios: [{ from: 1.5, severity: 'low' }] },
      personMonths: 6,
      significance: { ...DEFAULT_RULES.significance, buyHigh: 60_000 },
    })
  })

  const refused: [json: unknown, message: RegExp][] = [
    [null, /^rules: must be an object$/],
    [[], /^rules: /],
    ['{}', /^rules: /],
    [{ clusterBuy: {} }, /^clusterBuy: unknown, must be one of cluster_buy, /],
    [{ cluster_buy: { minimun: 1 } }, /^cluster_buy\.minimun: unknown/],
    [JSON.parse('{"__proto__":{}}'), /^__proto__: unknown/],
    [{ cluster_buy: null }, /^cluster_buy: must be an object$/],
    [{ cluster_sell: { minimum: '1' } }, /^cluster_sell\.minimum: must be a whole number from 0/],
    [{ cluster_sell: { minimum: -1 } }, /^cluster_sell\.minimum: /],
    [{ cluster_sell: { minimum: 0.5 } }, /^cluster_sell\.minimum: /],
    [{ cluster_sell: { minimum: NaN } }, /^cluster_sell\.minimum: /],
    [{ cluster_sell: { minimum: 1e300 } }, /^cluster_sell\.minimum: /],
    [{ cluster_sell: { minimum: null } }, /^cluster_sell\.minimum: /],
    [{ cluster_sell: { persons: 0 } }, /^cluster_sell\.persons: must be a whole number from 1/],
    [{ personMonths: 1201 }, /^personMonths: must be a whole number from 0 to 1200$/],
    [{ unusual_size: { percentile: 0 } }, /^unusual_size\.percentile: must be a number above 0, up to 1$/],
    [{ unusual_size: { percentile: 1.1 } }, /percentile/],
    [{ unusual_size: { earlierTrades: 0 } }, /^unusual_size\.earlierTrades: /],
    [
      { unusual_size: { percentileSeverity: 'huge' } },
      /^unusual_size\.percentileSeverity: must be one of low, medium, high, critical$/,
    ],
    [{ ceo_trade: { buy: [] } }, /^ceo_trade\.buy: must be a list of at least one step$/],
    [{ ceo_trade: { buy: {} } }, /^ceo_trade\.buy: /],
    [{ ceo_trade: { buy: [7] } }, /^ceo_trade\.buy\[0\]: must be an object$/],
    [{ ceo_trade: { buy: [{ from: 0, severity: 'low' }] } }, /^ceo_trade\.buy\[0\]\.from: must be a number above 0/],
    [{ ceo_trade: { buy: [{ from: 1.5, severity: 'low' }] } }, /^ceo_trade\.buy\[0\]\.from: must be a whole number$/],
    [{ ceo_trade: { buy: [{ from: 1 }] } }, /^ceo_trade\.buy\[0\]\.severity: /],
    [{ ceo_trade: { buy: [{ from: 1, severity: 'low', to: 2 }] } }, /^ceo_trade\.buy\[0\]\.to: unknown/],
    [
      {
        ceo_trade: {
          sell: [
            { from: 5, severity: 'low' },
            { from: 5, severity: 'high' },
          ],
        },
      },
      /^ceo_trade\.sell\[1\]\.from: must be more than in the step before$/,
    ],
    [
      { significance: { highBuy: 5 } },
      /^significance\.highBuy: replaced by buyHigh, must be one of buyMedium, buyHigh, buyCritical, sellMedium, \w+$/,
    ],
    [
      { significance: { buyHigh: 5, mediumTrade: 5 } },
      /^significance\.mediumTrade: replaced by buyMedium and sellMedium, must be one of /,
    ],
    [{ significance: { toString: 5 } }, /^significance\.toString: unknown/],
    [{ significance: { buyHigh: 49_999 } }, /^significance\.buyHigh: must be buyMedium \(50000\) or more$/],
    [{ significance: { sellMedium: 20_000_000 } }, /^significance\.sellHigh: must be sellMedium \(20000000\) or more$/],
    [{ cluster_buy: { persons: 2 } }, /^cluster_buy\.severities: the first step must be from 2 \(persons\) or less$/],
  ]
  for (const [json, message] of refused) {
    it(`refuse ${JSON.stringify(json)}`, () => assert.throws(() => parseRules(json), message))
  }

  it('leave the defaults as they are', () => {
    const before = structuredClone(DEFAULT_RULES)
    parseRules({ cluster_buy: { days: 3 }, reversal: { against: 4 } })
    assert.deepEqual(DEFAULT_RULES, before)
  })

  describe('version', () => {
    it('is default for the defaults, however they came about', () => {
      assert.strictEqual(rulesVersion(DEFAULT_RULES), 'default')
      assert.strictEqual(rulesVersion(parseRules({ cluster_buy: { minimum: 10_000 } })), 'default')
      const turned = Object.fromEntries(Object.entries(DEFAULT_RULES).reverse()) as unknown as SignalRules
      assert.strictEqual(rulesVersion(turned), 'default')
    })

    it('is another for other rules, the same for the same', () => {
      const versions = [
        { personMonths: 12 },
        { personMonths: 13 },
        { cluster_buy: { days: 13 } },
        { cluster_sell: { days: 13 } },
      ].map((json) => rulesVersion(parseRules(json)))
      assert.lengthOf(new Set(versions), 4)
      for (const version of versions) assert.match(version, /^custom-[0-9a-f]{8}$/)
      assert.strictEqual(rulesVersion(parseRules({ personMonths: 12 })), versions[0])
    })
  })
})
