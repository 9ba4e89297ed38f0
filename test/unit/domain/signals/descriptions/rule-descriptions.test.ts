// The rules of signals in words: true for the thresholds they are made from, and the same in the API document.
import { assert } from 'chai'
import { DEFAULT_RULES, parseRules } from '../../../../../src/domain/signals/rule-thresholds.ts'
import {
  ABOUT_SIGNALS,
  EXCLUSION_TEXTS,
  describeRules,
  describeSignificance,
} from '../../../../../src/domain/signals/descriptions/rule-descriptions.ts'
import { EXCLUSION_REASONS, SIGNAL_TYPES } from '../../../../../src/domain/signals/signal.ts'
import { contract } from '../../../../support/http/contract-client.ts'

const inOneLine = (text: string) => text.replace(/\s+/g, ' ')
const document = inOneLine(contract.tags.find(({ name }: { name: string }) => name === 'Signals').description)
const defaults = describeRules(DEFAULT_RULES)

describe('the descriptions of signal rules', () => {
  for (const type of SIGNAL_TYPES) {
    it(`of ${type} stand in the API document`, () => {
      const { text, research, limits } = defaults[type]
      assert.include(document, `**\`${type}\`** ${text} *Research:* ${research} *Limits:* ${limits}`)
    })
  }

  it('that hold for all stand in the API document', () => assert.include(document, ABOUT_SIGNALS))

  it('of significance stand in the API document, but for what is said of its own accord there', () => {
    const text = inOneLine(contract.components.schemas.Transaction.properties.significance.description).replaceAll(
      '`',
      '',
    )
    for (const sentence of describeSignificance(DEFAULT_RULES).split('. ').slice(2, 5)) assert.include(text, sentence)
    const words = describeSignificance(
      parseRules({ significance: { buyMedium: 1, buyHigh: 2, buyCritical: 3, sellMedium: 4, sellHigh: 5_000 } }),
    )
    for (const told of [
      'officers or directors: medium from $1, high from $2, critical from $3.',
      'sales: medium from $4, high from $5,000.',
    ]) {
      assert.include(words, told)
    }
  })

  it('say why a transaction was left out, each reason once, as the API document does', () => {
    const { enum: reasons, description } = contract.components.schemas.LeftOutTransaction.properties.reason
    assert.deepEqual(reasons, [...EXCLUSION_REASONS])
    for (const reason of EXCLUSION_REASONS)
      assert.include(description, `| \`${reason}\` | ${EXCLUSION_TEXTS[reason]} |`)
  })

  it('follow the thresholds', () => {
    const {
      cluster_buy: buy,
      cluster_sell: sell,
      unusual_size: size,
      ceo_trade: ceo,
      reversal,
    } = describeRules(
      parseRules({
        cluster_buy: {
          persons: 7,
          minimum: 1_234_567,
          days: 1,
          lowBelow: 999,
          mediumBelow: 1_999,
          highBelow: 9_999,
          stepsDown: 2,
          severities: [{ from: 6, severity: 'high' }],
        },
        cluster_sell: { officersForHigh: 9, personsForCriticalWithChief: 11, stepsDown: 0 },
        unusual_size: {
          ratios: [{ from: 2.5, severity: 'critical' }],
          percentile: 0.999,
          companyTrades: 31,
          companyYears: 1,
          minimum: 77,
        },
        ceo_trade: { sell: [{ from: 12_345, severity: 'high' }] },
        reversal: {
          against: 4,
          againstMonths: 18,
          noneOwnMonths: 6,
          sell: 'critical',
          oppositeShare: 0.55,
          lastTrades: 13,
          stepUpFrom: 5,
        },
      }),
    )
    const says = ({ text }: { text: string }, ...words: string[]) => words.forEach((each) => assert.include(text, each))
    says(
      buy,
      'At least 7 persons buy',
      '$1,234,567 or more',
      'at most 1 day between',
      'high from 6;',
      '; and then 2 steps lower.',
      'At most low if the total is below $999, medium below $1,999, high below $9,999.',
    )
    says(sell, '9 or more officers', 'critical also for 11 or more')
    assert.notInclude(sell.text, 'lower')
    says(size, '$77 or more', '2.5 times', 'critical from 2.5', '99.9th', 'the 1 year before', '31 or more')
    says(ceo, 'for $12,345 or more', 'Of a sale: high from $12,345.', 'low from $25,000')
    says(
      reversal,
      'to 4 or more',
      'within 18 months',
      'in the last 6.',
      'critical for a sale',
      '55 % or more of the last 13',
      'another from $5.',
    )
  })

  it('are whole sentences, and promise nothing', () => {
    const all = [
      ABOUT_SIGNALS,
      ...Object.values(EXCLUSION_TEXTS),
      ...Object.values(defaults).flatMap((words) => Object.values(words)),
    ]
    for (const text of all) {
      assert.match(text, /^[A-Z][^]*\.$/)
      assert.notMatch(text, /undefined|NaN|\s\s| [,.;]/)
    }
    assert.include(ABOUT_SIGNALS, 'nor advice')
  })
})
