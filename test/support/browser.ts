// The browser of the tests: that of the variable CHROMIUM, else the first on the PATH. Without one its tests are
// skipped, visibly; one that is found and does not start is a failure. Each page keeps what must not happen on it.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { assert } from 'chai'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'

const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome-stable', 'google-chrome']

/** Returns the path of a browser, null where there is none. */
function findBrowser(): string | null {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find((path) => existsSync(path)) ?? null
}

/** Skips the tests of a suite where there is no browser, and says so. */
export function needBrowser(context: Mocha.Context): void {
  if (findBrowser() !== null) return
  console.log('    no browser: install chromium-headless-shell, or name one in CHROMIUM')
  context.skip()
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findBrowser()!,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage'],
  })
}

export interface WatchedPage {
  page: Page
  /** Errors of the console, violations of the policy, requests to other addresses. */
  faults: string[]
  close(): Promise<void>
}

/** Opens a page that may ask `address` alone. */
export async function openPage(
  browser: Browser,
  address: string,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${address}/`)) faults.push(`request: ${request.url()}`)
  })
  await page.goto(address + path)
  return { page, faults, close: () => context.close() }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface AxeResult {
  violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
  passes: unknown[]
}

/** Returns what axe finds against WCAG 2.2 AA, a line each, and how many of its rules passed. */
export async function axeFindings(page: Page): Promise<{ findings: string[]; passed: number }> {
  await page.evaluate(AXE)
  const result = await page.evaluate<AxeResult>(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(TAGS)} } })`,
  )
  const findings = result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`),
  )
  return { findings, passed: result.passes.length }
}

/** Asserts that nothing is wider than the window, once the pictures have been drawn for its width. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const widths = () => page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]')
  for (const end = Date.now() + 5_000; Date.now() < end; await page.waitForTimeout(50)) {
    const [content, window] = await widths()
    if (content! <= window!) return
  }
  const [content, window] = await widths()
  assert.isAtMost(content!, window!, `sideways scrolling: ${what}`)
}

/** Asserts that a page meets WCAG 2.2 AA and fits: light and narrow, dark and wide, which cover both. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 320],
    ['dark', 1280],
  ] as const) {
    const what = `${name} ${colorScheme} ${width}`
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 800 })
    await assertFits(page, what)
    const { findings, passed } = await axeFindings(page)
    assert.deepEqual(findings, [], what)
    assert.isAbove(passed, 20)
  }
}
