// Amended filings: which trades of an original a Form 4/A supersedes.
import { assert } from 'chai'
import fc from 'fast-check'
import type { AmendmentFiling, Amendments } from '../../../../../src/domain/trades/reconciliation/amendments.ts'
import type { AmendmentRow } from '../../../../../src/domain/trades/reconciliation/row-matching.ts'
import { amendmentOutcome } from '../../../../../src/domain/trades/reconciliation/amendments.ts'

interface Paper {
  name: string
  /** `[title: ]code A/D shares@price >after[ I][ on date]`, as in `P A 1000@20 >11000`; `-` is absent. */
  rows: string[]
  owners?: string[]
  filed?: string
  period?: string
  /** The day of the original: makes it a 4/A. */
  amends?: string | null
  words?: readonly AmendmentFiling['amendmentWords'][number][]
}

const TRADED = '2025-11-17'
const FILED = '2025-11-19'

function row(text: string): Omit<AmendmentRow, 'id' | 'place'> {
  const match = /^(?:(.+): )?(\w) ([AD]) (\S+)@(\S+) >(\S+)( I)?(?: on (\S+))?$/.exec(text)
  assert.isNotNull(match, text)
  const [, title, code, acquiredDisposed, shares, price, sharesAfter, indirect, date] = match
  const amount = (number: string | undefined) => (number === '-' ? null : number!)
  return {
    securityTitle: title ?? 'Common Stock',
    code: code!,
    acquiredDisposed: acquiredDisposed!,
    shares: shares!,
    priceFiled: amount(price),
    sharesAfter: amount(sharesAfter),
    directIndirect: indirect ? 'I' : 'D',
    date: date ?? TRADED,
  }
}

/** Invented filings, accepted in the order given. */
function filings(...papers: Paper[]): AmendmentFiling[] {
  return papers.map(({ name, rows, owners = ['1'], filed = FILED, period = TRADED, amends, words = [] }, index) => ({
    accession: name,
    amendment: amends !== undefined,
    filedAt: 1000 + index,
    filedDay: filed,
    period,
    originalDate: amends ?? null,
    ownerCiks: owners,
    amendmentWords: [...words],
    rows: rows.map((text, at) => ({ ...row(text), id: `${name}${at + 1}`, place: at + 1 })),
  }))
}

const sorted = (outcome: Amendments) => [
  [...outcome.superseded].sort(),
  [...outcome.originalOf].sort(),
  [...outcome.ambiguous].sort(),
  [...outcome.duplicates].sort(),
]

/** The outcome, which is the same in the reverse order of arrival. */
function outcomeOf(...papers: Paper[]): Amendments {
  const [all, reversed] = [filings(...papers), filings(...papers).reverse()]
  const outcome = amendmentOutcome(all)
  assert.deepEqual(sorted(amendmentOutcome(reversed)), sorted(outcome))
  return outcome
}

/** `a1>m1` superseded and replaced, `a2>` superseded and left out. */
function gone(...papers: Paper[]): string {
  return [...outcomeOf(...papers).superseded]
    .map(([id, { replacement }]) => `${id}>${replacement ?? ''}`)
    .sort()
    .join(' ')
}

/** Ids of the rows that are shown. */
function shown(...papers: Paper[]): string {
  const { superseded, duplicates } = outcomeOf(...papers)
  return filings(...papers)
    .flatMap(({ rows }) => rows.map(({ id }) => id))
    .filter((id) => !superseded.has(id) && !duplicates.has(id))
    .join(' ')
}

const original = (...rows: string[]): Paper => ({ name: 'a', rows })
const amendment = (...rows: string[]): Paper => ({ name: 'm', rows, amends: FILED, filed: '2025-11-25' })
const tranches = ['S D 100@10 >900', 'S D 200@11 >700', 'S D 300@12 >400']

