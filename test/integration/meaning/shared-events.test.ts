// Equal rows of different filings: one event, or trades of several people, as the API shows them.
import {
  dayAfter,
  itShows,
  type CasePaper,
  type MeaningCase,
  type Show,
} from '../../support/filings/cases-of-meaning.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const director = (person: number, ...rows: NonNullable<CasePaper['rows']>): CasePaper => ({
  owners: [{ cik: `000199920${person}`, name: `EXAMPLE ${'ABCDE'[person]}NN`, isDirector: true }],
  rows,
})
const fund = (number: number, name: string, row: string, more: CasePaper = {}): CasePaper => ({
  owners: [{ cik: `00019993${String(number).padStart(2, '0')}`, name, isTenPercentOwner: true }],
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
const JOHN = { cik: '0001999401', name: 'EXAMPLE JOHN', isOfficer: true, officerTitle: 'Vice President' }
const JANE = { ...JOHN, cik: '0001999402', name: 'EXAMPLE JANE' }
/** What makes a 4/A of the filing of that day. */
const amending = (day: number): CasePaper => ({ formType: '4/A', dateOfOriginalSubmission: dayAfter(day) })
/** Rows of the three directors. */
const ofEach = (rows: string[]) => Object.fromEntries(['A', 'B', 'C'].map((letter) => [`EXAMPLE ${letter}NN`, rows]))
/** A joint filing of two funds. */
const together: CasePaper = {
  owners: [
    { cik: '0001999301', name: 'ACORN OPPORTUNITY FUND LP', isTenPercentOwner: true },
    { cik: '0001999302', name: 'BIRCH VENTURES LP', isTenPercentOwner: true },
  ],
  rows: [],
  agent: 3,
}
const OAKS = [10, 3].map((count, half) =>
  Array.from({ length: count }, (_, each) => ({
    cik: `00019995${half}${each}`,
    name: `OAK FUND ${half}${each} LP`,
    isTenPercentOwner: true,
  })),
)
const ACCOUNTS = ['IRA', '401(k)', 'Spouse', 'Trust']

const CASES: MeaningCase[] = [
  ...ACCOUNTS.map((account): MeaningCase => ({
    name: `three directors buy equal amounts by ${account}`,
    filings: [0, 1, 2].map((person) => ({
      ...director(person, `P A 1000@20 →1000 I By ${account}`),
      number: person + 1,
    })),
    shown: ['1000 indirect', '1000 indirect', '1000 indirect'],
    totals: '3, 0, 60000, 0',
    profiles: { ...ofEach(['1000 indirect']) },
    signals: ['cluster_buy 3 60000'],
  })),
  {
    name: 'three directors buy directly and by IRA',
    filings: [0, 1, 2].map((person) => ({
      ...director(person, 'P A 10000@20 →10000', 'P A 15000@20 →15000 I By IRA'),
      number: person + 1,
    })),
    shown: ['10000 direct', '10000 direct', '10000 direct', '15000 indirect', '15000 indirect', '15000 indirect'],
    totals: '6, 0, 1500000, 0',
    profiles: { ...ofEach(['10000 direct', '15000 indirect']) },
    signals: ['cluster_buy 3 1500000'],
  },
  {
    name: 'two funds of different sponsors buy equal amounts in one offering',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000', { agent: 1 }),
      fund(2, 'BIRCH VENTURES LP', 'P A 50000@10 →50000', { agent: 2 }),
    ],
    shown: ['50000 direct', '50000 direct'],
    totals: '2, 0, 1000000, 0',
    profiles: { 'ACORN OPPORTUNITY FUND LP': ['50000 direct'], 'BIRCH VENTURES LP': ['50000 direct'] },
  },
  {
    name: 'a fund, its general partner and its manager file by one agent',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000'),
      fund(2, 'ACORN GP LLC', 'P A 50000@10 →50000 I See footnote'),
      fund(4, 'ACORN MANAGEMENT LLC', 'P A 50000@10 →50000 I See footnote'),
    ],
    shown: ['50000 direct'],
    totals: '1, 0, 500000, 0',
    profiles: {
      'ACORN OPPORTUNITY FUND LP': ['50000 direct'],
      'ACORN GP LLC': ['50000 indirect'],
      'ACORN MANAGEMENT LLC': ['50000 indirect'],
    },
  },
  {
    name: 'thirteen owners in two filings of one agent',
    filings: OAKS.map((owners, half) => ({
      owners,
      rows: ['P A 50000@10 →50000 I See footnote'],
      number: half + 1,
    })),
    shown: ['50000 indirect'],
    totals: '1, 0, 500000, 0',
    profiles: Object.fromEntries(OAKS.flat().map(({ name }) => [name, ['50000 indirect']])),
  },
  {
    name: 'husband and wife, both officers, report one purchase',
    filings: [
      officer(1, 'EXAMPLE JOHN', 'P A 1000@20 →1000'),
      officer(2, 'EXAMPLE JANE', 'P A 1000@20 →1000 I By Spouse'),
    ],
    shown: ['1000 direct'],
    totals: '1, 0, 20000, 0',
    profiles: { 'EXAMPLE JOHN': ['1000 direct'], 'EXAMPLE JANE': ['1000 indirect'] },
    signals: [],
  },
  {
    name: 'husband and wife, her filing first',
    filings: [
      officer(2, 'EXAMPLE JANE', 'P A 1000@20 →1000 I By Spouse'),
      officer(1, 'EXAMPLE JOHN', 'P A 1000@20 →1000'),
    ],
    shown: ['1000 indirect'],
    totals: '1, 0, 20000, 0',
    profiles: { 'EXAMPLE JOHN': ['1000 direct'], 'EXAMPLE JANE': ['1000 indirect'] },
  },
  {
    name: 'husband and wife, both of whom correct the number',
    filings: [
      officer(1, 'EXAMPLE JOHN', 'P A 1000@20 →1000'),
      officer(2, 'EXAMPLE JANE', 'P A 1000@20 →1000 I By Spouse'),
      { ...officer(3, 'EXAMPLE JOHN', 'P A 1100@20 →1100'), ...amending(0), owners: [JOHN] },
      { ...officer(4, 'EXAMPLE JANE', 'P A 1100@20 →1100 I By Spouse'), ...amending(1), owners: [JANE] },
    ],
    shown: ['1100 direct'],
    totals: '1, 0, 22000, 0',
    profiles: { 'EXAMPLE JOHN': ['1100 direct'], 'EXAMPLE JANE': ['1100 indirect'] },
  },
  {
    name: 'husband and wife by filings of different agents',
    filings: [
      officer(1, 'EXAMPLE JOHN', 'P A 1000@20 →1000'),
      { ...officer(2, 'SAMPLE JANE', 'P A 1000@20 →1000 I By Spouse'), agent: 2 },
    ],
    shown: ['1000 direct', '1000 indirect'],
    profiles: { 'EXAMPLE JOHN': ['1000 direct'], 'SAMPLE JANE': ['1000 indirect'] },
  },
  {
    name: 'husband and wife by documents without numbers',
    filings: [
      { ...officer(1, 'EXAMPLE JOHN', 'P A 1000@20 →1000'), isBare: true },
      { ...officer(2, 'SAMPLE JANE', 'P A 1000@20 →1000 I By Spouse'), isBare: true },
    ],
    shown: ['1000 direct', '1000 indirect'],
    profiles: { 'EXAMPLE JOHN': ['1000 direct'], 'SAMPLE JANE': ['1000 indirect'] },
  },
  {
    name: 'a fund and its general partner by documents without numbers',
    filings: [
      { ...fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000'), isBare: true },
      { ...fund(2, 'BIRCH GP LLC', 'P A 50000@10 →50000 I See footnote'), isBare: true },
    ],
    shown: ['50000 direct', '50000 indirect'],
  },
  {
    name: 'a document without a number that names the fund',
    filings: [
      { ...fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000'), isBare: true },
      { ...fund(2, 'BIRCH GP LLC', 'P A 50000@10 →50000 I By Acorn Opportunity Fund, L.P.'), isBare: true },
    ],
    shown: ['50000 direct'],
    profiles: { 'ACORN OPPORTUNITY FUND LP': ['50000 direct'], 'BIRCH GP LLC': ['50000 indirect'] },
  },
  ...['3', '4', '5'].map((formType): MeaningCase => ({
    name: `two funds that stood together in a Form ${formType}`,
    filings: [
      { ...together, formType: formType as '3' },
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000', { agent: 1, day: 1 }),
      fund(2, 'BIRCH VENTURES LP', 'P A 50000@10 →50000', { agent: 2, day: 2 }),
    ],
    shown: ['50000 direct'],
    totals: '1, 0, 500000, 0',
    profiles: { 'ACORN OPPORTUNITY FUND LP': ['50000 direct'], 'BIRCH VENTURES LP': ['50000 direct'] },
  })),
  {
    name: 'two funds that stood together later',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000', { agent: 1, day: 0 }),
      fund(2, 'BIRCH VENTURES LP', 'P A 50000@10 →50000', { agent: 2, day: 1 }),
      { ...together, day: 2 },
    ],
    shown: ['50000 direct', '50000 direct'],
  },
  {
    name: 'two funds that stood together more than 24 months before',
    filings: [
      { ...together, day: -731 },
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000', { agent: 1, day: 0 }),
      fund(2, 'BIRCH VENTURES LP', 'P A 50000@10 →50000', { agent: 2, day: 1 }),
    ],
    shown: ['50000 direct', '50000 direct'],
  },
  {
    name: 'equal awards of two directors by one agent, numbers near',
    filings: [0, 1].map((person) => ({ ...director(person, 'A A 2000@0 →2000'), number: person + 1 })),
    shown: ['2000 direct', '2000 direct'],
    profiles: { 'EXAMPLE ANN': ['2000 direct'], 'EXAMPLE BNN': ['2000 direct'] },
  },
  {
    name: 'a fund and its manager by one agent, numbers 51 apart',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000'),
      fund(52, 'BIRCH MANAGEMENT LLC', 'P A 50000@10 →50000 I See footnote'),
    ],
    shown: ['50000 direct', '50000 indirect'],
  },
  {
    name: 'a fund and its manager by one agent, numbers 50 apart',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'P A 50000@10 →50000'),
      fund(51, 'BIRCH MANAGEMENT LLC', 'P A 50000@10 →50000 I See footnote'),
    ],
    shown: ['50000 direct'],
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
    totals: '0, 0, 0, 0',
    profiles: { 'EXAMPLE JOHN': ['2000 direct'], 'ACORN CAPITAL LP': ['2000 indirect'] },
  },
  {
    name: 'filings of a chain write the title differently',
    filings: [
      fund(1, 'ACORN OPPORTUNITY FUND LP', 'Common Shares, $.01 par value P A 50000@10 →50000'),
      fund(2, 'ACORN GP LLC', 'COMMON STOCK P A 50000@10 →50000 I See footnote'),
    ],
    shown: ['50000 direct'],
    totals: '1, 0, 500000, 0',
    profiles: { 'ACORN OPPORTUNITY FUND LP': ['50000 direct'], 'ACORN GP LLC': ['50000 indirect'] },
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
})
