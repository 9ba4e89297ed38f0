// What a 4/A replaces, adds and leaves, as the API shows it.
import {
  dayAfter,
  itShows,
  TRADED,
  type CasePaper,
  type MeaningCase,
  type Show,
} from '../../support/filings/cases-of-meaning.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const FOOTNOTE = [{ id: 'F1', text: 'The grant was reported twice in the original filing.' }]
const amending = (...rows: NonNullable<CasePaper['rows']>): CasePaper => ({
  formType: '4/A',
  dateOfOriginalSubmission: dayAfter(0),
  rows,
})
const row: Show = ({ shares, pricePerShare, detail }) => {
  const { transactionCode, acquiredDisposed, ownership, securityTitle, ambiguousAmendment } = detail!
  const title = securityTitle === 'Common Stock' ? '' : `${securityTitle} `
  const text = `${title}${transactionCode} ${acquiredDisposed} ${shares}@${pricePerShare} ${ownership}`
  return ambiguousAmendment ? `${text} ambiguous` : text
}
/** A 4/A that repeats one of two sales. */
const ofTwo = (more: CasePaper): Pick<MeaningCase, 'filings'> => ({
  filings: [{ rows: ['S D 1000@20 →9000', 'S D 500@21 →8500'] }, { ...amending('S D 1000@20 →9000'), ...more }],
})
const BOUGHT = 'P A 3000@20 →13000'

