// Titles of people, symbols of companies and spellings of names, as the API shows them.
import { itShows, type CasePaper, type MeaningCase, type Show } from '../../support/filings/cases-of-meaning.ts'
import { testService, type TestService } from '../../support/service/service.ts'

/** A purchase that is a signal if it is the CEO's. */
const titled = (officerTitle: string, more: CasePaper = {}): CasePaper => ({
  owners: [{ cik: '0001999101', name: 'EXAMPLE ADA', isOfficer: true, officerTitle }],
  rows: ['P A 2000@20 →2000'],
  ...more,
})
const OF_CEO = ['ceo_trade 1 40000']
const noted = (id: string, text: string): CasePaper => ({ footnotes: [{ id, text }] })
const office = (title: string, what: 'CEO' | 'CFO' | 'neither', more: CasePaper = {}, shown = title): MeaningCase => ({
  name: `${title} of ${more.remarks ?? more.footnotes?.[0]!.text ?? 'the title'}`,
  filings: [titled(title, more)],
  shown: [`${shown}${what === 'neither' ? '' : ', CEO or CFO'}`],
  signals: what === 'CEO' ? OF_CEO : [],
})

const TITLES: MeaningCase[] = [
  ...['CEO', 'PEO', 'Principal Executive Officer', 'CEO, PEO', 'Chief Executive Officer (PEO)', 'CEO & PAO'].map(
    (title) => office(title, 'CEO'),
  ),
  ...['CFO', 'PFO', 'CFO (PFO & PAO)', 'CFO, PFO and PAO', 'Chief Financial Officer (PFO)'].map((title) =>
    office(title, 'CFO'),
  ),
  ...['PAO', 'Principal Accounting Officer', 'CAO (PAO)', 'Controller (PAO)'].map((title) => office(title, 'neither')),
  // Cut at 30 characters.
  office('Chairman, President & Chief Ex', 'CEO'),
  office('EVP & Chief Financial Of', 'CFO'),
  office('EVP, Treasurer and Chief Finan', 'CFO'),
  office('President & Chief Operating Of', 'neither'),
  // The board.
  ...['CEO and Class I Director', 'Chairman of the Board and CEO', 'CEO, Director (Class II)'].map((title) =>
    office(title, 'CEO'),
  ),
  ...['Cheif Executive Officer', 'Chf Executive Officer'].map((title) => office(title, 'CEO')),
  ...['Cheif Financial Officer', 'Chf. Financial Officer'].map((title) => office(title, 'CFO')),
  ...['CEO of Acorn Foods', 'Former CEO', 'Assistant to the CEO'].map((title) => office(title, 'neither')),
  // Remarks.
  office(
    'See Remarks',
    'CEO',
    { remarks: 'Exhibit 24 - Power of Attorney; Chief Executive Officer' },
    'Chief Executive Officer',
  ),
  office(
    'See Remarks',
    'CFO',
    { remarks: "The reporting person's title is: Chief Financial Officer and Treasurer" },
    'Chief Financial Officer and Treasurer',
  ),
  office('See Remarks', 'CFO', { remarks: 'Title: EVP and CFO' }, 'EVP and CFO'),
  ...[
    'This form was filed late due to an administrative error.',
    'The reporting person no longer serves as Chief Executive Officer.',
    'Until May 1, 2024, the reporting person was the Chief Executive Officer.',
  ].map((remarks) => office('See Remarks', 'neither', { remarks }, 'Officer')),
  // References to footnotes.
  office('(1)', 'CEO', noted('F1', 'President and Chief Executive Officer'), 'President and Chief Executive Officer'),
  office('See FN 1', 'CFO', noted('F1', 'Chief Financial Officer'), 'Chief Financial Officer'),
  office(
    'See FN 1',
    'neither',
    noted('F1', `The reporting person ${'also acts for affiliates '.repeat(5)}.`),
    'Officer',
  ),
]

const symbol = (tickerRaw: string, ...rows: string[]): Pick<MeaningCase, 'filings'> => ({
  filings: [{ issuer: { tickerRaw, name: 'INV Example Inc' }, rows }],
})
const ofClass: Show = ({ ticker, detail }) => `${detail!.securityTitle}: ${ticker}`
const CLASS_A = 'Class A Common Stock P A 100@20 →100'
const CLASS_B = 'Class B Common Stock P A 100@20 →100'
const NONE = ['#N/A', 'N/A', 'NONE', 'NA', '-', 'TBD', 'n/a', 'None', 'N.A.', 'Not Applicable']

