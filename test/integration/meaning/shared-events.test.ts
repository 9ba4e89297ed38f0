// Equal rows of different filings: one event, or trades of several people, as the API shows them.
import { assert } from 'chai'
import { itShows, type CasePaper, type MeaningCase, type Show } from '../../support/filings/cases-of-meaning.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const director = (person: number, ...rows: NonNullable<CasePaper['rows']>): CasePaper => ({
  owners: [{ cik: `000199920${person}`, name: `EXAMPLE ${'ABCDE'[person]}NN`, isDirector: true }],
  rows,
})
const fund = (number: number, name: string, row: string, more: CasePaper = {}): CasePaper => ({
  owners: [{ cik: `000199930${number}`, name, isTenPercentOwner: true }],
  rows: [row],
  number,
  ...more,
})
const officer = (person: number, name: string, row: string): CasePaper => ({
  owners: [{ cik: `000199940${person}`, name, isOfficer: true, officerTitle: 'Vice President' }],
  rows: [row],
  number: person,
})
const row: Show = ({ shares, detail }) => `${shares} ${detail!.ownership}`
const ACCOUNTS = ['IRA', '401(k)', 'Spouse', 'Trust']

const CASES: MeaningCase[] = [
  ...ACCOUNTS.map((account): MeaningCase => ({
    name: `three directors buy equal amounts by ${account}`,
    filings: [0, 1, 2].map((person) => ({
      ...director(person, `P A 1000@20 →1000 I By ${account}`),
      number: person + 1,
    })),
    shown: ['1000 indirect', '1000 indirect', '1000 indirect'],
  })),
  {
    name: 'three directors buy directly and by IRA',
    filings: [0, 1, 2].map((person) => ({
      ...director(person, 'P A 10000@20 →10000', 'P A 15000@20 →15000 I By IRA'),
      number: person + 1,
    })),
    shown: ['10000 direct', '10000 direct', '10000 direct', '15000 indirect', '15000 indirect', '15000 indirect'],
  },
  {
    name: 'two funds of different sponsors buy equal amounts in one offering',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000', { agent: 1 }),
      fund(2, 'BIRCH VENTURES LP', 'P A 50000@10 →50000', { agent: 2 }),
    ],
    shown: ['50000 direct', '50000 direct'],
  },
  {
    name: 'a fund, its general partner and its manager file by one agent',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000'),
      fund(2, 'ACORN GP LLC', 'P A 50000@10 →50000 I See footnote'),
      fund(4, 'ACORN MANAGEMENT LLC', 'P A 50000@10 →50000 I See footnote'),
    ],
    shown: ['50000 direct'],
  },
  {
    name: 'thirteen owners in two filings of one agent',
    filings: [0, 1].map((half) => ({
      owners: Array.from({ length: half === 0 ? 10 : 3 }, (_, each) => ({
        cik: `00019995${half}${each}`,
        name: `OAK FUND ${half}${each} LP`,
        isTenPercentOwner: true,
      })),
      rows: ['P A 50000@10 →50000 I See footnote'],
      number: half + 1,
    })),
    shown: ['50000 indirect'],
  },
  {
    name: 'husband and wife, both officers, report one purchase',
    filings: [
      officer(1, 'EXAMPLE JOHN', 'P A 1000@20 →1000'),
      officer(2, 'EXAMPLE JANE', 'P A 1000@20 →1000 I By Spouse'),
    ],
    shown: ['1000 direct'],
  },
  {
    name: "a director's award, which the fund behind the director reports too",
    filings: [
      {
        owners: [{ cik: '0001999601', name: 'EXAMPLE JOHN', isDirector: true }],
        rows: ['A A 2000@0 →2000'],
      },
      {
        owners: [{ cik: '0001999602', name: 'ACORN CAPITAL LP', isTenPercentOwner: true }],
        rows: [['A A 2000@0 →2000 I See footnote', { footnotes: { nature: ['F1'] } }]],
        footnotes: [{ id: 'F1', text: "These securities are held by Dr. Example for the fund's benefit." }],
        agent: 2,
      },
    ],
    shown: ['2000 direct'],
  },
  {
    name: 'filings of a chain write the title differently',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'Common Shares, $.01 par value P A 50000@10 →50000'),
      fund(2, 'ACORN GP LLC', 'COMMON STOCK P A 50000@10 →50000 I See footnote'),
    ],
    shown: ['50000 direct'],
  },
]

describe('equal rows of several filings', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.close())

  itShows(() => service, CASES, row)

  it('make a cluster of three directors who buy by their IRAs', async () => {
    await service.detectSignals()
    const found = await service.queries.signals({ limit: 100, type: 'cluster_buy' })
    assert.isNotEmpty(found.signals)
    for (const { insiderCount } of found.signals) assert.strictEqual(insiderCount, 3)
  })
})
