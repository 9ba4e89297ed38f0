// How rows are held and whom natures and footnotes name, in the words of filings.
import { assert } from 'chai'
import fc from 'fast-check'
import { keysOfNames, keysOfOwners } from '../../../../src/domain/trades/holder-names.ts'
import { holdingOf, NAMING_FOOTNOTE, type Holding } from '../../../../src/domain/trades/holding.ts'

const indirect = (nature: string | null, ...footnotes: string[]) =>
  holdingOf({ directIndirect: 'I', nature }, footnotes)
const direct = (...footnotes: string[]) => holdingOf({ directIndirect: 'D', nature: null }, footnotes)

describe('how a row is held', () => {
  const cases: Record<Exclude<Holding, 'direct'>, string[]> = {
    spouse: ['By Spouse', 'spouse', 'By wife', 'Held by husband.', 'By Domestic Partner', "Husband's Common"],
    personal: [
      'By IRA',
      "By Spouse's IRA",
      'By 401(k)',
      '401k',
      'By 401 (k) Plan',
      'By ESOP',
      'By Pension Plan',
      'By Retirement Plan Trustee',
      'RLI Corp. Employee Stock Ownership Plan',
      'Sample Trust Co. LLC Custodian FBO Ann Example Roth IRA',
      'By son',
      'By minor children',
      'By Daughter Ann L. Example',
      'UTMA Custodian for daughter',
      'By UGMA',
      'By Trust',
      'BY TRUSTS',
      'By Trust 2',
      'By Family Trust',
      'Revocable Living Trust',
      'Grantor Retained Annuity Trust',
      '2023 GRAT',
      'By family',
      'By Immediate Family Member',
      'RSU shares held by Sample Corp, granted to the participant',
    ],
    entity: [
      'By Sample Holdings, LLC',
      'By: Sample Partners, Ltd.',
      'by woodburn dr LP',
      'Held through Sample Technology Associates IV, L.P.',
      'By Sample Family Limited Partnership',
      'By Sample Grandchildren Fund LLC',
      'Held by Sample Realty',
      "Child's proportionate partnership interest in shares held by Sample Associates LP",
    ],
    unnamed: [
      'By LLC',
      'By Limited Liability Company',
      'By Partnership',
      'By Family LLC',
      'By Fund',
      'By Corporation',
      'See footnote',
      'See Footnotes (1) and (2)',
      'Indirect',
      'I',
      '',
      'By Ann Example',
    ],
  }
  for (const [holding, natures] of Object.entries(cases)) {
    it(`${holding}, by the nature`, () => {
      for (const nature of natures) assert.strictEqual(indirect(nature).holding, holding, nature)
    })
  }

  it('directly, whatever nature and footnotes say', () => {
    const note = 'The shares are held by Sample Holdings, LLC.'
    for (const directIndirect of ['D', null]) {
      assert.strictEqual(holdingOf({ directIndirect, nature: 'By Spouse' }, [note]).holding, 'direct')
    }
  })

  it('by footnotes, where the nature does not say', () => {
    const byFootnote = (text: string) =>
      [null, 'See footnote', 'Indirect'].map((nature) => indirect(nature, text).holding)
    const all = (holding: Holding) => [holding, holding, holding]
    assert.deepEqual(byFootnote('Held by Sample Fund II, L.P., of which Mr. Example is a partner.'), all('entity'))
    assert.deepEqual(byFootnote('Shares are directly held by the Reporting Person’s wife.'), all('spouse'))
    assert.deepEqual(byFootnote('Shares held by Reporting Person as custodian for his son.'), all('personal'))
    assert.deepEqual(byFootnote('Held by the Ann Example Revocable Trust.'), all('personal'))
    assert.deepEqual(byFootnote('These shares are held by a company.'), all('unnamed'))
    assert.deepEqual(byFootnote('Exempt under Rule 16b-3.'), all('unnamed'))
    assert.strictEqual(indirect('By LLC', 'Held by Sample Holdings, LLC.').holding, 'entity')
    assert.strictEqual(indirect('By IRA', 'Held by Sample Holdings, LLC.').holding, 'personal')
    assert.strictEqual(indirect('By Spouse', 'Held by the Ann Example Trust.').holding, 'spouse')
  })
})

