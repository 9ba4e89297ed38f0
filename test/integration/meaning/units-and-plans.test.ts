// Units of prices, implausible prices and numbers of shares, and trading plans, as the API shows them.
import { itShows, type CasePaper, type MeaningCase, type Show } from '../../support/filings/cases-of-meaning.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const note = (text: string) => [{ id: 'F1', text }]
const priced = (row: string, text?: string): CasePaper => ({
  rows: [text === undefined ? row : [row, { footnotes: { price: ['F1'] } }]],
  ...(text !== undefined && { footnotes: note(text) }),
})
const price: Show = ({ pricePerShare, detail }) => `${pricePerShare} ${detail!.priceStatus}`
const owner = (person: number): CasePaper => ({
  owners: [{ cik: `000199920${person}`, name: `EXAMPLE ${'ABCDE'[person]}NN`, isDirector: true }],
})

const PRICES: MeaningCase[] = [
  {
    name: 'yen',
    filings: [priced('Ordinary Shares P A 10000@2850', 'The price is in Japanese yen.')],
    shown: ['2850 other_unit'],
  },
  {
    name: 'C$ at the TSX',
    filings: [priced('Common Shares P A 10000@45', 'Purchased on the TSX. The price is in C$.')],
    shown: ['45 other_unit'],
  },
  {
    name: 'converted from C$',
    filings: [priced('Common Shares P A 10000@45', 'The price was converted from C$ at an exchange rate of 0.73.')],
    shown: ['45 as_filed'],
  },
  {
    name: 'the name of a fund with a currency',
    filings: [priced('Common Stock P A 1000@45', 'Held by Acorn Opportunities Fund (Euro), L.P.')],
    shown: ['45 as_filed'],
  },
  {
    name: 'a price per ADS for ordinary shares',
    filings: [
      priced('Ordinary Shares P A 2501582400@3.45', 'The price is per ADS, each representing 1,440 ordinary shares.'),
    ],
    shown: ['3.45 other_unit'],
  },
  {
    name: 'notes in per cent',
    filings: [priced('8.00% Senior Notes due 2029 P A 50000@98.25')],
    shown: ['98.25 other_unit'],
  },
  {
    name: 'a first price above $10,000',
    filings: [priced('P A 5000@50000')],
    shown: ['50000 suspect'],
  },
  {
    name: 'a lost decimal point after three prices',
    filings: [
      { ...priced('P A 500@10.1 →500'), ...owner(0) },
      { ...priced('P A 500@10.2 →500'), ...owner(1) },
      { ...priced('P A 500@10.3 →500'), ...owner(2) },
      { ...priced('P A 5000@1025 →5000'), ...owner(3) },
    ],
    shown: ['10.1 as_filed', '10.2 as_filed', '10.3 as_filed', '1025 suspect'],
  },
  {
    name: 'a total typed as the price beside three prices of one filing',
    filings: [{ rows: ['P A 100@30 →100', 'P A 200@30 →300', 'P A 300@30 →600', 'P A 400@12000 →1000'] }],
    shown: ['12000 suspect', '30 as_filed', '30 as_filed', '30 as_filed'],
  },
  {
    name: 'a class A price after prices of class B',
    filings: [
      { ...priced('Class B Common Stock P A 10@480 →10'), ...owner(0) },
      { ...priced('Class B Common Stock P A 10@481 →10'), ...owner(1) },
      { ...priced('Class B Common Stock P A 10@482 →10'), ...owner(2) },
      { ...priced('Class A Common Stock P A 1@9731 →1'), ...owner(3) },
    ],
    shown: ['480 as_filed', '481 as_filed', '482 as_filed', '9731 as_filed'],
  },
]

const shares: Show = ({ shares: count, detail }) => `${count} ${detail!.sharesStatus}`
const SHARES: MeaningCase[] = [
  {
    name: '36.000 typed for 36,000',
    filings: [{ rows: ['S D 100@5 →136000', 'S D 36@5 →100000'] }],
    shown: ['100 as_filed', '36 suspect'],
  },
  {
    name: 'balances that agree',
    filings: [{ rows: ['S D 100@5 →136000', 'S D 36000@5 →100000'] }],
    shown: ['100 as_filed', '36000 as_filed'],
  },
]

const plan: Show = ({ shares: count, detail }) => `${count} ${detail!.plan10b51} ${detail!.planSource}`
const PLANS: MeaningCase[] = [
  {
    name: 'the box, and a row that is not under a plan',
    filings: [
      {
        aff10b5One: true,
        rows: [
          ['S D 100@20 →900', { footnotes: { coding: ['F1'] } }],
          ['S D 200@20 →700', { footnotes: { coding: ['F2'] } }],
        ],
        footnotes: [
          { id: 'F1', text: 'Sold under a Rule 10b5-1 trading plan adopted on March 1, 2024.' },
          { id: 'F2', text: 'This sale was not made pursuant to a Rule 10b5-1 plan.' },
        ],
      },
    ],
    shown: ['100 yes footnote', '200 no footnote'],
  },
  {
    name: 'no box, and a footnote of a plan',
    filings: [
      {
        aff10b5One: false,
        rows: [['S D 100@20 →900', { footnotes: { coding: ['F1'] } }], 'S D 200@20 →700'],
        footnotes: note('Sold pursuant to a 10b5-1 plan adopted on March 1, 2024.'),
      },
    ],
    shown: ['100 yes footnote', '200 no box'],
  },
  {
    name: 'the box alone',
    filings: [{ aff10b5One: true, rows: ['S D 100@20 →900'] }],
    shown: ['100 yes box'],
  },
  {
    name: 'remarks about all transactions',
    filings: [
      {
        rows: ['S D 100@20 →900', 'S D 200@20 →700'],
        remarks: 'The transactions reported in this Form 4 were effected pursuant to a Rule 10b5-1 trading plan.',
      },
    ],
    shown: ['100 yes footnote', '200 yes footnote'],
  },
  ...['Rule 10b5-trading plan', '10b-5 plan', '10b5-1(c) plan', 'prearranged trading plan under Rule 10b5-1'].map(
    (words): MeaningCase => ({
      name: words,
      filings: [
        {
          rows: [['S D 100@20 →900', { footnotes: { coding: ['F1'] } }]],
          footnotes: note(`Sold pursuant to a ${words}.`),
        },
      ],
      shown: ['100 yes footnote'],
    }),
  ),
]

for (const [what, cases, show] of [
  ['the unit of a price', PRICES, price],
  ['the number of shares', SHARES, shares],
  ['a trading plan', PLANS, plan],
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
