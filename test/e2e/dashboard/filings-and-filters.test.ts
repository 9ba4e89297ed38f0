// The dashboard's pages of filings, its filters, and what it says of its marks and numbers, in a real browser over a
// stack as make up starts it.
import { readFileSync } from 'node:fs'
import { assert } from 'chai'
import { CLUSTER, fiveYearsAgo, HOSTILE, trade, useDashboard } from '../../support/dashboard.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import type { StackOfTest } from '../../support/make.ts'

describe('the filings and filters of the dashboard', function () {
  this.timeout(120_000)
  const { started, open, ingest, api, ids, feedIds, hasRows, hasTexts } = useDashboard()
  let stack: StackOfTest

  before(async () => {
    stack = started()
    assert.strictEqual((await stack.make('ingest', { FROM: 'test/fixtures/filings' })).status, 0)
    await ingest('filings', HOSTILE, ...CLUSTER)
  })

  it('shows a filing with everything it says as text, from each row and the row opened', async () => {
    const { page, faults } = await open('/#/?tickers=ACME')
    const row = page.locator('tr[data-id^="0001999777"]')
    await row.getByRole('link', { name: 'Form 4' }).click()
    await page.waitForURL(/#\/filing\/0001999777-26-000001$/)
    await page.getByRole('heading', { name: 'Form 4 at ACME' }).waitFor()
    const filing = await api('/v1/filings/0001999777-26-000001')
    const text = await page.locator('main').innerText()
    for (const part of [
      filing.accessionNumber,
      filing.issuer.name,
      filing.owners[0].title,
      filing.nonDerivative[0].securityTitle,
      filing.footnotes[0].text,
      filing.remarks,
      filing.signatures[0].name,
    ]) {
      assert.include(text, part)
    }
    assert.strictEqual(await page.locator('main img').count(), 0)
    assert.strictEqual(
      await page.getByRole('link', { name: 'This filing at the SEC' }).getAttribute('href'),
      filing.url,
    )
    const cells = await page.locator('section tbody tr').first().locator('td').allInnerTexts()
    assert.deepEqual(cells.slice(1, 5), ['Buy', '100', '$10.00', '$1K'])
    assert.deepEqual(cells.slice(-2), ['yes', 'F1'])
    await page.goBack()
    await row.locator('.opener').click()
    await page.locator('.facts').getByRole('link', { name: filing.accessionNumber }).click()
    await page.getByRole('heading', { name: 'Form 4 at ACME' }).waitFor()
    assert.deepEqual(faults, [])
    await page.goto(`${stack.address}/#/filing/0009999999-26-000001`)
    await page.getByText('No filing has the accession number 0009999999-26-000001.').waitFor()
  })

  it('links an amendment and the filing that it replaces', async () => {
    const { page, faults } = await open('/#/filing/0001999001-26-000005')
    const { amends } = await api('/v1/filings/0001999001-26-000005')
    assert.lengthOf(amends, 1)
    await page.locator('.facts').getByRole('link', { name: amends[0] }).click()
    await page.getByText('replaced by 0001999001-26-000005').first().waitFor()
    assert.deepEqual(faults, [])
  })

  it('completes symbols in the filter of the feed, each of a list', async () => {
    const { page, faults } = await open('/#/')
    await page.getByText('Filters', { exact: true }).click()
    const field = page.getByRole('combobox', { name: 'Companies', exact: true })
    const option = page.locator('#tickers-results').getByRole('option')
    await field.pressSequentially('cluster ex')
    await option.filter({ hasText: 'Cluster Example Inc' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    assert.strictEqual(await field.inputValue(), 'CLUS')
    await field.pressSequentially(',exw')
    await option.filter({ hasText: 'EXWI' }).click()
    assert.strictEqual(await field.inputValue(), 'CLUS,EXWI')
    await page.keyboard.press('Enter')
    await page.waitForURL(/tickers=CLUS%2CEXWI/)
    await hasRows(page, await feedIds('&tickers=CLUS,EXWI'))
    assert.deepEqual(faults, [])
  })

  it('names the symbols that no company has, beside the rows of others', async () => {
    const { page } = await open('/#/?tickers=CLUS,nope')
    await page.getByRole('alert').getByText('No company has the symbol NOPE.').waitFor()
    await hasRows(page, await feedIds('&tickers=CLUS'))
    await page.goto(`${stack.address}/#/?tickers=NOPE,NADA`)
    await page.getByRole('alert').getByText('No company has the symbols NADA, NOPE.').waitFor()
    assert.deepEqual(await ids(page), [])
    await page.goto(`${stack.address}/#/signals?tickers=CLUS,NOPE`)
    await page.getByRole('alert').getByText('No company has the symbol NOPE.').waitFor()
    await page.locator('tr[data-signal]').first().waitFor()
    await page.goto(`${stack.address}/#/signals?tickers=NOPE`)
    await page.locator('tr[data-signal]').first().waitFor({ state: 'detached' })
    await page.getByRole('alert').getByText('No company has the symbol NOPE.').waitFor()
  })

  it('lists signals with insiders and dollars, by type, severity, company and day', async () => {
    const { page, faults } = await open('/#/signals')
    const hasSignals = async (query: string) => {
      const { signals } = await api(`/v1/signals?limit=50${query}`)
      await hasTexts(
        page.locator('.signals .said'),
        signals.map(({ description }: any) => description),
      )
      return signals
    }
    const all = await hasSignals('')
    assert.isAbove(all.length, 2)
    const [cluster] = all.filter(({ ticker }: any) => ticker === 'CLUS')
    const row = page.locator(`tr[data-signal="${cluster.id}"]`)
    assert.strictEqual(await row.locator('.insiders').innerText(), '3')
    assert.strictEqual(await row.locator('.value').innerText(), '$75K')
    await page.getByText('Filters', { exact: true }).click()
    await page.getByRole('combobox', { name: 'Companies', exact: true }).fill('EXWI,CLUS')
    await page.getByLabel('Detected from').fill('2026-11-02')
    await page.getByLabel('Detected to').fill('2026-11-02')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/detectedTo=2026-11-02/)
    const query = '&tickers=EXWI,CLUS&detectedFrom=2026-11-02&detectedTo=2026-11-02'
    const some = await hasSignals(query)
    assert.isAbove(some.length, 0)
    assert.isBelow(some.length, all.length)
    await page.getByLabel('Severity').selectOption('high')
    await page.getByRole('button', { name: 'Apply' }).click()
    await hasSignals(`${query}&minSeverity=high`)
    await page.reload()
    await page.getByText('Filters (4)').click()
    assert.strictEqual(await page.locator('[name=minSeverity]').inputValue(), 'high')
    assert.strictEqual(await page.locator('[name=detectedTo]').inputValue(), '2026-11-02')
    await page.getByRole('link', { name: 'Reversal' }).click()
    await page.getByText('No active signals pass these filters.').waitFor()
    assert.deepEqual(faults, [])
  })

  it('lists signals of a sector, of insiders and of days together', async () => {
    const well = { cik: '0001999690', name: 'Well Example Inc', tickerRaw: 'WELL' }
    const oil = CLUSTER.slice(0, 3).map((filing, number) => ({
      ...{ ...filing, accession: `0001999690-26-00000${number}`, issuer: well },
      ...{ owners: [{ cik: `000199969${number + 1}`, name: `DRILLER NUMBER${number}`, isDirector: true }] },
      sic: 'CRUDE PETROLEUM & NATURAL GAS [1311]',
    }))
    await ingest('oil', ...oil)
    const { page, faults } = await open('/#/signals')
    const { signals: all } = await api('/v1/signals?limit=50')
    const [cluster] = all.filter(({ ticker }: any) => ticker === 'CLUS')
    const { insiders } = await api(`/v1/signals/${cluster.id}`)
    const lists = (some: any[]) =>
      hasTexts(
        page.locator('.signals .said'),
        some.map(({ description }) => description),
      )
    await page.getByText('Filters', { exact: true }).click()
    await page.getByLabel('Insiders (CIK)').fill(insiders[0].cik)
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/insiderCiks=/)
    await lists([cluster])
    await page.getByRole('link', { name: 'Clear' }).click()
    const { sector } = await api('/v1/companies/WELL')
    const { signals: some } = await api(`/v1/signals?limit=50&sectors=${encodeURIComponent(sector)}`)
    assert.isAbove(some.length, 0)
    assert.isBelow(some.length, all.length)
    await lists(all)
    await page.locator('[name=sectors]').selectOption(sector)
    await page.getByRole('button', { name: 'Apply' }).click()
    await lists(some)
    await page.getByLabel('Detected to').fill('2026-01-01')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('No active signals pass these filters.').waitFor()
    await page.reload()
    await page.getByText('Filters (2)').click()
    assert.strictEqual(await page.locator('[name=sectors]').inputValue(), sector)
    assert.deepEqual(faults, [])
  })

  it('saves the trades that pass the filters as CSV, for a holder of a key', async () => {
    const { page, faults } = await open('/#/?tickers=EXWI&sort=value')
    await page.getByRole('link', { name: 'CSV (with an API key)' }).click()
    const { json } = await stack.make('key', { NAME: 'csv' })
    await page.getByLabel('API key').fill(json!.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Forget the key' }).waitFor()
    await page.goto(`${stack.address}/#/?tickers=EXWI&sort=value`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ])
    assert.strictEqual(download.suggestedFilename(), 'transactions.csv')
    const answer = await fetch(`${stack.address}/v1/feed/export?tickers=EXWI&format=csv&detail=full`, {
      headers: { authorization: `Bearer ${json!.key}` },
    })
    const saved = readFileSync(await download.path(), 'utf8')
    assert.strictEqual(saved, await answer.text())
    assert.lengthOf(saved.trim().split('\r\n'), (await feedIds('&tickers=EXWI')).length + 1)
    assert.deepEqual(faults, [])
  })

  it('marks times that are estimated, and says what every mark of its rows means', async () => {
    const { page, faults } = await open('/#/?tickers=EXWI,EXGD')
    const { transactions } = await api('/v1/feed?tickers=EXWI,EXGD&detail=full')
    const estimated = transactions.filter(({ detail }: any) => detail.filingDateBasis !== 'accepted')
    assert.isAbove(estimated.length, 0)
    await hasRows(
      page,
      transactions.map(({ id }: any) => id),
    )
    const marked = page.locator('tr[data-id]', { hasText: '≈' })
    assert.deepEqual(
      await marked.evaluateAll((rows: any[]) => rows.map((row) => row.dataset.id)),
      estimated.map(({ id }: any) => id),
    )
    assert.match((await marked.first().locator('time').getAttribute('title')) ?? '', /the time is estimated/)
    const legend = await page.locator('.legend').innerText()
    assert.include(legend, 'the time is estimated')
    const letters = new Set(
      await page.locator('tr[data-id] abbr').evaluateAll((all: any[]) => all.map(({ title }) => title)),
    )
    assert.isAbove(letters.size, 1)
    for (const words of letters) assert.include(legend, words)
    assert.deepEqual(faults, [])
  })

  it('orders the insiders of a company by the number beside them, and has years on every axis', async () => {
    const issuer = { cik: '0001999670', name: 'Order Example Inc', tickerRaw: 'ORDR' }
    const rows = (side: string, shares: string) => ({ side, shares })
    // The first trades most, the second has the largest difference.
    const trades = [
      ['0001999671', [rows('P', '9000'), rows('S', '8900')]],
      ['0001999672', [rows('S', '5000')]],
      ['0001999673', [rows('P', '3000')]],
    ] as const
    const filings = trades.map(([cik, each], number): FilingSpec => ({
      accession: `0001999670-26-00000${number}`,
      acceptedAt: `2026110${number + 3}170000`,
      issuer,
      owners: [{ cik, name: `ORDERED NUMBER${number}`, isDirector: true }],
      rows: each.map(({ side, shares }) => ({
        shares,
        date: `2026-11-0${number + 2}`,
        ...(side === 'S' && { code: 'S', acquiredDisposed: 'D' as const }),
      })),
    }))
    await ingest('ordered', ...filings)
    const { page, faults } = await open('/#/company/ORDR')
    await page.locator('.lanes svg').first().waitFor()
    assert.deepEqual(
      (await page.locator('.lanes .end').allInnerTexts()).filter((text) => text !== ''),
      ['−$50K', '+$30K', '+$1K'],
    )
    for (const axis of ['[aria-label^="Open-market trades"]', '.ticks svg', '[aria-label^="Trades by month"]']) {
      assert.include((await page.locator(axis).locator('text').allTextContents()).join(' '), '2026', axis)
    }
    await page.getByText('2 active signals').waitFor({ state: 'detached' })
    assert.deepEqual(faults, [])
  })

  it('has values at one edge and filters folded on a phone, shares where there is no value', async () => {
    const september = { acceptedAt: '20260910100000', rows: [{ shares: '180', date: '2026-09-09' }] }
    await ingest('few', { ...trade('0001999001-26-000180', 180), ...september })
    const { page, faults } = await open('/#/', { viewport: { width: 390, height: 844 } })
    await page.locator('tr[data-id]').first().waitFor()
    assert.isFalse(await page.getByLabel('Value at least ($)').isVisible())
    const edges = await page
      .locator('tr[data-id]')
      .evaluateAll((all: any[]) =>
        all.map((row) =>
          Math.round(
            row.querySelector(row.matches('.no-value') ? '.c-shares' : '.c-value').getBoundingClientRect().right,
          ),
        ),
      )
    assert.isAbove(edges.length, 5)
    assert.strictEqual(new Set(edges).size, 1, edges.join())
    await page.goto(`${stack.address}/#/?tickers=EXGD`)
    await page.locator('.no-value .c-shares').first().waitFor()
    assert.match(await page.locator('.no-value .c-shares').first().innerText(), /^[\d,.]+ shares$/)
    await page.goto(`${stack.address}/#/signals`)
    await page.locator('tr[data-signal]').first().waitFor()
    assert.isFalse(await page.getByLabel('Detected from').isVisible())
    const values = await page
      .locator('.signals .value')
      .evaluateAll((all: any[]) => all.map((cell) => Math.round(cell.getBoundingClientRect().right)))
    assert.strictEqual(new Set(values).size, 1, values.join())
    await page.goto(`${stack.address}/#/market`)
    const few = page.locator('.few')
    await few.first().waitFor()
    const { points } = await api(`/v1/sentiment?from=${fiveYearsAgo()}&plan10b51=no,unknown`)
    const traders = points.map(({ buyers, sellers }: any) => buyers + sellers)
    assert.deepEqual(await few.allTextContents(), traders.filter((each: number) => each > 0 && each < 10).map(String))
    assert.deepEqual(faults, [])
  })
})
