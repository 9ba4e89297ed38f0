// The rules of the domain on 181 filings as they were filed, which lie beside the project, not in it.
import { assert } from 'chai'
import { existsSync, readFileSync } from 'node:fs'
import type { Filing } from '../../../../src/domain/filings/filing.ts'
import { filingTime } from '../../../../src/domain/filings/acceptance-time.ts'
import { isForeignSecurity } from '../../../../src/domain/trades/price-status.ts'
import { tradeDayOf } from '../../../../src/domain/trades/trade-date.ts'
import { chiefOffices, officerTitle, type TitleSource } from '../../../../src/domain/filings/insider-title.ts'
import { cleanSymbols } from '../../../../src/domain/filings/ticker-symbol.ts'
import { newYorkDay } from '../../../../src/domain/shared/new-york-time.ts'

const TRUTH = new URL('../../../../../shared/filings/truth.json', import.meta.url)
/** Long after the last of them was filed. */
const RECEIVED = Date.parse('2026-12-01T00:00:00Z') / 1000

type FilingPart = 'issuer' | 'owners' | 'remarks' | 'signatures' | 'periodOfReport' | 'nonDerivative' | 'derivative'
type Real = Pick<Filing, FilingPart> & {
  /** The first three characters of the file's name. */
  number: string
  header: { acceptance: string | null; filed: string | null } | null
}

describe('domain rules on real filings (skipped without ../shared)', () => {
  let filings: Real[] = []
  before(function () {
    if (!existsSync(TRUTH)) return this.skip()
    const truth = JSON.parse(readFileSync(TRUTH, 'utf8')) as Record<string, Omit<Real, 'number'>>
    filings = Object.entries(truth).map(([file, filing]) => ({ ...filing, number: file.slice(0, 3) }))
    assert.lengthOf(filings, 181)
  })

  const source = ({ remarks }: Real): TitleSource => ({ remarks, footnotes: [] })
  const timeOf = (filing: Real) => {
    const { acceptance: acceptedAt, filed: filedAsOf } = filing.header ?? { acceptance: null, filed: null }
    const header = filing.header && { acceptedAt, filedAsOf, documentCount: null, sic: null, office: null }
    return filingTime({ ...filing, header, dateOfOriginalSubmission: null }, RECEIVED)
  }

  it('find the CEOs and CFOs', () => {
    const holders = (office: 'ceo' | 'cfo') =>
      filings
        .filter((filing) =>
          filing.owners.some((owner) => chiefOffices(owner, { ...filing, ...source(filing) })[office]),
        )
        .map(({ number }) => number)
        .join(' ')
    assert.strictEqual(holders('ceo'), '019 027 031 073 085 131 159 197 203 307 323 325 331 349')
    assert.strictEqual(holders('cfo'), '033 037 047 121 153 189 213 215 263 275 297 329')
  })

  it('follow the titles that point to the remarks', () => {
    const titles = filings.flatMap((filing) =>
      filing.owners
        .filter((owner) => /see remarks/i.test(owner.officerTitle ?? ''))
        .map((owner) => `${filing.number} ${officerTitle(owner, source(filing))}`),
    )
    assert.deepEqual(titles, [
      '022 Senior Vice President of Quality and Enabling Functions',
      '081 Executive Vice President, Chief Legal Officer and Corporate Secretary',
      '099 President and Chief Operating Officer',
      '179 Division President, Airframe & Engine Materials',
      '195 EVP, Global Head of Regulatory Affairs',
    ])
  })

  it('clean the symbols that need it and leave the others alone', () => {
    const cleaned = filings
      .map(({ issuer }) => [issuer.tickerRaw, cleanSymbols(issuer.tickerRaw).join(' ')])
      .filter(([typed, symbols]) => typed !== symbols)
    assert.deepEqual(cleaned, [
      ['VIIA.U', 'VIIA-U'],
      ['NONE', ''],
      ['LEN, LEN.B', 'LEN LEN-B'],
      ['WSO; WSOB', 'WSO WSOB'],
    ])
  })

  it('date each by its stamp, on the day that the header calls the filing date, else by its signature', () => {
    const bases = Map.groupBy(filings, (filing) => timeOf(filing).basis)
    assert.deepEqual([...bases].map(([basis, all]) => [basis, all.length]).sort(), [
      ['accepted', 159],
      ['signature', 22],
    ])
    for (const filing of bases.get('accepted') ?? []) {
      assert.strictEqual(newYorkDay(timeOf(filing).at).replaceAll('-', ''), filing.header?.filed, filing.number)
    }
  })

  it('mark the one implausible date and the rows in foreign securities', () => {
    const rows = filings.flatMap((filing) =>
      filing.nonDerivative.filter((row) => row.shares !== null).map((row) => ({ filing, row })),
    )
    const implausible = rows.filter(({ filing, row }) => {
      const { day } = timeOf(filing)
      const dates = { filedDay: day, filedOn: day, period: filing.periodOfReport, originalDate: null }
      return tradeDayOf(row, dates) === null
    })
    assert.deepEqual(
      implausible.map(({ filing, row }) => `${filing.number} ${row.date}`),
      ['353 2027-02-17'],
    )
    const foreign = rows.filter(({ filing, row }) => isForeignSecurity(row.securityTitle, filing.issuer))
    assert.deepEqual(
      foreign.map(({ filing, row }) => `${filing.number} ${row.securityTitle}`),
      ['034 PETR4', '034 PETR4', '035 Common Shares (2330.TW)'],
    )
  })
})
