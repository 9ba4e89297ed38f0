// Duplicate events: one trade reported in two filings, counted once.
import { assert } from 'chai'
import fc from 'fast-check'
import { holdingOf, type Holding } from '../../../../../src/domain/trades/holding.ts'
import { addMonths } from '../../../../../src/domain/shared/calendar.ts'
import { newYorkDay } from '../../../../../src/domain/shared/new-york-time.ts'
import {
  eventKey,
  sameEvents,
  type EventFacts,
  type EventRow,
  type JointFiling,
} from '../../../../../src/domain/trades/reconciliation/duplicate-events.ts'

const facts: EventFacts = {
  title: 'Common Stock',
  date: '2024-05-10',
  code: 'P',
  acquiredDisposed: 'A',
  shares: '5000',
  price: '9',
  sharesAfter: '12000',
}
const KEY = eventKey(facts)

interface Paper {
  name: string
  owners: string[]
  /** The owners' names. */
  called?: string[]
  rows?: number
  /** Of a 10% owner; else of directors and officers. */
  group?: boolean
  /** A director has more than 10%. */
  insiders?: boolean
  holding?: Holding
  /** In nature and footnotes. */
  names?: string[]
  code?: string
  amendment?: boolean
  key?: string
  accession?: string
  at?: number
}

const START = Date.parse('2024-05-14T20:00:00Z') / 1000

/** Rows of invented filings, accepted in the order given, one second apart, with one agent's numbers. */
function filed(...papers: Paper[]): EventRow[] {
  return papers.flatMap(({ name, owners, rows = 1, ...rest }, index) =>
    Array.from({ length: rows }, (_, at) => ({
      id: `${name}${at + 1}`,
      accession: rest.accession ?? numbered(100 + index),
      place: at + 1,
      acceptedAt: rest.at ?? START + index,
      ownerCiks: owners,
      ownerNames: rest.called ?? owners.map((owner) => `NUMBER ${owner}`),
      isAmendment: rest.amendment ?? false,
      groupHint: rest.group ?? false,
      insidersOnly: rest.insiders ?? !rest.group,
      holding: rest.holding ?? 'direct',
      holderNames: rest.names ?? [],
      code: rest.code ?? 'P',
      eventKey: rest.key ?? KEY,
    })),
  )
}

const numbered = (number: number, agent = '0001000001-24'): string => `${agent}-${String(number).padStart(6, '0')}`

/** `b1=a1` for each hidden row. */
const hidden = (rows: EventRow[], joint: JointFiling[] = []): string =>
  [...sameEvents(rows, joint).duplicateOf]
    .map((pair) => pair.join('='))
    .sort()
    .join(' ')

/** Which rows count in an owner's profile. */
function profile(rows: EventRow[], owner: string): string {
  const { inProfile } = sameEvents(rows, [])
  return rows
    .filter((row) => inProfile(row.id, owner))
    .map((row) => row.id)
    .join(' ')
}

