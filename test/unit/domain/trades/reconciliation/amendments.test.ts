// Amended filings: which trades of an original a Form 4/A supersedes.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  amendmentOutcome,
  type AmendmentFiling,
  type AmendmentRow,
} from '../../../../../src/domain/trades/reconciliation/amendments.ts'

type RowParts = Partial<Omit<AmendmentRow, 'id' | 'place'>>
const plain: Omit<AmendmentRow, 'id' | 'place'> = {
  title: 'Common Stock',
  acquiredDisposed: 'D',
  directIndirect: 'D',
  date: '2024-05-01',
  code: 'S',
  shares: '100',
  price: '10',
  sharesAfter: '900',
}

interface Paper {
  name: string
  rows: RowParts[]
  owners?: string[]
  filed?: string
  /** The day of the original: makes it a 4/A. */
  amends?: string | null
}

/** Invented filings, accepted in the order given. */
function filings(...papers: Paper[]): AmendmentFiling[] {
  return papers.map(({ name, rows, owners = ['1'], filed = '2024-05-03', amends }, index) => ({
    accession: name,
    formType: amends === undefined ? '4' : '4/A',
    acceptedAt: 1000 + index,
    filedDate: filed,
    dateOfOriginal: amends ?? null,
    ownerCiks: owners,
    rows: rows.map((row, at) => ({ ...plain, ...row, id: `${name}${at + 1}`, place: at + 1 })),
  }))
}

/** `a1>m1` superseded and replaced, `a2>` superseded and left out. */
function gone(...papers: Paper[]): string {
  return [...amendmentOutcome(filings(...papers)).superseded]
    .map(([id, { replacement }]) => `${id}>${replacement ?? ''}`)
    .sort()
    .join(' ')
}
const DAY = '2024-05-03'
const tranches = [
  { shares: '100', price: '10' },
  { shares: '200', price: '11' },
  { shares: '300', price: '12' },
]

