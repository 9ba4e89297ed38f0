// The wordings are made up after what filings say; a second block counts the plans in real ones.
import { assert } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import {
  footnotePlan,
  MENTIONS_PLAN,
  planOf,
  planStatements,
} from '../../../../../src/domain/filings/trading-plan/trading-plan.ts'
import { readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'
import { filingOf } from '../../../../support/filings/filing-builder.ts'
import { documentsFolder, haveRealFilings } from '../../../../support/filings/truth.ts'

const LETS_THROUGH = new RegExp(MENTIONS_PLAN)
const say = (wanted: 'yes' | 'no' | null, texts: string[]) => {
  for (const text of texts) assert.strictEqual(footnotePlan(text), wanted, text)
}

describe('a footnote says that a transaction was made under a Rule 10b5-1 plan', () => {
  it('in the usual words', () =>
    say('yes', [
      'The sales reported on this form were effected pursuant to a Rule 10b5-1 trading plan adopted by the reporting ' +
        'person on June 3, 2019.',
      "This transaction was made pursuant to a Rule 10b5-1 trading plan adopted by the reporting person's trust on " +
        'March 1, 2018.',
      'Shares sold pursuant to a 10b5-1 plan dated June 15, 2014.',
      'Sold under a pre-arranged 10b5-1 sales plan.',
      'Sales made in accordance with a written Rule 10b5-1(c) stock disposition plan.',
      "Purchased under the reporting person's Rule 10b5-1 purchase plan, entered into on 5/12/2011.",
      'Transaction executed through a broker per a 10b5-1 program.',
      'The exercise of options and the sale of the shares were carried out automatically under a 10b5-1 trading ' +
        'arrangement.',
      'As indicated above, this transaction was effected automatically pursuant to a Rule 10b5-1 trading plan of Owl ' +
        'Holdings, L.P. on November 2, 2020.',
      'Pursuant to a 10b5-1 Plan.',
      'Pursuant to Rule 10b5-1.',
      "Sale in connection with Rule 10b5-1 trading plan of Mrs. Owl's spouse.",
      'The reported sale is part of a Rule 10b5-1 plan.',
      'Sold by the Owl Family Trust under its previously announced, non-discretionary Rule 10b5-1 stock trading and ' +
        'diversification plan.',
      "The sale was effected pursuant to the reporting person's own plan under Rule 10b5-1, and not at the " +
        'discretion of the reporting person.',
      'EFFECTED PURSUANT TO A RULE 10B5-1 TRADING PLAN.',
      'sold under 10b5-1 plan. price is the weighted average.',
      'The price is a weighted average of sales at $10.15 to $10.30. The sales were pursuant to a 10b5-1 plan.',
      'Not all of the options were exercised. The shares were sold pursuant to a Rule 10b5-1 plan.',
      'Sold pursuant to a 10b5-1 plan to cover taxes that may be due.',
      'The reported sales were made pursuant to a "10b5-1" plan.',
      'Represents sales mandated by a 10b5-1 sell-to-cover instruction.',
      'Sold automatically on reaching a price set in a Rule 10b5-1 plan.',
      'Sold in pursuance of a 10b5-1 plan.',
      'Persuant to a Rule 10b5-1 plan.',
      'Planned sale under Rule 10b5-1.',
      '* Sold pursuant to Rule 10b5-1 Plan',
      'Sale effected under a Rule 10b5-1 plan that was adopted on June 1, 2021 and will expire on June 1, 2022.',
    ]))

  it('however the rule is spelled', () => {
    const spellings = [
      '10b5-1',
      '10b-5-1',
      '10b5 - 1',
      '10(b)5-1',
      '10b5–1',
      '10b5—1',
      '10b5‑1',
      '10b5−1',
      '10b5 1',
      '10b51',
      '10b-51',
      '10(b)(5)-1',
      '10b(5)-1',
      '10B5-1',
      '10 b5-1',
      '10b 5-1',
      '10b5-l',
      '10b5/1',
      '10b5.1',
      '10b5-(1)',
      '10b5-1(c)',
      '10b5-1(c)(1)',
      '10b5-1(c)(1)(i)',
      '10b5-1 (c)',
      '240.10b5-1',
      '10b5',
      '10b-5',
      '105b-1',
      '10b-1',
      '10b5-01',
      '10b5-1-compliant',
      '10b5-trading',
      '10b5-sales',
    ]
    for (const spelling of spellings) {
      const plans = [`Rule ${spelling} trading plan`, `${spelling} plan`, `SEC Rule ${spelling} Sales Plan`]
      say(
        'yes',
        plans.map((plan) => `Sold pursuant to a ${plan}.`),
      )
      say(
        'no',
        plans.map((plan) => `This sale was not made pursuant to a ${plan}.`),
      )
    }
  })

  it('with the plan before the rule', () =>
    say('yes', [
      'Sold under a prearranged trading plan under Rule 10b5-1.',
      'Sold under a trading plan adopted in accordance with Rule 10b5-1 of the Securities Exchange Act of 1934, as ' +
        'amended.',
      'Sold pursuant to a sales plan intended to comply with Rule 10b5-1(c) under the Exchange Act.',
      'The sales were made pursuant to trading instructions given by the Owl Foundation Trust on May 7, 2014 that ' +
        'are intended to comply with Rule 10b5-1(c) under the Securities and Exchange Act of 1934.',
      'The sale was made under a plan (adopted June 1, 2012) complying with Rule 10b5-1.',
      'This transaction was made pursuant to a contract, instruction or written plan for the purchase or sale of ' +
        'equity securities of the issuer that is intended to satisfy the affirmative defense conditions of ' +
        'Rule 10b5-1(c).',
      'Shares were automatically sold under a durable sale instruction letter meant to meet taxes, designed to ' +
        'satisfy Rule 10b5-1.',
      'Sold pursuant to a pre-existing plan, entered into on December 2, 2013, that qualifies under Rule 10b5-1.',
      'The sales were made in a manner intended to comply with Rule 10b5-1.',
    ]))

  it('with an instruction to sell to cover taxes', () =>
    say('yes', [
      'Sold pursuant to a sell-to-cover instruction intended to satisfy the affirmative defense conditions of ' +
        'Rule 10b5-1(c).',
      'The shares were sold pursuant to a sell-to-cover instruction that is intended to satisfy the affirmative ' +
        'defense conditions of Rule 10b5-1(c).',
      'Sold pursuant to a "sell to cover" election that is intended to satisfy the affirmative defense conditions of ' +
        'Rule 10b5-1(c).',
      'Sold under a sell to cover arrangement intended to comply with Rule 10b5-1.',
      'Sold pursuant to an irrevocable election to sell to cover, intended to satisfy Rule 10b5-1(c).',
      'Sold through a mandatory sell-to-cover program that complies with Rule 10b5-1.',
      'Sold pursuant to a sell\u2011to\u2011cover letter meant to satisfy the affirmative defense of Rule 10b5-1(c).',
      "To cover taxes, sold pursuant to the reporting person's sell-to-cover election dated May 5, 2024, which " +
        'election is intended to satisfy the affirmative defense conditions of Rule 10b5-1(c)(1).',
      'The sale was effected pursuant to a sell-to-cover provision in the award agreement, meant to satisfy the ' +
        'conditions of Rule 10b5-1(c).',
      'The sales were made pursuant to a sale-to-cover direction intended to qualify for the affirmative defense of ' +
        'Rule 10b5-1(c).',
      'The reporting person gave a sell-to-cover instruction intended to satisfy Rule 10b5-1(c). The shares were ' +
        'sold under such sell-to-cover instruction.',
      'Rule 10b5-1 sell to cover instruction adopted on March 3, 2023.',
    ]))

  it('with any noun phrase before the rule, however long', () =>
    say('yes', [
      'Sold pursuant to a standing election that is intended to satisfy the affirmative defense conditions of ' +
        'Rule 10b5-1(c).',
      'Made pursuant to a durable, written and irrevocable direction by the reporting person to the broker for the ' +
        'automatic sale of shares on vesting, designed to meet the requirements of Rule 10b5-1(c).',
      "Sold in accordance with the reporting person's irrevocable election, made on March 1, 2024 at the time of the " +
        'grant of the award, to sell shares in an amount that is sufficient to cover withholding taxes, intended to ' +
        'satisfy the affirmative defense conditions of Rule 10b5-1(c).',
      "Sold under the reporting person's and her spouse's previously announced, written, binding, irrevocable, " +
        'automatic and non-discretionary sales and diversification Rule 10b5-1 plan.',
    ]))

  it('over two sentences', () =>
    say('yes', [
      'On August 1, 2014 the reporting person adopted a Rule 10b5-1 trading plan. The sales reported were made ' +
        'pursuant to that plan.',
      'The trust entered into a plan that is intended to satisfy Rule 10b5-1(c). All transactions reported were ' +
        'effected under such trading plan.',
      'In May the reporting person adopted instructions under Rule 10b5-1 (the "Plan"). Sold under the Plan.',
    ]))

  it('by describing the plan', () =>
    say('yes', [
      'Rule 10b5-1 trading plan adopted on March 3, 2020.',
      '10b5-1 plan',
      '10b5-1 Plan dated 3/1/20.',
      'See Rule 10b5-1 sales plan of 2011.',
      'The Rule 10b5-1 trading plan was adopted by the reporting person on August 22, 2022.',
      "The Rule 10b5-1 Plan's date of adoption was August 22, 2022.",
      'The date of adoption of the Rule 10b5-1 plan was August 22, 2022.',
      'This plan is intended to satisfy the affirmative defense conditions of Rule 10b5-1(c).',
      'Rule 10b5-1 sale.',
      'This is an automatic 10b5-1 plan transaction.',
      'The 10b5-1 plan under which these shares were sold was adopted in May 2015.',
      'These sales are subject to a Rule 10b5-1 plan.',
      "The sale of the shares is covered by the reporting person's 10b5-1 plan.",
      'The reporting person has entered into a Rule 10b5-1 plan, and this sale was made thereunder.',
    ]))

  it('and more besides', () =>
    say('yes', [
      'Sold pursuant to a Rule 10b5-1 plan, which has since been terminated.',
      'Sold under a 10b5-1 plan, under which the reporting person may sell up to 50,000 shares.',
      'To pay the taxes that may be due, shares were sold pursuant to a 10b5-1 plan.',
      'Except as noted, all sales were made pursuant to a 10b5-1 plan.',
      'The box was inadvertently not checked on the earlier form; the sale was made pursuant to a Rule 10b5-1 plan.',
      'This amendment reports a sale left out by an error of the broker, in accordance with the 10b5-1 plan adopted ' +
        'on March 7, 2014.',
      'Shares held by the trust were sold pursuant to its 10b5-1 plan.',
      'Acquired under the 2010 Equity Incentive Plan and sold pursuant to a 10b5-1 plan.',
      'Sold the remaining shares under his 10b5-1 plan.',
      'Shares sold under a 10b5-1 plan. The reporting person may make further sales under the plan.',
      'Sold under a Rule 10b5-1 plan that the reporting person may terminate at any time.',
    ]))
})

describe('a footnote says that a transaction was not made under such a plan', () => {
  it('in so many words', () =>
    say('no', [
      'This sale was not made pursuant to a Rule 10b5-1 plan.',
      'Not pursuant to a 10b5-1 trading plan.',
      'The purchases were made in the open market and not pursuant to any Rule 10b5-1 trading plan.',
      "The transaction was discretionary and wasn't effected under the reporting person's 10b5-1 plan.",
      'The sale was not part of a 10b5-1 plan.',
      'This was not a 10b5-1 sale.',
      "The shares were sold outside of the reporting person's Rule 10b5-1 plan.",
      'Sold other than pursuant to a Rule 10b5-1 plan.',
      "Made independently of the reporting person's 10b5-1 plan.",
      'None of the sales reported here were made under a Rule 10b5-1 plan.',
      'No Rule 10b5-1 plan was in place.',
      'The reporting person did not have a 10b5-1 plan.',
      'Sold pursuant to a non-Rule 10b5-1 trading arrangement.',
      'The plan is not intended to satisfy the affirmative defense conditions of Rule 10b5-1(c).',
      'The sale was made pursuant to instructions not intended to comply with Rule 10b5-1.',
      'The sale was not subject to a 10b5-1 plan.',
      'The purchase was neither solicited nor made under a 10b5-1 plan.',
      'The sale was made without a Rule 10b5-1 plan.',
      'This sale was not executed pursuant to the previously disclosed 10b5-1 plan.',
    ]))

  it('with other verbs, adverbs and doubled prepositions', () =>
    say('no', [
      'The sale was not effected under or pursuant to a Rule 10b5-1 plan.',
      'This transaction did not occur pursuant to a Rule 10b5-1 plan.',
      'This transaction did not take place under a Rule 10b5-1 plan.',
      'The sale was never made pursuant to a 10b5-1 plan.',
      'The shares were not disposed of under a 10b5-1 plan.',
      'These sales were not done under a 10b5-1 plan.',
      'The shares were not sold or disposed of under a 10b5-1 plan.',
      'The sale was not automatically made pursuant to a 10b5-1 plan.',
      'The sale was not voluntarily made under a 10b5-1 plan.',
      'The sale was not executed by the broker pursuant to a 10b5-1 plan.',
      'The sale was not, directly or indirectly, made pursuant to a Rule 10b5-1 plan.',
      'The sale was not pre-planned pursuant to a Rule 10b5-1 plan.',
      'The sale was not previously arranged under a Rule 10b5-1 plan.',
      'The sale was not scheduled under a Rule 10b5-1 plan.',
      'The sale was not entered into under a Rule 10b5-1 plan.',
    ]))

  it('with an instruction to sell to cover taxes, or a long noun phrase', () =>
    say('no', [
      'The shares were not sold pursuant to a sell-to-cover instruction intended to satisfy the affirmative defense ' +
        'conditions of Rule 10b5-1(c).',
      'Sold pursuant to a sell-to-cover instruction, and not pursuant to a Rule 10b5-1 plan.',
      'Sold pursuant to a sell-to-cover instruction that was not intended to satisfy the affirmative defense ' +
        'conditions of Rule 10b5-1(c).',
      'Sold other than pursuant to a sell-to-cover election intended to satisfy the affirmative defense conditions of ' +
        'Rule 10b5-1(c).',
      'None of the shares were sold pursuant to a standing election of the reporting person to sell that is intended ' +
        'to satisfy the affirmative defense conditions of Rule 10b5-1(c).',
      'Not made under any direction given by the reporting person to a broker for the sale of shares on vesting and ' +
        'intended to satisfy the affirmative defense conditions of Rule 10b5-1(c).',
    ]))
})

describe('a footnote denies something else, and says that the transaction was made under such a plan', () => {
  it('with the same words', () =>
    say('yes', [
      'Sales not previously reported, made under a 10b5-1 plan.',
      'The sales were made by the broker, not by the reporting person, under a 10b5-1 plan.',
      'The sales were not initiated by the reporting person, pursuant to a 10b5-1 plan.',
      'The shares were sold automatically, not voluntarily, under a 10b5-1 plan.',
      'The option was never exercised and shares were sold pursuant to a 10b5-1 plan.',
      'The sale did not occur on May 3 but on May 4 pursuant to a 10b5-1 plan.',
    ]))
})

describe('a footnote mentions such a plan and says nothing of the transaction', () => {
  it('where it is about what comes later', () =>
    say(null, [
      'The reporting person intends to adopt a Rule 10b5-1 plan.',
      'The reporting person may sell further shares in future under a Rule 10b5-1 plan.',
      'The reporting person may, from time to time, sell shares pursuant to a 10b5-1 plan.',
      'The remaining shares will be sold pursuant to a 10b5-1 plan.',
      'The reporting person expects to sell the shares under a 10b5-1 plan.',
      'The shares are to be sold under a Rule 10b5-1 plan.',
      "12,000 shares remain available for sale under the reporting person's 10b5-1 plan.",
      'No further sales are planned under the 10b5-1 plan.',
      'Transferred to a trust to facilitate future sales under a 10b5-1 plan.',
      'The shares will not be sold under a 10b5-1 plan.',
      'Shares will be sold pursuant to a sell-to-cover instruction intended to satisfy the affirmative defense ' +
        'conditions of Rule 10b5-1(c).',
      'All remaining shares under the Rule 10b5-1 plan will be sold by June.',
      'Options to be exercised under a 10b5-1 plan.',
      'Following this transaction no shares are remaining under the Rule 10b5-1 plan.',
    ]))

  it('where it is about a plan as such', () =>
    say(null, [
      'On May 1, 2014 the reporting person entered into a Rule 10b5-1 plan for the sale of up to 40,000 shares.',
      'The reporting person has adopted a stock trading plan in accordance with Rule 10b5-1.',
      'The reporting person terminated a 10b5-1 plan on May 1, 2014.',
      'The 10b5-1 plan was adopted on May 1, 2013 and terminated on May 1, 2014.',
      'The Rule 10b5-1 plan has expired.',
      "Acquired in connection with the termination of the reporting person's 10b5-1 plan.",
      'Shares were transferred upon adoption of a 10b5-1 plan.',
    ]))

  it('where it is about other shares, other filings or the rules', () =>
    say(null, [
      'Does not include 5,000 shares sold on May 2 pursuant to a 10b5-1 plan.',
      'Includes 20,000 shares that are subject to a Rule 10b5-1 plan.',
      'Includes 20,000 shares held under a Rule 10b5-1 plan.',
      "The percentage grew as a result of the issuer's repurchases under its 10b5-1 plan.",
      'Shares bought by the issuer under its 10b5-1 repurchase program are left out.',
      'The lock-up agreement permits no sales for 90 days, except pursuant to existing 10b5-1 plans.',
      'Company policy allows sales only under approved 10b5-1 plans.',
      'Shares withheld under the 2020 equity plan on the vesting of restricted stock units, and the reporting person ' +
        'adopted a Rule 10b5-1 plan.',
      'Acquired under the 2020 equity incentive plan of Owl Holdings on the vesting of units in exchange for shares ' +
        'formerly in a Rule 10b5-1 plan.',
      'Granted under the 2020 equity plan and are subject to a Rule 10b5-1 plan.',
      'The earlier form inadvertently indicated that the transaction was made pursuant to a Rule 10b5-1 plan.',
      'This amendment is filed solely to uncheck the box for transactions made pursuant to a Rule 10b5-1 plan.',
      'The only change is that the Rule 10b5-1(c) box is now checked.',
    ]))

  it('where it is about another rule, or names none', () =>
    say(null, [
      'The sale does not give rise to liability under Rule 10b-5.',
      'Bought back by the issuer pursuant to Rule 10b-18.',
      'Acquired under the 2010 Employee Stock Purchase Plan.',
      'Sold pursuant to a sell-to-cover instruction.',
      'Sold pursuant to a sell-to-cover instruction in compliance with Rule 10b-5 and Rule 144.',
      'Sold pursuant to a sell-to-cover instruction intended to comply with Rules 144 and 10b-5.',
      'Sold pursuant to a pre-arranged trading plan adopted on June 1, 2014.',
      'See Exhibit 10b for the plan.',
      'In 2010 Berkshire sold shares under the plan.',
      '',
      ' ',
    ]))

  it('where it says both', () =>
    say(null, [
      'Not all of the transactions reported in this Form 4 were made pursuant to a 10b5-1 plan.',
      '3,000 shares were sold under a 10b5-1 plan. The other 500 were not sold pursuant to a 10b5-1 plan.',
      '3,000 shares were sold under a 10b5-1 plan and the other 500 were not sold pursuant to a 10b5-1 plan.',
    ]))
})

describe('what a text about a plan speaks of', () => {
  const PLAN = 'pursuant to a Rule 10b5-1 plan'
  const scopes = (place: 'footnote' | 'remarks', wanted: string, texts: string[]) => {
    for (const text of texts) {
      const found = planStatements(text, place).map(({ says, scope }) => `${says} ${scope}`)
      assert.strictEqual(found.join(', '), wanted, text)
    }
  }

  it('is all transactions, where it names those of the form', () => {
    const texts = [
      `The transactions reported in this Form 4 were effected ${PLAN}.`,
      `The transactions reported on this form were made ${PLAN} adopted on May 2, 2024.`,
      `Transactions reported in this Form 4/A were effected ${PLAN}.`,
      `All transactions reported herein were made ${PLAN}.`,
      `All of the transactions disclosed in this report were automatically effected ${PLAN}.`,
      `Each transaction listed above was executed ${PLAN}.`,
      `All transactions were effected ${PLAN}.`,
      `Except as otherwise noted, all transactions reported in this filing were made ${PLAN}.`,
      `The option exercises and sales of common stock reported on this Form 4 were executed ${PLAN}.`,
      `The option exercise reported in Table II and the corresponding common stock sales reported in Table I of this ` +
        `Form 4 were executed ${PLAN}.`,
      `The purchases and sales reported by the reporting person on this Form 4 were made ${PLAN}.`,
      `The transactions in this Form 4 occurred under a 10b5-1 plan.`,
      `This Form 4 reports transactions made ${PLAN}.`,
      'The reporting person adopted a plan intended to satisfy Rule 10b5-1(c). All transactions reported herein were ' +
        'made pursuant to that plan.',
    ]
    scopes('remarks', 'yes all', texts)
    for (const text of texts) assert.deepInclude(planStatements(text, 'footnote'), { says: 'yes', scope: 'all' }, text)
  })

  it('is all transactions, where it denies the plan of them', () => {
    const texts = [
      `None of the transactions reported on this Form 4 were made ${PLAN}.`,
      `The transactions reported in this Form 4 were not effected ${PLAN}.`,
      `No transaction reported herein was made ${PLAN}.`,
      `All transactions reported in this Form 4 were made other than ${PLAN}.`,
    ]
    scopes('footnote', 'no all', texts)
    scopes('remarks', 'no all', texts)
  })

  it('is all sales or all purchases, where it names only those', () => {
    for (const place of ['footnote', 'remarks'] as const) {
      scopes(place, 'yes sales', [
        `The sales reported on this Form 4 were effected ${PLAN}.`,
        `Sale transactions reported in this Form 4 were effected ${PLAN}.`,
        `All sales of common stock disclosed herein were made ${PLAN}.`,
        `The sales reported on this Form 4 were ${PLAN}.`,
        `The shares reported on this Form 4 were sold ${PLAN}.`,
      ])
      scopes(place, 'yes purchases', [`The purchases reported on this Form 4 were made ${PLAN}.`])
    }
  })

  it('is the row, in a footnote that speaks of its own', () =>
    scopes('footnote', 'yes row', [
      `This transaction was made ${PLAN}.`,
      `These sales were made ${PLAN}.`,
      `The reported sales were made ${PLAN}.`,
      `Shares sold ${PLAN}.`,
      `All sales were made ${PLAN} at prices from $10.00 to $10.50.`,
      `The transaction reported on this Form 4 was made ${PLAN}.`,
      `All shares in this row were sold ${PLAN}.`,
      `The sales reported in this row of the form were made ${PLAN}.`,
      `Some of the transactions reported on this Form 4 were made ${PLAN}.`,
      `500 of the sales reported on this Form 4 were made ${PLAN}.`,
      `The other sales reported on this Form 4 were made ${PLAN}.`,
      `The transactions reported in this Form 4, except the sale on May 2, were made ${PLAN}.`,
      `The transactions reported in this Form 4 include 500 shares sold ${PLAN}.`,
      `The sales reported in the Form 4 filed on May 2, 2024 were made ${PLAN}.`,
      `The sales by the trust reported on this Form 4 were made ${PLAN}.`,
    ]))

  it('is all in remarks, which have no row, unless they speak of a part', () => {
    scopes('remarks', 'yes all', [`These transactions were made ${PLAN}.`, `The transaction was effected ${PLAN}.`])
    scopes('remarks', 'yes sales', [`Sale of shares ${PLAN} adopted on May 2, 2024.`, `Shares sold ${PLAN}.`])
    scopes('remarks', '', [
      `Transactions on May 2, 2024 were made ${PLAN}.`,
      `Some sales were made ${PLAN}.`,
      "The Rule 10b5-1 Plan's date of adoption was May 2, 2024.",
    ])
  })

  it('distinguishes statements about a row from those about the form', () =>
    scopes('footnote', 'no row, yes all', [
      `This sale was not made ${PLAN}. ` +
        `All other things being equal, all transactions reported herein were made ${PLAN}.`,
    ]))
})

describe('the plan of a transaction', () => {
  const footnotes = [
    'Sold under a 10b5-1 plan.',
    'Not under a 10b5-1 plan.',
    'Weighted average.',
    'The transactions reported in this Form 4 were effected pursuant to a Rule 10b5-1 plan.',
    'The sales reported in this Form 4 were not effected pursuant to a Rule 10b5-1 plan.',
  ].map((text, index) => ({ id: `F${index + 1}`, text }))
  const rowsOf = (rows: string[][], codes: string) =>
    rows.map((title, index) => ({ code: codes[index] ?? 'S', footnotes: { title } }))
  const plans = (aff10b5One: boolean | null, rows: string[][], codes = '', remarks: string | null = null) => {
    // Only footnotes that hang somewhere: one that speaks of all transactions would decide otherwise.
    const named = footnotes.filter(({ id }) => rows.flat().includes(id))
    const filing = filingOf({ aff10b5One, footnotes: named, remarks, rows: rowsOf(rows, codes) })
    return filing.nonDerivative.map((row) => Object.values(planOf(row, filing)).join(' '))
  }

  it("is what the row's own footnotes say, whatever the box says", () => {
    assert.deepEqual(plans(true, [['F1'], ['F2'], ['F3'], []]), ['yes footnote', 'no footnote', 'yes box', 'yes box'])
    assert.deepEqual(plans(false, [['F1'], ['F2'], ['F3'], []]), ['yes footnote', 'no footnote', 'no box', 'no box'])
    assert.deepEqual(plans(null, [['F1', 'F3'], ['F3', 'F2'], ['F3'], [], ['F9']]), [
      'yes footnote',
      'no footnote',
      'unknown none',
      'unknown none',
      'unknown none',
    ])
  })

  it('is what a footnote says of an instruction to sell to cover taxes, though the box is empty', () => {
    const text =
      'Sold pursuant to a sell-to-cover instruction intended to satisfy the affirmative defense conditions of ' +
      'Rule 10b5-1(c).'
    const filing = filingOf({ aff10b5One: false, footnotes: [{ id: 'F1', text }], rows: rowsOf([['F1'], []], 'SS') })
    const found = filing.nonDerivative.map((row) => Object.values(planOf(row, filing)).join(' '))
    assert.deepEqual(found, ['yes footnote', 'no box'])
  })

  it('is what the box says where no text says anything', () => {
    assert.deepEqual(plans(true, [[]]), ['yes box'])
    assert.deepEqual(plans(false, [[], ['F3']]), ['no box', 'no box'])
  })

  it('is what the box says where the footnotes disagree', () => {
    assert.deepEqual(plans(null, [['F1', 'F2']]), ['unknown none'])
    assert.deepEqual(plans(true, [['F1', 'F2']]), ['yes box'])
  })

  it('is what a footnote of any row says of all transactions, where its own say nothing', () => {
    assert.deepEqual(plans(false, [['F4'], [], ['F3'], ['F2']]), [
      'yes footnote',
      'yes footnote',
      'yes footnote',
      'no footnote',
    ])
    assert.deepEqual(plans(null, [[], ['F4']]), ['yes footnote', 'yes footnote'])
  })

  it('is what one of all sales says for sales alone, and for what it is attached to', () => {
    assert.deepEqual(plans(true, [[], ['F5'], [], []], 'MSSP'), ['yes box', 'no footnote', 'no footnote', 'yes box'])
    assert.deepEqual(plans(true, [['F5'], []], 'MM'), ['no footnote', 'yes box'])
  })

  it('is what the remarks say of all transactions', () => {
    const all = 'All transactions were effected pursuant to a Rule 10b5-1 plan.'
    assert.deepEqual(plans(null, [[], ['F2']], 'CS', all), ['yes footnote', 'no footnote'])
    assert.deepEqual(plans(false, [[]], 'S', all), ['yes footnote'])
    assert.deepEqual(plans(false, [[]], 'S', 'The sale on May 2 was made under a 10b5-1 plan.'), ['no box'])
  })

  it('does not depend on the order of rows and footnotes', () => {
    const any = fc.subarray(['F1', 'F2', 'F3', 'F4', 'F5'])
    const shuffled = <T>(list: T[]) => fc.shuffledSubarray(list, { minLength: list.length })
    const cases = fc
      .tuple(fc.constantFrom(true, false, null), fc.array(any, { minLength: 1, maxLength: 6 }))
      .chain(([box, rows]) =>
        fc.tuple(fc.constant(box), fc.constant(rows), shuffled(rows.map((_, index) => index)), shuffled(footnotes)),
      )
    fc.assert(
      fc.property(cases, ([aff10b5One, rows, order, texts]) => {
        const inOrder = plansOf(filingOf({ aff10b5One, footnotes, rows: rowsOf(rows, 'SMPSMP') }))
        const specs = rowsOf(rows, 'SMPSMP')
        const other = plansOf(filingOf({ aff10b5One, footnotes: texts, rows: order.map((index) => specs[index]!) }))
        assert.deepEqual(
          other,
          order.map((index) => inOrder[index]),
        )
      }),
    )
  })
  const plansOf = (filing: ReturnType<typeof filingOf>) => filing.nonDerivative.map((row) => planOf(row, filing))

  it('is read from no text that the quick test does not let through', () => {
    const words = [
      '10b5-1',
      '10 (b) 5',
      '105b-1',
      'rule',
      'plan',
      'not',
      'may',
      'sell',
      'sold',
      'pursuant to',
      'under',
      'a',
      'adopted',
      'which',
      'The',
      ',',
      '.',
      '(',
      '-',
    ]
    const text = fc.array(fc.constantFrom(...words), { maxLength: 400 }).map((parts) => parts.join(' '))
    const says = (written: string) =>
      (['footnote', 'remarks'] as const).some((place) => planStatements(written, place).length > 0)
    fc.assert(fc.property(text, (written) => !says(written) || LETS_THROUGH.test(written)))
  })
})

describe('plans in real filings (skipped without ../shared)', () => {
  // Read by eye: of 474 footnotes those of nine filings mention a plan, and all speak of the transaction; the remarks
  // of 011, 016 and 017 speak of all transactions. A letter a row of Table I.
  const BY_EYE = [
    '009 yy',
    `011 ${'y'.repeat(18)}`,
    `016 ${'y'.repeat(30)}`,
    '017 yyyyyy',
    '025 yyyyy',
    '027 --yyy',
    '039 yyy',
    '043 yyyyyyyyyyyyyy',
    '047 y',
    '103 -yy-yy',
    '109 -y-y',
    '123 y',
  ]

  it('are found by footnotes and remarks alone, row by row, and nowhere else', function () {
    if (!haveRealFilings) return this.skip()
    const found = readdirSync(documentsFolder)
      .sort()
      .flatMap((name) => {
        const read = readDocument(readFileSync(`${documentsFolder}/${name}`), name)
        if (read.kind !== 'filing') return []
        const rows = read.filing.nonDerivative.filter((row) => row.kind === 'transaction')
        const plans = rows.map((row) => planOf(row, { ...read.filing, aff10b5One: null }).plan)
        return [`${name.slice(0, 3)} ${plans.map((plan) => (plan === 'unknown' ? '-' : plan[0])).join('')}`]
      })
    assert.deepEqual(
      found.filter((line) => /[yn]/.test(line)),
      BY_EYE,
    )
  })
})