describe('names of holders', () => {
  const natureNames = (nature: string) => indirect(nature).holderNames.join(' | ')

  it('are in the nature, without lead, legal form and punctuation', () => {
    const cases: [string, string][] = [
      ['By Sample Holdings, LLC', 'SAMPLE HOLDINGS'],
      ['Directly held by Sample Fund II QP, LP', 'SAMPLE FUND II QP'],
      ['By: Sample Partners, Ltd.', 'SAMPLE PARTNERS'],
      ['Accel-Sample Capital Partners CV III, L. P.', 'ACCEL SAMPLE CAPITAL PARTNERS CV III'],
      ['As managing member of M.P. Sample, L.L.C.', 'MP SAMPLE'],
      ['By Sample & Sons Limited Partnership', 'SAMPLE AND SONS'],
      ['Sample Family Trust dtd 4/15/2014', 'SAMPLE FAMILY TRUST'],
      ['By Trust: Mary S Sample Trust', 'MARY S SAMPLE TRUST'],
      ['By Ann Example', 'ANN EXAMPLE'],
      ['By spouse Ann Example', '~ANN EXAMPLE'],
      ['By Daughter Ann Example', ''],
      ['By Charles Sample Roth IRA', ''],
      ['Please refer to my remarks', '~PLEASE REFER TO MY REMARKS'],
    ]
    for (const [nature, names] of cases) assert.strictEqual(natureNames(nature), names, nature)
  })

  it('are no forms of holding', () => {
    const natures = `By LLC;By Limited Liability Company*;By Partnership;By Family Limited Partnership;By Fund;By Funds;
      See footnote;See Footnotes (1) and (2) below.;see foonote;See Note 2;See Explanation of Responses;Held in Trust;
      By Trust 2;By Irrevocable Trust;2023 GRAT;By GRATs;Various;By Corporation;Indirect;By Stock Award II;As Trustee;
      By Reporting Person's LLC;Held through subsidiaries;-`.split(/;\s*/)
    for (const nature of natures) assert.strictEqual(natureNames(nature), '', nature)
  })

  const footnoteNames = (...texts: string[]) => direct(...texts).holderNames.join(' | ')

  it('are in footnotes that say who holds', () => {
    const cases: [string, string][] = [
      ['Held of record by Sample Fund II, L.P. and Sample Fund III, L.P.', 'SAMPLE FUND II | SAMPLE FUND III'],
      ['Sample GP, L.L.C. is the general partner of Sample X L.P. Other words.', 'SAMPLE GP | SAMPLE X'],
      ['Sample X L.P. distributed, for no consideration, 100 shares.', 'SAMPLE X'],
      ['Held by The Sample 2012 Irrevocable Trust.', 'SAMPLE 2012 IRREVOCABLE TRUST'],
      ['Held for the benefit of Regents of the University of Sample.', 'REGENTS OF THE UNIVERSITY OF SAMPLE'],
      ['SHARES HELD BY SAMPLE FUND LP AND BY OTHERS', 'SAMPLE FUND'],
    ]
    for (const [text, names] of cases) assert.strictEqual(footnoteNames(text), names, text)
  })

  it('are followed through what footnotes call them', () => {
    assert.strictEqual(
      footnoteNames('Formed by Sample Capital Fund II, L.P. (the "Fund").', 'The shares are held by the Fund.'),
      'SAMPLE CAPITAL FUND II',
    )
  })

  it('are marked in footnotes that only mention them', () => {
    const cases: [string, string][] = [
      ['Dr. Example holds the award.', '~DR EXAMPLE'],
      ['Mr. J. Example and Ann B. Sample, Jr. are partners.', '~MR J EXAMPLE | ~ANN B SAMPLE JR'],
      ['Messrs. Example and Sample are members.', '~MESSRS EXAMPLE | ~MR SAMPLE'],
      ['J.P. Example has voting power over funds.', '~J P EXAMPLE'],
      ['An agreement among Sample Capital, LLC and others on accounts.', '~SAMPLE CAPITAL'],
      ['Held by Sample Parent, Inc. since the merger.', '~SAMPLE PARENT'],
      ['Sample Parent, Inc. purchased the shares in the tender offer.', '~SAMPLE PARENT'],
      ['Stock of Sample Widgets, Inc. (the "Issuer") directly held by Ann Example.', '~SAMPLE WIDGETS | ~ANN EXAMPLE'],
      ['The reporting person is a member of the board.', ''],
    ]
    for (const [text, names] of cases) assert.strictEqual(footnoteNames(text), names, text)
  })

  it('are 12 of 60 characters at most, holders first', () => {
    const people = Array.from({ length: 20 }, (_, at) => `Mr. Example${String.fromCodePoint(65 + at)} holds.`)
    const { holderNames } = indirect('By Sample Holdings, LLC', ...people, `Held by ${'Sample '.repeat(12)}Fund, LP.`)
    assert.lengthOf(holderNames, 12)
    assert.strictEqual(holderNames[0], 'SAMPLE HOLDINGS')
    assert.isTrue(holderNames.every((name) => name.length <= 61))
  })

  it('come from footnotes that the pattern selects, and only these matter', () => {
    const words = fc.constantFrom(
      'Held',
      'by',
      'Ann',
      'Example',
      'Sample',
      'L.P.',
      'Fund',
      'and',
      'Mr.',
      'the',
      'Rule',
      'of',
      ',',
    )
    const footnotes = fc.array(
      fc.array(words, { maxLength: 9 }).map((text) => text.join(' ')),
      { maxLength: 4 },
    )
    const pattern = new RegExp(NAMING_FOOTNOTE, 'i')
    fc.assert(
      fc.property(footnotes, fc.constantFrom('See footnote', 'By LLC', 'By Sample, LP'), (texts, nature) => {
        assert.deepEqual(indirect(nature, ...texts.filter((text) => pattern.test(text))), indirect(nature, ...texts))
      }),
    )
    assert.isFalse(pattern.test('Exempt under Rule 16b-3.'))
  })

  it('are found in any text, however long', () => {
    const parts = [
      'A.',
      'A',
      '&',
      'Held by ',
      '. ',
      'L.P. ',
      '("',
      "'",
      '.-',
      'of ',
      ', ',
      '\u0301',
      'İ',
      '401',
      ' \n',
      '(',
    ]
    for (const part of parts) {
      const text = part.repeat(200_000)
      assert.isAtMost(indirect(text, text, `Held by Sample ${text}`).holderNames.length, 12)
      assert.isAtMost(keysOfOwners([text, `A ${text}`]).size, 1000)
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.isTrue(indirect(text, text).holderNames.every((name) => /^~?[\p{L}\p{N} ]+$/u.test(name)))
      }),
    )
  })
})