describe('amended filings', () => {
  describe('find the original', () => {
    const original = { name: 'a', rows: [{}] }
    it('by owner and day', () => {
      assert.strictEqual(gone(original, { name: 'm', rows: [{ price: '11' }], amends: DAY }), 'a1>m1')
      assert.strictEqual(
        gone({ ...original, owners: ['1', '2'] }, { name: 'm', rows: [{}], owners: ['2', '3'], amends: DAY }),
        'a1>m1',
      )
      assert.strictEqual(gone(original, { name: 'm', rows: [{}], owners: ['2'], amends: DAY }), '')
    })

    it('filed on the next business day too', () => {
      for (const [day, filed] of [
        ['2024-05-02', DAY],
        ['2024-05-03', '2024-05-06'],
        ['2024-07-03', '2024-07-05'],
        ['2024-05-04', '2024-05-06'],
      ]) {
        assert.strictEqual(
          gone({ ...original, filed: filed! }, { name: 'm', rows: [{}], amends: day! }),
          'a1>m1',
          `${day} ${filed}`,
        )
      }
      for (const [day, filed] of [
        ['2024-05-01', DAY],
        ['2024-05-06', DAY],
        ['2024-05-03', '2024-05-07'],
      ]) {
        assert.strictEqual(
          gone({ ...original, filed: filed! }, { name: 'm', rows: [{}], amends: day! }),
          '',
          `${day} ${filed}`,
        )
      }
    })

    it('only among what was accepted before', () => {
      assert.strictEqual(gone({ name: 'm', rows: [{}], amends: DAY }, original), '')
    })

    it('not without a day that exists', () => {
      for (const amends of [null, '', '2024-02-30', '0024-05-03'])
        assert.strictEqual(gone(original, { name: 'm', rows: [{}], amends }), '')
    })

    it('of several the one with most matching rows', () => {
      const [small, large] = [
        { name: 'a', rows: tranches.slice(0, 1) },
        { name: 'b', rows: tranches },
      ]
      const amendment = { name: 'm', rows: tranches.slice(0, 2), amends: DAY }
      assert.strictEqual(gone(small, large, amendment), 'b1>m1 b2>m2 b3>')
      assert.deepEqual([...amendmentOutcome(filings(small, large, amendment)).originalOf], [['m', 'b']])
    })

    it('and nothing where two fit equally, which is marked', () => {
      const outcome = amendmentOutcome(
        filings(original, { ...original, name: 'b' }, { name: 'm', rows: [{ price: '11' }], amends: DAY }),
      )
      assert.deepEqual([outcome.superseded.size, outcome.originalOf.size, [...outcome.ambiguous]], [0, 0, ['m']])
      const noneFits = filings(
        { name: 'a', rows: [{ title: 'x' }] },
        { name: 'b', rows: [{ title: 'y' }] },
        { name: 'm', rows: [{}], amends: DAY },
      )
      assert.deepEqual([...amendmentOutcome(noneFits).ambiguous], ['m'])
      const empty = filings(original, { ...original, name: 'b' }, { name: 'm', rows: [], amends: DAY })
      assert.strictEqual(amendmentOutcome(empty).ambiguous.size, 0, 'without rows there is nothing to tell')
    })
  })

  describe('match rows', () => {
    it('by title, A/D, D/I and date', () => {
      const wrong = { code: 'F', shares: '7', price: '8', sharesAfter: '9' }
      assert.strictEqual(
        gone({ name: 'a', rows: [{}] }, { name: 'm', rows: [{ ...wrong, title: 'COMMON  STOCK' }], amends: DAY }),
        'a1>m1',
      )
    })

    it('else by title, A/D and D/I with two of code, shares, price and shares-after', () => {
      const date = '2024-05-02'
      const facts = { code: 'F', shares: '7', price: '8', sharesAfter: '9' }
      const names = Object.keys(facts) as (keyof typeof facts)[]
      for (const one of names)
        for (const two of names) {
          const { [one]: _, [two]: __, ...changed } = facts
          const matches = one !== two
          assert.strictEqual(
            gone({ name: 'a', rows: [{}] }, { name: 'm', rows: [{ ...changed, date }], amends: DAY }),
            matches ? 'a1>m1' : '',
            `${one} ${two}`,
          )
        }
      assert.strictEqual(
        gone(
          { name: 'a', rows: [{ shares: '100.00', price: '10.0' }] },
          { name: 'm', rows: [{ date, code: 'F', sharesAfter: '1' }], amends: DAY },
        ),
        'a1>m1',
      )
    })

    it('never across title, A/D or D/I', () => {
      for (const other of [{ title: 'Class B' }, { acquiredDisposed: 'A' }, { directIndirect: 'I' }]) {
        assert.strictEqual(gone({ name: 'a', rows: [{}] }, { name: 'm', rows: [other], amends: DAY }), '')
      }
    })

    it('one to one: by date first, then code, then nearest shares, then place', () => {
      const amendment = (row: RowParts) => ({ name: 'm', rows: [row], amends: DAY })
      const three = (rows: RowParts[], row: RowParts) => gone({ name: 'a', rows }, amendment(row))
      assert.strictEqual(
        three(
          [
            { date: '2024-04-30', shares: '150' },
            { code: 'F', shares: '9' },
          ],
          { shares: '150', price: '1' },
        ),
        'a2>m1',
        'date',
      )
      assert.strictEqual(
        three([{ code: 'F', shares: '150' }, { shares: '9' }], { shares: '150', price: '1' }),
        'a2>m1',
        'code',
      )
      assert.strictEqual(
        three([{ shares: '100' }, { shares: '160' }], { shares: '150', price: '1' }),
        'a2>m1',
        'shares',
      )
      assert.strictEqual(three([{ price: '7' }, { price: '8' }], { price: '1' }), 'a1>m1', 'place')
    })

    it('a row repeated unchanged with its like', () => {
      assert.strictEqual(
        gone({ name: 'a', rows: [{ price: '7' }, { price: '8' }] }, { name: 'm', rows: [{ price: '8' }], amends: DAY }),
        'a1> a2>m1',
      )
    })
  })

  describe('replace', () => {
    const original = { name: 'a', rows: tranches }
    it('the table whole with at least as many rows', () => {
      const rows = [
        { shares: '100', price: '10.5' },
        { shares: '200', price: '11.5' },
        { shares: '300', price: '12.5' },
      ]
      assert.strictEqual(gone(original, { name: 'm', rows, amends: DAY }), 'a1>m1 a2>m2 a3>m3')
      assert.strictEqual(
        gone(original, { name: 'm', rows: [...rows, { title: 'Class B' }], amends: DAY }),
        'a1>m1 a2>m2 a3>m3',
      )
      assert.strictEqual(
        gone(original, { name: 'm', rows: [rows[0]!, { title: 'x' }, { title: 'y' }], amends: DAY }),
        'a1>m1 a2> a3>',
      )
    })

    it('the table whole when a row is repeated unchanged', () => {
      assert.strictEqual(gone(original, { name: 'm', rows: [tranches[1]!], amends: DAY }), 'a1> a2>m1 a3>')
    })

    it('else row by row', () => {
      assert.strictEqual(gone(original, { name: 'm', rows: [{ shares: '200', price: '11.5' }], amends: DAY }), 'a2>m1')
      assert.strictEqual(
        gone(original, {
          name: 'm',
          rows: [
            { shares: '290', price: '1' },
            { shares: '110', price: '1' },
          ],
          amends: DAY,
        }),
        'a1>m2 a3>m1',
      )
    })

    it('nothing where no row matches or there are none', () => {
      assert.strictEqual(
        gone(original, { name: 'm', rows: [{ title: 'x' }, { title: 'y' }, { title: 'z' }], amends: DAY }),
        '',
      )
      const outcome = amendmentOutcome(filings(original, { name: 'm', rows: [], amends: DAY }))
      assert.deepEqual([outcome.superseded.size, [...outcome.originalOf], outcome.ambiguous.size], [0, [['m', 'a']], 0])
      assert.strictEqual(gone({ name: 'a', rows: [] }, { name: 'm', rows: [{}], amends: DAY }), '')
    })

    it('and say by what and when', () => {
      const { superseded } = amendmentOutcome(
        filings(original, { name: 'm', rows: [{ shares: '200', price: '11.5' }], amends: DAY }),
      )
      assert.deepEqual(superseded.get('a2'), { by: 'm', at: 1001, replacement: 'm1' })
    })
  })

  describe('apply to the table as then in force', () => {
    const original = { name: 'a', rows: tranches }
    const first = { name: 'm', rows: [{ shares: '200', price: '11.5' }], amends: DAY, filed: '2024-05-10' }

    it('when a second names the same original', () => {
      assert.strictEqual(
        gone(original, first, { name: 'n', rows: [{ shares: '200', price: '11.7' }], amends: DAY }),
        'a2>m1 m1>n1',
      )
      const whole = tranches.map((row) => ({ ...row, sharesAfter: '1' }))
      assert.strictEqual(gone(original, first, { name: 'n', rows: whole, amends: DAY }), 'a1>n1 a2>m1 a3>n3 m1>n2')
    })

    it('when it names the day of the first amendment', () => {
      const second = { name: 'n', rows: [{ shares: '300', price: '12.5' }], amends: '2024-05-10' }
      assert.strictEqual(gone(original, first, second), 'a2>m1 a3>n1')
      assert.deepEqual(
        [...amendmentOutcome(filings(original, first, second)).originalOf],
        [
          ['m', 'a'],
          ['n', 'a'],
        ],
      )
    })

    it('when original and amendment have the same day, without a tie', () => {
      const outcome = [
        original,
        { ...first, filed: DAY },
        { name: 'n', rows: [{ shares: '200', price: '11.7' }], amends: DAY },
      ]
      assert.strictEqual(gone(...outcome), 'a2>m1 m1>n1')
      assert.strictEqual(amendmentOutcome(filings(...outcome)).ambiguous.size, 0)
    })

    it('additions too', () => {
      const added = { name: 'm', rows: [{ title: 'Class B' }], amends: DAY }
      assert.strictEqual(
        gone(original, added, { name: 'n', rows: [{ title: 'Class B', price: '3' }], amends: DAY }),
        'm1>n1',
      )
    })

    it('of an original that is missing', () => {
      assert.strictEqual(gone(first), '')
      assert.strictEqual(gone(first, { name: 'n', rows: [{ shares: '200', price: '11.7' }], amends: DAY }), 'm1>n1')
      assert.strictEqual(
        gone(first, { name: 'n', rows: [{ shares: '200', price: '11.7' }], amends: '2024-05-10' }),
        'm1>n1',
      )
      assert.strictEqual(
        gone(first, { name: 'n', rows: [{ shares: '200', price: '11.7' }], amends: '2024-05-09' }),
        'm1>n1',
        'filed a day later',
      )
      assert.strictEqual(gone(first, { name: 'n', rows: [{ shares: '200', price: '11.7' }], amends: '2024-05-08' }), '')
    })
  })

  describe('always', () => {
    const row = fc.record({
      title: fc.constantFrom('Common', 'Class B'),
      date: fc.constantFrom('2024-05-01', '2024-05-02'),
      code: fc.constantFrom('S', 'F'),
      shares: fc.constantFrom('100', '100.0', '200'),
      price: fc.constantFrom('10', null),
      sharesAfter: fc.constantFrom('900', '800'),
    })
    const paper = fc.record({
      rows: fc.array(row, { maxLength: 4 }),
      owners: fc.subarray(['1', '2'], { minLength: 1 }),
      filed: fc.constantFrom(DAY, '2024-05-06', '2024-05-07'),
      amends: fc.constantFrom(undefined, null, DAY, '2024-05-06'),
    })
    const anyFilings = fc.array(paper, { minLength: 1, maxLength: 6 }).map((papers) =>
      filings(
        ...papers.map(({ amends, ...rest }, index) => ({
          ...rest,
          name: `p${index}-`,
          ...(amends === undefined ? {} : { amends }),
        })),
      ),
    )
    const sorted = (outcome: ReturnType<typeof amendmentOutcome>) => [
      [...outcome.superseded].sort(),
      [...outcome.originalOf].sort(),
      [...outcome.ambiguous].sort(),
    ]

    it('the order of arrival does not matter', () => {
      const shuffled = anyFilings.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
      )
      fc.assert(
        fc.property(shuffled, ([all, otherwise]) => {
          assert.deepEqual(sorted(amendmentOutcome(otherwise)), sorted(amendmentOutcome(all)))
        }),
      )
    })

    it('what was accepted later changes nothing of what was before', () => {
      fc.assert(
        fc.property(anyFilings, fc.integer({ min: 1, max: 6 }), (all, count) => {
          const before = amendmentOutcome(all.slice(0, count))
          const after = amendmentOutcome(all)
          for (const [id, supersession] of before.superseded) assert.deepEqual(after.superseded.get(id), supersession)
          for (const [id, { at }] of after.superseded) if (at < 1000 + count) assert.isTrue(before.superseded.has(id))
        }),
      )
    })

    it('a row superseded by a later 4/A of a common chain is replaced by one row of that 4/A', () => {
      fc.assert(
        fc.property(anyFilings, (all) => {
          const outcome = amendmentOutcome(all)
          const home = new Map(all.flatMap((filing) => filing.rows.map((one) => [one.id, filing] as const)))
          const root = (accession: string) => outcome.originalOf.get(accession) ?? accession
          const replacements = [...outcome.superseded.values()]
            .map(({ replacement }) => replacement)
            .filter((id) => id !== null)
          assert.strictEqual(new Set(replacements).size, replacements.length)
          for (const [id, { by, at, replacement }] of outcome.superseded) {
            assert.isBelow(home.get(id)!.acceptedAt, at)
            assert.strictEqual(root(home.get(id)!.accession), root(by))
            if (replacement !== null) assert.strictEqual(home.get(replacement)!.accession, by)
          }
        }),
      )
    })

    it('an ambiguous 4/A supersedes nothing, and no filing without /A does', () => {
      fc.assert(
        fc.property(anyFilings, (all) => {
          const { superseded, ambiguous } = amendmentOutcome(all)
          for (const { by } of superseded.values()) {
            assert.isFalse(ambiguous.has(by))
            assert.strictEqual(all.find((filing) => filing.accession === by)!.formType, '4/A')
          }
        }),
      )
    })
  })
})
