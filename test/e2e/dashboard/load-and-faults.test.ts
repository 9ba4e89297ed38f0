// The dashboard in a real browser where much happens or something is missing: thousands of streamed rows,
// forced colours, and a ClickHouse that is away.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { axeFindings, needBrowser, openPage, startBrowser, type WatchedPage } from '../../support/browser.ts'
import { submissionText, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { needClickHouse, startClickHouse, type ClickHouseServer } from '../../support/stores/clickhouse-server.ts'
import { startProxy, type Proxy } from '../../support/stores/proxy.ts'
import { volume } from '../../support/volume.ts'

/** Together 1,250 or ten thousand rows. */
const FILINGS = volume('filings streamed to the page', 50, 400)
const ROWS_EACH = 25
const COMPANIES = FILINGS / 50
const MIB = 1024 * 1024
/** Where colours are forced. */
const COMPANY = '/#/company/EXWI?years=all'
const FORCED = volume('pages in forced colours', [COMPANY], ['/#/', COMPANY, '/#/signals'])

/** Purchases that all differ, by as many insiders as there are filings. */
const many = (number: number): FilingSpec => ({
  accession: `0001999400-26-${String(number).padStart(6, '0')}`,
  acceptedAt: '20261112100000',
  issuer: {
    cik: `000199940${number % COMPANIES}`,
    name: `Many Rows ${number % COMPANIES} Co`,
    tickerRaw: `MUCH${'ABCDEFGH'[number % COMPANIES]}`,
  },
  owners: [{ cik: String(1_994_000_000 + number).padStart(10, '0'), name: `BUYER NUMBER ${number}`, isDirector: true }],
  rows: Array.from({ length: ROWS_EACH }, (_, row) => ({
    date: '2026-11-10',
    shares: String(1_000 + ROWS_EACH * number + row),
  })),
})

describe('the dashboard under load and beside faults', function () {
  this.timeout(120_000)
  let browser: Browser
  let stack: StackOfTest
  let clickHouse: ClickHouseServer
  let proxy: Proxy
  let folder: string
  const opened: WatchedPage[] = []

  before(function () {
    needBrowser(this)
    needClickHouse(this)
  })
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dashboard-load-'))
    ;[stack, clickHouse, browser] = await Promise.all([stackOfTest(), startClickHouse(), startBrowser()])
    proxy = await startProxy(clickHouse.port)
    const { status, stderr } = await stack.make('up', { CLICKHOUSE_URL: `http://127.0.0.1:${proxy.port}` })
    assert.strictEqual(status, 0, stderr)
    assert.strictEqual((await stack.make('ingest', { FROM: 'test/fixtures/filings' })).status, 0)
    for (let number = 0; number < FILINGS; number += 1) {
      writeFileSync(join(folder, `${many(number).accession}.txt`), submissionText(many(number)))
    }
  })
  afterEach(async () => {
    await proxy?.set('pass')
    for (const each of opened.splice(0)) await each.close()
  })
  after(async () => {
    await browser?.close()
    await stack?.remove()
    await proxy?.close()
    await clickHouse?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  const open = async (path: string) => {
    const watched = await openPage(browser, stack.address, path)
    opened.push(watched)
    return watched
  }
  const rowsOf = (page: Page) => page.locator('tr[data-id]')

  /** Returns the bytes that live in the page, after two collections. */
  const heapOf = async (page: Page): Promise<number> => {
    const session = await page.context().newCDPSession(page)
    for (let times = 0; times < 2; times += 1) await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    await session.detach()
    return usedSize
  }

  it(`has no more than 500 rows and no more memory after ${FILINGS * ROWS_EACH} have passed`, async () => {
    const { page, faults } = await open('/#/')
    await page.getByText('live', { exact: true }).waitFor()
    await rowsOf(page).first().waitFor()
    const before = await heapOf(page)
    const { status, stderr, json } = await stack.make('ingest', { FROM: folder })
    assert.strictEqual(status, 0, stderr)
    assert.strictEqual(json!.ingested, FILINGS)
    const { transactions } = (await call(stack.address, 'GET', '/v1/feed?limit=50')).body.data
    await page.locator(`tr[data-id="${transactions[0].id}"]`).waitFor()
    assert.isAtMost(await rowsOf(page).count(), 500)
    assert.isBelow((await heapOf(page)) - before, 20 * MIB)
    // The stream of a page that can't keep up is cut, and continues where it was.
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('ERR_INCOMPLETE_CHUNKED_ENCODING')),
      [],
    )
  })

  it('keeps outlines of marks and meets WCAG 2.2 AA where colours are forced and nothing moves', async () => {
    const { page } = await open(COMPANY)
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await page.locator('[data-mark]').first().waitFor()
    const outlines = await page
      .locator('[data-mark] > *:not(title)')
      .evaluateAll((all: any[]) =>
        all.map((each) => each.ownerDocument.defaultView.getComputedStyle(each).stroke as string),
      )
    assert.isAbove(outlines.length, 0)
    for (const outline of outlines) assert.notInclude(['none', ''], outline)
    for (const path of FORCED) {
      await page.goto(stack.address + path)
      await page.locator('main h1').first().waitFor()
      const { findings } = await axeFindings(page)
      assert.deepEqual(findings, [], path)
    }
  })

  it('names ClickHouse while it is away, and shows the page by itself once it is back', async () => {
    await proxy.set('refuse')
    const { page } = await open('/#/company/EXGD?years=all')
    // Named once the page has asked what is away.
    await page.getByRole('alert').filter({ hasText: 'ClickHouse' }).first().waitFor()
    assert.strictEqual(await rowsOf(page).count(), 0)
    await proxy.set('pass')
    await rowsOf(page).first().waitFor({ timeout: 60_000 })
    await page.getByRole('alert').first().waitFor({ state: 'detached' })
  })
})
