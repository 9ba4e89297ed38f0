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
  const { transactionCode, acquiredDisposed, ownership, securityTitle } = detail!
  const title = securityTitle === 'Common Stock' ? '' : `${securityTitle} `
  return `${title}${transactionCode} ${acquiredDisposed} ${shares}@${pricePerShare} ${ownership}`
}
const BOUGHT = 'P A 3000@20 →13000'

const CASES: MeaningCase[] = [
  {
    name: 'names the day of the trade as the original date',
    filings: [{ rows: [BOUGHT] }, { ...amending(BOUGHT), dateOfOriginalSubmission: TRADED }],
    shown: ['P A 3000@20 direct'],
  },
  {
    name: 'names its own day of filing',
    filings: [{ rows: [BOUGHT] }, { ...amending('P A 3000@21 →13000'), dateOfOriginalSubmission: dayAfter(1) }],
    shown: ['P A 3000@21 direct'],
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
    name: 'follows an original that was filed twice',
    filings: [{ rows: [BOUGHT] }, { rows: [BOUGHT], day: 0, number: 1 }, amending('P A 3000@21 →13000')],
    shown: ['P A 3000@21 direct'],
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
