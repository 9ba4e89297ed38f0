// Late filings, first purchases, average prices and joint filings in the dashboard: marks, details, heads and filters,
// against what the API answers.
import { assert } from 'chai'
import { MARKUP, useDashboard } from '../../support/dashboard.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'

const ISSUER = { cik: '0001999900', name: 'Late Example Inc', tickerRaw: 'LATE' }
const ADA = { cik: '0001999901', name: 'TARDY ADA', isOfficer: true, officerTitle: 'CFO' }
const BOB = { cik: '0001999902', name: `JOINT ${MARKUP} BOB`, isDirector: true }
const filed = (number: number, more: FilingSpec): FilingSpec => ({
  accession: `0001999900-26-00000${number}`,
  issuer: ISSUER,
  owners: [ADA],
  ...more,
})

const OLD = filed(1, {
  acceptedAt: '20210310170000',
  rows: [{ date: '2021-03-09', shares: '200', sharesAfter: '1000' }],
})
const LATE = filed(2, {
  acceptedAt: '20261112170000',
  owners: [ADA, BOB],
  rows: [{ date: '2026-11-03', shares: '1000', sharesAfter: '2000', footnotes: { price: ['F1'] } }],
  footnotes: [
    { id: 'F1', text: 'A weighted average price, in multiple transactions at prices ranging from $9.50 to $10.45.' },
  ],
})
const IN_TIME = filed(3, {
  acceptedAt: '20261113170000',
  rows: [{ date: '2026-11-12', code: 'S', acquiredDisposed: 'D', shares: '1500', sharesAfter: '500' }],
})

describe('delays and details of trades in the dashboard', function () {
  this.timeout(300_000)
  const { open, ingest, api, ids, hasRows } = useDashboard()
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
        Object.fromEntries(all.map((each) => [each.querySelector('dt').innerText, each.querySelector('dd').innerText])),
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
      filed(4, { acceptedAt: '20261116170000', rows: [{ date: '2026-11-13', shares: '5', sharesAfter: '505' }] }),
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
