// Notices of proposed sales in the dashboard of a real stack: beside sales, on a page of their own, and in a list.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { assertFits, axeFindings } from '../../support/browser.ts'
import { MARKUP, useDashboard } from '../../support/dashboard.ts'
import { submissionText } from '../../support/filings/filing-builder.ts'
import { noticeSubmission } from '../../support/notices/notice-builder.ts'

const ISSUER = { cik: '0001999001', name: 'Example Widgets Inc' }
const FIRST = '0001999201-26-000001'
const SECOND = '0001999201-26-000002'

describe('notices in the dashboard', function () {
  this.timeout(300_000)
  const { started, open, api } = useDashboard()
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dashboard-notices-'))
    const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.txt`), text)
    const filed = { acceptedAt: '20261102163005', issuer: ISSUER }
    const plan = { lines: [{ saleDate: '2026-11-02' }], planAdoptionDates: ['2026-03-02'] }
    write(FIRST, noticeSubmission({ accession: FIRST, ...filed, ...plan }))
    const other = { seller: { cik: '0001999102', name: `Bob ${MARKUP}` }, remarks: MARKUP }
    write(SECOND, noticeSubmission({ accession: SECOND, ...filed, acceptedAt: '20261103163005', ...other }))
    const sale = {
      accession: '0001999001-26-000009',
      acceptedAt: '20261104170000',
      issuer: { cik: ISSUER.cik, tickerRaw: 'EXWI' },
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
      for (const [colorScheme, width] of [
        ['light', 320],
        ['dark', 1280],
      ] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize({ width, height: 800 })
        await assertFits(page, `${path} ${colorScheme} ${width}`)
        const { findings, passed } = await axeFindings(page)
        assert.deepEqual(findings, [], `${path} ${colorScheme} ${width}`)
        assert.isAbove(passed, 20)
      }
    })
  }
})
