// Names of companies in sentences, also of all issuers of the real filings.
import { assert } from 'chai'
import { readableCompany } from '../../../../src/domain/wording/company-name.ts'
import { haveRealFilings, truth } from '../../../support/filings/truth.ts'

const NAMES: Record<string, string> = {
  'UNITEDHEALTH GROUP INC': 'UnitedHealth Group',
  'Apple Inc.': 'Apple',
  'APPLE INC': 'Apple',
  'FORD MOTOR CO': 'Ford Motor',
  'KBR, INC.': 'KBR',
  'CME GROUP INC.': 'CME Group',
  'HMN FINANCIAL INC': 'HMN Financial',
  'OFG BANCORP': 'OFG Bancorp',
  'LAM RESEARCH CORP': 'Lam Research',
  'BEST BUY CO INC': 'Best Buy',
  'BALL Corp': 'Ball',
  'SOUTH STATE Corp': 'South State',
  'CONSOL Energy Inc.': 'CONSOL Energy',
  'ATN International, Inc.': 'ATN International',
  'TechnipFMC plc': 'TechnipFMC',
  'COMERICA INC /NEW/': 'Comerica',
  'US BANCORP \\DE\\': 'US Bancorp',
  'RAYTHEON CO/': 'Raytheon',
  'FNB CORP/PA/': 'FNB',
  'COSTCO WHOLESALE CORP /NEW': 'Costco Wholesale',
  'WELLS FARGO & COMPANY/MN': 'Wells Fargo & Company',
  'ELI LILLY & Co': 'Eli Lilly & Co',
  'PG&E Corp': 'PG&E',
  'M&T BANK CORP': 'M&T Bank',
  'JOHNSON & JOHNSON': 'Johnson & Johnson',
  'BERKLEY W R CORP': 'W. R. Berkley',
  'STARRETT L S CO': 'L. S. Starrett',
  'CEDAR FAIR L P': 'Cedar Fair',
  'ENTERPRISE PRODUCTS PARTNERS L.P.': 'Enterprise Products Partners',
  'TAIWAN SEMICONDUCTOR MANUFACTURING CO LTD': 'Taiwan Semiconductor Manufacturing',
  'PACKAGING CORP OF AMERICA': 'Packaging Corp of America',
  'NOVARTIS AG': 'Novartis',
  'GE AEROSPACE': 'GE Aerospace',
  'AON PLC': 'Aon',
  'AMAZON COM INC': 'Amazon.com',
  '1 800 FLOWERS COM INC': '1-800-Flowers.com',
  'MOODYS CORP /DE/': "Moody's",
  'FREEPORT-MCMORAN INC': 'Freeport-McMoran',
  'HYSTER-YALE MATERIALS HANDLING, INC.': 'Hyster-Yale Materials Handling',
  'FIRST TRUST/ABERDEEN EMERGING OPPORTUNITY FUND': 'First Trust/Aberdeen Emerging Opportunity Fund',
  'Ameri Metro, Inc. (formerly Yellowwood)': 'Ameri Metro',
  'iTeos Therapeutics, Inc.': 'iTeos Therapeutics',
  '3M CO': '3M',
  CO: 'Co',
  '': '',
  ' ': '',
}

describe('names of companies in sentences', () => {
  it('stand without legal form and state, in proper case', () => {
    for (const [filed, readable] of Object.entries(NAMES)) assert.strictEqual(readableCompany(filed), readable, filed)
  })

  it('need no time, however long they are', () => {
    for (const unit of ['A', 'A ', 'INC ', ', ', '/DE', '(formerly ', '&', 'L P ', '(']) {
      const start = performance.now()
      readableCompany(unit.repeat(1_000_000))
      assert.isBelow(performance.now() - start, 1_000, unit)
    }
  })

  const why = haveRealFilings ? '' : ' (skipped: ../shared/filings is not here)'
  it(`of the real filings: none in capitals but acronyms, none with its legal form${why}`, function () {
    if (!haveRealFilings) return this.skip()
    const told = [...new Set(Object.values(truth()).map(({ issuer }) => issuer.name))].map((name) =>
      readableCompany(name),
    )
    assert.isAbove(told.length, 150)
    assert.deepEqual(
      told.filter((name) => /\b(?:inc|llc|ltd|plc)\b|[/\\][A-Z]{2}\b|,$/i.test(name)),
      ['Cohen & Steers Ltd Duration Preferred & Income Fund'],
    )
    const capitals = [
      ...new Set(told.flatMap((name) => name.split(/[\s-]/)).filter((word) => /^\p{Lu}{3,}$/u.test(word))),
    ].sort()
    assert.deepEqual(capitals, [
      'ATN',
      'CME',
      'CONSOL',
      'FFBW',
      'FNB',
      'FNCB',
      'FRP',
      'HMN',
      'IDEAYA',
      'KAR',
      'KBR',
      'NACCO',
      'NAPCO',
      'NTN',
      'NVIDIA',
      'OFG',
      'PCSB',
      'PMV',
      'PPD',
      'RCM',
      'RLI',
      'USANA',
    ])
  })
})
