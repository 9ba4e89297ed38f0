// Evidence that equal rows in filings of different owners report one holding, and what is none.
import { assert } from 'chai'
import { eventKey } from '../../../../../src/domain/trades/reconciliation/row-matching.ts'
import type { FilingOwners } from '../../../../../src/domain/trades/reconciliation/event-evidence.ts'
import {
  facts,
  filed,
  held,
  hidden,
  noted,
  numbered,
  profile,
  START,
  type Paper,
} from '../../../../support/filings/event-rows.ts'

describe('equal rows in filings of different owners', () => {
  const ann: Paper = { name: 'a', owners: ['1'], called: ['EXAMPLE ANN'] }
  const bob: Paper = { name: 'b', owners: ['2'], called: ['SAMPLE ROBERT J'] }
  const fund: Paper = { name: 'f', owners: ['8'], called: ['Specimen Fund II, L.P.'], group: true }
  const sponsor: Paper = { name: 'g', owners: ['9'], called: ['Specimen GP, LLC'], group: true }
  const elsewhere = { accession: numbered(7, '0001000002-24') }

  it('are different events if nothing says that they report one holding', () => {
    assert.strictEqual(hidden(filed(ann, bob, { ...ann, name: 'c', owners: ['3'] })), '')
    assert.strictEqual(hidden(filed(fund, ann)), '')
  })

  it('are different events if any fact differs', () => {
    assert.strictEqual(hidden(filed(fund, { ...sponsor, key: 'other' })), '')
  })

  describe('of one agent', () => {
    it('are one event if both have a 10% or other owner', () => {
      assert.strictEqual(hidden(filed(fund, sponsor)), 'g1=f1')
      assert.strictEqual(hidden(filed(fund, { ...ann, group: true })), 'a1=f1')
    })

    it('are one event with 13 owners in two filings', () => {
      const owners = Array.from({ length: 13 }, (_, at) => String(at))
      assert.strictEqual(
        hidden(
          filed(
            { name: 'a', owners: owners.slice(0, 10), group: true },
            { name: 'b', owners: owners.slice(10), group: true },
          ),
        ),
        'b1=a1',
      )
    })

    it('are one event if one is held through an entity', () => {
      assert.strictEqual(hidden(filed(ann, { ...bob, ...held('By Sample Holdings, LLC') })), 'b1=a1')
      assert.strictEqual(hidden(filed({ ...bob, ...held('By Sample Holdings, LLC') }, ann)), 'a1=b1')
    })

    it('are one event if a 10% owner is the other of something that is not named', () => {
      for (const nature of ['By LLC', 'By Partnership', 'See footnote']) {
        assert.strictEqual(hidden(filed(fund, { ...ann, ...held(nature) })), 'a1=f1')
        assert.strictEqual(hidden(filed(bob, { ...ann, ...held(nature) })), '')
        assert.strictEqual(hidden(filed({ ...bob, ...held(nature) }, { ...ann, ...held(nature) })), '')
      }
    })

    it('are one event up to 50 numbers apart, in one year', () => {
      const apart = (accession: string) =>
        hidden(filed({ ...fund, accession: numbered(100) }, { ...sponsor, accession }))
      assert.strictEqual(apart(numbered(150)), 'g1=f1')
      assert.strictEqual(apart(numbered(50)), 'g1=f1')
      assert.strictEqual(apart(numbered(151)), '')
      assert.strictEqual(apart(numbered(49)), '')
      assert.strictEqual(apart(numbered(101, '0001000001-25')), '')
      assert.strictEqual(apart(numbered(101, '0001000002-24')), '')
    })

    it('are no evidence without an accession number', () => {
      const local = { accession: 'local-0123456789abcdef' }
      assert.strictEqual(hidden(filed({ ...fund, ...local }, sponsor)), '')
      assert.strictEqual(hidden(filed({ ...fund, ...local }, { ...sponsor, accession: 'local-0123456789abcdee' })), '')
      assert.strictEqual(hidden(filed({ ...ann, ...local }, { ...bob, ...held('By Spouse') })), '')
    })

    it("are different events if they are directors' awards", () => {
      const award = { code: 'A' }
      const byFirm = held('By Sample Holdings, LLC')
      assert.strictEqual(hidden(filed({ ...ann, ...award }, { ...bob, ...award, ...byFirm })), '')
      const large = { ...award, group: true, insiders: true }
      assert.strictEqual(hidden(filed({ ...ann, ...large }, { ...bob, ...large })), '')
      assert.strictEqual(hidden(filed({ ...fund, ...award }, { ...bob, ...award, ...byFirm })), 'b1=f1')
      assert.strictEqual(hidden(filed({ ...fund, ...award }, { ...sponsor, ...award })), 'g1=f1')
    })

    it('are different events if held in vehicles of persons', () => {
      const natures = [
        'By IRA',
        'By 401(k)',
        'By Spouse',
        'By Trust',
        'By Family Trust',
        'By son',
        'By UTMA',
        'By Pension Plan',
      ]
      for (const nature of natures) {
        const [first, second] = [
          { ...ann, ...held(nature) },
          { ...bob, ...held(nature) },
        ]
        const third = { ...ann, name: 'c', owners: ['3'], ...held(nature) }
        assert.strictEqual(hidden(filed(first, second, third)), '', nature)
        if (nature !== 'By Spouse') assert.strictEqual(hidden(filed(first, bob)), '', nature)
        assert.strictEqual(hidden(filed(first, { ...bob, ...held('By Sample Holdings, LLC') })), '', nature)
      }
    })

    it("are different events if one is a director's trust with a name of its own", () => {
      assert.strictEqual(hidden(filed(ann, { ...bob, ...held('By the Robert J. Sample Revocable Trust') })), '')
    })
  })

  describe('of a married couple', () => {
    const byWife = { ...bob, ...held('By Spouse') }

    it('are one event if one of them holds directly', () => {
      assert.strictEqual(hidden(filed(ann, byWife)), 'b1=a1')
      assert.strictEqual(hidden(filed(byWife, ann)), 'a1=b1')
      assert.strictEqual(hidden(filed({ ...ann, code: 'A' }, { ...byWife, code: 'A' })), 'b1=a1')
    })

    it('count in both profiles', () => {
      const rows = filed(ann, byWife)
      assert.deepEqual([profile(rows, '1'), profile(rows, '2')], ['a1', 'b1'])
    })

    it('are different events if both hold indirectly', () => {
      assert.strictEqual(hidden(filed({ ...ann, ...held('By Husband') }, byWife)), '')
      assert.strictEqual(hidden(filed({ ...ann, ...held('By IRA') }, byWife)), '')
      assert.strictEqual(hidden(filed(ann, { ...bob, ...held("By Spouse's IRA") })), '')
    })

    it('are different events if the numbers are not near', () => {
      assert.strictEqual(hidden(filed(ann, { ...byWife, accession: numbered(151) })), '')
      assert.strictEqual(hidden(filed(ann, { ...byWife, ...elsewhere })), '')
    })
  })

  describe('of any agent', () => {
    const far = (...papers: [Paper, Paper]) => hidden(filed(papers[0], { ...papers[1], ...elsewhere }))

    it('are different events if two funds buy in one offering', () => {
      assert.strictEqual(far(fund, { ...sponsor, owners: ['7'], called: ['Paragon Fund, LP'] }), '')
    })

    it("are one event if a footnote names the other's owner", () => {
      for (const note of [
        "The award is held by Dr. Example for the fund's benefit.",
        'Represents shares held by Ann Example.',
        'Mr. A. Example is a member of the board.',
        'SHARES HELD BY MS. EXAMPLE.',
      ]) {
        assert.strictEqual(far({ ...ann, code: 'A' }, { ...fund, ...noted(note), code: 'A' }), 'f1=a1', note)
        assert.strictEqual(far({ ...fund, ...noted(note) }, ann), 'a1=f1', note)
      }
    })

    it('are different events if it names a namesake', () => {
      const brother = { ...bob, called: ['EXAMPLE ROBERT'] }
      const note = noted('Restricted stock granted to Mr. Example.')
      assert.strictEqual(far({ ...ann, ...note }, { ...brother, ...note }), '')
      assert.strictEqual(far(ann, { ...brother, ...note }), '')
      assert.strictEqual(far(ann, { ...brother, ...noted('Held by Mr. Example and Ms. A. Example.') }), 'b1=a1')
    })

    it('are different events if it names someone else', () => {
      for (const note of [
        'The award is held by Dr. Instance.',
        'Represents shares held by Peter Example.',
        'Mr. B. Example is a member of the board.',
        'Represents an example of a grant to the Reporting Person. Example.',
      ]) {
        assert.strictEqual(far(ann, { ...fund, ...noted(note) }), '', note)
      }
    })

    it("are one event if the nature names the other's owner, whatever its legal form", () => {
      for (const nature of ['By Specimen Fund II, L.P.', 'by SPECIMEN FUND II', 'Held by the Specimen Fund II Ltd.']) {
        assert.strictEqual(far(fund, { ...sponsor, ...held(nature) }), 'g1=f1', nature)
        assert.strictEqual(far(fund, { ...ann, ...held(nature) }), 'a1=f1', nature)
      }
      assert.strictEqual(far(fund, { ...sponsor, ...held('By Specimen Fund III, L.P.') }), '')
    })

    it('are one event if both name one entity', () => {
      const partner = { ...bob, ...held('See footnote', 'The shares are held by Paragon Holdings, LLC.') }
      assert.strictEqual(far({ ...ann, ...held('By Paragon Holdings, L.P.') }, partner), 'b1=a1')
      assert.strictEqual(far({ ...ann, ...held('By Paragon Holdings II, LLC') }, partner), '')
      const trust = held('By the Paragon Family Trust')
      assert.strictEqual(far({ ...ann, ...trust }, { ...bob, ...trust }), 'b1=a1')
    })

    it('are different events if both name a form of entity alone', () => {
      for (const nature of ['By LLC', 'By Partnership', 'By Fund', 'By Limited Liability Company', 'See footnote']) {
        assert.strictEqual(far({ ...fund, ...held(nature) }, { ...sponsor, ...held(nature) }), '', nature)
      }
    })

    it('are different events if both hold directly and name one entity', () => {
      const note = noted('The director holds the award on behalf of Paragon Holdings, LLC.')
      assert.strictEqual(far({ ...ann, ...note }, { ...bob, ...note }), '')
    })

    it('are different events if what both name is a party of a merger or keeps accounts', () => {
      for (const note of [
        'Each share was converted in the Merger with Paragon Merger Sub, Inc., held by Paragon Parent, LLC.',
        'Held by Paragon Trust Company as trustee of the 401(k) plan.',
      ]) {
        const trust = held('By Trust', note)
        assert.strictEqual(far({ ...ann, ...trust }, { ...bob, ...trust }), '', note)
      }
    })
  })

  describe('of owners that stood in a joint filing', () => {
    const [one, other] = [
      { ...ann, accession: numbered(1) },
      { ...bob, accession: numbered(900), at: START + 9 },
    ]
    const joint = (at: string, ...ownerCiks: string[]) => ({ filedAt: Date.parse(at) / 1000, ownerCiks })
    const together = (...filings: FilingOwners[]) => hidden(filed(one, other), filings)

    it('are one event for 24 months', () => {
      assert.strictEqual(together(), '')
      assert.strictEqual(together(joint('2024-05-01T12:00:00Z', '1', '2', '3')), 'b1=a1')
      assert.strictEqual(together(joint('2022-05-14T12:00:00Z', '2', '1')), 'b1=a1')
      assert.strictEqual(together(joint('2022-05-13T22:00:00Z', '1', '2')), '')
      assert.strictEqual(together(joint('2022-04-14T12:00:00Z', '1', '2')), '')
    })

    it('are different events if it was accepted later', () => {
      assert.strictEqual(together({ filedAt: START + 9, ownerCiks: ['1', '2'] }), 'b1=a1')
      assert.strictEqual(together({ filedAt: START + 10, ownerCiks: ['1', '2'] }), '')
    })

    it('are different events if only one of them stood there', () => {
      assert.strictEqual(together(joint('2024-05-01T12:00:00Z', '1', '3'), joint('2024-05-01T12:00:00Z', '2', '4')), '')
    })

    it('are one event in vehicles of persons, too', () => {
      const ira = held('By IRA')
      assert.strictEqual(
        hidden(filed({ ...one, ...ira }, { ...other, ...ira }), [joint('2024-05-01T12:00:00Z', '1', '2')]),
        'b1=a1',
      )
    })
  })

  describe('join an event of several rows', () => {
    const [gp, manager] = [
      { ...sponsor, ...held('By Specimen Fund II, L.P.') },
      {
        ...sponsor,
        name: 'm',
        owners: ['10'],
        called: ['Specimen Management Co'],
        ...held('By Specimen Fund II, L.P.'),
      },
    ]

    it('with evidence with each', () => {
      assert.strictEqual(hidden(filed(fund, gp, manager)), 'g1=f1 m1=f1')
    })

    it('with evidence with the shown row and one more', () => {
      const stranger = {
        ...ann,
        ...held('By Ann and Robert Example', 'Specimen Fund II, L.P. and Specimen GP, LLC sold.'),
      }
      const last = { ...stranger, name: 'z', ...elsewhere }
      assert.strictEqual(hidden(filed(fund, gp, manager, last)), 'g1=f1 m1=f1 z1=f1')
    })

    it('not with evidence with the shown row alone, nor without it', () => {
      const others = { called: ['Paragon Partners'], owners: ['6'], name: 'p', group: true }
      const last = { ...ann, name: 'z', ...elsewhere }
      const ofFund = { names: ['~SPECIMEN FUND II'] }
      const ofManager = { names: ['~SPECIMEN GP', '~SPECIMEN MANAGEMENT'] }
      assert.strictEqual(hidden(filed(fund, others, { ...last, ...ofFund })), 'p1=f1')
      assert.strictEqual(hidden(filed(fund, gp, manager, { ...last, ...ofManager })), 'g1=f1 m1=f1')
    })
  })

  it('all point to the earliest accepted', () => {
    const chain = ['a', 'b', 'c', 'd'].map((name, index) => ({ name, owners: [String(index)], group: true }))
    assert.strictEqual(hidden(filed(...chain)), 'b1=a1 c1=a1 d1=a1')
  })

  it('stay apart where two of them may not be one, even if a third may be either', () => {
    const both = { ...fund, names: ['~MS EXAMPLE', '~MR SAMPLE'] }
    assert.strictEqual(hidden(filed(ann, bob, both)), 'f1=a1')
    assert.strictEqual(hidden(filed(both, ann, bob)), 'a1=f1')
    assert.strictEqual(hidden(filed(ann, both, bob)), 'f1=a1')
  })

  it('pair a fund that reports two grants with both directors', () => {
    const both = { ...fund, rows: 2, names: ['~MS EXAMPLE', '~MR SAMPLE'] }
    assert.strictEqual(hidden(filed(ann, bob, both)), 'f1=a1 f2=b1')
    assert.strictEqual(hidden(filed(both, ann, bob)), 'a1=f1 b1=f2')
  })

  it('pair each row of a fund with the director whom it names', () => {
    const [first, second] = filed({ ...fund, rows: 2 }).map((row, at) => ({
      ...row,
      filedAt: START + 50,
      accession: numbered(140),
      holderNames: [at === 0 ? '~MR SAMPLE' : '~MS EXAMPLE'],
    }))
    assert.strictEqual(hidden([...filed(ann, bob), first!, second!]), 'f1=b1 f2=a1')
  })

  it('show three directors with two lots each as six rows', () => {
    const lots = ['1', '2', '3'].flatMap((owner): Paper[] => [
      { name: `d${owner}`, owners: [owner], key: '10000', accession: numbered(Number(owner)) },
      { name: `i${owner}`, owners: [owner], key: '15000', accession: numbered(Number(owner)), ...held('By IRA') },
    ])
    assert.strictEqual(hidden(filed(...lots)), '')
  })

  it('with titles typed in different ways are one event', () => {
    const [one, other] = [
      eventKey({ ...facts, securityTitle: 'Class A Common Stock' }),
      eventKey({ ...facts, securityTitle: 'Class A Common Shares, par value $0.01' }),
    ]
    assert.strictEqual(hidden(filed({ ...fund, key: one }, { ...sponsor, key: other })), 'g1=f1')
  })
})
