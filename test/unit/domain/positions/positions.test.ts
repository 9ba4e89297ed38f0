// Positions from Forms 3, 4 and 5: lines followed across filings, their status, and totals that count nothing twice.
import { assert } from 'chai'
import type { Evidence } from '../../../../src/domain/positions/evidence.ts'
import { positionsOf } from '../../../../src/domain/positions/positions.ts'
import { answer, filed, holders, instantOf, row, told, unitsText } from '../../../support/filings/evidence.ts'

const [first, second, third] = ['0001999101', '0001999102', '0001999103']
const by = (...ciks: string[]) => ({ owners: ciks.map((cik) => ({ cik, name: `SAMPLE ${cik.slice(-3)}` })) })

describe('positions', () => {
  it('a sale continues what a Form 3 reported', () => {
    const filings = [filed('3: 2025-02-01', ['→10000']), filed('4: 2025-05-03', ['S D 4000 →6000'])]
    assert.deepEqual(answer(filings), { lines: ['6000 exact'], totals: ['commonstock 6000 high'] })
    assert.deepEqual(answer(filings, '2025-03-01'), { lines: ['10000 exact'], totals: ['commonstock 10000 high'] })
  })

  it('a line that a later trade of the class does not restate is carried', () => {
    const filings = [filed('3: 2025-02-01', ['→10000', '→5000 I By Trust']), filed('4: 2025-05-03', ['S D 4000 →6000'])]
    assert.deepEqual(answer(filings), {
      lines: ['5000 I TRUST carried since 2025-05-03', '6000 exact'],
      totals: ['commonstock 11000 medium'],
    })
    const late = filed('3: 2025-02-01 2025-06-01', ['→10000', '→5000 I By Trust'])
    assert.deepEqual(answer([filings[1]!, late]), answer(filings))
  })

  it('options are separate positions', () => {
    const evidence = filed('4: 2025-05-03', ['M A 1000 →7000', 'S D 1000 →6000'], {
      derivativeRows: [
        {
          date: '2025-05-03',
          code: 'M',
          acquiredDisposed: 'D',
          shares: '1000',
          sharesAfter: '9000',
          conversionPrice: '5',
        },
      ],
    })
    assert.deepEqual(answer([evidence]), { lines: ['6000 exact'], totals: ['commonstock 6000 medium'] })
    const { positions } = positionsOf([evidence], instantOf('2025-12-31'))
    assert.deepEqual(positions.filter(({ table }) => table === 2).map(told), ['9000 exact'])
    const later = positionsOf([evidence], instantOf('2035-03-13')).positions
    assert.deepEqual(later.filter(({ table }) => table === 2).map(told), ['9000 expired'])
  })

  it('a late filing about an old day does not change the present balance', () => {
    const filings = [
      filed('3: 2025-02-01', ['→10000']),
      filed('4: 2025-05-03', ['S D 4000 →6000']),
      filed('4: 2025-02-02 2025-08-01', ['S D 500 →9500']),
    ]
    assert.deepEqual(answer(filings).lines, ['6000 exact'])
    assert.deepEqual(answer(filings.slice(1)).lines, ['6000 exact'])
  })

  it('a date that the period contradicts does not make a balance older', () => {
    const filings = (date: string) => [
      filed('4: 2024-11-04', ['S D 4000 →6000']),
      filed('4: 2025-01-07', [], {
        rows: [{ date, code: 'S', acquiredDisposed: 'D', shares: '1000', sharesAfter: '5000' }],
      }),
    ]
    assert.deepEqual(answer(filings('2024-01-07')), answer(filings('2025-01-07')))
    assert.deepEqual(answer(filings('2024-01-07')).lines, ['5000 exact'])
  })

  it('a late filing explains a gap', () => {
    const filings = [filed('3: 2025-02-01', ['→10000']), filed('4: 2025-05-03', ['S D 3500 →6000'])]
    assert.deepEqual(answer(filings).lines, ['6000 gap -500'])
    filings.push(filed('4: 2025-02-02 2025-08-01', ['S D 500 →9500']))
    assert.deepEqual(answer(filings).lines, ['6000 exact'])
  })

  it('amounts that a data set rounds to two places make no gap and no further line', () => {
    const filings = [
      filed('3: 2025-02-01', ['→4957.78', '→11674.35 I By Trust']),
      filed('4: 2025-05-03', [
        'A A 10.12 →4967.89',
        'A A 314.98 →11989.33 I By Trust',
        'A A 92.74 →12082.06 I By Trust',
      ]),
    ]
    assert.deepEqual(answer(filings).lines, ['12082.06 I TRUST exact', '4967.89 exact'])
    const renamed = filed('4: 2025-05-03', ['A A 10.12 →11684.48 I By Sample Family Trust'])
    assert.include(answer([filings[0]!, renamed]).lines, '11684.48 I SAMPLE FAMILY TRUST exact')
    const direct = [
      filed('3: 2025-02-01', ['→10000.12', '→2000']),
      filed('4: 2025-05-03', ['S D 500.5 →9499.63', 'F D 100 →1900']),
    ]
    assert.deepEqual(answer(direct).lines, ['1900 exact', '9499.63 exact'])
  })

  it('a balance that does not follow shows the gap', () => {
    const filings = [filed('4: 2025-05-03', ['S D 4000 →6000']), filed('4: 2025-06-03', ['P A 100 →6450'])]
    assert.deepEqual(answer(filings), { lines: ['6450 gap 350'], totals: ['commonstock 6450 medium'] })
  })

  it('a joint filing counts once, and is a position of each of its owners', () => {
    const joint = filed('4: 2025-05-03', ['S D 100 →900000 I See footnote'], by(first, second, third))
    assert.deepEqual(holders([joint]), [
      { class: 'commonstock', total: '900000', holders: ['1999101+1999102+1999103 900000'] },
    ])
    const { positions } = positionsOf([joint], instantOf('2025-12-31'))
    assert.deepEqual(
      positions.map(({ owners }) => owners),
      [[first, second, third]],
    )
  })

  it('the exit box takes positions out of the total', () => {
    const exit = filed('4: 2025-05-03', ['S D 4000 →6000'], { notSubjectToSection16: true })
    const { positions } = positionsOf([exit], instantOf('2025-12-31'))
    assert.deepEqual(answer([exit]), { lines: ['6000 exited'], totals: ['commonstock  high'] })
    assert.strictEqual(positions[0]!.since, '2025-05-03')
    assert.deepEqual(holders([exit]), [])
    const back = filed('4: 2025-07-01', ['P A 1 →6001'])
    assert.deepEqual(answer([exit, back]).lines, ['6001 exact'])
  })

  it('a Form 3 without securities is known, and adds nothing', () => {
    const { positions, owners } = positionsOf(
      [filed('3: 2025-12-22', [], { noSecuritiesOwned: true })],
      instantOf('2025-12-31'),
    )
    assert.deepEqual(positions, [])
    assert.strictEqual(owners.get(first)!.nothingOwned?.period, '2025-12-22')
  })

  it('a line is old 400 days after the newest evidence of its owner', () => {
    const filings = [filed('3: 2025-12-22', ['→10'])]
    assert.deepEqual(answer(filings, '2027-01-26').lines, ['10 exact'])
    assert.deepEqual(answer(filings, '2027-01-27'), {
      lines: ['10 old since 2027-01-26'],
      totals: ['commonstock 10 low'],
    })
  })

  it('a split that two others show adjusts what was reported before', () => {
    const filings = [
      filed('4: 2025-03-02', ['P A 100 →1000'], by(first)),
      filed('4: 2025-03-02', ['P A 50 →500'], by(second)),
      filed('4: 2025-03-03', ['P A 70 →700'], by(third)),
      filed('4: 2025-06-10', ['S D 100 →4900'], by(second)),
      filed('4: 2025-07-01', ['P A 100 →7100'], by(third)),
    ]
    assert.deepEqual(answer(filings).lines, ['1000 exact split 2025-06-10, 10000', '4900 exact', '7100 exact'])
    assert.deepEqual(answer(filings).totals, ['commonstock 22000 medium'])
    assert.deepEqual(answer(filings.slice(0, 4)).lines, ['1000 exact', '4900 gap 4500', '700 exact'])
    assert.deepEqual(answer(filings, '2025-06-30').lines, ['1000 exact', '4900 gap 4500', '700 exact'])
  })

  it('what a transfer or a late filing explains is no split', () => {
    const start = [
      filed('3: 2025-02-01', ['→1000'], by(first)),
      filed('3: 2025-02-01', ['→400'], by(second)),
      filed('3: 2025-02-01', ['→10'], by(third)),
    ]
    const transfers = [
      filed('4: 2025-05-03', ['→500', '→500 I By Trust'], by(first)),
      filed('4: 2025-05-20', ['→200', '→200 I By Trust'], by(second)),
    ]
    assert.include(answer([...start, ...transfers]).lines, '10 exact')
    const trades = [
      filed('4: 2025-05-03', ['S D 10 →490'], by(first)),
      filed('4: 2025-05-20', ['S D 10 →190'], by(second)),
    ]
    assert.include(answer([...start, ...trades]).lines, '10 exact split 2025-05-03, 5')
    const late = filed('4: 2025-04-01 2025-08-01', ['S D 500 →500'], by(first))
    assert.include(answer([...start, ...trades, late]).lines, '10 exact')
  })

  it('a footnote confirms the split that one owner shows', () => {
    const footnotes = [{ id: 'F1', text: 'Adjusted for the 2-for-1 stock split of June 2025.' }]
    const filings = [
      filed('4: 2025-03-02', ['P A 100 →1000']),
      filed('4: 2025-07-02', [row('P A 100 →2100', { footnotes: { title: ['F1'] } })], { footnotes }),
    ]
    assert.deepEqual(answer(filings).lines, ['2100 exact'])
  })

  it('lines of equal names are told apart by their balances', () => {
    const filings = [
      filed('3: 2025-02-01', ['→4000 I By Trust', '→7000 I By Trust']),
      filed('4: 2025-05-03', ['S D 500 →6500 I By Trust', '→4000 I By Trust']),
    ]
    assert.deepEqual(answer(filings), {
      lines: ['4000 I TRUST exact', '6500 I TRUST exact'],
      totals: ['commonstock 10500 high'],
    })
  })

  it('grants of one name have balances of their own, as have two direct lines that are known', () => {
    const units = (shares: string, sharesAfter: string) => ({
      ...{ date: '2025-05-03', securityTitle: 'Restricted Stock Units', conversionPrice: null, expirationDate: null },
      ...{ code: 'M', acquiredDisposed: 'D' as const, shares, sharesAfter },
    })
    const vested = filed('4: 2025-05-03', [], { derivativeRows: [units('100', '300'), units('200', '1000')] })
    const { positions } = positionsOf([vested], instantOf('2025-12-31'))
    assert.sameMembers(positions.map(told), ['300 exact', '1000 exact'])
    const filings = [
      filed('3: 2025-02-01', ['→10000', '→2000']),
      filed('4: 2025-05-03', ['S D 500 →9500', 'F D 100 →1900']),
    ]
    assert.deepEqual(answer(filings).lines, ['1900 exact', '9500 exact'])
    const alone = [filed('3: 2025-02-01', ['→10000']), filed('4: 2025-05-03', ['S D 500 →9500', 'S D 100 →9300'])]
    assert.deepEqual(answer(alone).lines, ['9300 gap -100'])
    const repeated = [filed('3: 2025-02-01', ['→1000']), filed('4: 2025-05-03', ['S D 100 →700', 'S D 200 →700'])]
    assert.deepEqual(answer(repeated).lines, ['700 exact'])
  })

  it('a later grant that begins at 0 does not change earlier grants', () => {
    const units = (form: string, date: string, acquiredDisposed: 'A' | 'D', shares: string, sharesAfter: string) => ({
      ...filed(form, [], {
        derivativeRows: [
          {
            ...{ date, securityTitle: 'Restricted Stock Units', conversionPrice: null, expirationDate: null },
            ...{ code: acquiredDisposed === 'A' ? 'A' : 'M', acquiredDisposed, shares, sharesAfter },
          },
        ],
      }),
      accession: `${form} ${date} ${shares}`,
    })
    const linesOf = (filings: Evidence[]) => positionsOf(filings, instantOf('2025-12-31')).positions.map(told).sort()
    const grants = [
      units('4: 2025-03-01', '2025-03-01', 'A', '300', '300'),
      units('4: 2025-05-03', '2025-05-03', 'A', '1000', '1000'),
    ]
    assert.deepEqual(linesOf(grants), ['1000 exact', '300 carried since 2025-05-03'])
    const vested = units('4: 2025-06-01', '2025-06-01', 'D', '100', '200')
    assert.deepEqual(linesOf([...grants, vested]), ['1000 carried since 2025-06-01', '200 exact'])
    const again = units('4: 2025-05-03 2025-05-05', '2025-05-03', 'A', '1000', '1000')
    assert.deepEqual(linesOf([...grants, again]), linesOf(grants))
    const corrected = units('4/A: 2025-05-03 2025-05-05', '2025-05-03', 'A', '900', '900')
    assert.deepEqual(linesOf([...grants, corrected]), ['300 carried since 2025-05-03', '900 exact'])
  })

  it("a spouse's plan is a line apart from the spouse's own holding", () => {
    const filings = [
      filed('3: 2025-02-01', ['→300 I By Spouse']),
      filed('4: 2025-05-03', ["→40 I By Wife's IRA"]),
      filed('4: 2025-06-03', ["P A 2 →42 I By Husband's IRA"]),
    ]
    assert.deepEqual(answer(filings.slice(0, 2)).lines, ['300 I SPOUSE exact', '40 I SPOUSE IRA exact'])
    assert.include(answer(filings).lines, '42 I SPOUSE IRA exact')
  })

  it('another trust of the same name does not change the earlier one', () => {
    const start = filed('3: 2025-02-01', ['→1000', '→5000 I By Trust'])
    const trust = filed('4: 2025-05-03', ['P A 50 →50 I By Trust'])
    assert.sameMembers(answer([start, trust]).lines, [
      '1000 carried since 2025-05-03',
      '50 I TRUST exact',
      '5000 I TRUST carried since 2025-05-03',
    ])
  })

  it('rows in reverse order are sorted by their balances', () => {
    assert.deepEqual(answer([filed('4: 2025-05-03', ['S D 100 →700', 'S D 100 →800', 'S D 100 →900'])]).lines, [
      '700 exact',
    ])
  })

  it('a renamed line is the same one, and a transfer between lines is no gap', () => {
    const start = filed('3: 2025-02-01', ['→1000', '→5000 I By Trust'])
    assert.deepEqual(
      answer([start, filed('4: 2025-05-03', ['G D 100 →900', '→5000 I By Sample Family Trust'])]).lines,
      ['5000 I SAMPLE FAMILY TRUST exact', '900 exact'],
    )
    assert.deepEqual(answer([start, filed('4: 2025-05-03', ['S D 100 →700', '→5200 I By Trust'])]).lines, [
      '5200 I TRUST exact',
      '700 exact',
    ])
  })

  it('a line ends with a balance of 0, and can begin again', () => {
    const filings = [filed('3: 2025-02-01', ['→1000']), filed('4: 2025-05-03', ['S D 1000 →0'])]
    assert.deepEqual(answer(filings), { lines: ['0 ended'], totals: ['commonstock 0 high'] })
    assert.deepEqual(answer([...filings, filed('4: 2025-06-03', ['P A 5 →5'])]).lines, ['5 exact'])
  })

  it('an amendment replaces the balance that it restates and leaves other lines', () => {
    const filings = [
      filed('3: 2025-02-01', ['→1000', '→300 I By Spouse']),
      filed('3/A: 2025-02-01 2025-02-10', ['→1200'], { dateOfOriginalSubmission: '2025-02-01' }),
    ]
    assert.deepEqual(answer(filings).lines, ['1200 exact', '300 I SPOUSE exact'])
    const trades = [
      filed('3: 2025-02-01', ['→1000']),
      filed('4: 2025-05-03', ['S D 100 →90']),
      filed('4/A: 2025-05-03 2025-05-09', ['S D 100 →900'], { dateOfOriginalSubmission: '2025-05-03' }),
    ]
    assert.deepEqual(answer(trades).lines, ['900 exact'])
    assert.deepEqual(answer(trades, '2025-05-04').lines, ['90 gap -810'])
  })

  it('an amendment of one line leaves the others as the filing that it amends has them', () => {
    const filings = [
      filed('3: 2025-02-01', ['→1000', '→300 I By Spouse', '→50 I By Trust']),
      filed('4: 2025-05-03', ['S D 100 →90', '→300 I By Spouse']),
      filed('4/A: 2025-05-03 2025-05-09', ['S D 100 →900'], { dateOfOriginalSubmission: '2025-05-03' }),
    ]
    assert.deepEqual(answer(filings).lines, ['300 I SPOUSE exact', '50 I TRUST carried since 2025-05-03', '900 exact'])
  })

  it('a filing that is made twice is no gap', () => {
    const sale = ['S D 100 →900']
    const filings = [
      filed('3: 2025-02-01', ['→1000']),
      filed('4: 2025-05-03', sale),
      filed('4: 2025-05-03 2025-05-05', sale),
    ]
    assert.deepEqual(answer(filings).lines, ['900 exact'])
  })

  it('shares that another row includes, by a footnote, are not in the total', () => {
    const footnotes = [
      { id: 'F1', text: 'These shares are included in the number of shares reported above as directly held.' },
    ]
    const filings = [
      filed('3: 2025-02-01', ['→1000', row('→300 I By IRA', { footnotes: { nature: ['F1'] } })], { footnotes }),
    ]
    assert.deepEqual(answer(filings).totals, ['commonstock 1000 high'])
  })

  it('a value is not counted as shares', () => {
    const filings = [filed('3: 2025-02-01', [row('→1', { sharesAfter: null, valueAfter: '5000' })])]
    assert.deepEqual(answer(filings).totals, ['commonstock  high'])
  })

  it('classes are separate, and `Common` is common stock', () => {
    const filings = [
      filed('3: 2025-02-01', [
        row('→1000', { securityTitle: 'Common' }),
        row('→20', { securityTitle: 'Restricted Stock Units' }),
        row('→7', { securityTitle: 'Class B Common Stock' }),
      ]),
      filed('4: 2025-05-03', [row('S D 100 →900', { securityTitle: 'Common Shares, par value $0.001' })]),
    ]
    for (const title of ['Shares of Common Stock', 'Common Stock, par value $0.01 per share ("Common Stock")']) {
      const day = `2025-0${filings.length + 4}-03`
      filings.push(filed(`4: ${day}`, [row('→900', { securityTitle: title })]))
    }
    assert.deepEqual(answer(filings).totals, [
      'commonstock 900 high',
      'restrictedstockunits 20 high',
      'classbcommonstock 7 high',
    ])
  })

  it('husband and wife who report each other count once for the company', () => {
    const owner = (cik: string, name: string) => ({ owners: [{ cik, name }] })
    const filings = [
      filed('3: 2025-02-01', ['→1000', '→300 I By Spouse'], owner(first, 'SAMPLE ADA')),
      filed('3: 2025-02-01', ['→300', '→1000 I By Husband'], owner(second, 'SAMPLE BEN')),
    ]
    assert.deepEqual(holders(filings), [
      { class: 'commonstock', total: '1300', holders: ['1999101+1999102 1000', '1999101+1999102 300'] },
    ])
    const apart = [filings[0]!, filed('3: 2025-02-01', ['→300'], owner(second, 'OTHER BEN'))]
    assert.strictEqual(holders(apart)[0]!.total, '1600')
  })

  it('firms of one chain that file separately count once for the company', () => {
    const of = (cik: string, number: number) => ({
      owners: [{ cik, name: `Specimen ${cik}`, isTenPercentOwner: true }],
      accession: `0001999009-25-00000${number}`,
    })
    const filings = [first, second, third].map((cik, index) =>
      filed('4: 2025-05-03', ['S D 100 →900000 I See footnote'], of(cik, index + 1)),
    )
    assert.strictEqual(holders(filings)[0]!.total, '900000')
  })

  it("a single owner's report is matched with the line of the joint filings", () => {
    const filings = [
      filed('4: 2025-05-03', ['S D 100 →900000 I By Specimen Fund'], by(first, second)),
      filed('4: 2025-06-03', ['P A 10 →50', '→900000 I See footnote'], by(first)),
    ]
    assert.deepEqual(holders(filings), [
      { class: 'commonstock', total: '900050', holders: ['1999101+1999102 900000', '1999101 50'] },
    ])
    assert.strictEqual(unitsText(5n), '0.00000005')
  })
})
