// What the free text of an amendment says: which sentences take a transaction back, and which only correct a fact.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  AMENDMENT_WORDS_PATTERN,
  amendmentWords,
  wordsOfTexts,
} from '../../../../../src/domain/trades/reconciliation/amendment-words.ts'
import type { Filing } from '../../../../../src/domain/filings/filing.ts'

const says = (expected: string, texts: string[]) => {
  for (const text of texts) {
    assert.strictEqual(wordsOfTexts([text]).join(' '), expected, text)
    assert.strictEqual(wordsOfTexts([`Exhibit 24. ${text.toUpperCase()} See above.`]).join(' '), expected, text)
  }
}

describe('words of amendments', () => {
  it('take a transaction back', () => {
    says('removed', [
      'This amendment is filed solely to delete the sale that was inadvertently included.',
      'This Form 4/A removes the transaction dated May 3, 2024 from Table I.',
      'Filed for the purpose of deleting one of the two purchase transactions.',
      'This amendment reflects the removal of the grant reported in row 2.',
      'The purchase of 500 shares reported in the original Form 4 has been removed.',
      'The transaction in row 2 is hereby deleted.',
      'The sale of 1,000 shares was reported in error.',
      'The original filing included a sale which was reported erroneously.',
      'The original Form 4 inadvertently reported a sale of 1,000 shares.',
      'The reporting person filed a Form 4 which mistakenly reported the vesting of 120 shares.',
      'The report erroneously stated below. It inadvertently reported that she purchased a total of 200 shares.',
      'This award should not have been reported.',
      'The dividend shares should not have been listed as line items.',
      'The purchase reported on May 3 did not occur.',
      'The sale did not in fact take place.',
      'No such sale occurred.',
      'The trade was subsequently cancelled by the broker.',
      'The gift was never completed.',
      'The sale reported in the Form 4 filed on May 3, 2024 is hereby withdrawn.',
    ])
  })

  it('correct only a fact of it', () => {
    says('', [
      'The original Form 4 inadvertently reported the price as $20.50.',
      'The number of shares sold was reported in error.',
      'The original inadvertently reported the sale at a price of $20.',
      'The sale was inadvertently reported as a purchase.',
      'The sale price was erroneously reported.',
      'The date of the transaction was reported in error.',
      'The transaction code was inadvertently reported as P.',
      'The original filing erroneously reported the number of shares acquired in the grant.',
      'This amendment corrects the amount of the award, of which 1,000 shares were reported in error.',
      'The sale was inadvertently reported with the wrong date.',
      'The grant was inadvertently reported late.',
      'The original inadvertently reported a sale of 100 shares instead of 1,000.',
      'Filed to remove footnote 2 to the sale.',
      'To delete the price of the transaction.',
      'To remove the transaction code V.',
      'The Rule 10b5-1 box was inadvertently checked for this sale.',
      'This purchase was inadvertently omitted from the original Form 4.',
      'Filed to report a sale that was inadvertently not reported.',
      'The purchase did not occur on May 3 but on May 4.',
      'The option was cancelled in the merger.',
      'Filed to correct an error in the original filing.',
      'Due to a clerical error the original Form 4 misstated the holdings.',
      'No other changes have been made.',
      'Shares sold to cover taxes.',
      '',
    ])
  })

  it('correct only when, where or at what price it was', () => {
    says('', [
      'The sale was erroneously reported to have occurred at $12.00.',
      'The original Form 4 erroneously reported that the shares were sold at $12.00.',
      'The purchase was reported in error at $12.00.',
      'The purchase did not occur as reported; it occurred at $12.',
      'Vesting of the RSUs was erroneously reported on March 12, 2025 and is hereby corrected to March 13, 2025.',
      'The vesting was inadvertently reported one day early.',
      'The sales were inadvertently reported in the aggregate.',
      'The sales were inadvertently reported in a single line item.',
      'This transaction was inadvertently reported in Table II.',
    ])
    says('removed', [
      'The original Form 4 inadvertently included a sale of 1,000 shares at $20.50.',
      'The sale reported at $12.00 was erroneously included.',
      'The sale was erroneously reported to have occurred.',
      'The sale in early May 2024 was erroneously reported.',
      'The sales of 1,000 shares in the aggregate were reported in error.',
      'The sale was reported in error and is hereby corrected to remove it.',
      'The transaction reported in Table I was erroneously included.',
      'The award reported in Table I and in Table II was reported in error.',
    ])
  })

  it('find a transaction twice', () => {
    says('repeated', [
      'The grant was reported twice in the original.',
      'The original Form 4 twice reported the same sale.',
      'Filed to remove a duplicate entry.',
      'This transaction was inadvertently reported more than once.',
      'The award was double-counted.',
      'Duplicate row.',
    ])
    says('', ['Shares vest twice a year.', 'These holdings do not duplicate those above.', 'To avoid duplication.'])
  })

  it('withdraw the original', () => {
    says('withdrawn', [
      'This amendment withdraws the original Form 4.',
      'Filed to void the previously filed Form 4 in its entirety.',
      'The Form 4 filed on May 3, 2024 is hereby withdrawn.',
      'The original filing should be disregarded.',
      'Please disregard the filing made earlier today.',
      'The Form 4 was filed in error.',
      'The prior report should not have been filed.',
      'The original Form 4 was inadvertently submitted under the wrong issuer.',
      'As noted in footnote 1 the original Form 4 is hereby withdrawn.',
      'The statement on Form 4 filed on May 3, 2024 is void.',
      'The information contained in the Form 4 should be disregarded.',
    ])
    says('', [
      'Shares withdrawn from the voting trust.',
      'The Form 4 was inadvertently filed without a footnote.',
      'The original Form 4 was inadvertently filed late.',
      'The reporting person cancelled the order.',
    ])
  })

  it('do not withdraw a filing that is only the place of an award', () => {
    says('', [
      'The option award reported in the Form 4 was rescinded by the board.',
      'The stock option reported in the original Form 4 was cancelled and has been removed.',
      'The RSUs reported in the prior Form 4 were cancelled.',
      "The RSUs reported in the reporting person's earlier Form 4 were cancelled.",
      'The award included in the original filing was revoked.',
      'The option listed in the initial Form 4 is void.',
      'The award disclosed on Form 4 filed on May 3, 2024 has been cancelled.',
      'Options to purchase 1,000 shares reported in the original Form 4 were cancelled.',
    ])
  })

  it('are read sentence by sentence, each once, in a fixed order', () => {
    assert.deepEqual(
      wordsOfTexts(['The grant was reported twice.', null, 'The sale did not occur. The purchase did not occur.']),
      ['removed', 'repeated'],
    )
    assert.deepEqual(wordsOfTexts(['The price was wrong; the sale was reported in error.']), ['removed'])
  })

  it('are read from the remarks and all footnotes of a 4/A alone', () => {
    const filing = (formType: string) =>
      ({
        formType,
        remarks: 'The sale did not occur.',
        footnotes: [{ id: 'F1', text: 'The grant was reported twice.' }],
      }) as Filing
    assert.deepEqual(amendmentWords(filing('4/A')), ['removed', 'repeated'])
    for (const form of ['4', '3/A', '5/A']) assert.deepEqual(amendmentWords(filing(form)), [])
  })

  it('are only in texts that the pattern finds', () => {
    const parts = fc.constantFrom(
      ...'the,sale,transaction,was,not,did,occur,should,have,been,reported,original,form 4,filed,deleted,twice'.split(
        ',',
      ),
      ...'void,withdrawn,in error,inadvertently,duplicate,never,completed,cancelled,remove,row,.'.split(','),
    )
    const pattern = new RegExp(AMENDMENT_WORDS_PATTERN, 'i')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (words) => {
        const text = words.join(' ')
        assert.isTrue(pattern.test(text) || wordsOfTexts([text]).length === 0)
      }),
    )
  })

  it('cost no more than the length of the text', () => {
    const parts = [
      'the sale was ',
      'remove the ',
      'inadvertently reported ',
      'price of the sale ',
      'form 4 ',
      '1',
      'a,',
      'in error. ',
    ]
    for (const part of parts) for (const other of parts) assert.isArray(wordsOfTexts([(part + other).repeat(100_000)]))
  })
})