const CASES: MeaningCase[] = [
  {
    name: 'names the day of the trade as the original date',
    filings: [{ rows: [BOUGHT] }, { ...amending(BOUGHT), dateOfOriginalSubmission: TRADED }],
    shown: ['P A 3000@20 direct'],
    totals: '1, 0, 60000, 0',
  },
  {
    name: 'names its own day of filing',
    filings: [{ rows: [BOUGHT] }, { ...amending('P A 3000@21 →13000'), dateOfOriginalSubmission: dayAfter(1) }],
    shown: ['P A 3000@21 direct'],
    totals: '1, 0, 63000, 0',
  },
  {
    name: 'names no day',
    filings: [{ rows: [BOUGHT] }, { ...amending('P A 3000@21 →13000'), dateOfOriginalSubmission: null }],
    shown: ['P A 3000@21 direct'],
  },
  {
    name: 'names a day of another year',
    filings: [{ rows: [BOUGHT] }, { ...amending('P A 3000@21 →13000'), dateOfOriginalSubmission: '2023-07-15' }],
    shown: ['P A 3000@21 direct'],
  },
  {
    name: 'corrects direct to indirect',
    filings: [{ rows: [BOUGHT] }, amending(`${BOUGHT} I By trust`)],
    shown: ['P A 3000@20 indirect'],
  },
  {
    name: 'corrects disposed to acquired',
    filings: [{ rows: ['P D 1000@20 →9000'] }, amending('P A 1000@20 →11000')],
    shown: ['P A 1000@20 direct'],
  },
  {
    name: 'corrects the class',
    filings: [{ rows: [`Class A Common Stock ${BOUGHT}`] }, amending(`Class B Common Stock ${BOUGHT}`)],
    shown: ['Class B Common Stock P A 3000@20 direct'],
  },
  {
    name: 'writes the title with a par value',
    filings: [{ rows: [BOUGHT] }, amending(`Common Stock, par value $.01 ${BOUGHT}`)],
    shown: ['Common Stock, par value $.01 P A 3000@20 direct'],
  },
  {
    name: 'adds a purchase after an award of the day',
    filings: [{ rows: ['A A 5000@0 →15000'] }, amending('P A 500@20.10 →15500')],
    shown: ['A A 5000@0 direct', 'P A 500@20.1 direct'],
  },
  {
    name: 'adds a purchase after another of the day',
    filings: [{ rows: ['P A 1000@20 →11000'] }, amending('P A 500@20.10 →11500')],
    shown: ['P A 1000@20 direct', 'P A 500@20.1 direct'],
  },
  {
    name: 'says that a grant was reported twice',
    filings: [
      { rows: ['A A 700@0 →10700', 'A A 700@0 →11400', 'S D 300@20 →11100'] },
      { ...amending(['A A 700@0 →10700', { footnotes: { coding: ['F1'] } }]), footnotes: FOOTNOTE },
    ],
    shown: ['A A 700@0 direct', 'S D 300@20 direct'],
  },
  {
    name: 'repeats one of three equal sales with a footnote',
    filings: [
      { rows: ['S D 100@20 →900', 'S D 100@20 →800', 'S D 100@20 →700'] },
      {
        ...amending(['S D 100@20 →800', { footnotes: { price: ['F1'] } }]),
        footnotes: [{ id: 'F1', text: 'The price is a weighted average.' }],
      },
    ],
    shown: ['S D 100@20 direct', 'S D 100@20 direct', 'S D 100@20 direct'],
  },
  {
    name: 'merges two tranches',
    filings: [{ rows: ['P A 1000@20 →11000', 'P A 2000@20 →13000'] }, amending(BOUGHT)],
    shown: ['P A 3000@20 direct'],
  },
  {
    name: 'splits a row',
    filings: [{ rows: [BOUGHT] }, amending('P A 1000@20 →11000', 'P A 2000@20 →13000')],
    shown: ['P A 1000@20 direct', 'P A 2000@20 direct'],
  },
  {
    name: 'corrects the price of one of three rows',
    filings: [
      { rows: ['P A 100@20 →10100', 'P A 200@21 →10300', 'P A 400@22 →10700'] },
      amending('P A 200@21.5 →10300'),
    ],
    shown: ['P A 100@20 direct', 'P A 200@21.5 direct', 'P A 400@22 direct'],
  },
  {
    name: 'continues the balance at the same price',
    filings: [{ rows: ['P A 100@20 →10100', 'P A 200@20 →10300'] }, amending('P A 400@20 →10700')],
    shown: ['P A 100@20 direct', 'P A 200@20 direct', 'P A 400@20 direct'],
  },
  {
    name: 'continues the balance at the same size',
    filings: [{ rows: ['P A 100@20 →10100', 'P A 200@21 →10300'] }, amending('P A 200@22 →10500')],
    shown: ['P A 100@20 direct', 'P A 200@21 direct', 'P A 200@22 direct'],
  },
  {
    name: 'has another owner',
    filings: [
      { rows: [BOUGHT] },
      { ...amending('P A 3000@21 →13000'), owners: [{ cik: '0001999102', name: 'SAMPLE BEN', isDirector: true }] },
    ],
    shown: ['P A 3000@20 direct', 'P A 3000@21 direct'],
    profiles: { 'SAMPLE ADA': ['P A 3000@20 direct'], 'SAMPLE BEN': ['P A 3000@21 direct'] },
  },
  {
    name: 'adds a sale of a date and size of its own',
    filings: [{ rows: [BOUGHT] }, amending(BOUGHT, 'S D 800@24 →12200')],
    shown: ['P A 3000@20 direct', 'S D 800@24 direct'],
    totals: '1, 1, 60000, 19200',
    profiles: { 'SAMPLE ADA': ['P A 3000@20 direct', 'S D 800@24 direct'] },
  },
  {
    name: 'withdraws the original by its remarks',
    filings: [{ rows: [BOUGHT] }, { ...amending(), remarks: 'This amendment withdraws the Form 4 filed in error.' }],
    shown: [],
  },
  {
    name: 'has no rows and withdraws nothing',
    filings: [{ rows: [BOUGHT] }, { ...amending(), remarks: 'Filed to add an exhibit.' }],
    shown: ['P A 3000@20 direct'],
  },
  {
    name: 'is amended itself',
    filings: [{ rows: [BOUGHT] }, amending('P A 3000@21 →13000'), amending('P A 3000@22 →13000')],
    shown: ['P A 3000@22 direct'],
  },
  {
    name: 'is amended by one that names its day',
    filings: [
      { rows: [BOUGHT] },
      amending('P A 3000@21 →13000'),
      { ...amending('P A 3000@22 →13000'), dateOfOriginalSubmission: dayAfter(1) },
    ],
    shown: ['P A 3000@22 direct'],
  },
  {
    name: 'names a day with a mistyped year',
    filings: [{ rows: [BOUGHT] }, { ...amending('P A 3000@21 →13000'), dateOfOriginalSubmission: '0024-07-15' }],
    shown: ['P A 3000@21 direct'],
  },
  {
    name: 'names a day that no month has',
    filings: [{ rows: [BOUGHT] }, { ...amending('P A 3000@21 →13000'), dateOfOriginalSubmission: '2024-02-30' }],
    shown: ['P A 3000@21 direct'],
    // A data set has only days that are real.
    isByDocument: true,
  },
  {
    name: 'follows an original that was filed twice',
    filings: [{ rows: [BOUGHT] }, { rows: [BOUGHT], day: 0, number: 1 }, amending('P A 3000@21 →13000')],
    shown: ['P A 3000@21 direct'],
  },
  {
    name: 'names the period of the report, and corrects the code',
    filings: [
      { rows: ['A A 3000@20 →13000'] },
      { ...amending(BOUGHT), dateOfOriginalSubmission: TRADED, periodOfReport: '2024-07-10' },
    ],
    shown: ['P A 3000@20 direct'],
    totals: '1, 0, 60000, 0',
  },
  {
    name: 'has the period of the report, and corrects the code',
    filings: [
      { rows: ['A A 3000@20 →13000'] },
      { ...amending(BOUGHT), dateOfOriginalSubmission: '2024-07-03', periodOfReport: TRADED },
    ],
    shown: ['P A 3000@20 direct'],
  },
  {
    name: 'has neither day nor period of the report, and another code',
    filings: [
      { rows: ['A A 3000@20 →13000'] },
      { ...amending(BOUGHT), dateOfOriginalSubmission: '2024-07-03', periodOfReport: '2024-07-10' },
    ],
    shown: ['A A 3000@20 direct', 'P A 3000@20 direct'],
  },
  {
    name: 'is like rows of two filings of the day',
    filings: [
      { rows: ['P A 1000@20 →11000'] },
      { rows: ['P A 1000@21 →12000'], day: 0, number: 1 },
      amending('P A 1000@22 →15000'),
    ],
    shown: ['P A 1000@20 direct', 'P A 1000@21 direct', 'P A 1000@22 direct ambiguous'],
    totals: '3, 0, 63000, 0',
  },
  {
    name: 'repeats a row of each of two filings of the day',
    filings: [
      { rows: ['P A 1000@20 →11000'] },
      { rows: ['Class B Common Stock S D 500@31 →400'], day: 0, number: 1 },
      amending('P A 1000@20 →11000', 'Class B Common Stock S D 500@31 →400'),
    ],
    shown: ['P A 1000@20 direct', 'Class B Common Stock S D 500@31 direct'],
    totals: '1, 1, 20000, 15500',
  },
  {
    name: 'repeats a row of each of two filings of the day, and adds one',
    filings: [
      { rows: ['P A 1000@20 →11000'] },
      { rows: ['Class B Common Stock S D 500@31 →400'], day: 0, number: 1 },
      amending('P A 1000@20 →11000', 'Class B Common Stock S D 500@31 →400', 'P A 70@44 →90 I By Trust'),
    ],
    shown: ['P A 1000@20 direct', 'Class B Common Stock S D 500@31 direct', 'P A 70@44 indirect ambiguous'],
  },
  ...[
    'The sale of 500 shares was reported in error and is deleted.',
    'This amendment removes the sale in row 2, which did not occur.',
    'The second sale should not have been reported.',
    'The Form 4 inadvertently included a sale of 500 shares.',
  ].flatMap((text): MeaningCase[] => [
    { name: `remarks: ${text}`, ...ofTwo({ remarks: text }), shown: ['S D 1000@20 direct'] },
    {
      name: `a footnote: ${text}`,
      ...ofTwo({ footnotes: [{ id: 'F1', text }] }),
      shown: ['S D 1000@20 direct'],
      totals: '0, 1, 0, 20000',
    },
  ]),
  ...[
    'The original Form 4 inadvertently reported the price as $21.',
    'The number of shares sold was reported in error.',
    'The date of the transaction was erroneously reported.',
  ].map((text): MeaningCase => ({
    name: `a footnote: ${text}`,
    ...ofTwo({ footnotes: [{ id: 'F1', text }] }),
    shown: ['S D 1000@20 direct', 'S D 500@21 direct'],
  })),
  {
    name: 'restates the table with another row in the place of one',
    filings: [
      { rows: ['P A 1000@20 →11000', 'P A 500@21 →11500'] },
      amending('P A 1000@20 →11000', 'S D 300@25 →10700'),
    ],
    shown: ['P A 1000@20 direct', 'S D 300@25 direct'],
    totals: '1, 1, 20000, 7500',
  },
  {
    name: 'repeats a row, and adds one that opens at the balance of the row left out',
    filings: [
      { rows: ['P A 1000@20 →11000', 'P A 500@21 →11500'] },
      amending('P A 1000@20 →11000', 'S D 300@25 →11200'),
    ],
    shown: ['P A 1000@20 direct', 'P A 500@21 direct', 'S D 300@25 direct'],
  },
  {
    name: 'repeats one of two rows and says nothing',
    ...ofTwo({}),
    shown: ['S D 1000@20 direct', 'S D 500@21 direct'],
  },
  {
    name: 'merges three tranches in no order',
    filings: [
      { rows: ['P A 2000@20 →13000', 'P A 500@20 →13500', 'P A 1000@20 →11000'] },
      amending('P A 3500@20 →13500'),
    ],
    shown: ['P A 3500@20 direct'],
    totals: '1, 0, 70000, 0',
  },
]

describe('an amendment', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.close())

  itShows(() => service, CASES, row)
})