describe('one event in two filings', () => {
  describe('key', () => {
    it('is equal for equal facts, whatever their spelling', () => {
      assert.strictEqual(eventKey({ ...facts, price: '9.00', shares: '5000.0', title: ' COMMON  stock' }), KEY)
      assert.strictEqual(eventKey({ ...facts, price: null }), eventKey({ ...facts, price: null }))
    })

    it('differs with each fact', () => {
      const others: Partial<EventFacts>[] = [
        { title: 'Class B' },
        { date: '2024-05-11' },
        { code: 'S' },
        { acquiredDisposed: 'D' },
        { shares: '5001' },
        { price: '9.0001' },
        { sharesAfter: '12001' },
        { price: null },
        { price: '0' },
        { date: null },
      ]
      assert.strictEqual(
        new Set([KEY, ...others.map((other) => eventKey({ ...facts, ...other }))]).size,
        others.length + 1,
      )
    })

    it('can not be forged by a title', () => {
      assert.notStrictEqual(
        eventKey({ ...facts, title: 'a","b', date: null }),
        eventKey({ ...facts, title: 'a', date: 'b' }),
      )
    })
  })

  describe('filings of different owners', () => {
    const ann: Paper = { name: 'a', owners: ['1'], called: ['EXAMPLE ANN'] }
    const bob: Paper = { name: 'b', owners: ['2'], called: ['SAMPLE ROBERT J'] }
    const fund: Paper = { name: 'f', owners: ['8'], called: ['Specimen Fund II, L.P.'], group: true }
    const sponsor: Paper = { name: 'g', owners: ['9'], called: ['Specimen GP, LLC'], group: true }
    const held = (nature: string, ...footnotes: string[]): Pick<Paper, 'holding' | 'names'> => {
      const { holding, holderNames } = holdingOf({ directIndirect: 'I', nature }, footnotes)
      return { holding, names: holderNames }
    }
    const noted = (...footnotes: string[]): Pick<Paper, 'holding' | 'names'> => {
      const { holding, holderNames } = holdingOf({ directIndirect: 'D', nature: null }, footnotes)
      return { holding, names: holderNames }
    }
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
        assert.strictEqual(
          hidden(filed({ ...fund, ...local }, { ...sponsor, accession: 'local-0123456789abcdee' })),
          '',
        )
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
        for (const nature of [
          'By Specimen Fund II, L.P.',
          'by SPECIMEN FUND II',
          'Held by the Specimen Fund II Ltd.',
        ]) {
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

      it('are different events if both hold directly, whomever both name', () => {
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
      const joint = (at: string, ...ownerCiks: string[]) => ({ acceptedAt: Date.parse(at) / 1000, ownerCiks })
      const together = (...filings: JointFiling[]) => hidden(filed(one, other), filings)

      it('are one event for 24 months', () => {
        assert.strictEqual(together(), '')
        assert.strictEqual(together(joint('2024-05-01T12:00:00Z', '1', '2', '3')), 'b1=a1')
        assert.strictEqual(together(joint('2022-05-14T12:00:00Z', '2', '1')), 'b1=a1')
        assert.strictEqual(together(joint('2022-05-13T22:00:00Z', '1', '2')), '')
        assert.strictEqual(together(joint('2022-04-14T12:00:00Z', '1', '2')), '')
      })

      it('are different events if it was accepted later', () => {
        assert.strictEqual(together({ acceptedAt: START + 9, ownerCiks: ['1', '2'] }), 'b1=a1')
        assert.strictEqual(together({ acceptedAt: START + 10, ownerCiks: ['1', '2'] }), '')
      })

      it('are different events if only one of them stood there', () => {
        assert.strictEqual(
          together(joint('2024-05-01T12:00:00Z', '1', '3'), joint('2024-05-01T12:00:00Z', '2', '4')),
          '',
        )
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
        acceptedAt: START + 50,
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
        eventKey({ ...facts, title: 'Class A Common Stock' }),
        eventKey({ ...facts, title: 'Class A Common Shares, par value $0.01' }),
      ]
      assert.strictEqual(hidden(filed({ ...fund, key: one }, { ...sponsor, key: other })), 'g1=f1')
    })
  })

  describe('rows of one filing', () => {
    it('are never one event', () => {
      assert.strictEqual(hidden(filed({ name: 'a', owners: ['1'], rows: 3, group: true, holding: 'entity' })), '')
    })

    it('pair with those of another one by one; a surplus is new', () => {
      const [first, second] = [
        { name: 'a', owners: ['1'], rows: 2, group: true },
        { name: 'b', owners: ['2'], rows: 3, group: true },
      ]
      assert.strictEqual(hidden(filed(first, second)), 'b1=a1 b2=a2')
      assert.strictEqual(
        hidden(filed(first, second, { name: 'c', owners: ['3'], rows: 4, group: true })),
        'b1=a1 b2=a2 c1=a1 c2=a2 c3=b3',
      )
      assert.strictEqual(hidden(filed(second, first)), 'a1=b1 a2=b2')
    })
  })

  describe('the same owner', () => {
    it('filing equal rows again repeats them, direct or not', () => {
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'], rows: 2 }, { name: 'b', owners: ['1'], rows: 2 })),
        'b1=a1 b2=a2',
      )
      assert.strictEqual(hidden(filed({ name: 'a', owners: ['1', '2'] }, { name: 'b', owners: ['2', '3'] })), 'b1=a1')
    })

    it('repeats its own row even if the event has rows that could not be one with it', () => {
      const rows = filed(
        { name: 'a', owners: ['1'], group: true },
        { name: 'b', owners: ['2'], group: true },
        { name: 'c', owners: ['1', '4'] },
      )
      assert.strictEqual(hidden(rows), 'b1=a1 c1=a1')
    })

    it('repeats its own shown row rather than one in a joint filing', () => {
      const rows = filed(
        { name: 'a', owners: ['1'] },
        { name: 'b', owners: ['2'] },
        { name: 'j', owners: ['1', '2'] },
        { name: 'c', owners: ['2'] },
      )
      assert.strictEqual(hidden(rows), 'c1=b1 j1=a1')
    })

    it('repeats its own row rather than an earlier one of another owner', () => {
      const [ann, bob] = [
        { name: 'a', owners: ['1'] },
        { name: 'b', owners: ['2'] },
      ]
      assert.strictEqual(hidden(filed(ann, bob, { name: 'c', owners: ['2'] })), 'c1=b1')
      assert.strictEqual(hidden(filed(ann, bob, { name: 'c', owners: ['2', '9'], group: true })), 'c1=b1')
    })

    it('never repeats by a 4/A, which is for the amendment rule', () => {
      assert.strictEqual(
        hidden(filed({ name: 'a', owners: ['1'], group: true }, { name: 'm', owners: ['1'], amendment: true })),
        '',
      )
      const twice = filed(
        { name: 'a', owners: ['1'] },
        { name: 'm', owners: ['1'], amendment: true },
        { name: 'n', owners: ['1'], amendment: true },
      )
      assert.strictEqual(hidden(twice), '')
    })

    it('repeats a 4/A by filing without /A', () => {
      assert.strictEqual(
        hidden(filed({ name: 'm', owners: ['1'], amendment: true }, { name: 'a', owners: ['1'] })),
        'a1=m1',
      )
    })
  })

  describe('a 4/A', () => {
    const [ann, bob] = [
      { name: 'a', owners: ['1'], group: true },
      { name: 'b', owners: ['2'], group: true },
    ]
    const amended = (name: string, owner: string) => ({ name, owners: [owner], group: true, amendment: true })

    it('repeats a row of a different owner, under the same condition', () => {
      assert.strictEqual(hidden(filed(ann, amended('m', '2'))), 'm1=a1')
      assert.strictEqual(hidden(filed({ name: 'a', owners: ['1'] }, { name: 'm', owners: ['2'], amendment: true })), '')
    })

    it('of a hidden row stays hidden, of the shown row is shown', () => {
      assert.strictEqual(hidden(filed(ann, bob, amended('m', '2'))), 'b1=a1 m1=a1')
      assert.strictEqual(hidden(filed(ann, bob, amended('m', '1'))), 'b1=a1')
    })

    it('by each of two owners is shown once', () => {
      assert.strictEqual(hidden(filed(ann, bob, amended('m', '1'), amended('n', '2'))), 'b1=a1 n1=a1')
      assert.strictEqual(hidden(filed(ann, bob, amended('n', '2'), amended('m', '1'))), 'b1=a1 n1=a1')
    })

    it('with new numbers, by each of two owners, is shown once', () => {
      const corrected = { key: 'corrected' }
      assert.strictEqual(
        hidden(filed(ann, bob, { ...amended('m', '1'), ...corrected }, { ...amended('n', '2'), ...corrected })),
        'b1=a1 n1=m1',
      )
    })
  })

  describe("in an owner's profile", () => {
    it('each event counts once, by the earliest row that names the owner', () => {
      const rows = filed(
        { name: 'a', owners: ['1'], group: true },
        { name: 'b', owners: ['2', '3'], group: true },
        { name: 'c', owners: ['2'] },
        { name: 'd', owners: ['1', '4'] },
      )
      assert.strictEqual(hidden(rows), 'b1=a1 c1=a1 d1=a1')
      assert.deepEqual(
        ['1', '2', '3', '4'].map((owner) => profile(rows, owner)),
        ['a1', 'b1', 'b1', 'd1'],
      )
    })

    it('equal rows of one filing count each', () => {
      const rows = filed(
        { name: 'a', owners: ['1'], group: true, rows: 2 },
        { name: 'b', owners: ['2'], group: true, rows: 2 },
      )
      assert.strictEqual(profile(rows, '2'), 'b1 b2')
    })

    it('a 4/A counts beside what it amends, since one of them is superseded', () => {
      const rows = filed(
        { name: 'a', owners: ['1'], group: true },
        { name: 'b', owners: ['2'] },
        { name: 'm', owners: ['2'], amendment: true },
        { name: 'c', owners: ['2'] },
      )
      assert.strictEqual(profile(rows, '2'), 'b1 m1')
    })

    it('rows of other persons do not count', () => {
      const rows = filed({ name: 'a', owners: ['1'] })
      assert.strictEqual(profile(rows, '2'), '')
      assert.isFalse(sameEvents(rows, []).inProfile('nowhere', '1'))
    })
  })

  it('thousands of equal rows are compared with few others each', () => {
    const many = (count: number, paper: (index: number) => Partial<Paper>) =>
      Array.from({ length: count }, (_, index): Paper => ({
        name: `p${index}-`,
        owners: [`${index}`],
        ...paper(index),
      }))
    const mention = { names: ['~J NUMBER', '~MR OTHER'], accession: '' }
    const papers = many(20_000, (index) => ({ ...mention, accession: `local-${String(index).padStart(16, '0')}` }))
    assert.strictEqual(hidden(filed(...papers)), '')
    const near = many(20_000, (index) => ({
      accession: numbered(Math.floor(index / 200), String(index % 200).padStart(10, '0')),
    }))
    assert.strictEqual(hidden(filed(...near)), '')
    const chain = many(20_000, (index) => ({
      names: ['SPECIMEN HOLDINGS'],
      holding: 'entity',
      accession: numbered(index * 60),
    }))
    assert.strictEqual(sameEvents(filed(...chain), []).duplicateOf.size, 19_999)
    const [first, second] = many(2, () => ({ rows: 10_000, group: true }))
    assert.strictEqual(sameEvents(filed(first!, second!), []).duplicateOf.get('p1-10000'), 'p0-10000')
    const joint = many(5_000, (index) => ({ owners: ['0', `${index + 1}`], accession: numbered(index * 60) }))
    const rows = filed(...joint)
    assert.strictEqual(sameEvents(rows, rows).duplicateOf.size, 4_999)
    const alone = rows.map((row) => ({ ...row, ownerCiks: row.ownerCiks.slice(1) }))
    assert.strictEqual(sameEvents(alone, rows).duplicateOf.size, 0)
  })

  describe('always', () => {
    const called: Record<string, string> = {
      '1': 'EXAMPLE ANN',
      '2': 'SAMPLE ROBERT',
      '3': 'Specimen Fund, L.P.',
      '4': 'Specimen GP, LLC',
    }
    const naming: Record<string, string[]> = {
      '1': ['~MS EXAMPLE'],
      '2': ['~R SAMPLE', '~ROBERT SAMPLE'],
      '3': ['SPECIMEN FUND', '~SPECIMEN FUND'],
      '4': ['SPECIMEN GP'],
    }
    const owners = fc.uniqueArray(fc.constantFrom('1', '2', '3', '4'), { minLength: 1, maxLength: 2 })
    const paper = fc.record({
      owners,
      rows: fc.integer({ min: 1, max: 3 }),
      group: fc.boolean(),
      insiders: fc.boolean(),
      holding: fc.constantFrom<Holding>('direct', 'spouse', 'personal', 'entity', 'unnamed'),
      names: fc.uniqueArray(fc.constantFrom('PARAGON', ...Object.values(naming).flat()), { maxLength: 2 }),
      number: fc.constantFrom(1, 45, 60, 120),
      agent: fc.constantFrom('0001000001-24', '0001000001-25', 'local'),
      code: fc.constantFrom('A', 'P'),
      amendment: fc.boolean(),
      key: fc.constantFrom('x', 'y'),
    })
    const MONTH = 31 * 86_400
    const anyRows = fc.array(paper, { minLength: 1, maxLength: 7 }).map((papers) =>
      filed(
        ...papers.map(({ number, agent, code, key, ...one }, index) => ({
          ...one,
          name: `p${index}-`,
          called: one.owners.map((owner) => called[owner]!),
          accession: agent === 'local' ? `local-${index}` : numbered(number * 10 + index, agent),
          at: START + index * 7 * MONTH,
          code,
          key: `${key} ${code}`,
        })),
      ),
    )
    const anyJoint = fc.array(
      fc.record({
        acceptedAt: fc.integer({ min: -30, max: 50 }).map((months) => START + months * MONTH),
        ownerCiks: owners,
      }),
      { maxLength: 3 },
    )
    const shown = (rows: EventRow[], id: string) => rows.find((row) => row.id === id)!

    it('the order of arrival does not matter', () => {
      const shuffled = anyRows.chain((rows) =>
        fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
      )
      fc.assert(
        fc.property(shuffled, anyJoint, ([rows, otherwise], joint) => {
          assert.strictEqual(hidden(otherwise, joint.toReversed()), hidden(rows, joint))
          for (const owner of ['1', '2', '3', '4']) {
            assert.sameMembers(profile(otherwise, owner).split(' '), profile(rows, owner).split(' '))
          }
        }),
      )
    })

    it('what was accepted later changes nothing of what was before', () => {
      fc.assert(
        fc.property(anyRows, anyJoint, fc.integer({ min: 0, max: 50 }), (rows, joint, months) => {
          const until = START + months * MONTH
          const before = rows.filter((row) => row.acceptedAt <= until)
          const later = sameEvents(rows, joint).duplicateOf
          const kept = [...later].filter(([id]) => before.some((row) => row.id === id))
          const known = joint.filter(({ acceptedAt }) => acceptedAt <= until)
          assert.deepEqual([...sameEvents(before, known).duplicateOf].sort(), kept.sort())
        }),
      )
    })

    it('hidden rows point to shown ones of another filing, accepted no later, with the same key', () => {
      fc.assert(
        fc.property(anyRows, (rows) => {
          const { duplicateOf } = sameEvents(rows, [])
          for (const [id, target] of duplicateOf) {
            assert.isFalse(duplicateOf.has(target))
            const [row, first] = [shown(rows, id), shown(rows, target)]
            assert.notStrictEqual(row.accession, first.accession)
            assert.isAtMost(first.acceptedAt, row.acceptedAt)
            assert.strictEqual(row.eventKey, first.eventKey)
          }
        }),
      )
    })

    it('rows are in the events that trying all pairs puts them into', () => {
      const share = (a: EventRow, b: EventRow) => a.ownerCiks.some((owner) => b.ownerCiks.includes(owner))
      const named = (a: EventRow, b: EventRow) =>
        b.ownerCiks.some((owner) => naming[owner]!.some((name) => a.holderNames.includes(name)))
      const evident = (a: EventRow, b: EventRow, joint: JointFiling[]) => {
        const [agent, other] = [a.accession.slice(0, 13), b.accession.slice(0, 13)]
        const apart = Math.abs(Number(a.accession.slice(14)) - Number(b.accession.slice(14)))
        const near = !agent.startsWith('local') && agent === other && apart <= 50
        const some = (holding: Holding) => a.holding === holding || b.holding === holding
        const since = addMonths(newYorkDay(b.acceptedAt), -24)
        const held = a.holderNames.filter((name) => !name.startsWith('~') && b.holderNames.includes(name))
        return (
          joint.some(
            ({ acceptedAt, ownerCiks }) =>
              acceptedAt <= b.acceptedAt &&
              newYorkDay(acceptedAt) >= since &&
              a.ownerCiks.some((owner) => ownerCiks.includes(owner)) &&
              b.ownerCiks.some((owner) => ownerCiks.includes(owner)),
          ) ||
          (near && some('spouse') && some('direct')) ||
          (near && a.groupHint && b.groupHint && !(a.code === 'A' && a.insidersOnly && b.insidersOnly)) ||
          (near &&
            !some('personal') &&
            !some('spouse') &&
            (some('entity') || (some('unnamed') && (a.groupHint || b.groupHint))) &&
            !(a.code === 'A' && a.insidersOnly && b.insidersOnly)) ||
          named(a, b) ||
          named(b, a) ||
          (held.length > 0 && !(a.holding === 'direct' && b.holding === 'direct'))
        )
      }
      const slowly = (rows: EventRow[], joint: JointFiling[]) => {
        const events: EventRow[][] = []
        for (const row of rows) {
          const open = events.filter(
            (event) =>
              event[0]!.eventKey === row.eventKey &&
              event.every((one) => one.accession !== row.accession) &&
              !(row.isAmendment && share(event[0]!, row)),
          )
          const event =
            open.find(([first]) => share(first!, row)) ??
            open.find((event) => event.some((one) => share(one, row))) ??
            open.find(([first, ...others]) => {
              const more = others.length === 0 || others.some((one) => evident(one, row, joint))
              return more && evident(first!, row, joint)
            })
          if (event) event.push(row)
          else events.push([row])
        }
        return events.flatMap(([first, ...others]) => others.map((row) => `${row.id}=${first!.id}`))
      }
      fc.assert(
        fc.property(anyRows, anyJoint, (rows, joint) => {
          assert.strictEqual(hidden(rows, joint), slowly(rows, joint).sort().join(' '))
        }),
        { numRuns: 1000 },
      )
    })

    it("an owner's profile has each event once, 4/As aside", () => {
      fc.assert(
        fc.property(anyRows, fc.constantFrom('1', '2', '3', '4'), (rows, owner) => {
          const { duplicateOf, inProfile } = sameEvents(rows, [])
          const named = rows.filter((row) => row.ownerCiks.includes(owner))
          const events = Map.groupBy(named, (row) => duplicateOf.get(row.id) ?? row.id)
          for (const event of events.values()) {
            const counted = event.filter((row) => inProfile(row.id, owner))
            assert.include(counted, event[0])
            assert.isAtMost(counted.filter((row) => !row.isAmendment).length, 1)
          }
        }),
      )
    })
  })
})
