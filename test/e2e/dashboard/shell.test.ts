// The shell around the dashboard's pages in a real browser, over a stack as make up starts it: its stream.
import { assert } from 'chai'
import type { Page } from 'playwright-core'
import { useDashboard } from '../../support/dashboard.ts'
import type { StackOfTest } from '../../support/make.ts'

describe('the shell of the dashboard', function () {
  this.timeout(120_000)
  const { started, open } = useDashboard()
  let stack: StackOfTest

  before(() => {
    stack = started()
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
  const hasStreams = async (page: Page, expected: number) => {
    for (const end = Date.now() + 5_000; Date.now() < end; await page.waitForTimeout(50)) {
      if ((await openStreams()) === expected) return
    }
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
})
