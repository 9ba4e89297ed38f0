// Dates of trades that the filing's period contradicts, as the API shows them: as filed, with a mark, and in no signal.
import { itShows, type CasePaper, type MeaningCase, type Show } from '../../support/filings/cases-of-meaning.ts'
import { testService, type TestService } from '../../support/service/service.ts'

/** Filed on Monday, 15 July 2024, with the Friday before as period of report. */
const bought = (...dates: string[]): CasePaper => ({
  owners: [{ cik: '0001999101', name: 'EXAMPLE ADA', isOfficer: true, officerTitle: 'CEO' }],
  rows: dates.map((date, index) => [`P A ${10000 + index}@20`, { date }]),
})
const director = (person: number, date: string): CasePaper => ({
  ...bought(date),
  owners: [{ cik: `000199920${person}`, name: `EXAMPLE ${'ABC'[person]}NN`, isDirector: true }],
})
const dates: Show = ({ detail }) =>
  [detail!.tradeDate, detail!.tradeDateStatus, detail!.businessDaysToFile, detail!.late].join(' ')

const CASES: MeaningCase[] = [
  {
    name: 'the year before',
    filings: [bought('2023-07-12')],
    shown: ['2023-07-12 doubtful  '],
    totals: '1, 0, 200000, 0',
    signals: [],
  },
  {
    name: 'one row of several',
    filings: [bought('2024-07-12', '2023-07-15', '2024-07-15')],
    shown: ['2023-07-15 doubtful  ', '2024-07-12 plausible 1 false', '2024-07-15 plausible 0 false'],
    signals: ['ceo_trade 1 200000', 'ceo_trade 1 200040'],
  },
  {
    name: 'one of three persons',
    filings: [director(0, '2024-07-12'), director(1, '2024-07-12'), { ...director(2, '2023-07-12'), day: 1 }],
    shown: ['2023-07-12 doubtful  ', '2024-07-12 plausible 1 false', '2024-07-12 plausible 2 false'],
    signals: [],
  },
  {
    name: 'a day before the period',
    filings: [bought('2024-07-11')],
    shown: ['2024-07-11 plausible 2 false'],
    signals: ['ceo_trade 1 200000'],
  },
  {
    name: 'a belated filing',
    filings: [{ ...bought('2023-07-12'), periodOfReport: '2023-07-12' }],
    shown: ['2023-07-12 plausible 252 true'],
    signals: ['ceo_trade 1 200000'],
  },
  {
    name: 'an amendment of a filing in time',
    filings: [
      { ...bought('2024-07-12'), rows: ['A A 50@0'] },
      { ...bought('2023-07-12'), day: 30, formType: '4/A', dateOfOriginalSubmission: '2024-07-15' },
    ],
    shown: ['2024-07-12 plausible 1 false', '2023-07-12 doubtful  '],
    signals: [],
  },
  {
    name: 'a row that could wait',
    filings: [{ ...bought('2024-07-12'), rows: [['L A 10@20', { date: '2023-11-02' }]] }],
    shown: ['2023-11-02 plausible 173 '],
    signals: [],
  },
]

describe('dates of trades that the period contradicts', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.close())

  itShows(() => service, CASES, dates)
})
