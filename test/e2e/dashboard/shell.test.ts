// What all pages of the dashboard share, in a real browser over a stack as make up starts it: the stream, the search, the
// title of the window, room on tablets; and the colours of the reference.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import type { Page } from 'playwright-core'
import { assertFits } from '../../support/browser.ts'
import { CLUSTER, useDashboard } from '../../support/dashboard.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import type { StackOfTest } from '../../support/make.ts'
import { noticeSubmission } from '../../support/notices/notice-builder.ts'

const NOTICE = '0001999201-26-000001'
/** Of a company without a symbol, with long names and titles. */
const PRIVATE: FilingSpec = {
  accession: '0001999730-26-000001',
  acceptedAt: '20261109180000',
  issuer: { cik: '0001999730', name: 'Unlisted Example Holdings & Trust Inc', tickerRaw: 'NONE' },
  owners: [
    {
      cik: '0001999731',
      name: 'VERY-LONGNAMED BARTHOLOMEW III',
      isOfficer: true,
      officerTitle: 'Executive Vice President',
    },
  ],
  rows: [{ date: '2026-11-06', shares: '1234567', price: '1234.5678' }],
}

describe('the shell of the dashboard', function () {
  this.timeout(120_000)
  const { started, open, ingest, api } = useDashboard()
  let stack: StackOfTest
  let pages: [path: string, ready: string][]

  before(async () => {
    stack = started()
    const folder = mkdtempSync(join(tmpdir(), 'dashboard-notice-'))
    try {
      writeFileSync(join(folder, `${NOTICE}.txt`), noticeSubmission({ accession: NOTICE }))
      assert.strictEqual((await stack.make('ingest', { FROM: 'test/fixtures/filings' })).status, 0)
      assert.strictEqual((await stack.make('ingest', { FROM: folder })).status, 0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    await ingest('shell', ...CLUSTER, PRIVATE)
    const [{ id }] = (await api('/v1/signals?type=cluster_buy&tickers=CLUS')).signals
    pages = [
      ['/#/signals', 'tr[data-signal]'],
      ['/#/rules', 'section'],
      ['/#/notices', 'tr[data-notice]'],
      ['/#/market', '.plot svg'],
      ['/#/watchlist', '.sign-in'],
      ['/#/alerts', '.sign-in'],
      ['/#/company/CIK0001999650?years=all', 'tr[data-id]'],
      ['/#/company/CIK0001999730?years=all', 'tr[data-id]'],
      ['/#/insider/0001999105', 'tr[data-id]'],
      [`/#/signal/${id}`, 'tr[data-reason]'],
      ['/#/filing/0001999730-26-000001', '.facts'],
      [`/#/notice/${NOTICE}`, '.facts'],
      ['/#/insider/1', '.nothing'],
      ['/#/nowhere', '.nothing'],
    ]
  })

  /** Hides the page or shows it, as far as the page can see. */
  const hide = (page: Page, isHidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });` +
        "document.dispatchEvent(new Event('visibilitychange'))",
    )
  const openStreams = async () => {
    const metrics = await (await fetch(`${stack.address}/metrics`)).text()
    return Number(/^streams_open (\d+)$/m.exec(metrics)![1])
  }
  /** Waits for it, five seconds at most. */
  const until = async (page: Page, isSo: () => Promise<boolean>) => {
    for (const end = Date.now() + 5_000; !(await isSo()) && Date.now() < end;) await page.waitForTimeout(50)
  }
  const hasStreams = async (page: Page, expected: number) => {
    await until(page, async () => (await openStreams()) === expected)
    assert.strictEqual(await openStreams(), expected)
  }

  it('has one stream, also if the page is hidden and shown while it opens, and none while it is hidden', async () => {
    const { page } = await open('/docs')
    const held: (() => void)[] = []
    await page.route('**/v1/changes?*', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    const isAsked = async (times: number) => {
      for (; held.length < times; await page.waitForTimeout(20));
    }
    await page.goto(stack.address)
    await isAsked(1)
    for (const times of [2, 3, 4]) {
      await hide(page, true)
      await hide(page, false)
      await isAsked(times)
    }
    await page.unroute('**/v1/changes?*')
    for (const release of held) release()
    await page.getByText('live', { exact: true }).waitFor()
    // The other openings are over as well.
    await page.waitForTimeout(500)
    assert.strictEqual(await openStreams(), 1)
    await hide(page, true)
    await hasStreams(page, 0)
    await hide(page, false)
    await page.getByText('live', { exact: true }).waitFor()
    await hasStreams(page, 1)
  })

  for (const [words, type] of [
    ['before the first answer', async (page: Page) => page.keyboard.type('exwi')],
    [
      'while what other words found is still shown',
      async (page: Page) => {
        await page.unroute('**/v1/search?*')
        await page.keyboard.type('exgd')
        await page.locator('#search-results').getByRole('option').filter({ hasText: 'EXGD' }).first().waitFor()
        await slowSearch(page)
        for (let letter = 0; letter < 2; letter += 1) await page.keyboard.press('Backspace')
        await page.keyboard.type('wi')
      },
    ],
  ] as const) {
    it(`leads to what was typed if Enter is pressed ${words}`, async () => {
      const { page, faults } = await open('/#/signals')
      await page.locator('tr[data-signal]').first().waitFor()
      await slowSearch(page)
      await page.locator('#search').focus()
      await type(page)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'EXWI' }).waitFor()
      assert.match(page.url(), /#\/company\/EXWI$/)
      assert.strictEqual(await page.locator('#search').inputValue(), '')
      assert.deepEqual(faults, [])
    })
  }
  const slowSearch = (page: Page) =>
    page.route('**/v1/search?*', async (route) => {
      await page.waitForTimeout(400)
      await route.continue().catch(() => {})
    })

  it('has the heading of its page as title, with names in place of numbers', async () => {
    const { page } = await open('/#/')
    await page.locator('tr[data-id]').first().waitFor()
    assert.strictEqual(await page.title(), 'Insider trades')
    const titles: string[] = []
    for (const [path, ready] of pages) {
      // Nothing of the page before is left.
      await page.goto('about:blank')
      await page.goto(stack.address + path)
      await page.locator(ready).first().waitFor()
      const heading = await page.locator('h1').evaluate((each: any) => each.textContent as string)
      const expected = `${heading.trim()} · Insider trades`
      await until(page, async () => (await page.title()) === expected)
      titles.push(await page.title())
      assert.strictEqual(titles.at(-1), expected, path)
    }
    for (const title of titles) assert.notMatch(title, /\d{5}|undefined/)
    assert.includeMembers(titles, [
      'Planned sales · Insider trades',
      'CLUS Cluster Example Inc · Insider trades',
      'Unlisted Example Holdings & Trust Inc · Insider trades',
      'Example Capital GP LLC · Insider trades',
      'Cluster buy at CLUS · Insider trades',
      'Form 4 at Unlisted Example Holdings & Trust Inc · Insider trades',
      'Not found · Insider trades',
    ])
    await page.getByRole('link', { name: 'Feed', exact: true }).click()
    await page.getByRole('heading', { name: 'Feed' }).waitFor()
    assert.strictEqual(await page.title(), 'Insider trades')
    await page.locator('tr[data-id] .c-company a').first().click()
    await until(page, async () => (await page.title()) !== 'Insider trades')
    assert.match(await page.title(), /^[A-Z]+ [A-Z].* · Insider trades$/)
  })

  it('fits tablets and phones: a table that is wider scrolls by itself', async () => {
    for (const [path, ready] of [['/#/', 'tr[data-id]'] as [string, string], ...pages]) {
      const { page, close } = await open(path, { viewport: { width: 768, height: 1024 } })
      await page.locator(ready).first().waitFor()
      for (const width of [768, 700, 641, 390]) {
        await page.setViewportSize({ width, height: 1024 })
        await assertFits(page, `${path} ${width}`)
      }
      await close()
    }
  })

  it('leads to a reference that is dark where the system is, and changes with it', async () => {
    const { page, faults } = await open('/docs/reference', { colorScheme: 'dark' })
    await page.locator('.swagger-ui .opblock').first().waitFor()
    const colours = () =>
      page.evaluate<number[][]>(
        `[[document.documentElement, 'backgroundColor'], [document.querySelector('.swagger-ui .info .title'), 'color']]
          .map(([element, name]) => getComputedStyle(element)[name].match(/[0-9.]+/g).slice(0, 3).map(Number))`,
      )
    const [paper, ink] = await colours()
    for (const part of paper!) assert.isTrue(part > 0 && part < 64, paper!.join())
    for (const part of ink!) assert.isAbove(part, 190)
    await page.emulateMedia({ colorScheme: 'light' })
    await until(page, async () => (await colours())[1]!.every((part) => part < 100))
    for (const part of (await colours())[1]!) assert.isBelow(part, 100)
    assert.deepEqual(faults, [])
  })
})