describe('amended filings', () => {
  describe('find the original', () => {
    const sale = 'S D 100@10 >900'
    const other = 'A A 7@0 >7 I on 2025-10-01'
    const odd = { period: '2025-10-01' }

    it('by owner and day', () => {
      assert.strictEqual(gone(original(sale), amendment('S D 100@11 >900')), 'a1>m1')
      assert.strictEqual(
        gone({ ...original(sale), owners: ['1', '2'] }, { ...amendment(sale), owners: ['2', '3'] }),
        'a1>m1',
      )
      assert.strictEqual(gone(original(sale), { ...amendment(sale), owners: ['2'] }), '')
    })

    it('filed on the next business day too', () => {
      for (const [day, filed] of [
        ['2025-05-02', '2025-05-05'],
        ['2025-07-03', '2025-07-07'],
        ['2025-05-03', '2025-05-05'],
      ]) {
        const papers = [
          { ...original(other), ...odd, filed: filed! },
          { ...amendment(sale), filed: '2025-08-01', amends: day! },
        ]
        assert.deepEqual([...outcomeOf(...papers).originalOf], [['m', 'a']], `${day} ${filed}`)
      }
      for (const [day, filed] of [
        ['2025-05-06', '2025-05-05'],
        ['2025-05-02', '2025-05-06'],
      ]) {
        const papers = [
          { ...original(other), ...odd, filed: filed! },
          { ...amendment(sale), filed: '2025-08-01', amends: day! },
        ]
        assert.deepEqual([...outcomeOf(...papers).originalOf], [], `${day} ${filed}`)
      }
    })

    it('only among what was accepted before', () => {
      assert.strictEqual(gone({ ...amendment(sale) }, original(sale)), '')
    })

    it('by the period of report where the day has no matching row', () => {
      const named = { ...amendment('S D 100@11 >900'), amends: TRADED }
      assert.strictEqual(gone(original(sale), named), 'a1>m1')
      assert.strictEqual(gone(original(sale), { ...named, ...odd }), 'a1>m1', 'the day named is the period')
      assert.strictEqual(gone(original(sale), { ...named, amends: '2025-10-02' }), 'a1>m1', 'both have a period')
      const onDay = { name: 'b', rows: [other], filed: TRADED, ...odd }
      assert.strictEqual(gone(original(sale), onDay, named), 'a1>m1')
    })

    it('by its rows alone where neither has one', () => {
      const lost = (...rows: string[]) => ({ ...amendment(...rows), ...odd, amends: null })
      assert.strictEqual(gone(original(sale), lost('S D 100@11 >900')), 'a1>m1', 'shares and balance')
      assert.strictEqual(gone(original(sale), lost('S D 110@10 >900')), 'a1>m1', 'price and balance')
      assert.strictEqual(gone(original(sale), lost('S D 100@10 >800')), 'a1>m1', 'shares and price')
      assert.strictEqual(gone(original(sale), lost('S D 110@10 >800')), '', 'price')
      assert.strictEqual(gone(original(sale), lost('F D 100@10 >900')), '', 'another code')
      assert.strictEqual(gone(original(sale), lost('S D 100@10 >900 on 2025-11-18')), '', 'another day')
      for (const amends of ['', '2025-02-30', '0025-11-19', '2024-11-19', '2025-11-25'])
        assert.strictEqual(gone(original(sale), { ...lost('S D 100@11 >900'), amends }), 'a1>m1', amends)
      const [late, tooLate] = ['2027-11-19', '2027-11-20'].map((filed) => ({ ...lost('S D 100@11 >900'), filed }))
      assert.strictEqual(gone(original(sale), late!), 'a1>m1', '24 months')
      assert.strictEqual(gone(original(sale), tooLate!), '', 'more')
    })

    it('of several the one with most matching rows, then with most facts that agree', () => {
      const [small, large] = [original('S D 100@10 >650'), { name: 'b', rows: tranches }]
      assert.strictEqual(gone(small, large, amendment(...tranches.slice(0, 2))), 'b1>m1 b2>m2')
      assert.strictEqual(gone(small, large, amendment('S D 100@10.5 >900')), 'b1>m1')
    })

    it('on the day without a matching row, where there is none elsewhere', () => {
      const found = outcomeOf(original(other), { ...amendment(sale), ...odd })
      assert.deepEqual([[...found.superseded], [...found.originalOf]], [[], [['m', 'a']]])
    })

    it('and nothing where two fit equally, which is marked', () => {
      const [one, two] = [original('S D 100@10 >900'), { name: 'b', rows: ['S D 100@10 >800'] }]
      const outcome = outcomeOf(one, two, amendment('S D 100@10 >700'))
      assert.deepEqual([outcome.superseded.size, outcome.originalOf.size, [...outcome.ambiguous]], [0, 0, ['m']])
      const noneFits = outcomeOf({ ...one, ...odd }, { ...two, ...odd }, { ...amendment(other), ...odd })
      assert.deepEqual([...noneFits.ambiguous], ['m'])
      assert.strictEqual(outcomeOf(one, two, amendment()).ambiguous.size, 0, 'without rows there is nothing to tell')
    })

    it('and what equals a row in force then repeats it', () => {
      const [one, two] = [
        original('S D 100@10 >900', 'S D 50@9 >850'),
        { name: 'b', rows: ['S D 100@10 >800', 'S D 50@9 >750'] },
      ]
      const tied = amendment('S D 100@10 >900', 'S D 50@9 >750', 'S D 10@9 >740')
      const outcome = outcomeOf(one, two, tied)
      assert.deepEqual([...outcome.ambiguous], ['m'])
      assert.deepEqual(
        [...outcome.duplicates],
        [
          ['m1', 'a1'],
          ['m2', 'b2'],
        ],
      )
      assert.strictEqual(shown(one, two, tied), 'a1 a2 b1 b2 m3')
    })

    it('filed twice as one', () => {
      const again = { ...original(...tranches), name: 'b', filed: '2025-11-20' }
      const correction = amendment('S D 100@10.5 >900')
      for (const amends of [FILED, '2025-11-20']) {
        const outcome = outcomeOf(original(...tranches), again, { ...correction, amends })
        assert.deepEqual([...outcome.superseded.keys()].sort(), ['a1', 'b1'], 'each copy')
        assert.deepEqual([...outcome.originalOf], [['m', 'a']])
      }
      const more = { ...again, rows: [...tranches, 'S D 9@10 >391'] }
      assert.strictEqual(gone(original(...tranches), more, correction), 'a1>m1 b1>m1', 'with one more row')
    })

    it('never in a copy of what another 4/A replaced', () => {
      const again = { ...original(...tranches), name: 'b', filed: '2025-12-01' }
      const second = { ...amendment('S D 100@10.7 >900'), name: 'n', filed: '2025-12-02' }
      assert.strictEqual(gone(original(...tranches), amendment('S D 100@10.5 >900'), again, second), 'a1>m1 m1>n1')
    })
  })

  describe('match rows', () => {
    const FACTS = 'Common: S D 100@10 >900'
    const changes: [string, (text: string) => string][] = [
      ['title', (text) => text.replace('Common', 'Class B')],
      ['A/D', (text) => text.replace(' D ', ' A ')],
      ['D/I', (text) => text.replace('>900', '>900 I').replace('>1', '>1 I')],
      ['date', (text) => `${text} on 2025-11-18`],
      ['code', (text) => text.replace('S ', 'F ')],
      ['shares', (text) => text.replace('100@', '7@')],
      ['price', (text) => text.replace('@10', '@8')],
      ['balance', (text) => text.replace('>900', '>1')],
    ]
    const changed = (indexes: number[]) => indexes.reduce((text, index) => changes[index]![1](text), FACTS)

    it('of which at least five facts agree, one of shares, price and balance among them', () => {
      for (let set = 1; set < 256; set += 1) {
        // D/I stands behind the balance in the text.
        const indexes = [0, 1, 3, 4, 5, 6, 7, 2].filter((index) => set & (1 << index))
        const amounts = [5, 6, 7].filter((index) => !indexes.includes(index)).length
        const line = !indexes.some((index) => index < 5)
        const text = changed(indexes.filter((index) => index !== 3)) + (indexes.includes(3) ? ' on 2025-11-18' : '')
        const expected = (8 - indexes.length >= 5 && amounts > 0) || (line && indexes.length === 0)
        const result = gone(original(FACTS), amendment(text))
        assert.strictEqual(result, expected ? 'a1>m1' : '', text)
      }
    })

    it('whatever the spelling', () => {
      assert.strictEqual(
        gone(original('Common Stock: S D 100.00@10.0 >900'), amendment('COMMON SHARES, $.01 par value: F D 100@10 >1')),
        'a1>m1',
      )
    })

    it('not by a price of 0, or by what is absent', () => {
      assert.strictEqual(gone(original('A A 100@0 >900'), amendment('A A 70@0 >800')), '')
      assert.strictEqual(gone(original('A A 100@- >-'), amendment('A A 70@- >-')), '')
      assert.strictEqual(gone(original('S D 100@10 >0'), amendment('S D 70@11 >0')), 'a1>m1', 'a balance of 0 is one')
    })

    it('that open at the same balance, with shares and price mistyped', () => {
      assert.strictEqual(gone(original('S D 100@10 >900'), amendment('S D 130@13 >870')), 'a1>m1')
      assert.strictEqual(gone(original('S D 100@10 >900'), amendment('F D 130@13 >870')), '', 'another code')
      assert.strictEqual(gone(original('S D 100@10 >900'), amendment('S D 130@13 >870 I')), '', 'another line')
    })

    it('not with one that begins where the line ended', () => {
      assert.strictEqual(gone(original('S D 100@10 >900'), amendment('S D 50@10 >850')), '')
      assert.strictEqual(gone(original('S D 100@10 >900'), amendment('S D 100@11 >800')), '')
      assert.strictEqual(
        gone(original('S D 100@10 >900'), amendment('S D 100@10 >800')),
        'a1>m1',
        'a corrected balance',
      )
      const exercised = original('M A 100@5 >1100', 'S D 100@20 >1000')
      assert.strictEqual(gone(exercised, amendment('S D 50@20 >950')), '', 'a line that ends where it began')
      assert.strictEqual(gone(exercised, amendment('M A 120@5 >1120')), 'a1>m1')
      assert.strictEqual(gone(exercised, amendment('S D 90@20 >1010')), 'a2>m1')
    })

    it('one to one: by most facts, then nearest shares, then place', () => {
      const three = (rows: string[], one: string) => gone(original(...rows), amendment(one))
      assert.strictEqual(three(['S D 100@10 >900', 'S D 160@12 >900'], 'S D 150@12.5 >900'), 'a2>m1', 'shares')
      assert.strictEqual(three(['S D 100@10 >900', 'S D 160@12 >900'], 'S D 150@10 >900'), 'a1>m1', 'facts')
      assert.strictEqual(three(['S D 100@7 >900', 'S D 100@8 >900'], 'S D 100@1 >900'), 'a1>m1', 'place')
      assert.strictEqual(three(['S D 100@7 >900', 'S D 100@8 >900'], 'S D 100@8 >900'), 'a2>m1', 'unchanged')
    })
  })

  describe('merge and split tranches', () => {
    const two = ['P A 1000@20 >11000', 'P A 2000@21 >13000']
    it('of one line, date and code, whose balances lead from one to the other, in any order', () => {
      for (const rows of [two, two.toReversed()])
        assert.strictEqual(gone(original(...rows), amendment('P A 3000@20.67 >13000')), 'a1>m1 a2>m1')
      assert.strictEqual(
        gone(original(...tranches, 'S D 400@13 >0'), amendment('S D 500@11.6 >400', tranches[0]!)),
        'a1>m2 a2>m1 a3>m1',
      )
      assert.strictEqual(
        gone(original('S D 100@10 >700', 'S D 200@11 >700'), amendment('S D 300@10.7 >700')),
        'a1>m1 a2>m1',
      )
    })

    it('not of another line, date or code, or with another sum', () => {
      for (const change of [' I', ' on 2025-11-18'])
        assert.strictEqual(gone(original(two[0]!, `${two[1]}${change}`), amendment('P A 3000@21 >13000')), 'a2>m1')
      assert.strictEqual(gone(original(two[0]!, 'A A 2000@21 >13000'), amendment('P A 3000@21 >13000')), 'a2>m1')
      assert.strictEqual(gone(original(...two), amendment('P A 3100@21 >13000')), 'a2>m1')
    })

    it('and the reverse, replaced by the first of them', () => {
      for (const rows of [two, two.toReversed()]) {
        const first = rows.indexOf(two[0]!) + 1
        assert.strictEqual(gone(original('P A 3000@20.67 >13000'), amendment(...rows)), `a1>m${first}`)
        assert.strictEqual(shown(original('P A 3000@20.67 >13000'), amendment(...rows)), 'm1 m2')
      }
    })

    it('in no more than the product of the rows', () => {
      const many = Array.from({ length: 1000 }, (_, index) => `P A 1@${(index % 7) + 1} >${1000 + (index % 40)}`)
      assert.isAbove(
        outcomeOf(original(...many), amendment(...many.map((text) => text.replace('A 1@', 'A 2@')))).superseded.size,
        0,
      )
    })
  })

  describe('replace', () => {
    it('what is restated; the rest stands', () => {
      assert.strictEqual(gone(original(...tranches), amendment('S D 200@11.5 >700')), 'a2>m1')
      assert.strictEqual(gone(original(...tranches), amendment(tranches[1]!)), 'a2>m1', 'a row repeated unchanged')
      assert.strictEqual(shown(original(...tranches), amendment('A A 5@0 >5 I')), 'a1 a2 a3 m1')
    })

    it('the table whole with at least as many rows, of which one is unchanged', () => {
      const changed = ['S D 100@10.5 >900', 'S D 200@11.5 >700', 'S D 300@12.5 >400']
      assert.strictEqual(gone(original(...tranches), amendment(...changed)), 'a1>m1 a2>m2 a3>m3')
      const others = ['A A 1@1 >1 I', 'G D 2@0 >2 I']
      assert.strictEqual(gone(original(...tranches), amendment(changed[0]!, ...others)), 'a1>m1')
      assert.strictEqual(gone(original(...tranches), amendment(tranches[0]!, ...others)), 'a1>m1 a2> a3>')
      const continued = amendment(...tranches.slice(0, 2), 'S D 70@13 >330')
      assert.strictEqual(gone(original(...tranches), continued), 'a1>m1 a2>m2', 'it opens at the balance of the last')
    })

    it('what was to be removed', () => {
      const said = { words: ['removed'] as const }
      assert.strictEqual(gone(original(...tranches), { ...amendment(tranches[0]!), ...said }), 'a1>m1 a2> a3>')
      assert.strictEqual(gone(original('P A 403@10 >1403'), { ...amendment('A A 2708@0 >2708'), ...said }), 'a1>')
      assert.strictEqual(gone(original(...tranches), { ...amendment(), ...said }), '', 'not without rows')
      assert.strictEqual(
        gone(original(...tranches), { name: 'b', rows: ['G D 5@0 >1 I'] }, { ...amendment(...tranches), ...said }),
        'a1>m1 a2>m2 a3>m3',
        'not in another filing',
      )
    })

    it('what is there twice', () => {
      const [grant, again, sale] = ['A A 700@0 >10700', 'A A 700@0 >11400', 'S D 300@20 >11100']
      const once = amendment(grant)
      assert.strictEqual(gone(original(grant, again, sale), once), 'a1>m1', 'without words')
      assert.strictEqual(gone(original(grant, again, sale), { ...once, words: ['repeated'] }), 'a1>m1 a2>')
      assert.strictEqual(
        gone(original(grant, again, 'A A 700@0 >12100', sale), { ...amendment(grant, again), words: ['repeated'] }),
        'a1>m1 a2>m2 a3>',
        'as many stay as it repeats',
      )
      assert.strictEqual(gone(original(grant, again, sale), { ...amendment(sale), words: ['repeated'] }), 'a3>m1')
    })

    it('everything when it withdraws the original, without rows too', () => {
      const withdrawn = { ...amendment(), words: ['withdrawn'] as const }
      assert.strictEqual(gone(original(...tranches), withdrawn), 'a1> a2> a3>')
      assert.strictEqual(gone(original(...tranches), { ...withdrawn, amends: TRADED }), 'a1> a2> a3>', 'by the period')
      assert.strictEqual(
        gone(original(...tranches), amendment('S D 100@10.5 >900'), { ...withdrawn, name: 'n' }),
        'a1>m1 a2> a3> m1>',
      )
      assert.strictEqual(gone(original(...tranches), { name: 'b', rows: ['G D 5@0 >1 I'] }, withdrawn), '', 'a tie')
    })

    it('nothing without rows', () => {
      const outcome = outcomeOf(original(...tranches), amendment())
      assert.deepEqual([outcome.superseded.size, [...outcome.originalOf], outcome.ambiguous.size], [0, [['m', 'a']], 0])
      assert.strictEqual(gone({ name: 'a', rows: [] }, amendment(tranches[0]!)), '')
    })

    it('and say by what and when', () => {
      const { superseded } = outcomeOf(original(...tranches), amendment('S D 200@11.5 >700'))
      assert.deepEqual(superseded.get('a2'), { by: 'm', at: 1001, replacement: 'm1' })
    })

    it('and add a third row that continues the balance, at the same price or size too', () => {
      const two = original('P A 1000@20 >11000', 'P A 500@21 >11500')
      for (const third of [
        'P A 700@22 >12200',
        'P A 700@20 >12200',
        'P A 700@21 >12200',
        'P A 1000@22 >12500',
        'P A 500@22 >12000',
        'P A 1000@20 >12500',
        'P A 500@21 >12000',
      ]) {
        assert.strictEqual(shown(two, amendment(third)), 'a1 a2 m1', third)
        assert.strictEqual(shown(two, amendment(...two.rows, third)), 'm1 m2 m3', third)
      }
    })

    it('and add no row that another filing of the owner has', () => {
      const other = { name: 'b', rows: ['G D 5@0 >395'], filed: '2025-11-21' }
      const both = amendment('S D 100@10.5 >900', 'G D 5@0 >395')
      assert.strictEqual(shown(original(...tranches), other, both), 'a2 a3 b1 m1')
      const next = { ...amendment('G D 6@0 >394'), name: 'n', amends: '2025-11-21' }
      assert.strictEqual(gone(original(...tranches), other, both, next), 'a1>m1 b1>n1 m2>n1', 'each copy')
    })
  })

  describe('apply to the table as then in force', () => {
    const first = { ...amendment('S D 200@11.5 >700'), filed: '2025-11-25' }
    const second = (...rows: string[]): Paper => ({ ...amendment(...rows), name: 'n', filed: '2025-12-01' })

    it('when a second names the same original', () => {
      assert.strictEqual(gone(original(...tranches), first, second('S D 200@11.7 >700')), 'a2>m1 m1>n1')
      const whole = tranches.map((text) => text.replace('>', '>1'))
      assert.strictEqual(gone(original(...tranches), first, second(...whole)), 'a1>n1 a2>m1 a3>n3 m1>n2')
    })

    it('when it names the day of the first amendment', () => {
      const named = { ...second('S D 300@12.5 >400'), amends: '2025-11-25' }
      assert.strictEqual(gone(original(...tranches), first, named), 'a2>m1 a3>n1')
      assert.deepEqual(
        [...outcomeOf(original(...tranches), first, named).originalOf],
        [
          ['m', 'a'],
          ['n', 'a'],
        ],
      )
      const words = { ...second(), amends: '2025-11-25', words: ['withdrawn'] as const }
      assert.strictEqual(gone(original(...tranches), { ...first, rows: [] }, words), 'a1> a2> a3>', 'without rows too')
    })

    it('when original and amendment have the same day, without a tie', () => {
      const papers = [original(...tranches), { ...first, filed: FILED }, second('S D 200@11.7 >700')]
      assert.strictEqual(gone(...papers), 'a2>m1 m1>n1')
      assert.strictEqual(outcomeOf(...papers).ambiguous.size, 0)
    })

    it('additions too', () => {
      const added = { ...first, rows: ['G D 20@0 >380'] }
      assert.strictEqual(gone(original(...tranches), added, second('G D 25@0 >375')), 'm1>n1')
    })

    it('merged and split rows too', () => {
      const merged = { ...first, rows: ['S D 600@11 >400'] }
      assert.strictEqual(gone(original(...tranches), merged, second(...tranches)), 'a1>m1 a2>m1 a3>m1 m1>n1')
    })

    it('of an original that is missing', () => {
      assert.strictEqual(gone(first), '')
      for (const amends of [FILED, '2025-11-25', '2025-11-24', null])
        assert.strictEqual(gone(first, { ...second('S D 200@11.7 >700'), amends }), 'm1>n1', String(amends))
      const unlike = { ...second('G D 25@0 >375'), period: '2025-10-01' }
      assert.deepEqual([...outcomeOf(first, unlike).originalOf], [['n', 'm']], 'which both name')
      assert.deepEqual([...outcomeOf(first, { ...unlike, amends: '2025-11-26' }).originalOf], [])
    })
  })

  describe('always', () => {
    const text = fc
      .record({
        title: fc.constantFrom('Common', 'Class B'),
        code: fc.constantFrom('S', 'F'),
        shares: fc.constantFrom('100', '100.0', '200', '300'),
        price: fc.constantFrom('10', '-'),
        after: fc.constantFrom('900', '800', '700'),
        date: fc.constantFrom(TRADED, '2025-11-18'),
      })
      .map(
        ({ title, code, shares, price, after, date }) => `${title}: ${code} D ${shares}@${price} >${after} on ${date}`,
      )
    const paper = fc.record({
      rows: fc.array(text, { maxLength: 4 }),
      owners: fc.subarray(['1', '2'], { minLength: 1 }),
      filed: fc.constantFrom(FILED, '2025-11-20', '2025-11-21'),
      period: fc.constantFrom(TRADED, '2025-11-18'),
      amends: fc.constantFrom(undefined, null, FILED, '2025-11-20', TRADED),
      words: fc.subarray(['removed', 'repeated', 'withdrawn'] as const),
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
          const known = new Set(
            all.slice(0, count).flatMap(({ accession, rows }) => [accession, ...rows.map(({ id }) => id)]),
          )
          const early = <Value>(pairs: Iterable<[string, Value]>) => [...pairs].filter(([id]) => known.has(id))
          assert.deepEqual(early(after.duplicates), [...before.duplicates])
          assert.deepEqual(early(after.originalOf), [...before.originalOf])
          assert.deepEqual(
            [...after.ambiguous].filter((id) => known.has(id)),
            [...before.ambiguous],
          )
        }),
      )
    })

    it('a superseded row is older than the 4/A, and replaced by a row of it or by none', () => {
      fc.assert(
        fc.property(anyFilings, (all) => {
          const outcome = amendmentOutcome(all)
          const home = new Map(all.flatMap((filing) => filing.rows.map((one) => [one.id, filing] as const)))
          for (const [id, { by, at, replacement }] of outcome.superseded) {
            assert.isBelow(home.get(id)!.filedAt, at)
            if (replacement !== null) assert.strictEqual(home.get(replacement)!.accession, by)
          }
        }),
      )
    })

    it('a 4/A repeats only rows that were shown until then, each once', () => {
      fc.assert(
        fc.property(anyFilings, (all) => {
          const { duplicates, superseded } = amendmentOutcome(all)
          const home = new Map(all.flatMap((filing) => filing.rows.map((one) => [one.id, filing] as const)))
          for (const [id, other] of duplicates) {
            const { filedAt, amendment, accession } = home.get(id)!
            assert.isTrue(amendment)
            assert.isAtLeast(superseded.get(other)?.at ?? Infinity, filedAt)
            assert.isFalse(duplicates.has(other))
            assert.strictEqual(
              [...duplicates].filter(([copy, same]) => same === other && home.get(copy)!.accession === accession)
                .length,
              1,
            )
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
            assert.isTrue(all.find((filing) => filing.accession === by)!.amendment)
          }
        }),
      )
    })
  })
})
