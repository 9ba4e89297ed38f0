// The dashboard of a stack of its own in a real browser, and what its tests ask of both.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { needBrowser, openPage, startBrowser, type WatchedPage } from './browser.ts'
import { submissionText, type FilingSpec } from './filings/filing-builder.ts'
import { call } from './http/contract-client.ts'
import { stackOfTest, type StackOfTest } from './make.ts'

export const MARKUP = '<img src=x onerror="document.title=1">'
/** Filed with markup in every text that a filing has. */
export const HOSTILE: FilingSpec = {
  accession: '0001999777-26-000001',
  acceptedAt: '20261109180000',
  issuer: { cik: '0001999777', name: `Acme ${MARKUP} Inc`, tickerRaw: 'ACME' },
  owners: [{ cik: '0001999778', name: `EVIL ${MARKUP}`, isOfficer: true, officerTitle: `Chief ${MARKUP}` }],
  rows: [{ date: '2026-11-06', securityTitle: `Common ${MARKUP}`, footnotes: { price: ['F1'] } }],
  footnotes: [{ id: 'F1', text: `See ${MARKUP} "javascript:alert(1)"` }],
  remarks: MARKUP,
}

/** A purchase of a number of shares that no other filing has, so that it counts as an event of its own. */
export const trade = (accession: string, shares: number): FilingSpec => ({
  accession,
  acceptedAt: '20261110100000',
  rows: [{ shares: String(shares), date: '2026-11-09' }],
})

/** Five insiders who buy within days: three count towards a cluster, one is under a plan, one owns over 10 %. */
export const CLUSTER = Array.from({ length: 5 }, (_, number): FilingSpec => {
  const day = [1, 2, 5, 3, 4][number]!
  const owner = { cik: `000199960${number}`, name: `MEMBER NUMBER${'ABCDE'[number]}` }
  return {
    accession: `0001999600-26-00000${number}`,
    acceptedAt: `2026110${day + 1}170000`,
    issuer: { cik: '0001999650', name: 'Cluster Example Inc', tickerRaw: 'CLUS' },
    owners: [number === 4 ? { ...owner, isTenPercentOwner: true } : { ...owner, isDirector: true }],
    rows: [{ date: `2026-11-0${day}`, shares: String(2_000 + number), price: '12.5' }],
    ...(number === 3 && { aff10b5One: true }),
  }
})

/** From which day the page of the market asks. */
export const fiveYearsAgo = () => new Date(Date.now() - 5 * 365.25 * 86_400_000).toISOString().slice(0, 10)

/** Starts a stack and a browser before the tests of a suite, closes pages after each and both at the end. */
export function useDashboard(variables: Record<string, string | number> = {}) {
  let browser: Browser
  let stack: StackOfTest
  let folder: string
  const opened: WatchedPage[] = []

  before(function () {
    needBrowser(this)
  })
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dashboard-'))
    stack = await stackOfTest()
    const [started, { status, stderr }] = await Promise.all([startBrowser(), stack.make('up', variables)])
    browser = started
    assert.strictEqual(status, 0, stderr)
  })
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
  })
  after(async () => {
    await browser?.close()
    await stack?.remove()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  const api = async (path: string) => (await call(stack.address, 'GET', path)).body.data
  const ids = (page: Page) =>
    page.locator('tr[data-id]').evaluateAll((rows: any[]) => rows.map((row) => row.dataset.id as string))
  return {
    /** The stack, once it runs. */
    started: () => stack,
    open: async (path = '/', options: BrowserContextOptions = {}) => {
      const watched = await openPage(browser, stack.address, path, options)
      opened.push(watched)
      return watched
    },
    /** Ingests filings from a new folder of this name. */
    ingest: async (name: string, ...filings: FilingSpec[]) => {
      const path = join(folder, name)
      mkdirSync(path)
      for (const filing of filings) writeFileSync(join(path, `${filing.accession}.txt`), submissionText(filing))
      assert.strictEqual((await stack.make('ingest', { FROM: path })).status, 0)
    },
    api,
    ids,
    feedIds: async (query = ''): Promise<string[]> =>
      (await api(`/v1/feed?limit=50${query}`)).transactions.map(({ id }: { id: string }) => id),
    /** Waits until the page has exactly these rows, in this order. */
    hasRows: async (page: Page, expected: string[]) => {
      for (const end = Date.now() + 20_000; Date.now() < end; await page.waitForTimeout(50)) {
        if ((await ids(page)).join() === expected.join()) return
      }
      assert.deepEqual(await ids(page), expected)
    },
    /** Waits until these are the texts, in this order. */
    hasTexts: async (locator: Locator, expected: string[]) => {
      for (const end = Date.now() + 20_000; Date.now() < end; await sleep(50)) {
        if ((await locator.allInnerTexts()).join('\n') === expected.join('\n')) return
      }
      assert.deepEqual(await locator.allInnerTexts(), expected)
    },
  }
}
