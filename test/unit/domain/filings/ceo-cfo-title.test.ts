// Titles of a CEO or CFO, in the spellings of filers.
import { assert } from 'chai'
import { isCeo, isCfo } from '../../../../src/domain/filings/ceo-cfo-title.ts'

/** Titles with the issuer they stand at; without one, a company none of them names. */
type Case = string | [title: string, issuer: string]
const COMPANY = 'NORTHWIND LANTERN CORP'

function expectAll(test: (title: string, issuer: string) => boolean, expected: boolean, cases: Case[]): void {
  for (const one of cases) {
    const [title, issuer] = typeof one === 'string' ? [one, COMPANY] : one
    assert.strictEqual(test(title, issuer), expected, `${title} @ ${issuer}`)
  }
}

describe('the titles of a CEO or CFO', () => {
  it('knows the CEO in all spellings', () => {
    expectAll(isCeo, true, [
      'CEO',
      'Chief Executive Officer',
      'CHIEF EXECUTIVE OFFICER',
      'chief exec. officer',
      'C.E.O.',
      'Chief Executive',
      'Principal Executive Officer',
      'Chief Exec Off',
      'Chief Executive & Investment Officer',
      'Chief Operating and Executive Officer',
      'President & Chief Executive Of',
      'Chairman, President & Chief Exe',
    ])
  })

  it('knows the CFO in all spellings', () => {
    expectAll(isCfo, true, [
      'CFO',
      'Chief Financial Officer',
      'C.F.O.',
      'Chief Finance Officer',
      'Chief Fin. Officer',
      'Principal Financial Officer',
      'Principal Financial and Accounting Officer',
      'Chief Financial & Admin Officer',
      'Chief Financial, Strategy and Services Officer',
      'Chief Operating & Financial Officer',
      'Executive Vice President, Chief Financial and Administrative Officer',
      'Exec. VP & Chief Financial Off',
      'Sr. Vice President & Chief Finan',
    ])
  })

  it('knows both in a title cut at 30 characters', () => {
    const title = 'Chief Executive Officer and CF'
    expectAll(isCeo, true, [title, 'Chief Financial Officer and CE', 'Chief Executive Officer and CO'])
    expectAll(isCfo, true, [title, 'Chief Financial Officer and CE'])
    expectAll(isCeo, false, [
      'Chief Executive Officer of CFX',
      'Chief Executive Officer of CF',
      'Chief Executive Officer - CX',
    ])
  })

  it('knows the abbreviations of the principal officers', () => {
    expectAll(isCeo, true, [
      'PEO',
      'Chief Executive Officer (PEO)',
      'CEO, PEO',
      'President, PEO',
      'PEO and PFO',
      'P.E.O.',
    ])
    expectAll(isCfo, true, ['PFO', 'CFO (PFO & PAO)', 'CFO, PAO', 'PEO and PFO', 'Treasurer (PFO)'])
    expectAll(isCeo, false, ['PAO', 'PFO', 'Former PEO', 'Deputy PEO', 'PEO of Contoso', 'Chief People Officer'])
    expectAll(isCfo, false, ['PAO', 'PEO', 'Chief Accounting Officer (PAO)', 'Assistant PFO', 'PFO, Europe'])
  })

  it('knows misspellings of chief', () => {
    expectAll(isCeo, true, ['Cheif Executive Officer', 'Chf Executive Officer', 'Chf. Exec. Off.'])
    expectAll(isCeo, true, ['President & Chif Executive', 'Principle Executive Officer'])
    expectAll(isCfo, true, ['Cheif Financial Officer', 'EVP & Chf Financial Officer'])
    expectAll(isCeo, false, ['Executive Chef', 'Cheif Operating Officer', 'Former Cheif Executive Officer'])
  })

  it('does not mind words of the board', () => {
    expectAll(isCeo, true, [
      'CEO and Class I Director',
      'CEO, Director (Class III)',
      'CEO and Lead Independent Director',
      'CEO & Class A Director',
      'CEO, Board Observer',
    ])
    expectAll(isCeo, false, ['CEO of Class Act Gadgets'])
  })

  it('finds the office among others', () => {
    expectAll(isCeo, true, [
      'President and CEO',
      'Chairman & CEO',
      'CEO/President',
      'CEO, CFO',
      'President, CEO / Treasurer',
      'CEO & COB',
      'CEO and Chairman of the Board',
      'CEO & Director',
      'CEO (Principal Executive Officer)',
      'CEO, Founder',
      'Founder, CEO and Chairman of the Board',
      'CEO, Secretary and Chair of the Board',
      'Chairman-CEO',
      'CEO; Trustee',
      'Acting CEO, CIO, Secretary & General Counsel',
      'CEO, Director, 10% Owner',
      'CEO and Chief Technology Officer',
      'President, Chief Executive Officer, Principal Executive Officer, and Chief Operating Officer',
      'Chief Executive Officer & Co-Founder',
      'CEO and Managing Partner',
      'CEO (See Remarks)',
      'CEO effective 1/1/2024',
    ])
    expectAll(isCfo, true, [
      'CEO, CFO',
      'COO, CFO',
      'EVP and CFO',
      'VP & Chief Financial Officer',
      'SVP, CFO & Treasurer',
      'SENIOR VICE PRESIDENT/CFO',
      'CFO / Treasurer',
      'Vice President, CFO',
      'Senior Executive VP & CFO',
      'President & CFO',
      'Chief Financial Officer, Executive VP-Finance, Secretary and Treasurer',
      'CFO, VP Finance',
      'CFO and Executive Vice President, Beacons',
      'CFO & SVP Operations',
      'Chief Financial Officer and EVP of Supply Chain Operations',
      'Wayne Example, Vice President & Chief Financial Officer',
      'Chief Financial Officer, Treasurer and Executive Vice President, Investor Relations and Corporate Development',
      'Treasurer, Chief Accounting Officer (Principal Accounting Officer) and Principal Financial Officer',
    ])
  })

  it('counts co-, interim and acting', () => {
    expectAll(isCeo, true, [
      'Co-CEO',
      'Co-Chief Executive Officer and Co-President',
      'Interim CEO',
      'Acting Chief Executive Officer',
    ])
    expectAll(isCfo, true, [
      'Interim CFO',
      'Acting CFO',
      'Interim Chief Financial Officer',
      'Chief Accounting Officer and Interim CFO',
    ])
  })

  it('does not count former ones, deputies and people who work for the chief', () => {
    expectAll(isCeo, false, [
      'Former CEO',
      'Former Chairman and CEO',
      'Ex-CEO',
      'Retired President & CEO',
      'CEO (former)',
      'Deputy CEO',
      'Assistant to the CEO',
      'Office of the CEO',
      'EVP, Office of the Chairman & CEO',
      'CEO-Elect',
      'Executive Vice President and Advisor to the CEO',
      'Chief of Staff to the Chief Executive Officer',
      'CEO emeritus',
      'CEO until May 2024',
      'Mr. Example resigned as the CEO of the Company',
      'The Reporting person is no longer a Director, President and CEO of this Registrant',
    ])
    expectAll(isCfo, false, [
      'Former CFO',
      'Deputy CFO',
      'Assistant CFO',
      'Chief Accounting Officer and Deputy Chief Financial Officer',
      'Retired Senior Vice President and Chief Financial Officer',
      'Divisional CFO',
    ])
    expectAll(isCeo, true, ['CEO and former CFO', 'Former CFO, now CEO', 'Ex. VP & CEO'])
    expectAll(isCfo, true, ['CFO (former Chief Accounting Officer)', 'VP (former Controller), CFO'])
  })

  it('does not count other offices that look alike', () => {
    expectAll(isCeo, false, [
      'President',
      'Chief Operating Officer',
      'COO',
      'CCO',
      'Executive Chairman',
      'CEOX',
      'Chief Experience Officer',
      'Executive Officer of',
      'Executive Vice President',
      'Officer',
      '',
      'Vice Executive Chairman',
    ])
    expectAll(isCfo, false, [
      'Chief Accounting Officer',
      'Treasurer',
      'VP Finance',
      'Principal Accounting Officer',
      'Chief Fintech Officer',
      'SVP, Finance Ops & Interim CAO',
      'Chief Operating Officer, Financial Services',
      'CFOO',
    ])
  })

  it('does not count an office in another company, region or division', () => {
    expectAll(isCeo, false, [
      ['President & CEO, MPLX GP LLC', 'Marathon Petroleum Corp'],
      'CEO, North America',
      'CEO - Europe',
      'CEO of Retail Division',
      'President and Chief Executive Officer, North America (including Mexico)',
      'CEO, International',
      'President and Chief Executive Officer, Europe, MEA and APAC',
      ['EVP & CEO--Diversified & Value', 'Synchrony Financial'],
      ['Chief Executive Officer of Professional Search', 'KORN FERRY'],
      'CEO, Workplace Solutions',
      'Bank CEO',
      'President, The Baldwin Group and CEO, Retail Brokerage Operations; Member of 10% owner group',
      'CEO of the Bank',
      'CEO & President, North America',
      'North America CEO',
      'CEO of subsidiary',
      'CEO, Northwind subsidiary',
      'CEO US',
      'CEO, NA',
    ])
    expectAll(isCfo, false, ['CFO, Consumer Products', "Dir., VP & CFO of Issuer's IA", 'CFO Americas', 'CFO - Retail'])
  })

  it("counts a name that shares a word with the issuer's or abbreviates it", () => {
    expectAll(isCeo, true, [
      ['CEO, UHG', 'UNITEDHEALTH GROUP INC'],
      ['CEO Worldwide Amazon Stores', 'AMAZON COM INC'],
      ['Chief Executive Officer of Sterling Check Corp', 'Sterling Check Corp.'],
      ['CEO, BofA', 'BANK OF AMERICA CORP /DE/'],
      ['CEO, Bank of America', 'BANK OF AMERICA CORP /DE/'],
      ['CEO of the Bank', 'Isabella Bank Corp'],
      ['CEO, AT&T', 'AT&T INC.'],
      'CEO of Northwind',
      'CEO of the Company',
      'CEO of Issuer',
      'CEO, Worldwide',
      'Group CEO',
      'CEO of the General Partner',
      [
        'President and Chief Executive Officer of the Managing Member of Everflow Eastern Partners, L.P.',
        'EVERFLOW EASTERN PARTNERS LP',
      ],
    ])
    expectAll(isCfo, true, [['Chief Financial Officer of Medallion Bank', 'MEDALLION FINANCIAL CORP']])
    expectAll(isCeo, false, [
      ['CEO, UHC', 'UNITEDHEALTH GROUP INC'],
      ['CEO, Optum', 'UNITEDHEALTH GROUP INC'],
      ['CEO, North America', 'BANK OF AMERICA CORP /DE/'],
      ['CEO, Group LLC', 'Marathon Petroleum Corp'],
      ['CEO, NA', 'NVIDIA CORP'],
    ])
  })

  it('reads a role that the 30 characters cut off as a role', () => {
    expectAll(isCeo, true, [
      'President, CEO & Chairman of t',
      'Chief Executive Officer and Di',
      'Chief Executive Officer & Pres',
    ])
    expectAll(isCfo, true, ['Chief Financial Officer & Trea', 'Chief Financial Officer and Se'])
    expectAll(isCeo, false, ['Chief Executive Officer, Europ'])
    expectAll(isCeo, true, ['Chairman, President & Chief Ex', 'President, Co-Founder and CE'])
    expectAll(isCfo, true, ['EVP & Chief Financial Of', 'Exec. VP, Treasurer & Chief Fi'])
    // What is left could be another office, or is not cut.
    expectAll(isCeo, false, [
      'Chairman, President and Chief E',
      'President & Chief Ex',
      'Chief Ex-Officio of the Board of',
    ])
  })

  it('reads titles of remarks and footnotes, which are longer, to their end', () => {
    expectAll(isCeo, false, ['Executive Vice President and Chief Ex'])
  })
})
