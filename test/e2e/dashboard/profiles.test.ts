// What the pages of a company, of an insider and of a trade show beside the trades: delays, positions, notices of
// proposed sales and returns. Against what the API answers, each of an issuer of its own, over one stack.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { assertAccessible } from '../../support/browser.ts'
import { MARKUP, useDashboard } from '../../support/dashboard.ts'
import { row } from '../../support/filings/evidence.ts'
import { submissionText, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { noticeSubmission } from '../../support/notices/notice-builder.ts'
import { csvOf, fileOf, weekdays, type Prices } from '../../support/prices.ts'

const TARDY_ISSUER = { cik: '0001999900', name: 'Late Example Inc', tickerRaw: 'LATE' }
const ADA = { cik: '0001999901', name: 'TARDY ADA', isOfficer: true, officerTitle: 'CFO' }
const BOB = { cik: '0001999902', name: `JOINT ${MARKUP} BOB`, isDirector: true }
const tardy = (number: number, more: FilingSpec): FilingSpec => ({
  accession: `0001999900-26-00000${number}`,
  issuer: TARDY_ISSUER,
  owners: [ADA],
  ...more,
})

const OLD = tardy(1, {
  acceptedAt: '20210310170000',
  rows: [{ date: '2021-03-09', shares: '200', sharesAfter: '1000' }],
})
const LATE = tardy(2, {
  acceptedAt: '20261112170000',
  owners: [ADA, BOB],
  rows: [{ date: '2026-11-03', shares: '1000', sharesAfter: '2000', footnotes: { price: ['F1'] } }],
  footnotes: [
    { id: 'F1', text: 'A weighted average price, in multiple transactions at prices ranging from $9.50 to $10.45.' },
  ],
})
const IN_TIME = tardy(3, {
  acceptedAt: '20261113170000',
  rows: [{ date: '2026-11-12', code: 'S', acquiredDisposed: 'D', shares: '1500', sharesAfter: '500' }],
})

const HELD = { cik: '0001999800', name: `Held ${MARKUP} Inc`, tickerRaw: 'HELD' }
const HOLDER = { cik: '0001999801', name: 'HOLDER ADA', isOfficer: true }
const FUND = [
  { cik: '0001999802', name: 'Invented Fund LP', isTenPercentOwner: true },
  { cik: '0001999803', name: 'Invented GP LLC', isTenPercentOwner: true },
]

/** A filing of HELD, accepted in the evening of a day. */
function held(number: number, day: string, rows: string[], more: FilingSpec = {}): FilingSpec {
  const own = rows.map((each) => row(each))
  return {
    accession: `0001999800-26-${String(number).padStart(6, '0')}`,
    acceptedAt: `${day.replaceAll('-', '')}170000`,
    periodOfReport: day,
    signatures: [{ date: day }],
    issuer: HELD,
    owners: [HOLDER],
    rows: own.map((each) => (each.kind === 'transaction' ? { ...each, date: day } : each)),
    ...more,
  }
}

const OPTIONS = { date: '2024-05-06', code: 'A', sharesAfter: '9000', conversionPrice: '5', shares: '9000' }
const HOLDINGS: FilingSpec[] = [
  held(1, '2023-05-02', ['→10000', `→5000 I By ${MARKUP}`], { formType: '3' }),
  held(2, '2024-05-06', [], {
    rows: [row('S D 4000 →6000', { date: '2024-05-06', securityTitle: 'Common Shares, no par value' })],
    derivativeRows: [OPTIONS],
  }),
  held(3, '2026-11-03', ['P A 500 →6500']),
  held(4, '2026-11-04', ['P A 100 →900000'], { owners: FUND }),
  ...Array.from({ length: 11 }, (_, each) =>
    held(10 + each, '2026-11-05', [`→${100 + each}`], {
      formType: '3',
      owners: [{ cik: `00019998${30 + each}`, name: `MEMBER NUMBER${'ABCDEFGHIJK'[each]}`, isDirector: true }],
    }),
  ),
]

const WIDGETS = { cik: '0001999001', name: 'Example Widgets Inc' }
const FIRST = '0001999201-26-000001'
const SECOND = '0001999201-26-000002'

const PAT = '0001999961'
const priced = (number: number, day: string, sale?: { code: 'S'; acquiredDisposed: 'D' }): FilingSpec => ({
  accession: `0001999960-26-00000${number}`,
  acceptedAt: `${day.replaceAll('-', '')}120000`,
  issuer: { cik: '0001999960', name: 'Priced Example Inc', tickerRaw: 'PRCD' },
  owners: [{ cik: PAT, name: 'PRICED PAT', isOfficer: true }],
  rows: [{ date: day, shares: String(100 + number), ...sale }],
})
const BUY = priced(1, '2026-03-02')
const SALE = priced(2, '2026-11-02', { code: 'S', acquiredDisposed: 'D' })

describe('pages of companies and insiders in the dashboard', function () {
  this.timeout(300_000)
  const { started, open, ingest, api, ids, hasRows } = useDashboard()

  describe('delays and details of trades', () => {
    before(() => ingest('delays', OLD, LATE, IN_TIME))

    it('mark what was filed late, and tell what else is known of a trade', async () => {
      const { page, faults } = await open('/#/?tickers=LATE')
      const late = page.locator(`tr[data-id^="${LATE.accession}"]`)
      await late.first().waitFor()
      assert.strictEqual(await page.locator('abbr[title="filed late"]').count(), 2, 'of a row and of the legend')
      assert.strictEqual(await late.first().locator('abbr[title="filed late"]').count(), 1)
      await late.first().locator('.opener').click()
      const facts = page.locator('.facts')
      await facts.locator('.footnote').waitFor()
      const said = await facts
        .locator('dl > div')
        .evaluateAll((all: any[]) =>
          Object.fromEntries(
            all.map((each) => [each.querySelector('dt').innerText, each.querySelector('dd').innerText]),
          ),
        )
      assert.strictEqual(said['Average of prices'], '$9.50 to $10.45')
      assert.match(said['Filed after'], /^\d business days, late$/)
      assert.strictEqual(said['Purchase before'], '2021-03-09, so the first in 5 years')
      assert.strictEqual(said['Filed with'], `${BOB.name} Director`)
      assert.strictEqual(await page.locator('main img').count(), 0)
      await facts.locator(`a[href$="${BOB.cik}"]`).click()
      await page.waitForURL(new RegExp(`#/insider/${BOB.cik}$`))
      assert.deepEqual(faults, [])
    })

    it('say in the heads of a company and of an insider how many filings were late', async () => {
      const { page, faults } = await open('/#/company/LATE')
      const { lateFilings } = await api('/v1/companies/LATE?detail=full')
      assert.deepEqual(lateFilings, { count: 1, of: 3, share: 0.3333 })
      await page.locator('.lead').getByText('filed late: 1 of 3 filings (33%)').waitFor()
      await page.getByRole('link', { name: 'Ada Tardy' }).first().click()
      await page.locator('.lead').getByText('filed late: 1 of 3 filings (33%)').waitFor()
      await page.getByText('As an API request').click()
      await page.locator('.code pre', { hasText: `/v1/insiders/${ADA.cik}?detail=full` }).waitFor()
      assert.deepEqual(faults, [])
    })

    it('filter the feed, and order it by the change of the holding', async () => {
      const { page, faults } = await open('/#/?tickers=LATE')
      const idsOf = async (query: string): Promise<string[]> =>
        (await api(`/v1/feed?tickers=LATE${query}`)).transactions.map(({ id }: { id: string }) => id)
      const all = await idsOf('')
      await hasRows(page, all)
      const apply = async (query: string) => {
        await page.getByRole('button', { name: 'Apply' }).click()
        const expected = await idsOf(query)
        assert.isAbove(expected.length, 0, query)
        await hasRows(page, expected)
        return expected
      }
      await page.getByText('Filters (1)').click()
      await page.locator('[name=late]').selectOption('late')
      assert.isBelow((await apply('&late=true')).length, all.length)
      await page.locator('[name=late]').selectOption('')
      await page.getByLabel('First purchase in years').fill('5')
      assert.isBelow((await apply('&firstBuyInYears=5')).length, all.length)
      await page.getByLabel('First purchase in years').fill('')
      await page.getByLabel('Change of holding to').fill('-0.5')
      assert.isBelow((await apply('&maxHoldingChange=-0.5')).length, all.length)
      await page.getByLabel('Change of holding to').fill('')
      await page.getByLabel('Order').selectOption('holdingChange')
      const ordered = await apply('&sort=holdingChange')
      assert.notDeepEqual(ordered, all)
      // A row that comes in later stands in its place by that order, and those after it stay.
      await ingest(
        'later',
        tardy(4, { acceptedAt: '20261116170000', rows: [{ date: '2026-11-13', shares: '5', sharesAfter: '505' }] }),
      )
      const now = await idsOf('&sort=holdingChange')
      assert.lengthOf(now, ordered.length + 1)
      await hasRows(page, now)
      assert.deepEqual(await ids(page), now)
      assert.deepEqual(faults, [])
    })

    it('keep a choice of the address that the form does not offer', async () => {
      const { page, faults } = await open('/#/signals?sectors=Technology,Energy')
      await page.getByText('Filters (1)').click()
      const sectors = page.locator('[name=sectors]')
      assert.strictEqual(await sectors.inputValue(), 'Technology,Energy')
      assert.strictEqual(await sectors.locator('option:checked').innerText(), 'Technology, Energy')
      await page.getByLabel('Severity').selectOption('high')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL(/sectors=Technology%2CEnergy/)
      await page.getByText('Filters (2)').waitFor()
      await sectors.selectOption('Energy')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL(/sectors=Energy$/)
      await page.goto(page.url().replace(/#.*/, '#/?roles=officer,director'))
      await page.getByText('Filters (1)').click()
      assert.strictEqual(await page.locator('[name=roles]').inputValue(), 'officer,director')
      assert.deepEqual(faults, [])
    })
  })

  describe('positions', () => {
    before(() => ingest('positions', ...HOLDINGS))

    const cellsOf = (rows: any) =>
      rows.evaluateAll((all: any[]) => all.map((each) => [...each.cells].map((cell: any) => cell.innerText)))

    it('are shown by class with their lines, derivatives apart, and over time', async () => {
      const { page, faults } = await open(`/#/insider/${HOLDER.cik}`)
      const section = page.locator('section', { has: page.getByRole('heading', { name: 'What is held' }) })
      const table = section.getByRole('table', { name: 'Held at HELD' })
      await table.waitFor()
      const [company] = (await api(`/v1/insiders/${HOLDER.cik}/positions`)).companies
      assert.deepInclude(company.classes[0], { direct: 6_500, indirect: 5_000, total: 11_500, confidence: 'medium' })
      const rows = table.locator('tbody > tr')
      assert.deepEqual(await cellsOf(rows), [
        [company.classes[0].securityTitle, '6,500', '5,000', '11,500', 'medium', company.classes[0].staleSince],
      ])
      assert.isFalse(await page.getByText('not restated with').isVisible())
      await table.getByRole('button', { name: company.classes[0].securityTitle }).press('Enter')
      const lines = section.getByRole('table', { name: 'Lines of this class' }).locator('tbody > tr')
      await lines.nth(1).waitFor()
      assert.deepEqual(
        (await cellsOf(lines)).map((cells: string[]) => cells.slice(0, 4)),
        [
          ['directly', '6,500', 'as reported', '2026-11-03'],
          [`indirectly: By ${MARKUP}`, '5,000', 'not restated with the trade of 2026-11-03', '2023-05-02'],
        ],
      )
      assert.strictEqual(await page.locator('main img').count(), 0)
      const derivatives = section.getByRole('table', { name: 'Derivatives at HELD' })
      assert.isFalse(await derivatives.isVisible())
      await section.getByText('Options and other derivatives (1), in no total').click()
      assert.deepEqual((await cellsOf(derivatives.locator('tbody > tr')))[0].slice(0, 4), [
        ...['Stock Option (right to buy)', 'directly', '9,000', '$5.00'],
      ])
      // 15,000 by Form 3, 11,000 after the sale of 2024, 11,500 now: one line, whatever the spelling of the class.
      const picture = section.getByRole('img', { name: /^Total held at the ends of years/ })
      await picture.waitFor()
      const [from, to] = ['15,000 in 2023', `11,500 in ${new Date().getUTCFullYear()}`]
      assert.strictEqual(await picture.count(), 1)
      assert.include(await picture.getAttribute('aria-label'), `HELD Common Stock: ${from} → ${to}`)
      assert.deepEqual(faults, [])
    })

    it('are shown of the holders of a company, groups once, ten at first, as of a day', async () => {
      const { page, faults } = await open('/#/company/HELD')
      const section = page.locator('section', { has: page.getByRole('heading', { name: 'Insiders’ holdings' }) })
      const rows = section.locator('tbody > tr')
      await rows.nth(9).waitFor()
      const [held] = (await api('/v1/companies/HELD/holders?limit=100')).classes
      assert.strictEqual(held.holderCount, 13)
      await section.getByRole('heading', { name: `${held.securityTitle} 912,655 of 13 holders` }).waitFor()
      const cells = await cellsOf(rows)
      assert.lengthOf(cells, 10)
      assert.deepEqual(
        cells.slice(0, 2).map((each: string[]) => each.slice(0, 5)),
        [
          ['Invented Fund LP with Invented GP LLC', '900,000', '0', '900,000', 'medium'],
          ['Ada Holder', '6,500', '5,000', '11,500', 'medium'],
        ],
      )
      await section.getByRole('button', { name: '3 more holders' }).click()
      await rows.nth(12).waitFor()
      await section.getByRole('link', { name: 'Ada Holder' }).click()
      await page.getByRole('heading', { name: 'What is held' }).waitFor()
      await page.goto(`${started().address}/#/company/HELD?asOf=2024-12-31`)
      await section.getByRole('heading', { name: /11,000 of 1 holder$/ }).waitFor()
      assert.deepEqual(await cellsOf(rows), [['Ada Holder', '6,000', '5,000', '11,000', 'medium', '2024-05-06']])
      assert.deepEqual(faults, [])
    })

    it('stay away where nothing is known of them', async () => {
      await ingest('none', {
        accession: '0001999850-26-000001',
        acceptedAt: '20261106170000',
        issuer: { cik: '0001999850', name: 'Bare Example Inc', tickerRaw: 'BARE' },
        owners: [{ cik: '0001999851', name: 'NOBODY NED', isDirector: true }],
        rows: [{ date: '2026-11-05', code: 'S', acquiredDisposed: 'D', shares: '700', sharesAfter: '0' }],
      })
      const { page, faults } = await open('/#/rules')
      await Promise.all([
        page.waitForResponse(/\/v1\/companies\/BARE\/holders/),
        page.goto(`${started().address}/#/company/BARE`),
      ])
      await page.locator('tr[data-id]').waitFor()
      assert.strictEqual(await page.getByText('Insiders’ holdings').count(), 0)
      assert.deepEqual(faults, [])
    })

    for (const [path, name] of [
      [`/#/insider/${HOLDER.cik}`, 'What is held'],
      ['/#/company/HELD', 'Insiders’ holdings'],
    ] as const) {
      it(`${path} meets WCAG 2.2 AA and fits, light and dark, from 320 pixels`, async () => {
        const { page } = await open(path)
        const section = page.locator('section', { has: page.getByRole('heading', { name }) })
        await section.locator('tbody > tr').first().waitFor()
        for (const opener of await section.locator('.opener').all()) await opener.click()
        await assertAccessible(page, path)
      })
    }
  })

  describe('notices of proposed sales', () => {
    let folder: string
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'dashboard-notices-'))
      const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.txt`), text)
      const filed = { acceptedAt: '20261102163005', issuer: WIDGETS }
      const plan = { lines: [{ saleDate: '2026-11-02' }], planAdoptionDates: ['2026-03-02'] }
      write(FIRST, noticeSubmission({ accession: FIRST, ...filed, ...plan }))
      const other = { seller: { cik: '0001999102', name: `Bob ${MARKUP}` }, remarks: MARKUP }
      write(SECOND, noticeSubmission({ accession: SECOND, ...filed, acceptedAt: '20261103163005', ...other }))
      const sale = {
        accession: '0001999001-26-000009',
        acceptedAt: '20261104170000',
        issuer: { cik: WIDGETS.cik, tickerRaw: 'EXWI' },
        owners: [{ cik: '0001999101', name: 'SAMPLE ADA', isOfficer: true }],
        rows: [{ code: 'S', acquiredDisposed: 'D' as const, date: '2026-11-02', shares: '4000', price: '25' }],
      }
      write(sale.accession, submissionText(sale))
      const { status, stderr } = await started().make('ingest', { FROM: folder })
      assert.strictEqual(status, 0, stderr)
    })
    after(() => rmSync(folder, { recursive: true, force: true }))

    it('stand beside the sales of a company and of a seller, and lead to a page of their own', async () => {
      const { page, faults } = await open('/#/company/EXWI')
      const rows = page.locator('tr[data-notice]')
      await rows.nth(1).waitFor()
      const shown = await rows.evaluateAll((all: any[]) => all.map((row) => row.dataset.notice))
      const { notices } = await api('/v1/notices?tickers=EXWI')
      assert.deepEqual(
        shown,
        notices.map(({ accessionNumber }: any) => accessionNumber),
      )
      assert.include(await rows.nth(1).innerText(), 'partly sold')
      await rows.nth(1).getByRole('link').first().click()
      await page.getByRole('heading', { name: /^Planned sale at EXWI/ }).waitFor()
      for (const words of ['4,000 of 10,000 units', 'yes, adopted 2026-03-02', '0001999001-26-000009'])
        await page.getByText(words).first().waitFor()
      await page.goto(`${started().address}/#/insider/0001999101`)
      await page.locator(`tr[data-notice="${FIRST}"]`).waitFor()
      assert.strictEqual(await page.locator(`tr[data-notice="${SECOND}"]`).count(), 0)
      await page.goto(`${started().address}/#/filing/0001999001-26-000009`)
      await page.getByRole('link', { name: 'planned', exact: true }).click()
      await page.getByRole('heading', { name: /^Planned sale at EXWI/ }).waitFor()
      assert.deepEqual(faults, [])
    })

    it('are listed by filters, and what strangers wrote is text', async () => {
      const { page, faults } = await open('/#/notices')
      await page.locator('tr[data-notice]').nth(1).waitFor()
      await page.getByText('Filters', { exact: true }).click()
      await page.getByLabel('State').selectOption('open')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.locator(`tr[data-notice="${FIRST}"]`).waitFor({ state: 'detached' })
      assert.include(page.url(), 'state=open')
      await page.locator(`tr[data-notice="${SECOND}"] a`).first().click()
      await page.getByText(MARKUP).first().waitFor()
      assert.strictEqual(await page.locator('img[src=x]').count(), 0)
      await page.goto(`${started().address}/#/notices?insiderCiks=0001999102`)
      await page.locator(`tr[data-notice="${SECOND}"]`).waitFor()
      await page.getByText('Filters (1)').click()
      await page.getByLabel('State').selectOption('open')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL(/insiderCiks=0001999102&state=open$/)
      await page.goto(`${started().address}/#/notice/0001999201-26-000099`)
      await page.getByText('No notice has the accession number 0001999201-26-000099').waitFor()
      assert.deepEqual(
        faults.filter((fault) => !/status of 404/.test(fault)),
        [],
      )
    })

    it('stay wanted by an entry of the watchlist whose address is saved here', async () => {
      const { json } = await started().make('key', { NAME: 'notices' })
      const headers = { authorization: `Bearer ${json!.key}`, 'content-type': 'application/json' }
      const watchlist = `${started().address}/v1/watchlist`
      const body = JSON.stringify({ ticker: 'EXWI', detail: true, notices: true })
      assert.strictEqual((await fetch(watchlist, { method: 'POST', headers, body })).status, 201)
      const { page, faults } = await open('/#/watchlist')
      await page.getByLabel('API key').fill(json!.key as string)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('combobox', { name: 'Company' }).fill('exwi')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('EXWI is watched, without alerts.').waitFor()
      const saved = (await (await fetch(`${watchlist}?detail=full`, { headers })).json()) as any
      assert.deepInclude(saved.data.companies[0], { ticker: 'EXWI', detail: true, notices: true })
      assert.deepEqual(faults, [])
    })

    for (const [path, ready] of [
      ['/#/notices', 'tr[data-notice]'],
      [`/#/notice/${FIRST}`, '.facts'],
    ] as const) {
      it(`${path} meets WCAG 2.2 AA and fits, light and dark, from 320 pixels`, async () => {
        const { page } = await open(path)
        await page.locator(ready).first().waitFor()
        for (const filters of await page.getByText('Filters', { exact: true }).all()) await filters.click()
        await assertAccessible(page, path)
      })
    }
  })

  describe('returns', () => {
    before(() => ingest('priced', BUY, SALE))

    const factsOf = async (page: any, accession: string) => {
      await page.locator(`tr[data-id^="${accession}"] .opener`).click()
      await page.locator('.detail dl').waitFor()
      return page
        .locator('.detail dl > div')
        .evaluateAll((all: any[]) =>
          Object.fromEntries(
            all.map((each) => [each.querySelector('dt').innerText, each.querySelector('dd').innerText]),
          ),
        )
    }

    it('are not there without prices, and nothing stands for them', async () => {
      const { page, faults } = await open(`/#/insider/${PAT}`)
      const facts = await factsOf(page, BUY.accession!)
      assert.strictEqual(facts['SEC code'], 'P, acquired')
      assert.isEmpty(Object.keys(facts).filter((name) => name.startsWith('Close')))
      assert.strictEqual(await page.getByText('After this insider’s filings').count(), 0)
      assert.deepEqual(faults, [])
    })

    it('are those of the API once there are prices, averages with how many are known', async () => {
      const days = weekdays('2026-02-02', '2026-11-20')
      const closes = (step: number) => Object.fromEntries(days.map((day, place) => [day, 100 + step * place]))
      const prices: Prices = { PRCD: closes(1), SPYX: closes(0.25) }
      const from = fileOf('prices.csv', csvOf(prices))
      const { status, stderr } = await started().make('prices', { FROM: from, BENCHMARK: 'SPYX' })
      rmSync(dirname(from), { recursive: true })
      assert.strictEqual(status, 0, stderr)
      const { record } = await api(`/v1/insiders/${PAT}?detail=full`)
      assert.strictEqual(record.returns.buys.return6m.n, 1)
      assert.strictEqual(record.returns.sells.return1m.n, 0)

      const { page, faults } = await open(`/#/insider/${PAT}`)
      const rows = page.getByRole('table', { name: 'Average change of the close after filings' }).locator('tbody > tr')
      await rows.nth(1).waitFor()
      const [bought, sold]: any[] = await rows.evaluateAll((all: any[]) =>
        all.map((each) => [...each.cells].map((cell: any) => cell.innerText)),
      )
      const percent = (fraction: number) => `+${Math.round(fraction * 100)}%`
      const { return1w, return6m } = record.returns.buys
      assert.deepEqual(
        [bought[0], bought[3]],
        ['Purchases', `${percent(return6m.average)} (1); benchmark ${percent(return6m.benchmark)}`],
      )
      assert.include(bought[1], `${percent(return1w.average)} (1); benchmark +`)
      assert.deepEqual([sold[0], sold[2], sold[3]], ['Sales', '–', '–'])
      const facts = await factsOf(page, BUY.accession!)
      assert.strictEqual(facts['Close 1 week later'], percent(return1w.average))
      assert.strictEqual(facts['Close 6 months later'], percent(return6m.average))
      await page.locator(`tr[data-id^="${BUY.accession}"] .opener`).click()
      const ofSale = await factsOf(page, SALE.accession!)
      assert.property(ofSale, 'Close 1 week later')
      assert.notProperty(ofSale, 'Close 6 months later')
      await assertAccessible(page, 'returns')
      assert.deepEqual(faults, [])
    })
  })
})