describe('an owner is named', () => {
  const isNamed = (owner: string, mention: string) =>
    !keysOfOwners([owner]).isDisjointFrom(keysOfNames(direct(`${mention} holds.`).holderNames))

  it('by surname with a title, given name or initial', () => {
    const mentions = [
      'Dr. Example',
      'Mr. J. Example',
      'J. Example',
      'John Example',
      'John Q. Example, Jr.',
      'Mr. John Example III',
    ]
    for (const mention of mentions) assert.isTrue(isNamed('EXAMPLE JOHN', mention), mention)
    assert.isTrue(isNamed('Example John P', 'Peter Example'))
    assert.isTrue(isNamed('EXAMPLE J P', 'John Example'))
    assert.isTrue(isNamed('Sergey Example', 'Sergey Example'))
    assert.isTrue(isNamed('VAN DER EXAMPLE MARIA', 'Ms. van der Example'))
    assert.isTrue(isNamed('O BRIEN PAT', "Pat O'Brien"))
    assert.isTrue(isNamed('EXAMPLE JOHN JR', 'Mr. Example'))
  })

  it('not by the surname alone, nor by another given name', () => {
    const mentions = [
      'Example',
      'Mr. P. Example',
      'Peter Example',
      'Mr. John',
      'Mr. Sample',
      'John Sample',
      'Example Fund, LP',
    ]
    for (const mention of mentions) assert.isFalse(isNamed('EXAMPLE JOHN', mention), mention)
  })

  it('as an entity by its name without legal form', () => {
    for (const owner of [
      'SAMPLE CAPITAL FUND II LP',
      'Sample Capital Fund II, L.P.',
      'SAMPLE CAPITAL FUND II L P /DE/',
    ]) {
      assert.isTrue(isNamed(owner, 'Sample Capital Fund II, LLC'), owner)
      assert.isFalse(isNamed(owner, 'Sample Capital Fund III, L.P.'), owner)
      assert.isFalse(isNamed(owner, 'Mr. Sample'), owner)
    }
  })
})