const SYMBOLS: MeaningCase[] = [
  {
    name: 'two symbols, by the class of each row',
    ...symbol('INV.A, INV.B', CLASS_A, CLASS_B),
    shown: ['Class A Common Stock: INV-A', 'Class B Common Stock: INV-B'],
    symbols: { 'INV-A': 'INV-A', 'INV.A': 'INV-A', INVA: 'INV-A', INVB: 'INV-B', INVC: null },
    isByDocument: true,
  },
  {
    name: 'two symbols, and a row without a class',
    ...symbol('INV.A, INV.B', 'P A 100@20 →100', CLASS_B),
    shown: ['Common Stock: INV-A', 'Class B Common Stock: INV-B'],
    isByDocument: true,
  },
  {
    name: 'a class in the symbol that is asked for without a mark',
    ...symbol('INV-A', CLASS_A),
    shown: ['Class A Common Stock: INV-A'],
    symbols: { INVA: 'INV-A', 'INV/A': 'INV-A' },
  },
  {
    name: 'a company that has the symbol without a mark',
    ...symbol('INVA', CLASS_A),
    shown: ['Class A Common Stock: INVA'],
    symbols: { INVA: 'INVA' },
  },
  ...NONE.map((typed): MeaningCase => ({
    name: `no symbol: ${typed}`,
    ...symbol(typed, 'P A 100@20 →100'),
    shown: ['Common Stock: '],
    symbols: { [typed.replace(/\W/g, '')]: null },
  })),
]

const spelled = (name: string, ...queries: string[]): MeaningCase => ({
  name,
  filings: [{ owners: [{ cik: '0001999101', name: `${name} INV`, isDirector: true }], rows: ['P A 100@20 →100'] }],
  shown: ['100'],
  found: Object.fromEntries(queries.map((query) => [`${query} INV`, `${name} INV`])),
})
const NAMES: MeaningCase[] = [
  spelled("O'BRIEN MARY", 'OBRIEN', "O'Brien", 'O’Brien', 'O BRIEN', 'mary obrien'),
  spelled('OBRIEN MARY', 'OBRIEN', "O'Brien"),
  spelled('MC DONALD RAY', 'MCDONALD', 'Mc Donald', 'mc-donald'),
  spelled('MCDONALD RAY', 'MCDONALD', 'McDonald'),
  spelled('SMITH-JONES ANN', 'SMITHJONES', 'smith jones', 'Smith-Jones'),
  spelled('Łoś Jan', 'los', 'Łoś', 'LOŚ'),
  spelled('Müßig Jörg', 'mussig', 'Müßig'),
  spelled('Sørensen Åse', 'sorensen ase', 'SØRENSEN'),
  spelled('Æbelø Ida', 'aebelo', 'Æbelø'),
  spelled('Đukić Ana', 'dukic', 'Đukić'),
]

const shares: Show = (row) => String(row.shares)

describe('the title of an officer', function () {
  this.timeout(120_000)
  let service: TestService
  /** What the feed of CEOs and CFOs has. */
  const ofChiefs = new Set<string>()
  before(async () => {
    service = await testService()
  })
  after(() => service.close())

  itShows(
    () => service,
    TITLES,
    ({ id, insiderTitle }) => `${insiderTitle}${ofChiefs.has(id) ? ', CEO or CFO' : ''}`,
  )

  before(async () => {
    for (let cursor: string | undefined; ;) {
      const page = await service.queries.feed({
        filter: 'ceo_cfo',
        limit: 100,
        ...(cursor !== undefined && { cursor }),
      })
      for (const { id } of page.transactions) ofChiefs.add(id)
      if (!page.hasMore) break
      cursor = page.nextCursor
    }
  })
})

for (const [what, cases, show] of [
  ['symbols of a filing', SYMBOLS, ofClass],
  ['the search for names', NAMES, shares],
] as const) {
  describe(what, function () {
    this.timeout(120_000)
    let service: TestService
    before(async () => {
      service = await testService()
    })
    after(() => service.close())

    itShows(() => service, cases, show)
  })
}
