// What shares did after filings, in the dashboard: nothing without prices of the operator's, then what the API answers.
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { assert } from 'chai'
import { assertFits, axeFindings } from '../../support/browser.ts'
import { useDashboard } from '../../support/dashboard.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import { csvOf, fileOf, weekdays, type Prices } from '../../support/prices.ts'

const CIK = '0001999961'
const filed = (number: number, day: string, sale?: { code: 'S'; acquiredDisposed: 'D' }): FilingSpec => ({
  accession: `0001999960-26-00000${number}`,
  acceptedAt: `${day.replaceAll('-', '')}120000`,
  issuer: { cik: '0001999960', name: 'Priced Example Inc', tickerRaw: 'PRCD' },
  owners: [{ cik: CIK, name: 'PRICED PAT', isOfficer: true }],
  rows: [{ date: day, shares: String(100 + number), ...sale }],
})
const BUY = filed(1, '2026-03-02')
const SALE = filed(2, '2026-11-02', { code: 'S', acquiredDisposed: 'D' })

describe('returns in the dashboard', function () {
  this.timeout(300_000)
  const { started, open, ingest, api } = useDashboard()
  before(() => ingest('priced', BUY, SALE))

  const factsOf = async (page: any, accession: string) => {
    await page.locator(`tr[data-id^="${accession}"] .opener`).click()
    await page.locator('.detail dl').waitFor()
    return page
      .locator('.detail dl > div')
      .evaluateAll((all: any[]) =>
        Object.fromEntries(all.map((each) => [each.querySelector('dt').innerText, each.querySelector('dd').innerText])),
      )
  }

  it('are not there without prices, and nothing stands for them', async () => {
    const { page, faults } = await open(`/#/insider/${CIK}`)
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
    const { record } = await api(`/v1/insiders/${CIK}?detail=full`)
    assert.strictEqual(record.returns.buys.return6m.n, 1)
    assert.strictEqual(record.returns.sells.return1m.n, 0)

    const { page, faults } = await open(`/#/insider/${CIK}`)
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
    for (const [colorScheme, width] of [
      ['light', 320],
      ['dark', 1280],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 800 })
      await assertFits(page, `${colorScheme} ${width}`)
      assert.deepEqual((await axeFindings(page)).findings, [], `${colorScheme} ${width}`)
    }
    assert.deepEqual(faults, [])
  })
})
