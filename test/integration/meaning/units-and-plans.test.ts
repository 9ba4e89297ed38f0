// Units of prices, implausible prices and numbers of shares, and trading plans, as the API shows them.
import { itShows, type CasePaper, type MeaningCase, type Show } from '../../support/filings/cases-of-meaning.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const note = (text: string) => [{ id: 'F1', text }]
/** By the CEO, whose trade is a signal if it counts. */
const CEO = [{ cik: '0001999101', name: 'EXAMPLE ADA', isOfficer: true, officerTitle: 'CEO' }]
const priced = (row: string, text?: string): CasePaper => ({
  owners: CEO,
  rows: [text === undefined ? row : [row, { footnotes: { price: ['F1'] } }]],
  ...(text !== undefined && { footnotes: note(text) }),
})
/** The same with the footnote at the code. */
const noted = (row: string, text: string): CasePaper => ({
  owners: CEO,
  rows: [[row, { footnotes: { coding: ['F1'] } }]],
  footnotes: note(text),
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
    totals: '1, 0, 0, 0',
    signals: [],
  },
  {
    name: 'C$ at the TSX',
    filings: [priced('Common Shares P A 10000@45', 'Purchased on the TSX. The price is in C$.')],
    shown: ['45 other_unit'],
    totals: '1, 0, 0, 0',
    signals: [],
  },
  {
    name: 'converted from C$',
    filings: [priced('Common Shares P A 10000@45', 'The price was converted from C$ at an exchange rate of 0.73.')],
    shown: ['45 as_filed'],
    totals: '1, 0, 450000, 0',
    signals: ['ceo_trade 1 450000'],
  },
  {
    name: 'the name of a fund with a currency',
    filings: [priced('Common Stock P A 1000@45', 'Held by Acorn Opportunities Fund (Euro), L.P.')],
    shown: ['45 as_filed'],
    signals: ['ceo_trade 1 45000'],
  },
  {
    name: 'a price per ADS for ordinary shares',
    filings: [
      priced('Ordinary Shares P A 2501582400@3.45', 'The price is per ADS, each representing 1,440 ordinary shares.'),
    ],
    shown: ['3.45 other_unit'],
    totals: '1, 0, 0, 0',
    signals: [],
  },
  {
    name: 'notes in per cent',
    filings: [priced('8.00% Senior Notes due 2029 P A 50000@98.25')],
    shown: ['98.25 other_unit'],
    totals: '1, 0, 0, 0',
    signals: [],
  },
  {
    name: 'a first price above $10,000',
    filings: [priced('P A 5000@50000')],
    shown: ['50000 suspect'],
    totals: '1, 0, 0, 0',
    signals: [],
  },
  {
    name: 'a lost decimal point after three prices',
    filings: [
      { ...priced('P A 1000@10.1 →1000'), ...owner(0) },
      { ...priced('P A 1000@10.2 →1000'), ...owner(1) },
      { ...priced('P A 1000@10.3 →1000'), ...owner(2) },
      { ...priced('P A 5000@1025 →5000'), ...owner(3) },
    ],
    shown: ['10.1 as_filed', '10.2 as_filed', '10.3 as_filed', '1025 suspect'],
    totals: '4, 0, 30600, 0',
    signals: ['cluster_buy 3 30600'],
  },
  {
    name: 'the first purchase after a reverse split that its balance shows',
    filings: [
      { ...priced('P A 1000@0.40 →100000'), ...owner(0) },
      { ...priced('P A 1000@0.41 →1000'), ...owner(1) },
      { ...priced('P A 1000@0.42 →1000'), ...owner(2) },
      { ...priced('P A 1000@9 →6000'), ...owner(0) },
    ],
    shown: ['0.4 as_filed', '0.41 as_filed', '0.42 as_filed', '9 as_filed'],
    totals: '4, 0, 10230, 0',
    signals: [],
  },
  {
    name: 'a purchase after a reverse split that a filing before shows',
    filings: [
      { ...priced('P A 1000@0.40 →100000'), ...owner(0) },
      { ...priced('P A 1000@0.41 →1000'), ...owner(1) },
      { ...priced('P A 1000@0.42 →1000'), ...owner(2) },
      { ...priced('A A 500@ →5500'), ...owner(0) },
      { ...priced('P A 1000@9 →1000'), ...owner(3) },
    ],
    shown: ['0.4 as_filed', '0.41 as_filed', '0.42 as_filed', '0 footnote_only', '9 as_filed'],
    totals: '4, 0, 10230, 0',
    signals: [],
  },
  {
    name: 'a purchase after a reverse split that only the next filing shows',
    filings: [
      { ...priced('P A 1000@0.40 →100000'), ...owner(0) },
      { ...priced('P A 1000@0.41 →1000'), ...owner(1) },
      { ...priced('P A 1000@0.42 →1000'), ...owner(2) },
      { ...priced('P A 1000@9 →1000'), ...owner(3) },
      { ...priced('P A 1000@9.5 →6000'), ...owner(0) },
    ],
    shown: ['0.4 as_filed', '0.41 as_filed', '0.42 as_filed', '9 as_filed', '9.5 as_filed'],
    totals: '5, 0, 19730, 0',
    signals: [],
  },
  {
    name: 'a purchase of the CEO after a reverse split that only an award shows later',
    filings: [
      { ...priced('P A 1000@0.40 →100000'), ...owner(0) },
      { ...priced('P A 1000@0.41 →1000'), ...owner(1) },
      { ...priced('P A 1000@0.42 →1000'), ...owner(2) },
      priced('P A 60000@9 →60000'),
      { ...priced('A A 500@ →5500'), ...owner(0) },
    ],
    shown: ['0.4 as_filed', '0.41 as_filed', '0.42 as_filed', '9 as_filed', '0 footnote_only'],
    totals: '4, 0, 541230, 0',
    signals: [],
  },
  {
    name: 'a total typed as the price beside three prices of one filing',
    filings: [{ owners: CEO, rows: ['P A 100@30 →100', 'P A 200@30 →300', 'P A 300@30 →600', 'P A 400@12000 →1000'] }],
    shown: ['12000 suspect', '30 as_filed', '30 as_filed', '30 as_filed'],
    totals: '4, 0, 18000, 0',
    signals: [],
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
  {
    name: 'a class A price above $10,000 after prices of class B',
    filings: [
      { ...priced('Class B Common Stock P A 10@480 →10'), ...owner(0) },
      { ...priced('Class B Common Stock P A 10@481 →10'), ...owner(1) },
      { ...priced('Class B Common Stock P A 10@482 →10'), ...owner(2) },
      priced('Class A Common Stock P A 1@731500 →1'),
    ],
    shown: ['480 as_filed', '481 as_filed', '482 as_filed', '731500 suspect'],
    signals: [],
  },
  {
    name: 'a class A price above $10,000 after another near it',
    filings: [
      { ...priced('Class B Common Stock P A 10@480 →10'), ...owner(0) },
      { ...priced('Class B Common Stock P A 10@481 →10'), ...owner(1) },
      { ...priced('Class B Common Stock P A 10@482 →10'), ...owner(2) },
      { ...priced('Class A Common Stock P A 1@729000 →1'), ...owner(3) },
      priced('Class A Common Stock P A 1@731500 →1'),
    ],
    shown: ['480 as_filed', '481 as_filed', '482 as_filed', '729000 suspect', '731500 as_filed'],
    totals: '5, 0, 745930, 0',
    signals: ['ceo_trade 1 731500'],
  },
  {
    name: 'class B prices after one of class A',
    filings: [
      { ...priced('Class A Common Stock P A 1@9731 →1'), ...owner(0) },
      { ...priced('Class A Common Stock P A 1@9732 →1'), ...owner(1) },
      { ...priced('Class A Common Stock P A 1@9733 →1'), ...owner(2) },
      { ...priced('Class B Common Stock P A 10@480 →10'), ...owner(3) },
    ],
    shown: ['480 as_filed', '9731 as_filed', '9732 as_filed', '9733 as_filed'],
  },
  {
    name: 'prices after a reverse split',
    filings: [
      { ...priced('P A 1000@1 →1000'), ...owner(0) },
      { ...priced('P A 1000@1.1 →1000'), ...owner(1) },
      { ...priced('P A 1000@1.2 →1000'), ...owner(2) },
      priced('P A 2000@25 →2000'),
      { ...priced('P A 3000@26 →5000'), day: 5 },
      { ...priced('P A 1000@24 →1000'), ...owner(3) },
    ],
    shown: ['1 as_filed', '1.1 as_filed', '1.2 as_filed', '24 as_filed', '25 suspect', '26 as_filed'],
    totals: '6, 0, 105300, 0',
    signals: ['ceo_trade 1 78000'],
  },
  {
    name: 'a value above $1 billion',
    filings: [priced('P A 100000000@20')],
    shown: ['20 suspect'],
    totals: '1, 0, 0, 0',
    signals: [],
  },
  {
    name: 'a value above $1 billion of a 10 % owner',
    filings: [
      {
        owners: [{ cik: '0001999101', name: 'ACORN CAPITAL LP', isTenPercentOwner: true }],
        rows: ['P A 100000000@20'],
      },
    ],
    shown: ['20 as_filed'],
    totals: '1, 0, 2000000000, 0',
  },
  {
    name: 'a value above $1 billion after three prices near it',
    filings: [
      { ...priced('P A 100@19 →100'), ...owner(0) },
      { ...priced('P A 100@20 →100'), ...owner(1) },
      { ...priced('P A 100@21 →100'), ...owner(2) },
      priced('P A 100000000@20 →100000000'),
    ],
    shown: ['19 as_filed', '20 as_filed', '20 as_filed', '21 as_filed'],
    signals: ['ceo_trade 1 2000000000'],
  },
  {
    name: 'strike prices are no history',
    filings: [
      { ...priced('M A 100@1 →100'), ...owner(0) },
      { ...priced('M A 100@1.1 →100'), ...owner(1) },
      { ...priced('M A 100@1.2 →100'), ...owner(2) },
      priced('P A 1000@60 →1000'),
    ],
    shown: ['1 as_filed', '1.1 as_filed', '1.2 as_filed', '60 as_filed'],
    signals: ['ceo_trade 1 60000'],
  },
  {
    name: 'an ordinary share of an issuer that trades abroad',
    filings: [
      {
        ...priced('Ordinary Shares P A 10000@45', 'The shares trade on the Tokyo Stock Exchange.'),
        issuer: { foreignTickerRaw: 'TSE: 7203' },
      },
    ],
    shown: ['45 other_unit'],
    totals: '1, 0, 0, 0',
    signals: [],
    isByDocument: true,
  },
  {
    name: 'an ordinary share that trades abroad, of an issuer without a symbol there',
    filings: [priced('Ordinary Shares P A 10000@45', 'The shares trade on the Tokyo Stock Exchange.')],
    shown: ['45 as_filed'],
  },
  {
    name: 'a foreign symbol in the title',
    filings: [{ ...priced('Common Shares (2330.TW) P A 10000@45'), issuer: { foreignTickerRaw: '2330.TW' } }],
    shown: ['45 foreign'],
    totals: '1, 0, 0, 0',
    signals: [],
    isByDocument: true,
  },
  {
    name: 'a foreign symbol in the title, and a converted price',
    filings: [
      {
        ...priced('Common Shares (2330.TW) P A 10000@45', 'The price was converted from NT$ into US dollars.'),
        issuer: { foreignTickerRaw: '2330.TW' },
      },
    ],
    shown: ['45 as_filed'],
    signals: ['ceo_trade 1 450000'],
    isByDocument: true,
  },
  {
    name: 'a footnote of the row that speaks of its price',
    filings: [noted('Common Shares P A 10000@45', 'The shares were purchased at a price of 45 in Canadian dollars.')],
    shown: ['45 other_unit'],
    totals: '1, 0, 0, 0',
    signals: [],
  },
  {
    name: 'a footnote of the row that names a currency for something else',
    filings: [noted('Common Shares P A 10000@45', 'The issuer pays its dividends in Canadian dollars.')],
    shown: ['45 as_filed'],
    signals: ['ceo_trade 1 450000'],
  },
  {
    name: 'a footnote of the row in US dollars',
    filings: [noted('Common Shares P A 10000@45', 'The purchase price of C$61.64 was translated at 0.73.')],
    shown: ['45 as_filed'],
  },
  {
    name: 'a price per ADS that stands for one share',
    filings: [
      priced('Ordinary Shares P A 10000@3.45', 'The price is per ADS. Each ADS represents one ordinary share.'),
    ],
    shown: ['3.45 as_filed'],
    signals: ['ceo_trade 1 34500'],
  },
  {
    name: 'preferred stock by the share',
    filings: [priced('6.5% Series A Preferred Stock P A 10000@24.5')],
    shown: ['24.5 as_filed'],
  },
]

const shares: Show = ({ shares: count, detail }) => `${count} ${detail!.sharesStatus}`
const SHARES: MeaningCase[] = [
  {
    name: '36.000 typed for 36,000',
    filings: [{ rows: ['S D 100@5 →136000', 'S D 36@5 →100000'] }],
    shown: ['100 as_filed', '36 suspect'],
    totals: '0, 2, 0, 500',
  },
  {
    name: '36,000,000 typed for 36,000',
    filings: [{ owners: CEO, rows: ['S D 100@5 →136000', 'S D 36000000@5 →100000'] }],
    shown: ['100 as_filed', '36000000 suspect'],
    totals: '0, 2, 0, 500',
    signals: [],
  },
  {
    name: 'balances that agree',
    filings: [{ rows: ['S D 100@5 →136000', 'S D 36000@5 →100000'] }],
    shown: ['100 as_filed', '36000 as_filed'],
    totals: '0, 2, 0, 180500',
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
    name: 'a sale of the CEO outside the plan of another',
    filings: [
      {
        owners: CEO,
        aff10b5One: true,
        rows: [
          ['S D 50000@30 →900000', { footnotes: { coding: ['F1'] } }],
          ['S D 40000@30 →860000', { footnotes: { coding: ['F2'] } }],
        ],
        footnotes: [
          { id: 'F1', text: 'Sold under a Rule 10b5-1 trading plan adopted on March 1, 2024.' },
          { id: 'F2', text: 'This sale was not made pursuant to a Rule 10b5-1 plan.' },
        ],
      },
    ],
    shown: ['50000 yes footnote', '40000 no footnote'],
    totals: '0, 2, 0, 2700000',
    signals: ['ceo_trade 1 1200000'],
  },
  {
    name: 'sales of the CEO under a plan by the box',
    filings: [{ owners: CEO, aff10b5One: true, rows: ['S D 50000@30 →900000', 'S D 40000@30 →860000'] }],
    shown: ['50000 yes box', '40000 yes box'],
    signals: [],
  },
  {
    name: 'sales of the CEO without a box',
    filings: [{ owners: CEO, rows: ['S D 50000@30 →900000', 'S D 40000@30 →860000'] }],
    shown: ['50000 unknown none', '40000 unknown none'],
    signals: ['ceo_trade 1 2700000'],
  },
  {
    name: 'a footnote of one row about all transactions',
    filings: [
      {
        aff10b5One: false,
        rows: [['S D 100@20 →900', { footnotes: { coding: ['F1'] } }], 'S D 200@20 →700'],
        footnotes: note(
          'The transactions reported in this Form 4 were effected pursuant to a Rule 10b5-1 trading plan.',
        ),
      },
    ],
    shown: ['100 yes footnote', '200 yes footnote'],
  },
  {
    name: 'remarks about all transactions, and a row that is not under a plan',
    filings: [
      {
        rows: ['S D 100@20 →900', ['S D 200@20 →700', { footnotes: { coding: ['F1'] } }]],
        footnotes: note('This sale was not made pursuant to a Rule 10b5-1 plan.'),
        remarks: 'The transactions reported in this Form 4 were effected pursuant to a Rule 10b5-1 trading plan.',
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
