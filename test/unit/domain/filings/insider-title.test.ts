// Titles of insiders, made of the boxes and texts of a form.
import { assert } from 'chai'
import type { ReportingOwner } from '../../../../src/domain/filings/filing.ts'
import {
  actingOwner,
  chiefOffices,
  officerTitle,
  ownerTitle,
  type TitleSource,
} from '../../../../src/domain/filings/insider-title.ts'

function owner(parts: Partial<ReportingOwner>): ReportingOwner {
  return {
    cik: '0000000001',
    name: 'Example Ann',
    isDirector: null,
    isOfficer: null,
    isTenPercentOwner: null,
    isOther: null,
    officerTitle: null,
    otherText: null,
    ...parts,
  }
}
const officer = (title: string | null) => owner({ isOfficer: true, officerTitle: title })
const source = (remarks: string | null, ...footnotes: string[]): TitleSource => ({
  remarks,
  footnotes: footnotes.map((text, index) => ({ id: `F${index + 1}`, text })),
})
const nothing = source(null)
const seeRemarks = (remarks: string | null, ...footnotes: string[]) =>
  officerTitle(officer('See Remarks'), source(remarks, ...footnotes))

describe('the title of an insider', () => {
  describe('title', () => {
    it('joins all roles that apply, in order', () => {
      const all = owner({
        isOther: true,
        otherText: 'Trustee',
        isTenPercentOwner: true,
        isDirector: true,
        isOfficer: true,
        officerTitle: 'Executive  Chairman\nof Board',
      })
      assert.strictEqual(ownerTitle(all, nothing), 'Executive Chairman of Board, Director, 10% Owner, Trustee')
      assert.strictEqual(ownerTitle(owner({ isDirector: true }), nothing), 'Director')
      assert.strictEqual(
        ownerTitle(owner({ isTenPercentOwner: true, isDirector: true }), nothing),
        'Director, 10% Owner',
      )
      assert.strictEqual(
        ownerTitle(owner({ isOther: true, otherText: 'Member of a Group' }), nothing),
        'Member of a Group',
      )
    })

    it('takes texts only with their box', () => {
      assert.strictEqual(
        ownerTitle(owner({ isOfficer: false, officerTitle: 'CEO', isDirector: true }), nothing),
        'Director',
      )
      assert.strictEqual(ownerTitle(owner({ otherText: 'Trustee', isTenPercentOwner: true }), nothing), '10% Owner')
      assert.strictEqual(ownerTitle(owner({ isOther: true, otherText: ' ' }), nothing), '')
      assert.strictEqual(ownerTitle(owner({}), nothing), '')
    })

    it('is Officer where an officer gives none', () => {
      for (const title of [null, '', '  ']) assert.strictEqual(ownerTitle(officer(title), nothing), 'Officer')
    })

    it('says Director once', () => {
      assert.strictEqual(
        ownerTitle(owner({ isOfficer: true, officerTitle: 'DIRECTOR', isDirector: true }), nothing),
        'DIRECTOR',
      )
    })
  })

  describe('title that points to the remarks', () => {
    it('is known in its many forms', () => {
      const forms = [
        'See Remarks',
        'SEE REMARKS',
        'see remarks below',
        '(See Remarks)',
        'Please see Remarks section',
        'Remarks',
        'See Remark.',
        'See Footnote 1',
        'See Footnote (1)',
        'See Explanation of Responses',
        '*',
        '(1)',
        'Officer (See Remarks)',
        'Section 16 Officer (See Remarks)',
        'See below',
        'See Exhibit 99.1',
      ]
      for (const title of forms)
        assert.strictEqual(
          officerTitle(officer(title), source('Title: Chief Owl', 'Title: Chief Owl')),
          'Chief Owl',
          title,
        )
      for (const title of [
        'Officer',
        'EVP, See Remarks',
        'Chief Notes Officer',
        'Head of Explanations',
        '2nd Vice President',
        'Section 16 Officer',
        'Officer (Section 16)',
      ]) {
        assert.strictEqual(officerTitle(officer(title), source('Title: Chief Owl')), title)
      }
    })

    it('gives way to the text after Title:', () => {
      assert.strictEqual(seeRemarks('Title: Senior Vice President of Quality'), 'Senior Vice President of Quality')
      assert.strictEqual(seeRemarks('Title:  EVP, Chief Legal Officer\r\nExhibit 24'), 'EVP, Chief Legal Officer')
      assert.strictEqual(
        seeRemarks('Filed late.\nOfficer title: Chief Owl. This Form 4 has been compiled by hand.'),
        'Chief Owl',
      )
      assert.strictEqual(seeRemarks('Title: CEO. This Form is one of two.'), 'CEO')
      assert.strictEqual(seeRemarks('Title: Sr. Vice President, U.S. Owls'), 'Sr. Vice President, U.S. Owls')
      assert.strictEqual(
        seeRemarks('Title: Chief Owl and Chairman of the Board. Exhibit 24 - Power of Attorney.'),
        'Chief Owl and Chairman of the Board',
      )
      assert.strictEqual(
        seeRemarks('Title: Deputy Owl (2) B. Roost is signing for A. Perch pursuant to a power of attorney'),
        'Deputy Owl',
      )
    })

    it('gives way to the text after title is, and after a note on exhibits', () => {
      for (const remarks of [
        'title is: Chief Owl',
        'Officer title is: Chief Owl',
        "The reporting person's title is Chief Owl.",
        'Exhibit 24 - Power of Attorney; Chief Owl',
        'Exhibit 24.1 - Power of Attorney; Title: Chief Owl',
        'Ex. 24 - POA; title is: Chief Owl',
      ])
        assert.strictEqual(seeRemarks(remarks), 'Chief Owl', remarks)
      assert.strictEqual(seeRemarks('The title is incorrect in the original filing of March.'.repeat(2)), 'Officer')
      assert.strictEqual(seeRemarks('Exhibit 24 - Power of Attorney; see attached'), 'Officer')
    })

    it('is Officer where the remarks say that the form is late or an office ended', () => {
      for (const remarks of [
        'Filed late due to an administrative error.',
        'This Form 4 is being filed late because the broker was late',
        'Mr. Perch no longer serves as Chief Executive Officer.',
        'Until March 1, 2024, A. Perch was the Chief Financial Officer of the Issuer.',
        'A. Perch was Chief Financial Officer until May 2024',
        'A. Perch resigned as Chief Executive Officer on May 1, 2024',
        'Late filing',
      ]) {
        assert.strictEqual(seeRemarks(remarks), 'Officer', remarks)
        const filing = { ...source(remarks), issuer: { cik: '', name: 'OWL', tickerRaw: '', foreignTickerRaw: null } }
        assert.deepEqual(chiefOffices(officer('See Remarks'), filing), { ceo: false, cfo: false })
      }
      assert.strictEqual(seeRemarks('Chief Executive Officer. Filed late due to an error.'), 'Chief Executive Officer')
    })

    it('is the text of the footnote that a title is the reference to, up to 100 characters', () => {
      for (const title of [
        '(1)',
        'See FN 1',
        'FN1',
        'See (1)',
        'F1',
        'See footnote 1',
        '1',
        'Officer (1)',
        'Note (1)',
      ]) {
        const notes = source('Exhibit 24', 'Chief Owl\nof the Issuer.', 'No')
        assert.strictEqual(officerTitle(officer(title), notes), 'Chief Owl of the Issuer', title)
        assert.strictEqual(officerTitle(officer(title), source('Title: Head', 'x'.repeat(100))), 'x'.repeat(100))
        assert.strictEqual(officerTitle(officer(title), source(null, 'x'.repeat(101))), 'Officer')
      }
      assert.strictEqual(officerTitle(officer('See Exhibit 99.1'), source(null, 'Chief Owl')), 'Officer')
    })

    it('else to the first line, if it is short', () => {
      assert.strictEqual(seeRemarks('President and Chief Operating Officer'), 'President and Chief Operating Officer')
      assert.strictEqual(
        seeRemarks('\n Division President, Night Flight\n\nExhibit 24 - Power of Attorney.'),
        'Division President, Night Flight',
      )
      assert.strictEqual(seeRemarks('***Senior Vice President and Chief Owl.'), 'Senior Vice President and Chief Owl')
      assert.strictEqual(seeRemarks('(a) President, Chief Owl'), 'President, Chief Owl')
      assert.strictEqual(seeRemarks('x'.repeat(100)), 'x'.repeat(100))
      assert.strictEqual(seeRemarks('x'.repeat(101)), 'Officer')
    })

    it('without the note on exhibits in the same line', () => {
      const lines = [
        'EVP, Global Head of Owls - Exhibit 24 -- Power of Attorney',
        'EVP, Global Head of Owls Exhibit List: Exhibit 24.1',
        'EVP, Global Head of Owls. Exhibit List: Exhibit 24 - Power of Attorney',
        'EVP, Global Head of Owls, See Exhibit 24.1 - Power of Attorney',
        'EVP, Global Head of Owls; Ex. 24 attached',
        'EVP, Global Head of Owls. Power of Attorney on file.',
      ]
      for (const line of lines) assert.strictEqual(seeRemarks(line), 'EVP, Global Head of Owls', line)
      assert.strictEqual(
        seeRemarks('President, North (including South) - Exhibit 24.1 Power of Attorney'),
        'President, North (including South)',
      )
    })

    it('but not to a line about exhibits alone', () => {
      const lines = [
        'Exhibit 24 - Power of Attorney.',
        'Exhibit List: Exhibit 24 - Power of Attorney',
        'See Exhibit 24.1 - Power of Attorney.',
        'Exhibit Index: 24.1 Power of Attorney',
        'See attached Exhibit 24',
        'owlpoa.txt',
        'POA Attached',
        'poa-owl.pdf',
        'B. Roost is signing on behalf of A. Perch pursuant to a power of attorney',
        'A joint filing agreement was filed as Exhibit 99',
      ]
      for (const line of [...lines, null, '', ' ']) assert.strictEqual(seeRemarks(line), 'Officer', String(line))
    })

    it('takes the footnote that it names', () => {
      const notes = source('Exhibit 24', 'Sold to cover tax.', 'Chief Owl of the Issuer')
      assert.strictEqual(officerTitle(officer('See Footnote (2)'), notes), 'Chief Owl of the Issuer')
      assert.strictEqual(
        officerTitle(officer('See Remarks'), source(null, 'Sold to cover tax.', 'Title: Chief Owl')),
        'Chief Owl',
      )
      assert.strictEqual(officerTitle(officer('See Footnote 7'), source('Head Owl')), 'Head Owl')
    })
  })

  it('lets the first officer act for a filing, else the first director, else the first owner', () => {
    const [fund, director, boss, other] = [
      owner({ isTenPercentOwner: true }),
      owner({ isDirector: true }),
      officer('CEO'),
      officer('CFO'),
    ]
    assert.strictEqual(actingOwner([fund, director, boss, other]), boss)
    assert.strictEqual(actingOwner([fund, director]), director)
    assert.strictEqual(actingOwner([fund, owner({})]), fund)
    assert.isUndefined(actingOwner([]))
  })

  it('gives the chief offices to officers alone, by the title found', () => {
    const filing = {
      ...source('Interim Chief Financial Officer Exhibit 24'),
      issuer: { cik: '0000000009', name: 'OWL CORP', tickerRaw: 'OWL', foreignTickerRaw: null },
    }
    assert.deepEqual(chiefOffices(officer('President, CEO / Treasurer'), filing), { ceo: true, cfo: false })
    assert.deepEqual(chiefOffices(officer('See Remarks'), filing), { ceo: false, cfo: true })
    assert.deepEqual(chiefOffices(owner({ isOfficer: false, officerTitle: 'CEO' }), filing), { ceo: false, cfo: false })
    assert.deepEqual(chiefOffices(owner({ isOther: true, otherText: 'CFO of the adviser' }), filing), {
      ceo: false,
      cfo: false,
    })
  })
})
